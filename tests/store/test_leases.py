"""Named leases: one holder at a time, by the database's clock."""

import threading
from concurrent.futures import ThreadPoolExecutor

from store import Store, leases


def take(store: Store, holder: str, seconds: float = 60) -> bool:
    with store.write() as session:
        return leases.take(session, "clock", holder, seconds)


def test_one_holds_a_lease_and_may_renew_it(store: Store) -> None:
    assert take(store, "a")
    assert not take(store, "b")
    assert take(store, "a")
    with store.read() as session:
        assert leases.holder(session, "clock") == "a"
        assert leases.holder(session, "something else") is None
        assert leases.age(session, "something else") is None
        assert (leases.age(session, "clock") or 0) >= 0


def test_a_lease_that_ran_out_goes_to_whoever_asks_next(store: Store) -> None:
    assert take(store, "a", seconds=-1)
    with store.read() as session:
        assert leases.holder(session, "clock") is None
    assert take(store, "b")
    assert not take(store, "a")


def test_a_released_lease_is_free_at_once_and_only_its_holder_releases_it(store: Store) -> None:
    assert take(store, "a")
    with store.write() as session:
        leases.release(session, "clock", "b")
    assert not take(store, "b")
    with store.write() as session:
        leases.release(session, "clock", "a")
    assert take(store, "b")


def test_of_many_that_are_first_at_once_exactly_one_gets_it(store: Store) -> None:
    together = threading.Barrier(6)

    def race(number: int) -> bool:
        together.wait()
        return take(store, f"worker {number}")

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(race, range(6))) == 1
