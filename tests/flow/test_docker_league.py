"""The whole way with containers: submission, image, check, season, result, replay."""

import json
import tarfile
from pathlib import Path

import docker
import pytest

import store
from league import seasons, wiring
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from nimmt.verify import verify
from store import SeasonState, Store, SubmissionKind, SubmissionState
from tests.league.world import state_of, wait_for

SAMPLES = Path(__file__).resolve().parent.parent.parent / "sample_bots"


def submit(database: Store, settings: LeagueSettings, owner: str, sample: str) -> int:
    settings.uploads.mkdir(parents=True, exist_ok=True)
    with tarfile.open(settings.uploads / f"{owner}.tar.gz", "w:gz") as tar:
        for name in ("bot.py", "Dockerfile"):
            tar.add(SAMPLES / sample / name, name)
    with database.write() as session:
        person = store.accounts.add_owner(session, owner)
        bot = store.bots.add_bot(session, person.id, sample, ["x-nimmt"])
        made, _ = store.bots.submit(
            session, person.id, bot.id, SubmissionKind.BUILD_CONTEXT, f"{owner}.tar.gz"
        )
    return made.id


@pytest.mark.docker
@pytest.mark.timeout(900)
def test_submitted_bots_are_built_checked_and_play_a_season_in_containers(
    tmp_path: Path, docker_engine: docker.DockerClient, base_image: str
) -> None:
    settings = LeagueSettings(data_dir=tmp_path, sandbox="docker", tick_seconds=0.2)
    database = wiring.open_store(settings)
    submissions = [
        submit(database, settings, "ada", "gap"),
        submit(database, settings, "bob", "random"),
    ]
    before = {container.id for container in docker_engine.containers.list(all=True)}
    worker = wiring.make_worker(settings, database)
    worker.start()
    try:
        wait_for(lambda: all(_state(database, one).is_final for one in submissions), 600)
        for one in submissions:
            assert _state(database, one) is SubmissionState.ACCEPTED, _log(database, one)
        season = _season(database)
        wait_for(lambda: state_of(database, season) is SeasonState.FINISHED, 600)
    finally:
        worker.stop()
    with database.read() as session:
        [match] = store.pages.matches(session, season_id=season)
        assert match.runner == "docker"
        blob = store.results.blob_of(session, match.id)
    assert blob is not None
    for line in database.blobs.lines(blob.sha256):
        replay = json.loads(line)
        verify(replay)
        assert {player["image"] is not None for player in replay["players"]} == {True, False}
    assert {container.id for container in docker_engine.containers.list(all=True)} <= before


def _season(database: Store) -> int:
    """Two submitted bots at a table of three: a house bot fills the empty seat."""
    plan = SeasonPlan(
        name="contained",
        rules="x-nimmt",
        table_size=3,
        boards=3,
        duplicate=False,
        # Generous: this is about containment, and the machine may be busy.
        time={"move_ms": 2000, "bank_ms": 20_000},
    )
    with database.write() as session:
        made = seasons.create(session, plan, "test")
        seasons.open_entries(session, made.id, "test")
        for bot in ("ada/gap", "bob/random"):
            seasons.enter(session, made.id, bot, "test")
        seasons.freeze(session, made.id, "test")
        seasons.start(session, made.id, "test")
    return made.id


def _state(database: Store, submission_id: int) -> SubmissionState:
    with database.read() as session:
        return store.bots.submission(session, submission_id).state


def _log(database: Store, submission_id: int) -> str:
    with database.read() as session:
        return store.bots.submission(session, submission_id).log
