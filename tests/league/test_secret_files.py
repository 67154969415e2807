"""Passwords from files: where they end up, and what is said of a file that holds none."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.engine import make_url

from dashboard.settings import Settings
from league.errors import Malformed
from league.secret_files import MAX_BYTES, with_password
from league.settings import LeagueSettings

PASSWORD = "a/long:one@here"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "password"
    path.write_text(f"{PASSWORD}\n")
    return path


def test_passwords_of_addresses_come_from_files(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BULLRING_DATABASE_URL", "postgresql://league@db/bullring")
    monkeypatch.setenv("BULLRING_DATABASE_PASSWORD_FILE", str(file))
    monkeypatch.setenv("BULLRING_REDIS_URL", "redis://redis:6379/3")
    monkeypatch.setenv("BULLRING_REDIS_PASSWORD_FILE", str(file))
    for settings in (LeagueSettings(), Settings()):
        database, redis = make_url(settings.database), make_url(settings.broker)
        assert (database.username, database.password, database.host) == ("league", PASSWORD, "db")
        assert (redis.username, redis.password, redis.port) == ("", PASSWORD, 6379)


def test_the_file_service_has_a_password_of_its_own_or_the_workers(file: Path) -> None:
    workers = LeagueSettings(worker_password="the workers'")
    assert workers.files_secret == "the workers'"
    own = LeagueSettings(worker_password="the workers'", files_password_file=file)
    assert (own.files_secret, own.worker_password) == (PASSWORD, "the workers'")
    assert LeagueSettings(worker_password_file=file).worker_password == PASSWORD
    assert LeagueSettings().files_secret is None


def test_a_file_is_read_once(file: Path) -> None:
    settings = LeagueSettings(worker_password_file=file)
    file.write_text("another")
    assert settings.worker_password == PASSWORD


def test_settings_can_be_made_from_settings(file: Path) -> None:
    first = LeagueSettings(
        worker_password_file=file,
        database_url="postgresql://league@db/bullring",
        database_password_file=file,
    )
    assert LeagueSettings(**first.model_dump()) == first


def test_no_password_is_shown_with_the_settings(file: Path) -> None:
    shown = LeagueSettings(worker_password_file=file, files_password_file=file)
    assert PASSWORD not in repr(shown)


@pytest.mark.parametrize(
    "held", [b"", b"\n", b"two\nlines", b"\xff\xfe", b"x" * (MAX_BYTES + 1)], ids=repr
)
def test_a_file_without_a_password_is_named(held: bytes, tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_bytes(held)
    with pytest.raises(Malformed, match=r"BULLRING_FILES_PASSWORD_FILE: \S+/password does not"):
        LeagueSettings(files_password_file=path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(Malformed, match=r"_FILE: cannot read \S+/none \(No such file"):
        LeagueSettings(worker_password_file=tmp_path / "none")
    with pytest.raises(Malformed, match="Is a directory"):
        LeagueSettings(worker_password_file=tmp_path)


def test_a_password_is_given_in_one_way(file: Path) -> None:
    with pytest.raises(Malformed, match="BULLRING_WORKER_PASSWORD and"):
        LeagueSettings(worker_password="x", worker_password_file=file)
    with pytest.raises(Malformed, match="BULLRING_REDIS_URL has a password already"):
        LeagueSettings(redis_url="redis://:x@redis", redis_password_file=file)
    with pytest.raises(Malformed, match="without BULLRING_DATABASE_URL"):
        LeagueSettings(database_password_file=file)


@given(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1))
def test_any_password_survives_its_address(password: str) -> None:
    address = with_password("BULLRING_DATABASE_URL", "postgresql://ada@db:5433/league", password)
    url = make_url(address)
    assert (url.username, url.password, url.port) == ("ada", password, 5433)


def test_the_command_line_says_it_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cli.main import main

    monkeypatch.setenv("BULLRING_WORKER_PASSWORD_FILE", str(tmp_path / "none"))
    monkeypatch.setattr("sys.argv", ["bullring", "db", "upgrade"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.startswith("bullring: BULLRING_WORKER_PASSWORD_FILE: cannot read ")
    assert said.count("\n") == 1
