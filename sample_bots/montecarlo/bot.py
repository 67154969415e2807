"""Determinised Monte Carlo for every rules: guess what is hidden, play on at random, count.

It uses the time it is given: more time, more playouts, stronger play. `--playouts N` plays that
many for each candidate and stage instead, so that a match can be repeated exactly.
Where playouts are few and noisy (11 nimmt!), it has a habit and leaves it only for a clear gain.
"""

import argparse
import time
from collections.abc import Sequence

from botkit import (
    Bot,
    Choice,
    ElevenNimmtView,
    Event,
    Play,
    SixNimmtView,
    Take,
    XNimmtView,
    heads,
    run,
)
from nimmt.core import Position, Rollouts, rollouts
from nimmt.search import Memory
from nimmt.timed import seconds_for

CLEARLY = 2.0
"""Standard errors by which a choice must be better than the habit."""
PORTION = 0.7
"""Of the time that is left, what the next playouts may take."""
LONGEST_PORTION = 0.002
"""And seconds at most: a machine that gets busy is noticed soon."""
MOST_GROWTH = 30
"""How many times more playouts than the last time, as a first short look measures badly."""
MOST_PLAYS = 3
MOST_TAKES = 2
"""Turns of 11 nimmt! that are worth a comparison; the rest is noise."""
BULL_FROM = 3
"""A taken pile of this many cards brings a bull card."""
ENOUGH_BULLS = 2
DEAREST = 10
EARLY = 0.6
"""The habit takes a pile for its bull card up to this many bull cards, this many heads, and while
this share of the draw deck is left."""


def is_clearly_better(found: Rollouts, one: int, other: int) -> bool:
    """Whether the gain is more than the noise of the playouts; fewer points are better."""
    more, error = found.difference(one, other)
    return -more > CLEARLY * error


class MonteCarloBot(Bot):
    """Plays every candidate out from the same guesses, and keeps the best on average."""

    playouts: int | None = None
    clock = staticmethod(time.monotonic)
    memory: Memory

    def on_game_start(self) -> None:
        self.memory = Memory(self.rules, self.players, self.seat)

    def on_event(self, event: Event) -> None:
        self.memory.see(event)

    def best(self, kind: str, choices: Sequence[Choice], habit: Choice | None = None) -> Choice:
        """The choice with the best mean of own points against the others'.

        Successive halving: all are compared for a while, then the better half, and so on, so
        that most playouts go to the choices that are hard to tell apart. A habit stays to the
        end, and wins unless another choice is clearly better.
        """
        self.memory.look()
        position = self.memory.position(kind)
        found = Rollouts.empty(choices, self.players)
        left = list(range(len(choices)))
        known = next((i for i in left if choices[i] == habit), None)
        stages = (len(left) - 1).bit_length()
        seconds = self.seconds()
        for _ in range(stages):
            self._compare(position, found, left, self.clock() + seconds / stages)
            left.sort(key=found.mean)
            left = left[: (len(left) + 1) // 2]
            if known is not None and known not in left:
                left.append(known)
        best = left[0]
        if known is not None and best != known and not is_clearly_better(found, best, known):
            best = known
        if found.counts[best]:
            self.note(f"{found.played} playouts, {found.mean(best):+.2f} against the others")
        return choices[best]

    def _compare(self, position: Position, found: Rollouts, left: list[int], until: float) -> None:
        """Play all that are left out from the same guesses, until time or playouts are spent."""
        choices = [found.choices[i] for i in left]
        # Two at least: one says nothing about the noise.
        guesses = self.playouts or 2
        while guesses:
            started = self.clock()
            seed = self.rng.getrandbits(64)
            found.add(rollouts(position, choices, guesses * len(left), seed), among=left)
            if self.playouts:
                return
            now = self.clock()
            # The core does not look at the clock, so it gets the time that is left in short
            # portions, each by what the last one took.
            portion = min(PORTION * (until - now), LONGEST_PORTION)
            growth = portion / max(now - started, 1e-6)
            guesses = int(guesses * max(0.0, min(growth, MOST_GROWTH)))

    def seconds(self) -> float:
        """This ask's part of the free time; the bank is left alone."""
        return seconds_for(self.free_time_ms, self.time_left_ms, self.asks_left)

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        return self._number("card", view.hand)

    def choose_row(self, view: SixNimmtView | XNimmtView) -> int:
        return self._number("row", self.legal)

    def choose_x_card(self, view: XNimmtView) -> int:
        return self._number("x_card", view.taken)

    def choose_draft(self, view: SixNimmtView) -> int:
        # Playouts cannot tell one draft card from the next: what it is worth depends on twenty
        # later picks. The middle of the pool is safe: no low cards, which take rows, and no
        # hand that is all of one kind.
        return view.pool[len(view.pool) // 2]

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        habit = self._habit(view)
        plays = [choice for choice in self.turns.sensible() if isinstance(choice, Play)]
        plays.sort(key=lambda play: -sum(map(len, play.cards.values())))
        takes = [Take(pile) for pile in sorted(self.turns.takes, key=self._price)]
        rivals: list[Choice] = [*plays[:MOST_PLAYS], *takes[:MOST_TAKES]]
        choice = self.best("turn", [habit, *[one for one in rivals if one != habit]], habit)
        assert not isinstance(choice, int)
        return choice

    def _habit(self, view: ElevenNimmtView) -> Take | Play:
        """A cheap bull card while it is early, else as many cards as possible."""
        prey = min(self.turns.takes, key=self._price)
        few = view.bull_cards[view.seat] < ENOUGH_BULLS and view.bull_pool > 0
        early = view.draw >= EARLY * (99 - 10 * view.players)
        missing, price = self._price(prey)
        if few and early and not missing and price <= DEAREST:
            return Take(prey)
        most = self.turns.widest_play()
        if most is None:
            return Take(prey)
        return most if sum(map(len, most.cards.values())) > 1 else super().choose_turn(view)

    def _price(self, pile: int) -> tuple[bool, int]:
        """Piles that bring a bull card first, then those with few heads."""
        cards = self._cards(pile)
        return len(cards) < BULL_FROM, heads(cards)

    def _cards(self, pile: int) -> tuple[int, ...]:
        return self.memory.table.zones.get(f"pile:{pile}", ())

    def _number(self, kind: str, candidates: Sequence[int]) -> int:
        choice = self.best(kind, candidates)
        assert isinstance(choice, int)
        return choice


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--playouts", type=int, help="a fixed number for each candidate")
    MonteCarloBot.playouts = parser.parse_args().playouts
    run(MonteCarloBot)
