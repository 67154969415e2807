"""A match goes on while its games end, however much of their time its bots use."""

import asyncio
from typing import Any

import pytest

from league.matches.stage import VoidMatch
from league.matches.stalled import while_games_end

SECONDS = 100.0


class Jumping(asyncio.SelectorEventLoop):
    """A loop whose clock can be put forward."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


async def play(games: int, seconds: float, heard: list[dict[str, Any]]) -> None:
    """A match whose games take so long each."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Jumping)
    async with while_games_end(SECONDS, heard.append) as told:
        for number in range(games):
            loop.ahead += seconds
            await asyncio.sleep(0.01)
            told({"type": "progress", "games": number + 1})


def test_a_match_of_slow_bots_goes_on_to_its_last_game() -> None:
    heard: list[dict[str, Any]] = []
    with asyncio.Runner(loop_factory=Jumping) as runner:
        runner.run(play(5, 0.6 * SECONDS, heard))
    assert [message["games"] for message in heard] == [1, 2, 3, 4, 5]


def test_a_match_that_stands_still_is_void() -> None:
    with (
        asyncio.Runner(loop_factory=Jumping) as runner,
        pytest.raises(VoidMatch, match="no game of the match has ended for 100 s"),
    ):
        runner.run(play(5, 2 * SECONDS, []))


def test_time_in_which_nobody_was_asked_does_not_count() -> None:
    async def held(on_and_off: bool) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Jumping)
        async with while_games_end(SECONDS, None) as told:
            for _ in range(3):
                if on_and_off:
                    told({"type": "hold", "on": True})
                    told({"type": "hold", "on": True})
                loop.ahead += 5 * SECONDS
                await asyncio.sleep(0.01)
                if on_and_off:
                    told({"type": "hold", "on": False})
                loop.ahead += 0.2 * SECONDS
                await asyncio.sleep(0.01)

    with asyncio.Runner(loop_factory=Jumping) as runner:
        runner.run(held(True))
        with pytest.raises(VoidMatch):
            runner.run(held(False))


def test_a_break_stops_the_clock_of_a_match_and_does_not_wind_it_up() -> None:
    async def play_with_breaks() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Jumping)
        async with while_games_end(SECONDS, None) as told:
            for _ in range(10):
                told({"type": "hold", "on": True})
                told({"type": "hold", "on": False})
                loop.ahead += 0.2 * SECONDS
                await asyncio.sleep(0.01)

    with asyncio.Runner(loop_factory=Jumping) as runner, pytest.raises(VoidMatch):
        runner.run(play_with_breaks())
