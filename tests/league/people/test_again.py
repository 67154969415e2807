"""Who sits where when a game is played again, and when a table begins without some people."""

from collections.abc import Sequence

import pytest

import store as data
from league import people
from league.errors import LeagueRefusal
from league.people import Asker, TableRequest
from league.people.old_boards import open_other_seat
from league.settings import LeagueSettings
from store import Bot, Sitting, Store, utc_now
from tests.factories import add_bots, add_platform_bots
from tests.store.support import finish, outcome, start

MANY = LeagueSettings(tables_per_person=1000, tables_per_address=1000, tables_in_league=1000)
TIMES = 8
"""So often a draw among a few would fall on a wrong bot at least once."""


def open_with(store: Store, names: Sequence[str], awaited: int = 0) -> tuple[Sitting, Asker]:
    """A table of one who is there, some who are awaited, and bots by name."""
    with store.write() as session:
        asker = Asker(person=data.sittings.add_person(session), address_hash="")
        seats = len(names) + 1 + awaited
        request = TableRequest(seats=seats, people=1 + awaited, opponents=tuple(names))
        return people.open_table(session, MANY, asker, request)[0], asker


def play_again(store: Store, before: Sitting, asker: Asker) -> list[str]:
    """The bots of a table on the same terms."""
    with store.write() as session:
        sitting, _ = people.open_again(session, MANY, asker, before)
    return bots_at(store, sitting)


def bots_at(store: Store, sitting: Sitting) -> list[str]:
    with store.read() as session:
        table = data.sittings.seats(session, sitting.match_id)
        names = data.match_lists.seated(session, [sitting.match_id])[sitting.match_id]
    shown = [seat.name for seat in table if not seat.for_person]
    assert shown == [names[seat.seat].bot for seat in table if not seat.for_person]
    return sorted(shown)


def suspend(store: Store, full_name: str) -> None:
    with store.write() as session:
        bot = data.bots.find_bot(session, full_name)
        assert bot is not None
        data.locked(session, Bot, bot.id).suspended_at = utc_now()


def test_without_any_platform_bot_a_game_is_played_again_and_a_table_begins(store: Store) -> None:
    """Nobody has to stand in, so nobody who could is missed."""
    names = add_bots(store, ("gap", "greedy", "random"))
    before, asker = open_with(store, names)
    assert play_again(store, before, asker) == sorted(names)
    invited, _ = open_with(store, names[:2], awaited=1)
    with store.write() as session:
        friend = data.sittings.add_person(session)
        data.sittings.join(session, invited.match_id, friend.id, "Bob")
        people.begin(session, invited)
    assert bots_at(store, invited) == sorted(names[:2])


def test_where_somebody_has_to_stand_in_and_nobody_can_it_is_said(store: Store) -> None:
    names = add_bots(store, ("gap", "greedy", "random"))
    before, asker = open_with(store, names)
    suspend(store, names[0])
    with pytest.raises(LeagueRefusal, match="no platform bot plays these rules"):
        play_again(store, before, asker)


def test_who_stands_in_is_not_at_the_table_already(store: Store) -> None:
    names = add_platform_bots(store, ("gap", "greedy", "random", "lowest"))
    before, asker = open_with(store, names[:3])
    suspend(store, names[0])
    for _ in range(TIMES):
        assert play_again(store, before, asker) == sorted(names[1:])


def test_each_seat_of_somebody_who_has_not_come_gets_a_bot_of_its_own(store: Store) -> None:
    names = add_platform_bots(store, ("gap", "greedy", "random"))
    for _ in range(TIMES):
        invited, _ = open_with(store, names[:1], awaited=2)
        with store.write() as session:
            people.begin(session, invited)
        assert bots_at(store, invited) == sorted(names)


def test_in_another_seat_the_person_changes_places_with_the_bot_there(store: Store) -> None:
    names = add_platform_bots(store, ("gap", "greedy", "random", "lowest"))
    before, asker = open_with(store, names[:3])
    attempt = start(store, before.match_id)
    finish(store, attempt.token, outcome(games=1))
    with store.read() as session:
        old = [one.name for one in data.sittings.seats(session, before.match_id)]
    own = old.index(people.GUEST)
    for wanted in range(4):
        with store.write() as session:
            sitting, _ = open_other_seat(session, MANY, asker, before, wanted)
        with store.read() as session:
            new = [one.name for one in data.sittings.seats(session, sitting.match_id)]
        old_order = list(old)
        old_order[own], old_order[wanted] = old_order[wanted], old_order[own]
        assert new == old_order
    suspend(store, names[0])
    for _ in range(TIMES):
        with store.write() as session:
            sitting, _ = open_other_seat(session, MANY, asker, before, own)
        assert bots_at(store, sitting) == sorted(names[1:])
