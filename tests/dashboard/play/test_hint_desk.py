"""The desk of the hints: each question once, only so many in line, nothing for those who left."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from dashboard.http import Refused
from dashboard.pages import hint_desk
from dashboard.pages.hint_desk import HintDesk, Key
from league.people import Asked
from store import JsonDict

pytestmark = pytest.mark.timeout(180)


class Maker:
    """Computes when it is let; notes what it was asked."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun = threading.Event()
        self.made: list[int] = []
        self.broken: set[int] = set()

    def __call__(self, asked: Asked) -> JsonDict:
        self.begun.set()
        assert self.open.wait(30)
        self.made.append(asked.ask)
        if asked.ask in self.broken:
            raise ValueError("a bug")
        return {"ask": asked.ask}


@pytest.fixture
def maker() -> Iterator[Maker]:
    made = Maker()
    yield made
    made.open.set()


def key(ask: int) -> Key:
    return ("code", 0, ask)


async def stays() -> bool:
    return False


def question(desk: HintDesk, ask: int) -> "asyncio.Task[JsonDict]":
    return asyncio.ensure_future(desk.ask(key(ask), Asked(ask=ask, frames=[]), stays))


async def begin(*tasks: "asyncio.Task[JsonDict]") -> None:
    """Let each of these come to where it waits."""
    await asyncio.wait(tasks, timeout=0.01)


def test_the_same_question_is_computed_once_and_remembered(maker: Maker) -> None:
    async def ask() -> None:
        desk = HintDesk(maker)
        first, second = question(desk, 7), question(desk, 7)
        await begin(first, second)
        maker.open.set()
        assert await first == await second == {"ask": 7}
        assert await question(desk, 7) == {"ask": 7}
        assert await question(desk, 8) == {"ask": 8}

    asyncio.run(ask())
    assert maker.made == [7, 8]


def test_only_so_many_answers_are_remembered(maker: Maker) -> None:
    maker.open.set()

    async def ask() -> None:
        desk = HintDesk(maker, kept=2)
        for number in (1, 2, 3, 2, 1):
            await question(desk, number)

    asyncio.run(ask())
    assert maker.made == [1, 2, 3, 1]


def test_a_hint_that_failed_is_computed_again(maker: Maker) -> None:
    maker.open.set()
    maker.broken = {4}

    async def ask() -> None:
        desk = HintDesk(maker)
        with pytest.raises(ValueError, match="a bug"):
            await question(desk, 4)
        maker.broken = set()
        assert await question(desk, 4) == {"ask": 4}

    asyncio.run(ask())
    assert maker.made == [4, 4]


def test_a_line_that_is_too_long_is_refused_in_words(maker: Maker) -> None:
    async def ask() -> None:
        desk = HintDesk(maker, most=2)
        line = []
        for number in (1, 2, 3):
            desk.require_room(key(number))
            line.append(question(desk, number))
            await begin(*line)
        with pytest.raises(Refused, match="2 others wait for a hint; try again") as refused:
            desk.require_room(key(4))
        assert refused.value.status == 503
        assert refused.value.headers["retry-after"]
        # What is in the line already may be asked for by another window.
        desk.require_room(key(3))
        maker.open.set()
        await asyncio.gather(*line)
        desk.require_room(key(4))

    asyncio.run(ask())


def test_nothing_is_computed_for_those_who_left(
    maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hint_desk, "LOOK_SECONDS", 0.001)
    gone = False

    async def left() -> bool:
        return gone

    async def ask() -> None:
        nonlocal gone
        desk = HintDesk(maker)
        first = question(desk, 1)
        await begin(first)
        assert await asyncio.to_thread(maker.begun.wait, 30)
        second = asyncio.ensure_future(desk.ask(key(2), Asked(ask=2, frames=[]), left))
        third = asyncio.ensure_future(desk.ask(key(3), Asked(ask=3, frames=[]), left))
        other = question(desk, 3)
        await begin(second, third, other)
        gone = True
        for task in (second, third):
            with pytest.raises(Refused, match="nobody waits"):
                await task
        maker.open.set()
        assert await first == {"ask": 1}
        assert await other == {"ask": 3}

    asyncio.run(ask())
    assert maker.made == [1, 3]
