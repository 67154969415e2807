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
