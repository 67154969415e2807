"""`bullring doctor` asks what is really there, and a league's own folder verifies."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import store
from cli.main import build_app
from league.local.doctor import TO_DO
from league.matches.inprocess import InProcessStage
from league.seasons.plan import SeasonPlan
from league.wiring import worker_checks
from store import SeasonState
from store.migrate import newest_revision
from tests.factories import add_bots, open_store
from tests.league.world import play_due, season_in, settings

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=4)


def run(*arguments: str, **env: str) -> tuple[int, str]:
    found = CliRunner().invoke(build_app(), list(arguments), env=env)
    return found.exit_code, found.output


def findings(*arguments: str, **env: str) -> dict[str, dict[str, str]]:
    _, said = run("doctor", "--json", *arguments, **env)
    return {one["name"]: one for one in json.loads(said)}


def test_the_doctor_asks_the_database_and_the_disk_and_says_how_long_they_took(
    tmp_path: Path,
) -> None:
    open_store(settings(tmp_path)).close()
    found = findings(BULLRING_DATA_DIR=str(tmp_path))
    for name in ("database", "disk"):
        assert found[name]["level"] == "ok"
        assert found[name]["found"].endswith(" ms")


def test_the_doctor_says_which_service_does_not_answer_and_names_the_setting(
    tmp_path: Path,
) -> None:
    open_store(settings(tmp_path)).close()
    found = findings(
        BULLRING_DATA_DIR=str(tmp_path),
        BULLRING_REDIS_URL="redis://127.0.0.1:1/0",
        BULLRING_FILES_URL="http://127.0.0.1:1",
        BULLRING_IMAGE_REGISTRY="127.0.0.1:1",
    )
    assert found["broker"]["level"] == "risk"
    assert "BULLRING_REDIS_URL" in found["broker"]["found"]
    assert found["files"]["level"] == found["registry"]["level"] == "broken"
    assert "bullring files" in found["files"]["found"]


def test_the_doctor_of_a_league_shows_what_every_worker_says(tmp_path: Path) -> None:
    database = open_store(settings(tmp_path))
    with database.write() as session:
        for name, state, problems in (
            ("good", store.WorkerState.UP, {}),
            ("bad", store.WorkerState.QUARANTINED, {"files": "401"}),
        ):
            row = store.Worker(name=name, state=state, detail={"problems": problems})
            store.workers.beat(session, row)
    found = findings("--league", BULLRING_DATA_DIR=str(tmp_path))
    assert found["worker good"]["level"] == "ok"
    assert found["worker bad"]["level"] == "risk"
    assert found["worker bad"]["means"] == "files: 401"


def test_the_doctor_of_a_league_says_where_matches_wait_and_where_nobody_measures(
    tmp_path: Path,
) -> None:
    database = open_store(settings(tmp_path))
    hosts = {
        "fit": {"waits": None, "waiting": 0, "not_measured": None},
        "busy": {"waits": "our own small bot was late", "waiting": 2, "not_measured": None},
        "blind": {"waits": None, "waiting": 0, "not_measured": "host not measured: no cores"},
    }
    with database.write() as session:
        for name, host in hosts.items():
            row = store.Worker(name=name, state=store.WorkerState.UP, detail={"host": host})
            store.workers.beat(session, row)
    found = findings("--league", BULLRING_DATA_DIR=str(tmp_path))
    assert "host of fit" not in found
    assert found["host of busy"]["level"] == "risk"
    assert found["host of busy"]["found"] == "2 wait for a fit host: our own small bot was late"
    assert found["host of blind"]["level"] == "note"
    assert found["host of blind"]["found"] == "host not measured: no cores"


def test_the_doctor_of_a_league_names_workers_of_another_release(tmp_path: Path) -> None:
    database = open_store(settings(tmp_path))
    with database.write() as session:
        for name, schema in (("ours", newest_revision()), ("older", "0001")):
            row = store.Worker(name=name, state=store.WorkerState.UP, detail={"schema": schema})
            store.workers.beat(session, row)
    found = findings("--league", BULLRING_DATA_DIR=str(tmp_path))
    assert found["worker ours"]["level"] == "ok"
    assert found["worker older"]["level"] == "risk"
    assert "database revision 0001, this one" in found["worker older"]["means"]


def test_the_doctor_says_what_to_do_about_each_check_of_a_worker(tmp_path: Path) -> None:
    chosen = settings(
        tmp_path, sandbox="docker", redis_url="redis://127.0.0.1:1", files_url="http://127.0.0.1:1"
    )
    names = {check.name for check in worker_checks(chosen, open_store(chosen))}
    assert {"database", "disk", "memory", "engine"} <= names
    assert names <= set(TO_DO)


@pytest.mark.parametrize(
    ("name", "there"),
    [("memory", "MiB of memory are available, expected"), ("disk", "MiB are free in")],
)
def test_the_doctor_says_how_much_is_there_when_it_is_short_and_what_to_do(
    tmp_path: Path, name: str, there: str
) -> None:
    open_store(settings(tmp_path)).close()
    short = {f"BULLRING_{name.upper()}_MIN_BYTES": str(2**60)}
    found = findings(BULLRING_DATA_DIR=str(tmp_path), **short)[name]
    assert found["level"] == "broken"
    assert there in found["found"]
    assert found["do"] == TO_DO[name]


def test_where_no_league_is_the_doctor_makes_none(tmp_path: Path) -> None:
    found = findings(BULLRING_DATA_DIR=str(tmp_path / "nothing"))
    assert "bullring up" in found["league"]["do"]
    assert not (tmp_path / "nothing").exists()


def test_the_folder_of_a_league_verifies_with_the_notes_of_bots_in_it(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen, InProcessStage(), most=2)
    line = {"pass": 0, "game_no": 0, "seat": 1, "bot": 1, "notes": [{"round": 0, "text": "hm"}]}
    database.blobs.write([json.dumps(line).encode()])
    code, said = run("replay", "verify", str(chosen.blobs))
    assert code == 0
    assert said.startswith("8 verified, 0 wrong (1 private notes")


def test_a_database_that_does_not_answer_is_one_line(tmp_path: Path) -> None:
    code, said = run(
        "season",
        "list",
        BULLRING_DATA_DIR=str(tmp_path),
        BULLRING_DATABASE_URL="postgresql://nobody:secret@127.0.0.1:1/none",
        BULLRING_DATABASE_CONNECT_SECONDS="2",
    )
    assert code == 2
    assert len(said.strip().splitlines()) == 1
    assert "secret" not in said
