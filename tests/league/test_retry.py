"""A server that starts while the database restarts waits for it, and not for ever."""

import pytest
import sqlalchemy as sa

from league.retry import patiently


class Clock:
    """Time that passes only by waiting."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def unreachable() -> sa.exc.OperationalError:
    return sa.exc.OperationalError("SELECT 1", {}, Exception("the server is starting up"))


def test_it_tries_again_until_the_database_is_there() -> None:
    clock, tries = Clock(), []

    def act() -> str:
        tries.append(1)
        if len(tries) < 4:
            raise unreachable()
        return "there"

    assert patiently(act, sleep=clock.sleep, clock=clock) == "there"
    assert len(tries) == 4


def test_it_gives_up_with_the_databases_own_error() -> None:
    clock = Clock()

    def act() -> None:
        raise unreachable()

    with pytest.raises(sa.exc.OperationalError):
        patiently(act, seconds=5.0, sleep=clock.sleep, clock=clock)
    assert clock.now == 5.0


def test_a_mistake_is_not_waited_for() -> None:
    def act() -> None:
        raise ValueError("ours")

    with pytest.raises(ValueError, match="ours"):
        patiently(act)
