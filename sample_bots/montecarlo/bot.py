"""Determinised Monte Carlo for every rules: guess what is hidden, play on at random, count.

It uses the time it is given: more time, more playouts, stronger play. `--playouts N` plays that
many for each candidate and stage instead, so that a match can be repeated exactly.
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
from nimmt.search import Memory

SHARE = 0.7
"""Of the free time; the rest is for the way of the answer and for a busy machine."""
LOW_BANK_MS = 300
"""Below this much bank it takes half of its share, until the end of the pass."""
DRAFT_CANDIDATES = 10
MOST_PLAYS = 6
MOST_TAKES = 3
"""Turns of 11 nimmt! that are worth a comparison; the rest is noise."""
BULL_FROM = 3
"""A taken pile of this many cards brings a bull card."""


class Candidate:
    """A choice and how its playouts went."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.playouts = 0
        self.total = 0.0

    def add(self, points: float) -> None:
        self.playouts += 1
        self.total += points

    def mean(self) -> float:
        return self.total / self.playouts if self.playouts else 0.0


class MonteCarloBot(Bot):
    """Plays every candidate out from the same guesses, and keeps the best on average."""

    playouts: int | None = None
    memory: Memory

    def on_game_start(self) -> None:
        self.memory = Memory(self.rules, self.players, self.seat)

    def on_event(self, event: Event) -> None:
        self.memory.see(event)

    def best(self, kind: str, candidates: Sequence[Choice]) -> Choice:
        """The candidate with the best mean of own points against the others'.

        Successive halving: all are compared for a while, then the better half, and so on, so
        that most playouts go to the choices that are hard to tell apart.
        """
        self.memory.look()
        left = [Candidate(choice) for choice in candidates]
        total = self._seconds()
        while len(left) > 1:
            # Each stage gets the same share; the last one compares two.
            stages = (len(left) - 1).bit_length()
            until = time.monotonic() + total / stages
            total -= total / stages
            self._compare(kind, left, until)
            left.sort(key=Candidate.mean)
            left = left[: (len(left) + 1) // 2]
        self.note(f"{left[0].playouts} playouts, {left[0].mean():+.2f} against the others")
        return left[0].choice

    def _compare(self, kind: str, candidates: list["Candidate"], until: float) -> None:
        """Play all candidates out from the same guesses, until time or playouts are spent."""
        done = 0
        while done < self.playouts if self.playouts else not done or time.monotonic() < until:
            state = self.memory.guess(kind, self.rng)
            for candidate in candidates:
                points = state.playout(self.rng, {self.seat: candidate.choice})
                own = points[self.seat]
                candidate.add(own - (sum(points) - own) / (self.players - 1))
            done += 1

    def _seconds(self) -> float:
        """This ask's part of the free time; the bank is for accidents and is left alone."""
        bank = self.time_left_ms - self.free_time_ms
        share = SHARE if bank > LOW_BANK_MS else SHARE / 2
        return share * self.free_time_ms / 1000 / max(1, self.asks_left)

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        return self._number("card", view.hand)

    def choose_row(self, view: SixNimmtView | XNimmtView) -> int:
        return self._number("row", self.legal)

    def choose_x_card(self, view: XNimmtView) -> int:
        return self._number("x_card", view.taken)

    def choose_draft(self, view: SixNimmtView) -> int:
        # Neighbours are worth about the same, so a spread of candidates is enough.
        step = max(1, len(view.pool) // DRAFT_CANDIDATES)
        return self._number("draft", view.pool[step // 2 :: step])

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        choice = self.best("turn", self._turns())
        assert not isinstance(choice, int)
        return choice

    def _turns(self) -> list[Choice]:
        """The few turns that are worth a comparison, so that each gets many playouts."""
        plays = [choice for choice in self.turns.sensible() if isinstance(choice, Play)]
        # Many cards at once first; single cards by their gap, as `sensible` lists them.
        plays.sort(key=lambda play: -sum(map(len, play.cards.values())))
        takes = sorted(self.turns.takes, key=self._price)
        return [*plays[:MOST_PLAYS], *map(Take, takes[:MOST_TAKES])]

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
