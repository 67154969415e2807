"""Tables with people in the store: choices that count once, frames in order; on both databases."""

from datetime import UTC, datetime, timedelta

import pytest

from api_models.states import ChoiceBy
from store import (
    Conflict,
    Match,
    MatchKind,
    MatchState,
    Seat,
    SittingState,
    Store,
    attempts,
    present,
)
from store import sittings as tables
from store.sittings import NewSeat, NewTable, NotHeld
from store.tables import SittingFrame
from tests.store.support import add_versions, new_match


def opened(store: Store, people: int = 1, handle: str = "ada") -> tuple[int, str]:
    """A table of four with the first seats for people, of whom one has come; match and person."""
    with store.write() as session:
        versions = add_versions(session, handle=handle)
        person = tables.add_person(session)
        seats = [NewSeat(name="Guest", for_person=True, person_id=person.id)]
        seats += [NewSeat(name="Guest", for_person=True) for _ in range(people - 1)]
        seats += [NewSeat(name="ada/bot") for _ in range(4 - people)]
        table = NewTable(
            match=new_match(versions, kind=MatchKind.PEOPLE, season_id=None, rated=False),
            seats=tuple(seats),
            creator_id=person.id,
            address_hash="somewhere",
            move_ms=1000,
        )
        sitting, bell = tables.open_table(session, table)
        assert (bell is None) == (people > 1)
        return sitting.match_id, person.id


def claimed(store: Store, match_id: int, worker: str = "w1") -> str:
    with store.write() as session:
        attempt = attempts.claim(session, match_id, worker)
        assert attempt is not None
        return attempt.token


def test_a_choice_counts_once_and_the_platforms_word_is_the_last(store: Store) -> None:
    match_id, _ = opened(store)
    with store.write() as session:
        assert tables.put_choice(session, match_id, 0, 1, 41)
        assert not tables.put_choice(session, match_id, 0, 1, 42)
        tables.put_platform_choice(session, match_id, 0, 1, {"take": 3})
        assert not tables.put_choice(session, match_id, 0, 1, 43)
        tables.put_platform_choice(session, match_id, 0, 2, 7)
    with store.read() as session:
        first, second = (tables.find_choice(session, match_id, 0, ask) for ask in (1, 2))
        assert first is not None
        assert second is not None
        assert (first.choice, first.by) == ({"take": 3}, ChoiceBy.PLATFORM)
        assert second.choice == 7
        assert tables.find_choice(session, match_id, 1, 1) is None


def test_frames_are_for_one_seat_and_only_who_holds_the_table_adds_them(store: Store) -> None:
    match_id, _ = opened(store)
    token = claimed(store, match_id)
    with store.write() as session:
        tables.begin_playing(session, match_id, token)
        tables.add_frames(session, match_id, [(0, 1, {"type": "a"}), (0, 2, {"type": "b"})])
        tables.add_frames(session, match_id, [(1, 1, {"type": "c"})])
        tables.add_decisions(session, match_id, [(1, {"seat": 2}), (2, {"seat": 0})])
    with store.write() as session:
        assert attempts.void(session, token, "it drains", charged=False) is MatchState.QUEUED
    with store.write() as session, pytest.raises(NotHeld):
        tables.require_held(session, match_id, token)
    with store.write() as session:
        tables.tell(session, match_id, {"type": "paused"})
    with store.read() as session:
        assert tables.frames(session, match_id, 0, 1) == [
            (2, {"type": "b"}),
            (3, {"type": "paused"}),
        ]
        assert tables.latest_frames(session, match_id, 0, 1) == [(3, {"type": "paused"})]
        assert tables.decisions(session, match_id) == [{"seat": 2}, {"seat": 0}]


def test_the_time_between_two_workers_is_not_time_played(store: Store) -> None:
    match_id, _ = opened(store)
    kinds = ((0, "start"), (10, "ask"), (15, "events"), (500, "paused"), (503, "ask"))
    with store.write() as session:
        assert tables.seconds_played(session, match_id) == 0
        for number, (after, kind) in enumerate(kinds, 1):
            frame = SittingFrame(
                match_id=match_id,
                seat=0,
                number=number,
                data={"type": kind},
                at=datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=after),
            )
            session.add(frame)
    with store.read() as session:
        assert tables.seconds_played(session, match_id) == 18


def test_a_table_whose_workers_die_never_gets_stuck(store: Store) -> None:
    match_id, _ = opened(store)
    for number in range(6):
        with store.write() as session:
            assert attempts.claim(session, match_id, f"w{number}", lease=-1) is not None
            reaped = attempts.reap(session)
            assert reaped.lost == (match_id,)
            assert reaped.stuck == ()
    with store.read() as session:
        match = present(session, Match, match_id)
        assert (match.state, match.failures) == (MatchState.QUEUED, 0)


def test_people_come_until_all_seats_are_taken(store: Store) -> None:
    match_id, first = opened(store, people=2)
    with store.write() as session:
        second, third = tables.add_person(session), tables.add_person(session)
        assert tables.join(session, match_id, first, "x").seat == 0, "sits there already"
        assert tables.join(session, match_id, second.id, "Bob").seat == 1
        with pytest.raises(Conflict, match="no seat is free"):
            tables.join(session, match_id, third.id, "Eve")
        bell = tables.begin(session, match_id)
        assert bell.queue == "people"
        with pytest.raises(Conflict, match="expected one in its lobby"):
            tables.begin(session, match_id)


def test_a_bot_takes_each_seat_to_which_nobody_came(store: Store) -> None:
    match_id, _ = opened(store, people=3)
    with store.write() as session:
        versions = add_versions(session, 2, "eve")
        bots = [("eve/bot-0", versions[0]), ("eve/bot-1", versions[1])]
        assert [one.seat for one in tables.free_seats(session, match_id)] == [1, 2]
        tables.begin(session, match_id, bots)
        seats = tables.seats(session, match_id)[:3]
        assert [(one.name, one.for_person) for one in seats[1:]] == [
            ("eve/bot-0", False),
            ("eve/bot-1", False),
        ]
        played_by = [present(session, Seat, (match_id, one.seat)).version_id for one in seats[1:]]
        assert played_by == versions
        assert tables.free_seats(session, match_id) == []


def test_open_tables_are_counted_and_closed_ones_are_not(store: Store) -> None:
    match_id, person = opened(store)
    with store.read() as session:
        now = tables.count_open(session, person, "somewhere")
        assert (now.of_person, now.of_address, now.of_league) == (1, 1, 1)
        assert tables.count_open(session, "other", "elsewhere").of_person == 0
        assert tables.abandoned(session, 60.0) == []
        assert tables.abandoned(session, -60.0) == [match_id]
    with store.write() as session:
        assert tables.close(session, match_id, "nobody came")
        assert not tables.close(session, match_id, "again")
        assert tables.count_open(session, person, "somewhere").of_league == 0
        sitting = tables.open_of(session, person)
        assert sitting == []
        assert present(session, Match, match_id).state is MatchState.CANCELLED


def test_a_guest_who_signs_in_stays_the_same_person_once(store: Store) -> None:
    with store.write() as session:
        add_versions(session)
        guest, other = tables.add_person(session), tables.add_person(session)
        assert tables.attach(session, guest.id, 1).id == guest.id
        assert tables.attach(session, other.id, 1).id == guest.id
        found = tables.find_person(session, other.id)
        assert found is not None
        assert found.owner_id is None
        assert SittingState.OVER.is_open is False
