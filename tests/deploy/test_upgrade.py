"""An upgrade from the database of an earlier release loses no row, no match and no fact.

`data/release-0001.tar` is a backup that revision 0001 wrote in the middle of a season: two matches
done, one being played, others waiting; an account with token and sign-in, a submission, an audit
log. `data/release-0002.tar` is one of revision 0002: an adaptive season in mid-run, an open one
with a rehearsal, ladders that are open, paused and closed with bots entered and taken out, a gate
being played and two that wait. `data/release-0002.json` is what that release said by its API.
"""

import json
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
import typer
from sqlmodel import Session, select

import nimmt
import store
from cli.operate.database import backup as backup_command
from cli.operate.database import restore as restore_command
from cli.operate.database import upgrade
from league.gate import waiting_gates
from league.matches import TableBot
from league.matches.inprocess import InProcessStage
from league.wiring import join_store
from league.worker.tick import refresh_ratings
from nimmt.simple import SIMPLE, Player
from nimmt.verify import verify
from store import DatabaseTimeouts, MatchState, NotReady, SeasonState, Store
from store.migrate import Running, current_revision, migrate, newest_revision
from tests.deploy import told
from tests.league.world import play_due, settings

DATA = Path(__file__).parent / "data"
DATABASES = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/bullring.db"
    else:
        yield request.getfixturevalue("postgres_url")


@pytest.fixture
def folder(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the commands look for the league."""
    monkeypatch.setenv("BULLRING_DATABASE_URL", url)
    monkeypatch.setenv("BULLRING_DATA_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def old(url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The database as the first release left it, not yet upgraded."""
    return left_by("0001", url, folder, monkeypatch)


@pytest.fixture
def last(url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """The same of the release before facts had columns."""
    return left_by("0002", url, folder, monkeypatch)


def left_by(revision: str, url: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    def only_so_far(
        address: str,
        revision: str | None = None,
        *,
        running: Running = "keep",
        timeouts: DatabaseTimeouts | None = None,
    ) -> None:
        # A restore ends with the migration to the newest schema; here the operator does that.
        if revision is not None:
            migrate(address, revision, running=running, timeouts=timeouts)

    with monkeypatch.context() as patched:
        patched.setattr(import_module("store.restore"), "migrate", only_so_far)
        store.restore(DATA / f"release-{revision}.tar", url, folder / "replays")
    return Store(url, folder / "replays")


def contents(database: Store) -> dict[str, Counter[str]]:
    """Every row of every table, by what the first schema knew of it."""
    metadata = sa.MetaData()
    metadata.reflect(database.engine)
    found: dict[str, Counter[str]] = {}
    with database.engine.connect() as connection:
        for table in metadata.sorted_tables:
            if table.name not in ("alembic_version", "changes", "revisions"):
                rows = connection.execute(sa.select(table)).mappings()
                found[table.name] = Counter(_words(dict(row)) for row in rows)
    return found


def _words(row: dict[str, Any]) -> str:
    return json.dumps(row, sort_keys=True, default=str)


MOVED = {"ladders", "settings"}
"""Their rows went to other tables, partly or all; `told` sees that nothing is missing."""


@pytest.mark.heavy(but="sqlite")
def test_every_row_survives_the_upgrade_and_the_season_is_played_to_its_end(
    old: Store, tmp_path: Path
) -> None:
    before = contents(old)
    with pytest.raises(NotReady):
        join_store(settings(tmp_path, database_url=old.url))
    upgrade(end_running=True)
    with old.engine.connect() as connection:
        assert current_revision(connection) == newest_revision()
    after = contents(old)
    assert before["ladders"].total() == after["scales"].total()
    for name, rows in before.items():
        if name in MOVED | {"attempts"}:
            continue
        if set(columns(before, name)) == set(columns(after, name)):
            assert rows <= after[name], name
        else:
            assert rows.total() <= after[name].total(), name

    chosen = settings(tmp_path, database_url=old.url)
    play_due(old, chosen)
    with old.read() as session:
        season = store.seasons.by_name(session, "before")
        assert season is not None
        assert season.state is SeasonState.FINISHED
        played = store.match_lists.matches(session, season_id=season.id, limit=100)
        assert len(played) == 7
        assert {match.state for match in played} == {MatchState.DONE}
        blobs = [store.results.blob_of(session, match.id) for match in played]
    for blob in blobs:
        assert blob is not None
        for line in old.blobs.lines(blob.sha256):
            verify(json.loads(line))
    old.close()


def columns(found: dict[str, Counter[str]], table: str) -> set[str]:
    return {name for row in found[table] for name in json.loads(row)}


def test_an_upgrade_is_refused_while_a_match_is_played_and_says_what_to_do(
    old: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    before = contents(old)
    with pytest.raises(typer.Exit):
        upgrade()
    words = " ".join(capsys.readouterr().err.split())
    assert "1 match being played (by a worker of before)" in words
    assert "stop the workers and the clock" in words
    assert "bullring db upgrade --end-running" in words
    assert contents(old) == before, "a refused upgrade changed something"
    old.close()


@pytest.mark.heavy
def test_a_backup_written_while_a_match_was_played_can_be_restored(
    url: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    restore_command(DATA / "release-0001.tar")
    again = Store(url, folder / "replays")
    with again.write() as session:
        # Its lease is long over; the clock takes the match back as it always does.
        assert store.attempts.reap(session).lost
    again.close()


@pytest.mark.heavy(but="sqlite")
def test_a_league_says_the_same_by_its_api_before_and_after(last: Store, folder: Path) -> None:
    # Not by the command: that brings the platform's newest bots as well.
    migrate(last.url)
    before = json.loads((DATA / "release-0002.json").read_text())
    after = told.answers(last, folder)
    assert before.keys() == after.keys()
    assert told.missing(before, after) == []
    last.close()


def test_a_gate_that_ended_before_the_upgrade_still_says_why_it_was_for_information_only(
    last: Store, folder: Path
) -> None:
    why = "it was asked for after the season had begun"
    said = json.dumps({"words": "Better.", "verdict": "better", "hindrance": why})
    with last.engine.begin() as connection:
        over = "UPDATE gates SET state = 'passed', report = :said WHERE id = 1"
        connection.execute(sa.text(over), {"said": said})
    migrate(last.url)
    assert f"For information only: {why}." in told.pages(last, folder)["/bots/heron/close"]
    [gate] = told.answers(last, folder)["gates"]
    # A command of the version before looks for the old name.
    assert gate["report"]["not_counted_because"] == gate["report"]["hindrance"] == why
    last.close()


def test_what_hid_in_documents_has_columns_after_the_upgrade(last: Store) -> None:
    with last.engine.begin() as connection:
        # What an earlier rehearsal of `spring` had found.
        found = "INSERT INTO settings VALUES ('rehearsal.2', :found, :at)"
        connection.execute(sa.text(found), {"found": '{"good": true}', "at": "2026-11-18 00:00"})
    upgrade()
    with last.read() as session:
        autumn, spring = (store.seasons.by_name(session, name) for name in ("autumn", "spring"))
        assert autumn is not None
        assert spring is not None
        assert autumn.budget == {"meetings": 1, "places": [1], "matches": 30}
        assert autumn.verdict is not None
        assert autumn.verdict["reason"] == "open"
        [rehearsal] = store.seasons.rehearsals(session, spring.id)
        assert rehearsal.reported
        assert spring.rehearsed == {"good": True}
        assert store.settings.read(session, "rehearsal.2") is None
        assert not autumn.is_rehearsal
        states = {one.id: one.state.value for one in store.ladders.ladders(session)}
        assert states == {5: "open", 6: "paused", 7: "closed"}
        open_ = store.present(session, store.Ladder, 5)
        assert (open_.longest_wait, open_.cap) == (7200.0, 3)
        entries = store.ladders.field_of(session, 5).entries.values()
        names = store.bots.full_names(session, [one.bot_id for one in entries])
        assert {(names[one.bot_id], one.state.value, one.reason) for one in entries} == {
            ("house/greedy", "entered", ""),
            ("lynx/highest", "withdrawn", "it rests for the winter"),
            ("otter/stumble", "disqualified", "it stumbles on purpose"),
        }
        gate = store.present(session, store.Gate, 1)
        assert gate.ladder_id == 5
        assert "ladder_id" not in gate.settings
        waits = {one.id: one.gate_wait for one in waiting_gates(session)}
        assert waits == {10: "", 11: "no ladder of six-nimmt is open"}
        assert store.settings.read(session, "ladder.5") is None
    last.close()


@pytest.mark.heavy
def test_season_ladder_and_gate_go_on_after_the_upgrade(last: Store, folder: Path) -> None:
    upgrade()
    chosen = settings(folder, database_url=last.url)
    with last.write() as session:
        store.workers.beat(session, store.Worker(name="here", slots=2))
        done = store.seasons.progress(session, 1).done
    played = play_due(last, chosen, InProcessStage(make=a_player), most=12)
    assert played == 12
    refresh_ratings(last)
    with last.read() as session:
        assert store.seasons.progress(session, 1).done > done
        kinds = {
            match.kind
            for match in store.match_lists.matches(session, limit=100)
            if match.worker is None and match.runner is not None and match.id > 23
        }
        assert store.MatchKind.LADDER in kinds, "the ladder drew no further table"
        # A season goes on with all its entries, also those that have left the ladder.
        tables = [
            match.id
            for match in store.match_lists.matches(session, limit=100)
            if match.id > 23 and match.kind is store.MatchKind.LADDER
        ]
        seats = store.match_lists.seated(session, tables)
        drawn = {seat.bot for table in seats.values() for seat in table}
        gated = {gate.new_version_id for gate in all_gates(session)}
    assert not drawn & {"lynx/highest", "otter/stumble"}, "who was taken out was drawn"
    assert gated >= {9, 10, 11}, "a gate that was due was never opened"
    last.close()


def all_gates(session: Session) -> list[store.Gate]:
    return list(session.exec(select(store.Gate)).all())


def a_player(_bot: TableBot, rules: nimmt.Rules, rng: Random) -> Player:
    """The programs of that league are names only; anybody plays for them."""
    return SIMPLE["random"](rng)


@pytest.mark.heavy
def test_the_pages_of_seasons_ladders_and_bots_are_there_after_the_upgrade(
    last: Store, folder: Path
) -> None:
    upgrade()
    pages = told.pages(last, folder)
    assert "closer" in pages["/seasons/autumn"], "the standings are gone"
    assert "it stumbles on purpose" in pages["/organiser/ladders/5"]
    assert "no ladder of six-nimmt is open" in pages["/organiser/ladders/5"]
    last.close()


@pytest.mark.heavy(but="sqlite")
def test_backup_and_restore_by_command(
    old: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    upgrade(end_running=True)
    kept = contents(old)
    old.close()
    backup_command(tmp_path / "kept.tar")
    monkeypatch.setenv("BULLRING_DATABASE_URL", f"sqlite:///{tmp_path}/again.db")
    monkeypatch.setenv("BULLRING_DATA_DIR", str(tmp_path / "again"))
    restore_command(tmp_path / "kept.tar")
    assert "2 replay files" in capsys.readouterr().out
    again = Store(f"sqlite:///{tmp_path}/again.db", tmp_path / "again" / "replays")
    assert {name: rows.total() for name, rows in contents(again).items()} == {
        name: rows.total() for name, rows in kept.items()
    }
    assert len(list(again.blobs.files())) == 2
    again.close()
