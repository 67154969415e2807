"""Rollouts for as long as a clock allows: successive halving in short portions.

The core does not look at the clock, so it gets the time that is left in portions, each by the rate
of the one before; a machine that gets busy, or one without the compiled core, is noticed soon.
"""

import time
from collections.abc import Callable, Sequence
from random import Random

from nimmt.choices import Choice
from nimmt.core.hints import Hint
from nimmt.core.policies import NOTHING, UNIFORM_POLICY, Expected, Policy
from nimmt.core.position import Position
from nimmt.core.rollouts import Rollouts, rollouts

PORTION = 0.7
"""Of the time that is left, what the next rollouts may take."""
LONGEST = 0.002
"""And seconds at most."""
FEWEST = 2
"""Guesses to begin with: one says nothing about the noise."""
SHARE = 0.7
"""Of the free time, for thinking; the rest is for the way of the answer and for a busy machine."""
LOW_BANK_MS = 300
"""Below this much bank a bot takes half of its share, until the end of the pass."""


def seconds_for(free_ms: float, left_ms: float, asks: int) -> float:
    """One ask's part of the free time; the bank, the rest of what is left, is for accidents.

    >>> seconds_for(100, 1100, 1), seconds_for(100, 1100, 2), seconds_for(100, 300, 1)
    (0.07, 0.035, 0.035)
    """
    share = SHARE if left_ms - free_ms > LOW_BANK_MS else SHARE / 2
    return share * free_ms / 1000 / max(1, asks)


class TimedSearch:
    """Searches one decision after another, and learns how fast it is here."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.rate = 0.0
        """Rollouts a second; 0 when nothing was measured yet."""

    def search(
        self,
        position: Position,
        choices: Sequence[Choice],
        seconds: float,
        rng: Random,
        *,
        own: Policy = UNIFORM_POLICY,
        others: Policy = UNIFORM_POLICY,
        hints: Sequence[Hint] = (),
        expected: Expected = NOTHING,
    ) -> Rollouts:
        """Compare all choices for a while, then the better half, and so on, so that most rollouts
        go to the choices that are hard to tell apart.

        `best` of the result is among those that came furthest. All choices are tried a little even
        where there is no time at all; a single one is not tried.
        """

        def play(left: list[int], guesses: int) -> Rollouts:
            some = [choices[i] for i in left]
            seed, budget = rng.getrandbits(64), guesses * len(left)
            return rollouts(
                position, some, budget, seed,
                own=own, others=others, hints=hints, expected=expected,
            )  # fmt: skip

        found = Rollouts.empty(choices, position.players)
        left = list(range(len(choices)))
        stages = (len(left) - 1).bit_length()
        ends = self.clock() + seconds
        for stage in range(stages):
            now = self.clock()
            if stage and now >= ends:
                break
            self._compare(found, left, now + (ends - now) / (stages - stage), play)
            left.sort(key=found.mean)
            left = left[: (len(left) + 1) // 2]
        return found

    def _compare(
        self,
        found: Rollouts,
        left: list[int],
        until: float,
        play: Callable[[list[int], int], Rollouts],
    ) -> None:
        """Play all that are left out from the same guesses until the time is spent."""
        while True:
            started = self.clock()
            portion = min(PORTION * (until - started), LONGEST)
            guesses = int(portion * self.rate / len(left))
            if guesses < FEWEST and found.counts[left[0]]:
                return
            played = play(left, max(FEWEST, guesses))
            found.add(played, among=left)
            self.rate = played.played / max(self.clock() - started, 1e-6)
