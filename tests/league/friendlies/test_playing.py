"""Friendly matches are played in slots of their own, and count nowhere."""

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest
from sqlmodel import Session

import store as data
from league import friendlies, ratings
from league import ladder as ladders
from league.friendlies import FriendlyLimits, FriendlyPlan, seat_summaries
from league.matches import Player, SandboxStage
from league.matches.inprocess import InProcessStage
from league.wiring import make_worker
from league.worker import FRIENDLIES, Worker, friendly_matches, tick
from store import Match, MatchState, Store
from tests.factories import add_bots, open_store
from tests.league.arena import PLAN, open_ladder, play_some
from tests.league.world import settings, wait_for

LIMITS = FriendlyLimits(at_once=50, per_hour=50, per_day=50, games=400)


def ask(store: Store, boards: int = 40) -> int:
    wanted = FriendlyPlan(
        bot="greedy",
        opponents=["owner-of-random/random", "owner-of-highest/highest", "owner-of-taker/taker"],
        rules="six-nimmt",
        options={"rounds": 1},
        boards=boards,
    )
    with store.write() as session:
        owner = data.accounts.owner_by_handle(session, "owner-of-greedy")
        assert owner is not None
        return friendlies.ask(session, wanted, owner, LIMITS)[0].match_id


def match_of(store: Store, match_id: int) -> Match:
    with store.read() as session:
        return data.present(session, Match, match_id)


def test_the_leagues_slots_leave_friendlies_alone_and_the_other_way_round(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    store = open_store(chosen)
    add_bots(store)
    open_ladder(store)
    match_id = ask(store)
    league = Player(store, chosen, InProcessStage(), "here", Event())
    friendly = Player(store, chosen, InProcessStage(), "here", Event(), queues=(FRIENDLIES,))
    assert league.claim_next() is None
    before = len(tick.fill(store, chosen))
    assert before > 0
    claimed = friendly.claim_next()
    assert claimed is not None
    assert claimed.match_id == match_id
    assert friendly.claim_next() is None
    assert league.claim_next() is not None
    store.close()


def test_friendlies_that_wait_take_no_room_from_the_leagues_queue(tmp_path: Path) -> None:
    rooms = []
    for count in (0, 30):
        chosen = settings(tmp_path / str(count))
        store = open_store(chosen)
        add_bots(store)
        open_ladder(store)
        for _ in range(count):
            ask(store)
        rooms.append(len(tick.fill(store, chosen)))
        store.close()
    assert rooms[0] == rooms[1] > 0


def standing_field(session: Session, ladder: data.Ladder) -> list[object]:
    """The field without what time alone changes."""
    return [replace(bot, idle_seconds=0.0) for bot in ladders.read_field(session, ladder)]


def test_a_friendly_match_moves_no_rating_and_no_meeting(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    store = open_store(chosen)
    add_bots(store)
    ladder = open_ladder(store)
    play_some(store, chosen, 6)
    with store.read() as session:
        before = data.scales.scale(session, ladder.id).standings
        field = standing_field(session, ladder)
    match_id = ask(store)
    Player(store, chosen, InProcessStage(), "here", Event()).play(match_id)
    assert match_of(store, match_id).state is MatchState.DONE
    with store.read() as session:
        assert ratings.stale(session) == []
        assert data.scales.scale(session, ladder.id).standings == before
        assert standing_field(session, ladder) == field
        blocks = data.results.blocks(session, ladder.id, include_unrated=True)
        assert match_id not in {block.match_id for block in blocks}
    store.close()


def test_its_numbers_are_those_of_a_match_at_home(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    store = open_store(chosen)
    add_bots(store)
    match_id = ask(store, boards=40)
    Player(store, chosen, InProcessStage(), "here", Event()).play(match_id)
    with store.read() as session:
        match = data.present(session, Match, match_id)
        seats = data.match_lists.seated(session, [match_id])[match_id]
        rows = seat_summaries(session, match, seats)
        games = data.results.games(session, match_id)
    assert [row.bot for row in rows] == [seat.bot for seat in seats]
    own = [game.points[game.seats.index(0)] for game in games]
    assert rows[0].points_per_round == pytest.approx(sum(own) / sum(one.rounds for one in games))
    assert all(row.points_half is not None and row.points_half > 0 for row in rows)
    assert sum(row.win_share for row in rows) == pytest.approx(1.0)
    assert rows[0].games == 40
    store.close()


def test_a_worker_plays_a_friendly_while_its_only_slot_is_busy(tmp_path: Path) -> None:
    chosen = settings(tmp_path, poll_seconds=0.2)
    store = open_store(chosen)
    add_bots(store)
    open_ladder(store, PLAN)
    slow, quick = InProcessStage(seconds=60.0), InProcessStage()
    made = friendly_matches(
        store,
        lambda standing: Player(
            store, chosen, quick, "friendly", standing.stopping, queues=(FRIENDLIES,)
        ),
        1,
    )
    worker = Worker(chosen, store, slow, work=[made], name="here")
    worker.start()
    try:
        wait_for(lambda: worker.busy == 1, 30)
        match_id = ask(store)
        wait_for(lambda: match_of(store, match_id).state is MatchState.DONE, 30)
        assert worker.busy == 1
        assert quick.played == [f"m{match_id}"]
    finally:
        worker.stop()
        store.close()


def test_what_becomes_of_friendlies_is_not_in_the_numbers_that_ring_for_the_league(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever plays a broken bot against friends wakes no operator."""
    failing = InProcessStage()
    failing.fail = lambda _: True
    monkeypatch.setattr(SandboxStage, "in_slot", lambda *_: failing)
    chosen = settings(tmp_path, poll_seconds=0.1, check_seconds=0.2, fair_host=False)
    store = open_store(chosen)
    add_bots(store)
    worker = make_worker(chosen, store)
    worker.start()
    try:
        match_id = ask(store)
        wait_for(lambda: match_of(store, match_id).failures > 0)
    finally:
        worker.stop()
    [attempts] = worker.metrics.attempts.collect()
    counted = [one.value for one in attempts.samples if one.name == "bullring_attempts_total"]
    assert counted
    assert sum(counted) == 0
    store.close()
