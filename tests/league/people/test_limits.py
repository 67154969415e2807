"""How many tables there may be, also for those who ask for several at the same moment."""

import threading

from league.errors import TooOften
from league.people.opening import Asker, TableRequest, open_table
from league.people.opponents import ensure_person
from league.settings import LeagueSettings
from store import Store, sittings
from tests.factories import add_platform_bots
from tests.league.people.held_up import wait_until_held_up


def test_of_two_tables_opened_at_once_the_second_counts_the_first(store: Store) -> None:
    """Each browser is a new person, so no lock of a person's keeps them apart."""
    add_platform_bots(store, ("gap", "random", "greedy"))
    settings = LeagueSettings(tables_per_address=1)
    answers: list[str] = []
    comes = threading.Event()

    def ask() -> None:
        comes.set()
        try:
            with store.write() as session:
                asker = Asker(person=sittings.add_person(session), address_hash="one")
                open_table(session, settings, asker, TableRequest())
            answers.append("opened")
        except TooOften as error:
            answers.append(str(error))

    with store.write() as session:
        # So that the second one need not add it.
        asker = Asker(person=sittings.add_person(session), address_hash="elsewhere")
        open_table(session, settings, asker, TableRequest())
    second = threading.Thread(target=ask)
    with store.write() as session:
        asker = Asker(person=sittings.add_person(session), address_hash="one")
        open_table(session, settings, asker, TableRequest())
        second.start()
        wait_until_held_up(store, second, comes)
    second.join()
    assert answers == [
        "your address has 1 open table already, and 1 is the limit; finish or leave one first"
    ]


def test_the_first_two_tables_of_a_league_may_be_opened_at_once(store: Store) -> None:
    """Each finds nobody who stands for people yet, and only one adds them."""
    add_platform_bots(store, ("gap", "random", "greedy"))
    persons: list[int] = []
    comes = threading.Event()

    def add() -> None:
        comes.set()
        with store.write() as session:
            persons.append(ensure_person(session).id)

    second = threading.Thread(target=add)
    with store.write() as session:
        persons.append(ensure_person(session).id)
        second.start()
        wait_until_held_up(store, second, comes)
    second.join()
    assert len(persons) == 2
    assert len(set(persons)) == 1
