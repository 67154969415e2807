"""Monte Carlo that knows how people play, and what their play gives away.

Three things beyond `montecarlo`, each of which can be switched off to see what it is worth:
everybody plays on as strong players do instead of at random; hidden hands are guessed by what their
owners have laid and not laid; and where hands are open, the bot first searches in the place of each
of the others.
"""

import time
from collections.abc import Sequence
from dataclasses import replace
from math import exp

from botkit import Bot, Choice, ElevenNimmtView, Event, Play, SixNimmtView, Take, XNimmtView, run
from nimmt.cards import HIGHEST
from nimmt.core import Policy, Position, engine
from nimmt.core.hints import MOST_WEIGHT
from nimmt.events import Reveal
from nimmt.reading import Model, Reader
from nimmt.search import Memory
from nimmt.style import strong_policy
from nimmt.timed import TimedSearch, seconds_for

DOUBT = 0.05
"""Nobody plays quite as expected: what the worst card keeps, as a share of the best."""
FORESIGHT = 0.4
"""Of its time, for the search in the others' places."""
CARELESS = 0.5
"""Heads by which a card may be worse and still be laid about a third as often as the best."""
FIRST_TRUST = 0.5
LEAST_TRUST = 0.02
"""That a seat will lay what a search in its place finds, and not just anything."""
UNIFORM = Policy.uniform()


class SleuthBot(Bot):
    """Watches everybody's choices, and searches in hands that would explain them."""

    models = reads = foresees = True
    clock = staticmethod(time.monotonic)
    memory: Memory

    def on_game_start(self) -> None:
        self.memory = Memory(self.rules, self.players, self.seat)
        self.timed = TimedSearch(self.clock)
        self.foreseen: dict[int, dict[int, float]] = {}
        self.trust = [FIRST_TRUST] * self.players
        strong = strong_policy(self.rules, self.memory.highest)
        self.reader = Reader(self.memory, Model(strong, DOUBT))
        # Without the compiled core a look at every hand costs more than it brings, and so it does
        # where hands are open: what time there is goes into more rollouts.
        self.fast = engine().compiled
        opened = bool(self.rules.options.get("advanced"))
        self.policy = strong if self.models and self.fast and not opened else UNIFORM

    def on_event(self, event: Event) -> None:
        if self.reads and self.fast:
            self.reader.see(event)
        if isinstance(event, Reveal):
            self._learn(event.cards)
        self.memory.see(event)

    def best(self, kind: str, choices: Sequence[Choice]) -> Choice:
        """The choice with the best mean of own points against the others'."""
        self.memory.look()
        position = self.memory.position(kind)
        seconds = self.seconds()
        expected = {}
        if self.foresees and self.fast and kind == "card" and not position.hidden:
            expected = self._foresee(position, FORESIGHT * seconds / (self.players - 1))
            seconds *= 1 - FORESIGHT
        found = self.timed.search(
            position, choices, seconds, self.rng,
            own=self.policy, others=self.policy, hints=self.reader.hints(), expected=expected,
        )  # fmt: skip
        best = found.best
        self.note(f"{found.played} rollouts, {found.mean(best):+.2f} against the others")
        return choices[best]

    def _foresee(self, position: Position, seconds: float) -> dict[int, list[int]]:
        """Open hands: how likely each of the others is to lay a card, by a search in its place."""
        expected = {}
        for seat, hand in enumerate(position.hands):
            if seat == self.seat:
                continue
            found = self.timed.search(replace(position, seat=seat), hand, seconds, self.rng)
            worse = [max(0.0, found.mean(i) - found.mean(found.best)) for i in range(len(hand))]
            likes = [DOUBT + (1 - DOUBT) * exp(-heads / CARELESS) for heads in worse]
            self.foreseen[seat] = {
                card: like / sum(likes) for card, like in zip(hand, likes, strict=True)
            }
            trust = self.trust[seat]
            weights = [1] * (HIGHEST + 1)
            for card, chance in self.foreseen[seat].items():
                weights[card] = round(MOST_WEIGHT * (trust * chance + (1 - trust) / len(hand)))
            expected[seat] = weights
        return expected

    def _learn(self, cards: Sequence[int]) -> None:
        """Whoever lays what was foreseen will do so again; others lay anything."""
        for seat, chances in self.foreseen.items():
            right = self.trust[seat] * chances[cards[seat]]
            wrong = (1 - self.trust[seat]) / len(chances)
            self.trust[seat] = min(max(right / (right + wrong), LEAST_TRUST), 1 - LEAST_TRUST)
        self.foreseen = {}

    def seconds(self) -> float:
        """This ask's part of the free time; the bank is left alone."""
        return seconds_for(self.free_time_ms, self.time_left_ms, self.asks_left)

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        return self._number("card", view.hand)

    def choose_row(self, view: SixNimmtView | XNimmtView) -> int:
        return self._number("row", self.legal)

    def choose_x_card(self, view: XNimmtView) -> int:
        return self._number("x_card", view.taken)

    def choose_steal(self, view: ElevenNimmtView) -> int:
        return self._number("steal", self.legal)

    def choose_draft(self, view: SixNimmtView) -> int:
        # The middle is safe: no low cards, which take rows, and no hand that is all of one kind.
        # Rollouts that end the draft at random choose worse.
        return view.pool[len(view.pool) // 2]

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        choice = self.best("turn", list(self.turns.sensible()))
        assert not isinstance(choice, int)
        return choice

    def _number(self, kind: str, choices: Sequence[int]) -> int:
        choice = self.best(kind, choices)
        assert isinstance(choice, int)
        return choice


if __name__ == "__main__":
    run(SleuthBot)
