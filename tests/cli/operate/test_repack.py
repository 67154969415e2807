"""`bullring db repack` as an operator types it: all games stay, in whichever form."""

from pathlib import Path

from typer.testing import CliRunner

from cli.main import build_app
from league.matches.inprocess import InProcessStage
from league.seasons.plan import SeasonPlan
from store import SeasonState, Store
from store.blobs import ARCHIVE_SUFFIX, SUFFIX
from store.results import known_blobs
from tests.factories import add_bots, open_store
from tests.league.world import play_due, season_in, settings

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=4)


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    env = {"BULLRING_DATA_DIR": str(folder)}
    found = CliRunner().invoke(build_app(), list(arguments), env=env)
    return found.exit_code, found.output


def games(database: Store) -> list[bytes]:
    with database.read() as session:
        known = known_blobs(session)
    return sorted(line for sha256 in known for line in database.blobs.lines(sha256))


def forms(database: Store) -> set[str]:
    with database.read() as session:
        known = known_blobs(session)
    return {database.blobs.path(sha256).name[64:] for sha256 in known}


def test_a_league_is_written_in_full_and_packed_again(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen, InProcessStage(), most=2)
    played = games(database)
    assert (len(played), forms(database)) == (8, {ARCHIVE_SUFFIX})
    for arguments, form in ((["--plain"], SUFFIX), ([], ARCHIVE_SUFFIX)):
        code, said = run(tmp_path, "db", "repack", *arguments)
        assert code == 0
        assert said.startswith("2 replay files, 2 written again, 0 unreadable: ")
        assert (games(database), forms(database)) == (played, {form})


def test_a_damaged_file_is_named_and_the_others_are_written(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen, InProcessStage(), most=2)
    (sha256, path), _ = database.blobs.files()
    path.write_bytes(path.read_bytes()[:-1])
    code, said = run(tmp_path, "db", "repack", "--plain")
    assert code == 1
    assert sha256 in said.replace("\n", "")
    assert "2 replay files, 1 written again, 1 unreadable" in said
