"""A worker keeps its table only while it holds it, and people sit down once; on both databases."""

import asyncio
import threading
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from league.people.frames import GameClock, OpenAsk, SeatFeed
from league.people.table import Table, load_table
from store import Conflict, MatchState, Store, attempts
from store import sittings as tables
from store.tables import SittingChoice
from tests.league.people.held_up import wait_until_held_up
from tests.store.test_sittings import claimed, opened


def table_at(store: Store) -> Table:
    match_id, _ = opened(store)
    token = claimed(store, match_id)
    return Table(store, match_id, token, {0: SeatFeed(seat=0, players=[])}, GameClock(3600.0))


def test_whoever_takes_a_table_away_waits_for_the_last_write_and_there_is_none_after(
    store: Store,
) -> None:
    table = table_at(store)
    seen: list[object] = []
    comes = threading.Event()

    def take_away() -> None:
        comes.set()
        with store.write() as session:
            seen.append(attempts.void(session, table.token, "it is dead", charged=False))
            seen.append(tables.frames(session, table.match_id, 0))

    other = threading.Thread(target=take_away)
    with store.write() as session:
        tables.require_held(session, table.match_id, table.token)
        other.start()
        wait_until_held_up(store, other, comes)
        tables.add_frames(session, table.match_id, [(0, 1, {"type": "late"})])
    other.join()
    assert seen == [MatchState.QUEUED, [(1, {"type": "late"})]]
    table.end({"type": "lost"})
    with pytest.raises(tables.NotHeld):
        table._sync()
    with store.read() as session:
        assert tables.frames(session, table.match_id, 0) == [(1, {"type": "late"})]


async def kept_for(table: Table, seconds: float) -> None:
    async with table.kept():
        await asyncio.sleep(seconds)


@pytest.mark.parametrize("error", [RuntimeError("a bug"), tables.NotHeld("lost")])
def test_a_keeper_that_fails_ends_the_attempt(
    store: Store, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    table = table_at(store)
    monkeypatch.setattr(tables, "have_left", fail)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(kept_for(table, 60.0))


def test_a_keeper_outlives_a_database_that_is_away_for_a_moment(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    stored = threading.Event()

    def fail_once(*_: object) -> set[int]:
        looks.append(1)
        if len(looks) == 1:
            raise OperationalError("SELECT", {}, Exception("away"))
        stored.set()
        return set()

    async def keep(table: Table) -> bool:
        async with table.kept():
            return await asyncio.to_thread(stored.wait, 60.0)

    monkeypatch.setattr(tables, "have_left", fail_once)
    assert asyncio.run(keep(table_at(store)))


def asked(number: int) -> OpenAsk:
    return OpenAsk(number=number, wire_id=number, asked_at=0.0, seconds=60.0)


@pytest.mark.parametrize("following", [None, 6], ids=["nothing is asked", "the next is asked"])
def test_a_choice_is_for_the_ask_that_waited_when_it_was_looked_for(
    store: Store, monkeypatch: pytest.MonkeyPatch, following: int | None
) -> None:
    """The referee's word closes an ask at any moment, also while the database is looked at."""
    table = table_at(store)
    seat = table.seats[0]
    seat.open = asked(5)
    with store.write() as session:
        tables.put_choice(session, table.match_id, 0, 5, 41)
    find = tables.find_choice

    def find_and_be_late(*of: Any) -> SittingChoice | None:
        found = find(*of)
        seat.open = None if following is None else asked(following)
        return found

    monkeypatch.setattr(tables, "find_choice", find_and_be_late)
    assert table._sync().choices == {0: (5, 41)}


def test_an_ask_after_the_games_time_ends_when_it_is_sent() -> None:
    seat, now = SeatFeed(seat=0, players=[]), datetime(2026, 3, 1, tzinfo=UTC)
    line = {"id": 1, "kind": "card", "view": {}, "legal": [1], "move_ms": 60_000}
    seat.ask(line, 0.0, now, game_left=-7.0)
    seat.ask(line, 0.0, now, game_left=90.0)
    late, early = (frame for _, _, frame in seat.new)
    assert late["move_ms"] == 0
    assert late["deadline"] == late["ends"] == "2026-03-01T00:00:00.000000Z"
    assert early["deadline"] == "2026-03-01T00:01:00.000000Z"
    assert early["ends"] == "2026-03-01T00:01:30.000000Z"


def test_a_seat_that_was_sent_nothing_yet_is_not_told_of_a_pause(store: Store) -> None:
    """Its first frame is the start of the game, on whichever worker that comes."""
    match_id, _ = opened(store, people=2)
    with store.write() as session:
        tables.join(session, match_id, tables.add_person(session).id, "Bob")
        tables.begin(session, match_id)
        tables.add_frames(session, match_id, [(0, 1, {"type": "start"})])
    loaded = load_table(store, match_id, claimed(store, match_id), game_seconds=60.0)
    seats = loaded.table.seats
    assert [frame["type"] for _, _, frame in seats[0].new] == ["paused"]
    assert (seats[1].number, seats[1].new) == (0, [])


def test_two_windows_of_one_person_take_one_seat(store: Store) -> None:
    match_id, _ = opened(store, people=3)
    with store.write() as session:
        person = tables.add_person(session).id
    start, taken = threading.Barrier(2), list[int]()

    def sit() -> None:
        start.wait()
        with store.write() as session:
            taken.append(tables.join(session, match_id, person, "Guest").seat)

    windows = [threading.Thread(target=sit) for _ in range(2)]
    for window in windows:
        window.start()
    for window in windows:
        window.join()
    assert taken == [1, 1]
    with store.read() as session:
        free = [seat.seat for seat in tables.seats(session, match_id) if seat.person_id is None]
    assert free == [2, 3]


def test_the_last_to_come_and_who_begins_meanwhile_go_one_after_the_other(store: Store) -> None:
    """Whoever sits down last begins the table in the same transaction."""
    match_id, _ = opened(store, people=2)
    with store.write() as session:
        person = tables.add_person(session).id
    answers: list[str] = []
    comes = threading.Event()

    def begin() -> None:
        comes.set()
        try:
            with store.write() as session:
                tables.begin(session, match_id)
        except Conflict as error:
            answers.append(str(error))

    other = threading.Thread(target=begin)
    with store.write() as session:
        tables.join(session, match_id, person, "Bob")
        other.start()
        wait_until_held_up(store, other, comes)
        tables.begin(session, match_id)
    other.join()
    assert answers == ["got a table that is waiting, expected one in its lobby"]
