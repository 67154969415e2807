"""Live Elo takes results in by the order of creation, and does not wait for ever."""

from datetime import timedelta
from threading import Event

import pytest

import store
from league.ladder import queue
from league.matches import Player
from league.matches.inprocess import InProcessStage
from league.ratings import publish
from league.ratings.holdback import held_back
from league.ratings.inputs import gather
from league.settings import LeagueSettings
from store import Ladder, Store
from tests.factories import BOTS
from tests.league.arena import PLAN, open_ladder, rows

FIELD = BOTS


@pytest.fixture
def opened(database: Store) -> Ladder:
    return open_ladder(database, PLAN.model_copy(update={"cap": 3}))


@pytest.fixture
def matches(database: Store, opened: Ladder) -> list[int]:
    """Three queued matches of a ladder, in order of creation."""
    made = []
    for seed in range(3):
        with database.write() as session:
            made += queue.make_matches(session, opened.id, 1, seed=seed)
    return [bell.match_id for bell in made]


@pytest.fixture
def player(database: Store, chosen: LeagueSettings) -> Player:
    return Player(database, chosen, InProcessStage(), "here", Event())


def elos(database: Store, ladder_id: int) -> dict[str, float]:
    return {row["bot"]: row["live"] for row in rows(database, ladder_id)}


def stale(database: Store) -> list[int]:
    with database.read() as session:
        return publish.stale(session)


def held(database: Store, ladder_id: int) -> frozenset[int]:
    with database.read() as session:
        return held_back(session, ladder_id)


def test_a_result_moves_live_elo_only_after_those_created_before_it(
    database: Store, opened: Ladder, matches: list[int], player: Player
) -> None:
    first, second, third = matches
    player.play(second)
    player.play(third)
    publish.refresh(database, opened.id)
    assert held(database, opened.id) == {second, third}
    assert set(elos(database, opened.id).values()) == {1500.0}
    # The official rating, whose order cannot matter, has them all.
    assert sum(row["games"] for row in rows(database, opened.id)) == 2 * 4 * opened.boards
    assert stale(database) == [], "nothing has changed, so nothing is to be computed"
    player.play(first)
    assert stale(database) == [opened.id]
    publish.refresh(database, opened.id)
    with database.read() as session:
        material = gather(session, opened.id)
        points = store.ratings.history(
            session, opened.id, sorted({int(bot) for b in material.blocks for bot in b.table})
        )
    assert material.held == frozenset()
    assert len(set(elos(database, opened.id).values())) > 1
    seen = list(dict.fromkeys(point.match_id for point in points))
    assert seen == matches, "the history does not follow the order of creation"


def test_nobody_waits_longer_than_ten_minutes_for_a_straggler(
    database: Store, opened: Ladder, matches: list[int], player: Player
) -> None:
    first, second, third = matches
    player.play(second)
    player.play(third)
    publish.refresh(database, opened.id)
    # Ten minutes after the first of those that wait was over, the straggler holds nobody back.
    with database.write() as session:
        row = store.locked(session, store.Match, third)
        assert row.finished_at is not None
        row.finished_at -= timedelta(minutes=10)
    assert held(database, opened.id) == frozenset()
    assert stale(database) == [opened.id], "nobody would compute the table that is due now"
    publish.refresh(database, opened.id)
    early = elos(database, opened.id)
    assert len(set(early.values())) > 1
    player.play(first)
    publish.refresh(database, opened.id)
    assert elos(database, opened.id) != early
    with database.read() as session:
        material = gather(session, opened.id)
    # It counts at its own place, so that the table depends on results alone, not on when they came.
    assert [material.matches[step.order] for step in material.live().history[:4]] == [first] * 4


def test_a_straggler_that_will_never_end_is_not_waited_for(
    database: Store, opened: Ladder, matches: list[int], player: Player
) -> None:
    first, second, _ = matches
    player.play(second)
    publish.refresh(database, opened.id)
    assert held(database, opened.id) == {second}
    with database.write() as session:
        store.matches.cancel(session, first, "it is not needed")
    assert stale(database) == [opened.id]
    publish.refresh(database, opened.id)
    assert len(set(elos(database, opened.id).values())) > 1
