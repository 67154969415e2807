"""A rehearsal plays the whole season on the real queue and leaves only the audit log's word."""

import threading
from typing import Any

import pytest
import sqlalchemy as sa

import store
from league.errors import LeagueRefusal
from league.matches.inprocess import InProcessStage
from league.seasons import rehearsal, rehearsal_report
from league.seasons.plan import SeasonPlan
from league.settings import LeagueSettings
from league.worker import tick
from store import BlobsAway, MatchKind, SeasonState, Store
from tests.factories import add_bots, add_platform_bots, open_store
from tests.league.world import play_due, season_in

PLAN = SeasonPlan(name="autumn", rules="six-nimmt", options={"rounds": 1}, boards=4)


@pytest.fixture
def database(chosen: LeagueSettings) -> Store:
    """Five entrants, and three samples of the house."""
    made = open_store(chosen)
    add_platform_bots(made, ("greedy", "random", "highest"))
    return made


def everything(database: Store) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, without the audit log."""
    with database.read() as session:
        return {
            table.name: [tuple(row) for row in session.execute(sa.select(table))]
            for table in store.METADATA.sorted_tables
            if table.name != "audit_log"
        }


def files(chosen: LeagueSettings) -> set[str]:
    return {path.name for path in chosen.blobs.rglob("*") if path.is_file()}


def test_a_rehearsal_plays_everything_and_leaves_nothing(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    before, stored = everything(database), files(chosen)
    with database.write() as session:
        made = rehearsal.begin_rehearsal(session, season, "test")
    stage = InProcessStage()
    play_due(database, chosen, stage)
    with database.read() as session:
        assert rehearsal.rehearsal_is_over(session, made.id)
        matches = store.match_lists.matches(session, season_id=made.id, limit=100)
        assert store.seasons.season(session, made.id).state is SeasonState.RUNNING
    assert {match.kind for match in matches} == {MatchKind.REHEARSAL}
    assert len(stage.played) == len(matches) > 0
    assert tick.refresh_ratings(database) == [], "a rehearsal was rated"
    found = rehearsal_report.examine_rehearsal(database, made.id)
    assert found.good
    assert (found.done, found.games, found.workers) == (len(matches), 4 * len(matches), 1)
    assert files(chosen) > stored
    assert rehearsal.remove_rehearsal(database, made.id) == len(matches)
    assert everything(database) == before
    assert files(chosen) == stored


def test_a_rehearsal_may_have_shorter_matches_in_whole_laps_but_no_longer_ones(
    database: Store, chosen: LeagueSettings
) -> None:
    long = PLAN.model_copy(update={"boards": 20})
    season = season_in(database, SeasonState.OPEN, long, add_bots(database))
    for wanted, played in ((None, 20), (1, 4), (6, 8), (500, 20)):
        with database.write() as session:
            made = rehearsal.begin_rehearsal(session, season, "test", boards=wanted)
            matches = store.match_lists.matches(session, season_id=made.id, limit=100)
        assert {match.boards for match in matches} == {played}
        rehearsal.remove_rehearsal(database, made.id)


def test_a_rehearsal_comes_before_the_start_and_has_no_more_bots_than_makes_sense(
    database: Store,
) -> None:
    bots = add_bots(database)
    running = season_in(database, SeasonState.RUNNING, PLAN, bots)
    later = PLAN.model_copy(update={"name": "later"})
    draft = season_in(database, SeasonState.DRAFT, later, bots)
    with pytest.raises(LeagueRefusal, match="before the start"), database.write() as session:
        rehearsal.begin_rehearsal(session, running, "test")
    with (
        pytest.raises(LeagueRefusal, match="99 bots, expected at most 32"),
        database.write() as session,
    ):
        rehearsal.begin_rehearsal(session, draft, "test", bots=99)


def test_a_rehearsal_finds_what_is_broken(database: Store, chosen: LeagueSettings) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    with database.write() as session:
        made = rehearsal.begin_rehearsal(session, season, "test", bots=4)
    stage = InProcessStage()
    stage.fail = lambda _: True
    play_due(database, chosen, stage, most=50)
    found = rehearsal_report.examine_rehearsal(database, made.id)
    assert not found.good
    assert found.stuck == found.matches == 1
    assert found.void == {"the stage collapsed": 3}
    with database.read() as session:
        assert store.match_lists.void_rates(session) == [], "held against the samples"
    rehearsal.remove_rehearsal(database, made.id)


def test_a_rehearsal_that_was_broken_off_is_found_and_removed(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    with database.write() as session:
        made = rehearsal.begin_rehearsal(session, season, "test", bots=12)
    play_due(database, chosen, most=2)
    with database.read() as session:
        assert [one.id for one in rehearsal.leftover_rehearsals(session, season.id)] == [made.id]
        assert not rehearsal.rehearsal_is_over(session, made.id)
    rehearsal.remove_rehearsal(database, made.id)
    with database.read() as session:
        assert rehearsal.leftover_rehearsals(session) == []


def test_a_rehearsal_that_nobody_waits_for_is_examined_and_removed_by_the_clockwork(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    with database.write() as session:
        rehearsal.begin_rehearsal(session, season, "test", reported=True)
        with pytest.raises(LeagueRefusal, match="already running"):
            rehearsal.begin_rehearsal(session, season, "test", reported=True)
        assert rehearsal.last_rehearsal_report(session, season.id) is None
    assert rehearsal.conclude_rehearsals(database) == [], "it is not over yet"
    play_due(database, chosen)
    tick.conclude_rehearsals(database)
    with database.read() as session:
        assert rehearsal.leftover_rehearsals(session) == []
        report = rehearsal.last_rehearsal_report(session, season.id)
    assert report is not None
    assert (report["good"], report["replays_wrong"]) == (True, 0)
    assert report["done"] == report["matches"]


def test_files_that_are_gone_or_no_replays_are_found_and_hold_nothing_up(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    with database.write() as session:
        rehearsal.begin_rehearsal(session, season, "test", reported=True)
    play_due(database, chosen)
    gone, damaged, *_ = sorted(chosen.blobs.rglob("*.zst"))
    gone.unlink()
    damaged.write_bytes(b"no replay")
    assert rehearsal.conclude_rehearsals(database) == [season.id]
    with database.read() as session:
        report = rehearsal.last_rehearsal_report(session, season.id)
    assert report is not None
    assert (report["good"], report["replays_wrong"]) == (False, 2)


def test_a_rehearsal_that_cannot_be_examined_does_not_keep_others_waiting(
    database: Store, chosen: LeagueSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    other = season_in(database, SeasonState.OPEN, PLAN.model_copy(update={"name": "winter"}), [])
    with database.write() as session:
        first = rehearsal.begin_rehearsal(session, other, "test", bots=4, reported=True)
        broken = rehearsal.begin_rehearsal(session, season, "test", bots=4, reported=True)
    play_due(database, chosen)
    examine = rehearsal_report.examine_rehearsal

    def fails_for_one(*arguments: Any) -> rehearsal_report.RehearsalFindings:
        if arguments[1] == broken.id:
            raise BlobsAway("the file service cannot be reached")
        return examine(*arguments)

    monkeypatch.setattr(rehearsal_report, "examine_rehearsal", fails_for_one)
    assert first.id < broken.id, "the newest comes first"
    assert rehearsal.conclude_rehearsals(database) == [other.id]
    with database.read() as session:
        assert [one.id for one in rehearsal.leftover_rehearsals(session)] == [broken.id]


def test_who_stops_does_not_wait_for_an_examination(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    with database.write() as session:
        rehearsal.begin_rehearsal(session, season, "test", reported=True)
    play_due(database, chosen)
    stopping = threading.Event()
    stopping.set()
    assert rehearsal.conclude_rehearsals(database, stopping) == []
    assert rehearsal.conclude_rehearsals(database) == [season.id]


def test_a_rehearsal_with_somebody_who_waits_is_left_to_them(
    database: Store, chosen: LeagueSettings
) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    with database.write() as session:
        made = rehearsal.begin_rehearsal(session, season, "test")
    play_due(database, chosen)
    assert rehearsal.conclude_rehearsals(database) == []
    rehearsal.remove_rehearsal(database, made.id)


def test_only_rehearsals_can_be_removed(database: Store) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    with pytest.raises(LeagueRefusal, match="not a rehearsal"):
        rehearsal.remove_rehearsal(database, season.id)
