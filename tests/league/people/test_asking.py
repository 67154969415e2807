"""When a hint may be taken: a game that counts is not taken out of the rating once it is lost."""

import pytest

import store as data
from league import people
from league.errors import LeagueRefusal
from store import Sitting, Store, present
from store import sittings as tables
from tests.store.test_sittings import opened


def ask(store: Store, match_id: int, number: int) -> None:
    """The people of a table are asked, by an ask with this number."""
    with store.write() as session:
        tables.tell(session, match_id, {"type": "ask", "ask": number, "kind": "card"})


def take_hint(store: Store, match_id: int, number: int) -> None:
    with store.write() as session:
        seat = tables.seats(session, match_id)[0]
        asked = people.ask_hint(session, present(session, Sitting, match_id), seat, number)
        assert asked.ask == number


def is_assisted(store: Store, match_id: int) -> bool:
    with store.read() as session:
        return present(session, Sitting, match_id).assisted


def test_a_game_that_counts_is_assisted_from_the_first_decision_on_or_never(store: Store) -> None:
    match_id, _ = opened(store)
    ask(store, match_id, 1)
    with store.read() as session:
        sitting = present(session, Sitting, match_id)
        assert data.people_games.may_count(sitting, tables.seats(session, match_id))
    ask(store, match_id, 2)
    with pytest.raises(LeagueRefusal, match="hints can be switched on only at its first decision"):
        take_hint(store, match_id, 2)
    assert not is_assisted(store, match_id)


def test_whoever_asks_at_the_first_decision_may_ask_at_every_other(store: Store) -> None:
    match_id, _ = opened(store)
    for number in (1, 2, 3):
        ask(store, match_id, number)
        take_hint(store, match_id, number)
        assert is_assisted(store, match_id)


@pytest.mark.parametrize("why", ["a known board", "two people"])
def test_where_nothing_counts_a_hint_is_given_at_any_time(store: Store, why: str) -> None:
    match_id, _ = opened(store, people=2 if why == "two people" else 1)
    if why == "a known board":
        with store.write() as session:
            data.locked(session, Sitting, match_id).ratable = False
    ask(store, match_id, 7)
    take_hint(store, match_id, 7)
    assert is_assisted(store, match_id)
