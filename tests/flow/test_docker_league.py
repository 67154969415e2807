"""The whole way with containers: submission, image, check, season, result, replay."""

import json
from pathlib import Path

import docker
import pytest

import store
from cli.local.new import Language, make_folder
from kits.images import LANGUAGES
from league import ratings, wiring
from league.seasons import plan_from
from league.settings import LeagueSettings
from nimmt.verify import verify
from sandbox import owner
from sandbox.owner import SITE_LABEL, Owner
from tests.flow.contained import PATIENT, play_season
from tests.kits.toolchains import base_of
from train import CardPolicy, write_bot

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1500)]


def test_submitted_bots_are_built_checked_and_play_a_season_in_containers(
    tmp_path: Path,
    state: Path,
    docker_engine: docker.DockerClient,
    base_image: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A site of its own: its containers are told from those of other leagues on this engine.
    monkeypatch.setattr(owner, "default_state_dir", lambda: state)
    settings = LeagueSettings(data_dir=tmp_path, sandbox="docker", tick_seconds=0.2)
    database = wiring.open_store(settings)
    # Two submitted bots at a table of three: a house bot fills the empty seat.
    one = {"name": "contained", "rules": "x-nimmt", "table": 3, "boards": 3, "duplicate": False}
    plan = plan_from({**one, **PATIENT})
    season = play_season(settings, database, ["ada/gap", "bob/random"], plan)
    with database.read() as session:
        [match] = store.match_lists.matches(session, season_id=season)
        assert match.runner == "docker"
        blob = store.results.blob_of(session, match.id)
    assert blob is not None
    for line in database.blobs.lines(blob.sha256):
        replay = json.loads(line)
        verify(replay)
        assert {player["image"] is not None for player in replay["players"]} == {True, False}
    mine = Owner(host=docker_engine.info()["Name"])
    label = f"{SITE_LABEL}={mine.site}"
    assert docker_engine.containers.list(all=True, filters={"label": label}) == []
    mine.close()


@pytest.mark.heavy
def test_bots_in_all_languages_and_a_trained_one_play_a_rated_match_in_containers(
    tmp_path: Path, base_image: str
) -> None:
    for language in LANGUAGES:
        base_of(language)
    settings = LeagueSettings(data_dir=tmp_path, sandbox="docker", tick_seconds=0.2)
    database = wiring.open_store(settings)
    # As docs/training.md says: a new folder, and the policy in it as a bot in one file.
    trained = tmp_path / "bots" / "trained"
    make_folder(trained, "trained", Language.PYTHON, ["six-nimmt"])
    write_bot(CardPolicy(1), trained / "bot.py")
    bots = ["ada/gap", "bob/javascript", "cyd/cpp", "dan/ruby", "eve/go", "fay/trained"]
    # A block of six games: every bot has had every seat.
    one = {"name": "babel", "rules": "six-nimmt", "options": {"rounds": 1}, "table": 6, "boards": 6}
    plan = plan_from({**one, **PATIENT})
    season = play_season(settings, database, bots, plan, trained.parent)
    with database.read() as session:
        [match] = store.match_lists.matches(session, season_id=season)
        seats = store.match_lists.seated(session, [match.id])[match.id]
        faults = store.match_lists.faults_of(session, [seat.version_id for seat in seats])
    assert match.rated
    assert match.scale_id is not None
    assert match.runner == "docker"
    assert sorted(seat.bot for seat in seats) == sorted(bots)
    assert faults == []
    table = ratings.refresh(database, match.scale_id)
    assert table is not None
    assert {row.bot for row in table.rows} == {str(seat.version_id) for seat in seats}
