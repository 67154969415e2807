"""The author's commands against a real server on the loopback: log in, submit, follow, look."""

import io
import json
import socket
import stat
import tarfile
import threading
import zipfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import store as league_store
from api_models.matches import MatchOut
from cli.author import status
from cli.author.remote import logins
from cli.author.remote.client import Client
from cli.main import build_app
from dashboard.services import NoServices
from dashboard.settings import Settings
from league import ladder as ladders
from league.authors.tokens import issue_token
from league.needs import Missing
from league.reviews import draw_sample
from league.submissions import CheckReport, FolderUploads, SubmissionProcessor
from league.submissions.check.report import Step
from sandbox.api import SubmissionRejected
from sandbox.intake import Accepted
from store import ReviewReason, Store, SubmissionKind, accounts, inbox
from tests.dashboard.conftest import plain_logs, quick_passwords, seeded, seeded_folder, settings
from tests.dashboard.conftest import store as store_fixture
from tests.dashboard.reviewed import make_reviews
from tests.dashboard.seed import Seeded
from tests.dashboard.serving import served

__all__ = ["plain_logs", "quick_passwords", "seeded", "seeded_folder", "settings"]

store = store_fixture
GOOD = CheckReport(
    runner="docker",
    rules=("six-nimmt",),
    steps=(Step(name="start", ok=True, says="it started"),),
)
BAD = CheckReport(
    runner="docker",
    rules=(),
    steps=(Step(name="start", ok=False, says="it never came; see its output"),),
    log="Traceback: no module named botkit",
)


class Workshop:
    """Images are imagined; everything around them is real."""

    def __init__(self, report: CheckReport | SubmissionRejected) -> None:
        self.report = report
        self.received: list[bytes] = []

    async def take_in(
        self, kind: SubmissionKind, source: str, data: AsyncIterator[bytes] | None
    ) -> Accepted:
        assert data is not None
        self.received.append(b"".join([piece async for piece in data]))
        if isinstance(self.report, SubmissionRejected):
            raise self.report
        return Accepted(
            image="sha256:" + "1" * 64,
            name="n",
            fingerprint="2" * 64,
            unpacked=1 << 20,
            files=3,
            log="built",
        )

    async def check(
        self, accepted: Accepted, rules: list[str], on_step: Callable[[str], None]
    ) -> CheckReport:
        on_step("playing")
        assert isinstance(self.report, CheckReport)
        return self.report


class League(NoServices):
    """Works on a submission as soon as it is stored, unless it is told to wait."""

    def __init__(self, database: Store, uploads: Path) -> None:
        self.database, self.uploads = database, uploads
        self.workshop = Workshop(GOOD)
        self.refusal: Missing | None = None
        self.threads: list[threading.Thread] = []

    def submitted(self, submission_id: int) -> None:
        processor = SubmissionProcessor(
            self.database, FolderUploads(self.uploads), self.workshop, "test"
        )
        self.threads.append(threading.Thread(target=processor.process, args=(submission_id,)))
        self.threads[-1].start()

    def missing(self) -> list[Missing]:
        return []

    def refuses_uploads(self) -> Missing | None:
        return self.refusal


@pytest.fixture
def league(store: Store, settings: Settings) -> Iterator[League]:
    made = League(store, settings.uploads)
    yield made
    for thread in made.threads:
        thread.join()


@pytest.fixture
def site(settings: Settings, store: Store, league: League) -> Iterator[str]:
    """The dashboard on a loopback port; its address."""
    with served(settings, store, league) as url:
        yield url


def secret_of(store: Store, handle: str, *scopes: str) -> str:
    with store.write() as session:
        owner = accounts.owner_by_handle(session, handle)
        assert owner is not None
        return issue_token(session, owner.id, "test", scopes)[1]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    for name in ("BULLRING_API_TOKEN", "BULLRING_SERVER"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "config"


def bullring(*arguments: object, code: int = 0, typed: str | None = None) -> str:
    given = [str(argument) for argument in arguments]
    result = CliRunner().invoke(build_app(), given, input=typed)
    assert result.exit_code == code, f"{given}: {result.exit_code}\n{result.output}"
    return result.output


@pytest.fixture
def signed_in(site: str, store: Store) -> str:
    secret = secret_of(store, "heron", "read", "submit", "manage")
    bullring("login", site, typed=f"{secret}\n")
    return site


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "fresh"
    made.mkdir()
    (made / "Dockerfile").write_text("FROM bullring-base\nCOPY bot.py /bot.py\n")
    (made / "bot.py").write_text("print('hello')\n")
    (made / ".git").mkdir()
    (made / ".git" / "secret").write_text("not for the league")
    return made


def test_a_login_is_kept_where_nobody_else_can_read_it(site: str, store: Store, home: Path) -> None:
    secret = secret_of(store, "heron", "read", "submit", "manage")
    said = bullring("login", site, typed=f"{secret}\n")
    assert "You are heron" in said
    assert secret not in said
    kept = home / "bullring" / "logins.json"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert secret in kept.read_text()
    kept.chmod(0o644)
    assert "chmod 600" in bullring("status", code=2)
    kept.chmod(0o600)
    assert site in bullring("logout")
    assert secret not in kept.read_text()
    assert f"bullring login {site}" in bullring("status", "--server", site, code=2)


def test_a_folder_is_sent_checked_and_reported_as_at_home(
    signed_in: str, folder: Path, league: League
) -> None:
    said = bullring("submit", folder, "--rules", "six-nimmt", "--note", "first")
    assert GOOD.words() in said
    assert GOOD.verdict in said
    assert "heron/fresh version 1 plays from now on" in said
    with tarfile.open(fileobj=io.BytesIO(league.workshop.received[0])) as tar:
        assert tar.getnames() == ["Dockerfile", "bot.py"], "what no bot needs is left out"
    [line] = bullring("versions", "fresh").splitlines()
    assert line.startswith("*   1  accepted")
    assert line.endswith("first"), "the note tells versions apart"
    assert "version 1 plays six-nimmt" in bullring("status", "fresh")
    assert "built" in bullring("logs")


def test_the_same_again_is_not_sent_twice_and_shows_the_same_report(
    signed_in: str, folder: Path, league: League
) -> None:
    league.workshop.report = BAD
    first = bullring("submit", folder, "--rules", "six-nimmt", code=1)
    second = bullring("submit", folder, code=1)
    assert len(league.workshop.received) == 1
    assert "submitted before" in second
    for said in (first, second):
        assert "FAIL start: it never came" in said
        assert "no module named botkit" in said
    league.workshop.report = GOOD
    assert GOOD.verdict in bullring("submit", folder, "--again")
    (folder / "bot.py").write_text("print('better')\n")
    assert GOOD.verdict in bullring("submit", folder)
    assert len(league.workshop.received) == 3


def test_a_refused_build_says_the_rule_and_how_to_mend_it(
    signed_in: str, folder: Path, league: League
) -> None:
    league.workshop.report = SubmissionRejected("volume", "It has a VOLUME.", "Use /tmp instead.")
    said = bullring("submit", folder, "--rules", "six-nimmt", code=1)
    assert "FAIL volume: " in said
    assert said.count("Use /tmp instead.") == 1


def test_rolling_back_and_forward(signed_in: str, folder: Path) -> None:
    bullring("submit", folder, "--rules", "six-nimmt")
    said = bullring("versions", "close", "--use", 1)
    assert "Version 1 of heron/close plays from now on." in said
    refused = bullring("versions", "close", "--use", 99, code=2)
    assert "got version 99 of close, expected an accepted one: 1" in refused


def test_a_gate_is_asked_for_on_a_ladder(signed_in: str, store: Store) -> None:
    assert "are: none" in bullring("versions", "close", "--gate", 1, code=2)
    with store.write() as session:
        plan = ladders.LadderPlan(rules="six-nimmt", options={"rounds": 1}, table=4)
        ladders.open_ladder(session, plan, "test")
    said = bullring("versions", "close", "--gate", 1, code=2)
    assert "a gate compares two versions" in said
    assert "now: No worker is running" in bullring("status", "close")


def test_replays_are_public(site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "name one with --server URL" in bullring("replay", "get", 1, code=2)
    bullring("replay", "get", 1, "--server", site)
    assert "0 wrong" in bullring("replay", "verify", "match-1.jsonl")
    # What is private still needs one.
    assert "there is no token" in bullring("logs", "close", "--server", site, code=2)


def test_a_zip_of_a_folder_is_submitted(signed_in: str, league: League, tmp_path: Path) -> None:
    archive = tmp_path / "close.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("close/Dockerfile", "FROM bullring-base")
        packed.writestr("close/bot.py", "print(1)")
    assert "it started" in bullring("submit", archive, "--bot", "close")


def test_matches_are_shown_and_replays_taken_home(
    signed_in: str, seeded: Seeded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = bullring("watch", "close", "--recent")
    assert "mean place" in shown
    assert "/matches/" in shown
    bullring("replay", "get", 1, 1)
    bullring("replay", "get", 1)
    assert "already exists" in bullring("replay", "get", 1, code=2)
    game = json.loads(Path("match-1-pass1-game00001.json").read_text())
    assert (game["pass"], game["game_no"]) == (0, 0)
    bullring("replay", "get", 1, 0, code=2)
    assert "0 wrong" in bullring("replay", "verify", "match-1.jsonl")
    assert "match 999" in bullring("replay", "get", 999, code=2)


def test_a_match_that_ends_is_told_whatever_the_clock_at_home_says(
    signed_in: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # All matches of the league ended in the past; the newest comes into view at the second look.
    looks: list[list[MatchOut]] = []
    ask = status._done

    def done(client: Client, name: str) -> list[MatchOut]:
        found = sorted(ask(client, name), key=lambda one: str(one.finished_at), reverse=True)
        looks.append(found[0 if looks else 1 :])
        return looks[-1]

    monkeypatch.setattr(status, "_done", done)
    monkeypatch.setattr(status, "LOOK_SECONDS", 0)
    said = bullring("watch", "close", "--count", 1)
    assert said.count("mean place") == 1
    assert f"match {looks[-1][0].id} " in said
    assert len(looks) == 2


def test_a_bot_is_entered_in_an_open_season(signed_in: str) -> None:
    assert "heron/dice is entered in summer" in bullring("enter", "summer", "dice")
    assert "spring" in bullring("enter", "spring", "dice", code=2)


def test_a_league_without_docker_refuses_uploads_before_anything_is_sent(
    signed_in: str, folder: Path, league: League
) -> None:
    league.refusal = Missing(what="Docker", why="It plays trusted bots.", fix="Start it so.")
    said = bullring("submit", folder, "--rules", "six-nimmt", code=2)
    assert "It plays trusted bots. Start it so." in said
    assert league.workshop.received == []


@pytest.mark.parametrize("wrong", ["br_nonsense", "nonsense"])
def test_a_wrong_token_says_where_to_make_a_new_one(site: str, wrong: str) -> None:
    said = bullring("login", site, typed=f"{wrong}\n", code=2)
    assert f"{site}/mine" in said
    assert not logins.file().exists()


def test_a_token_without_the_scope_says_which_ones_are_needed(
    site: str, store: Store, folder: Path
) -> None:
    secret = secret_of(store, "heron", "read")
    assert "lacks submit, manage" in bullring("login", site, typed=secret)
    said = bullring("submit", folder, "--rules", "six-nimmt", code=2)
    assert "scopes read, submit and manage" in said


def test_a_league_that_is_down_says_so(signed_in: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BULLRING_SERVER", "http://127.0.0.1:1")
    monkeypatch.setenv("BULLRING_API_TOKEN", "br_x")
    assert "cannot be reached (Connection refused)" in bullring("status", code=2)


def test_too_large_a_bot_is_refused_before_it_is_sent(
    signed_in: str, folder: Path, league: League
) -> None:
    (folder / "weights").write_bytes(b"x" * 300_000)
    said = bullring("submit", folder, "--rules", "six-nimmt", code=2)
    assert "the league takes at most 195.3 KiB" in said
    assert league.workshop.received == []


def test_what_is_no_bot_is_refused_with_a_way_on(signed_in: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no Dockerfile" in bullring("submit", empty, code=2)
    assert "there is no" in bullring("submit", tmp_path / "nowhere", code=2)
    assert "--bot NAME" in bullring("submit", "image:mine", code=2)
    junk = tmp_path / "junk.tar"
    junk.write_bytes(b"junk" * 400)
    assert "docker save" in bullring("submit", junk, code=2)
    assert "no rules 'chess'" in bullring("submit", empty, "--rules", "chess", code=2)


def test_a_new_bot_without_rules_is_tried_with_all_of_them(
    signed_in: str, folder: Path, store: Store
) -> None:
    bullring("submit", folder)
    assert "six-nimmt, eleven-nimmt, x-nimmt" in bullring("status", "fresh")


def test_an_address_that_is_no_league_is_recognised(tmp_path: Path) -> None:
    answer = b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
    with _Answering(answer) as url:
        assert "not a Bullring league" in bullring("login", url, typed="br_x\n", code=2)
    moved = b"HTTP/1.1 301 Moved\r\nLocation: https://new.example/api/v1/league\r\n"
    with _Answering(moved + b"Content-Length: 0\r\nConnection: close\r\n\r\n") as url:
        said = bullring("login", url, typed="br_x\n", code=2)
    assert "bullring login https://new.example" in said
    busy = b"HTTP/1.1 429 Slow\r\nRetry-After: 99\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    with _Answering(busy) as url:
        assert "in 99 seconds" in bullring("login", url, typed="br_x\n", code=2)
    newer = json.dumps(
        {"name": "x", "api": "2", "url": "x", "upload_max_bytes": 1, "submissions_per_day": 1,
         "refuses_uploads": None, "missing": []}
    ).encode()  # fmt: skip
    head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(newer)}\r\nConnection: close\r\n\r\n".encode()
    with _Answering(head + newer) as url:
        assert "git pull" in bullring("login", url, typed="br_x\n", code=2)


class _Answering:
    """A server that says the same to everybody."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection:
                connection.recv(65536)
                connection.sendall(self._answer)

    def __enter__(self) -> str:
        self._thread.start()
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(timeout=10)


def test_no_message_counts_as_read_before_it_was_shown(signed_in: str, store: Store) -> None:
    with store.write() as session:
        heron = accounts.owner_by_handle(session, "heron")
        assert heron is not None
        for number in range(120):
            inbox.tell(session, heron.id, "test", f"message {number}.", "because", None)
    said = bullring("messages")
    assert [number for number in range(120) if f"message {number}." not in said] == []
    assert "No new messages" in bullring("messages")


def test_messages_are_new_once_and_their_copies_go_where_the_author_says(
    signed_in: str, store: Store
) -> None:
    with store.write() as session:
        heron = accounts.owner_by_handle(session, "heron")
        assert heron is not None
        for title in ("close is suspended", "close passed its gate"):
            inbox.tell(session, heron.id, "test", title, "because", "/bots/heron/close")
    assert "2 new messages" in bullring("status")
    said = bullring("messages")
    assert said.index("close is suspended") < said.index("close passed its gate")
    assert f"{signed_in}/bots/heron/close" in said
    assert "No new messages" in bullring("messages")
    assert "new message" not in bullring("status")
    assert "close is suspended" in bullring("messages", "--all")
    assert "stay in your inbox" in bullring("webhook")
    assert "expected http://HOST" in bullring("webhook", "ftp://example.org/", code=2)
    assert "https://9.9.9.9/x" in bullring("webhook", "https://9.9.9.9/x")
    assert "https://9.9.9.9/x" in bullring("webhook")
    assert "stay in your inbox" in bullring("webhook", "off")


def review_sample(store: Store) -> None:
    """Make the reviews that the command asks for, before it looks: no worker runs here."""
    with store.read() as session:
        bot = league_store.bots.find_bot(session, "heron/close")
        assert bot is not None
        drawn = draw_sample(session, bot.id, 2)
    for game in drawn.games:
        with store.write() as session:
            place = (game.pass_no, game.game_no)
            league_store.reviews.ask(session, game.match_id, [place], ReviewReason.SAMPLE)
    make_reviews(store, 1, 0)


@pytest.mark.heavy
def test_where_a_bot_loses_points_is_printed_from_a_sample(signed_in: str, store: Store) -> None:
    review_sample(store)
    said = bullring("review", "--bot", "close", "--sample", 2)
    assert "heron/close: 2 games reviewed, drawn at random from" in said
    assert "kind card" in said
    assert "version v1" in said
    told = json.loads(bullring("review", "--bot", "close", "--sample", 2, "--json"))
    assert (told["reviewed"], told["waiting"]) == (2, 0)
    assert "expected FILE or FOLDER" in bullring("review", code=2)
    assert "expected one of them" in bullring("review", "x.json", "--bot", "close", code=2)
