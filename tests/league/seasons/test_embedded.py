"""A season on the embedded default: SQLite, memory broker, worker in this process."""

import json
from functools import partial
from pathlib import Path

import pytest

import store
from league import ratings, seasons
from league.errors import LeagueRefusal
from league.matches.inprocess import InProcessStage
from league.seasons import life
from league.seasons.plan import SeasonPlan
from league.settings import LeagueSettings
from league.worker import tick
from nimmt.verify import verify
from store import MatchState, SeasonState, Store
from store.seasons import Progress
from tests.factories import add_bots, open_store
from tests.league.world import (
    fix_keys,
    play_due,
    season_in,
    settings,
    state_of,
    wait_for,
    working,
)

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=8)


def progress_of(database: Store, season_id: int) -> Progress:
    with database.read() as session:
        return store.seasons.progress(session, season_id)


def stuck_season(database: Store, chosen: LeagueSettings) -> tuple[int, int]:
    """A running season with everything played but one match, which is stuck."""
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    with database.read() as session:
        first = min(match.id for match in store.match_lists.matches(session, season_id=season.id))
    stage = InProcessStage()
    stage.fail = lambda plan: plan.match == f"m{first}"
    play_due(database, chosen, stage)
    assert progress_of(database, season.id).counts[MatchState.STUCK] == 1
    return season.id, first


@pytest.mark.parametrize("decision", ["play again", "strike"])
def test_a_decision_about_the_stuck_match_lets_the_season_end(
    tmp_path: Path, decision: str
) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season_id, match_id = stuck_season(database, chosen)
    with database.write() as session:
        if decision == "strike":
            seasons.strike(session, match_id, "the organiser", "its machine is gone")
        else:
            seasons.play_again(session, match_id, "the organiser", "the machine is back")
    play_due(database, chosen)
    assert finished(database, season_id)
    with database.read() as session, pytest.raises(LeagueRefusal, match="only a stuck one"):
        seasons.strike(session, match_id, "the organiser", "again")


def test_the_end_date_ends_a_season_with_stuck_matches_and_names_them(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season_id, match_id = stuck_season(database, chosen)
    with database.write() as session:
        store.locked(session, store.Season, season_id).ends_at = store.database_time(session)
    tick.tick(database, chosen)
    assert finished(database, season_id)
    with database.read() as session:
        [entry] = store.audit.about(session, "season.finish", "season", [season_id])
    assert entry.detail == {"stuck": [match_id]}


def finished(database: Store, season_id: int) -> bool:
    return state_of(database, season_id) is SeasonState.FINISHED


def test_a_season_is_played_to_its_end_and_every_result_is_stored_once(tmp_path: Path) -> None:
    chosen = settings(tmp_path, slots=2)
    database = open_store(chosen)
    stage = InProcessStage()
    with working(chosen, database, stage):
        season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
        wait_for(lambda: finished(database, season.id))
        ladder = _ladder(database, season.id)
        wait_for(lambda: _published_blocks(database, season.id) == _stored_blocks(database, ladder))
    assert len(stage.played) == len(set(stage.played)), "a match was played twice"
    with database.read() as session:
        progress = store.seasons.progress(session, season.id)
        assert progress.done == progress.total > 0
        for match in store.match_lists.matches(session, season_id=season.id):
            assert len(store.results.games(session, match.id)) == match.boards
            blob = store.results.blob_of(session, match.id)
            assert blob is not None
            for line in database.blobs.lines(blob.sha256):
                verify(json.loads(line))


@pytest.mark.heavy
def test_standings_do_not_depend_on_the_order_of_arrival(tmp_path: Path) -> None:
    tables = []
    for slots in (1, 3):
        chosen = settings(tmp_path / str(slots), slots=slots)
        database = open_store(chosen)
        season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
        fix_keys(database, season.id)
        with working(chosen, database):
            wait_for(partial(finished, database, season.id))
        table = ratings.refresh(database, _ladder(database, season.id))
        assert table is not None
        tables.append([(row.bot, row.official, row.live) for row in table.rows])
    assert tables[0] == tables[1]


def test_a_season_with_a_stuck_match_waits_until_its_organiser_decides(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    stage = InProcessStage()
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    with database.read() as session:
        first = min(match.id for match in store.match_lists.matches(session, season_id=season.id))
    stage.fail = lambda plan: plan.match == f"m{first}"
    with working(chosen, database, stage) as worker:
        wait_for(lambda: not progress_of(database, season.id).open)
        for _ in range(3):
            worker.tick()
        assert state_of(database, season.id) is SeasonState.RUNNING
        with database.write() as session, pytest.raises(LeagueRefusal, match=f"stuck .{first}"):
            life.finish(session, season.id, "the organiser")
        with database.write() as session:
            life.finish_without(session, season.id, "the organiser")
    with database.read() as session:
        [entry] = store.audit.about(session, "season.finish", "season", [season.id])
    assert entry.detail == {"stuck": [first]}
    assert stage.played.count(f"m{first}") == 3
    with database.read() as session:
        progress = store.seasons.progress(session, season.id)
        assert progress.counts[MatchState.STUCK] == 1
        assert progress.done == progress.total - 1
        attempts = store.match_lists.attempts(session, first)
    assert [attempt.reason for attempt in attempts] == ["the stage collapsed"] * 3


def test_a_worker_stopped_in_mid_match_gives_it_back_uncharged(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    slow = InProcessStage(seconds=600)
    with working(chosen, database, slow) as worker:
        wait_for(lambda: worker.busy == 1)
    with database.read() as session:
        match = next(
            m for m in store.match_lists.matches(session, season_id=season.id) if m.attempts == 1
        )
        assert match.state is MatchState.QUEUED
        assert match.failures == 0
    with working(chosen, database):
        wait_for(lambda: finished(database, season.id))


def test_a_paused_season_plays_nothing_and_goes_on_when_resumed(tmp_path: Path) -> None:

    chosen = settings(tmp_path)
    database = open_store(chosen)
    season = season_in(database, SeasonState.PAUSED, PLAN, add_bots(database))
    stage = InProcessStage()
    with working(chosen, database, stage) as worker:
        for _ in range(3):
            worker.tick()
        assert stage.played == []
        with database.write() as session:
            life.resume(session, season.id, "the organiser")
        wait_for(lambda: finished(database, season.id))


@pytest.mark.parametrize("players", [2, 3])
def test_small_tables_play_duplicate_and_a_block_is_one_board(tmp_path: Path, players: int) -> None:
    plan = SeasonPlan(name="duel", rules="x-nimmt", table=players, boards=3)
    chosen = settings(tmp_path)
    database = open_store(chosen)
    with working(chosen, database):
        season = season_in(database, SeasonState.RUNNING, plan, add_bots(database)[:3])
        wait_for(lambda: finished(database, season.id))
    with database.read() as session:
        match = store.match_lists.matches(session, season_id=season.id)[0]
        games = store.results.games(session, match.id)
        blocks = list(store.results.blocks(session, match.scale_id or 0))
    assert len(games) == 3 * players
    assert all(
        len({game.seats.index(0) for game in games if game.board == b}) == players for b in range(3)
    )
    assert {len(block.games) for block in blocks} == {players}


def _ladder(database: Store, season_id: int) -> int:
    with database.read() as session:
        return store.scales.of_season(session, season_id).id


def _stored_blocks(database: Store, ladder_id: int) -> int:
    with database.read() as session:
        return len(list(store.results.blocks(session, ladder_id)))


def _published_blocks(database: Store, season_id: int) -> object:
    with database.read() as session:
        return (store.seasons.season(session, season_id).standings or {}).get("blocks")
