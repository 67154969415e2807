"""A small policy for 6 nimmt! and X nimmt!: it scores each card of a hand, and learns.

One hidden layer over the features of a card, numpy alone. It is meant to be read and replaced.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nimmt.actions import CARDS, ROW_AT
from nimmt.choices import CARD, KINDS, ROW
from nimmt.features import FEATURES
from train.features import Hands, card_features, cheapest_rows

CARD_KIND, ROW_KIND = KINDS.index(CARD) + 1, KINDS.index(ROW) + 1
Floats = NDArray[np.float64]


@dataclass(slots=True)
class Decisions:
    """Card decisions of one step, kept until their reward is known."""

    seats: NDArray[np.intp]
    """Which seats decided: game x players + seat."""
    hands: Hands
    hidden: Floats
    shares: Floats
    """How likely each card was."""
    taken: NDArray[np.intp]
    """Which of the listed cards was chosen, for each decision."""


class CardPolicy:
    """score = tanh(features x inner + shift) x outer + features x direct; softmax over a hand."""

    def __init__(self, seed: int, hidden: int = 16) -> None:
        rng = np.random.default_rng(seed)
        count = len(FEATURES)
        self.inner: Floats = rng.normal(0.0, 0.5, (count, hidden))
        self.shift: Floats = np.zeros(hidden)
        self.outer: Floats = np.zeros(hidden)
        self.direct: Floats = np.zeros(count)
        self._rng = rng
        self._speed = [np.zeros_like(part) for part in self.weights()]

    def weights(self) -> list[Floats]:
        """The arrays that learning changes."""
        return [self.inner, self.shift, self.outer, self.direct]

    def scores(self, features: Floats) -> tuple[Floats, Floats]:
        """The score of each card, and the hidden layer behind it."""
        hidden = np.tanh(features @ self.inner + self.shift)
        return hidden @ self.outer + features @ self.direct, hidden

    def act(
        self, seen: NDArray[np.uint8], masks: NDArray[np.int8], asked: NDArray[np.uint8],
        *, best: bool = False,
    ) -> tuple[NDArray[np.int32], Decisions | None]:  # fmt: skip
        """An action for every seat, and the card decisions among them.

        With `best` the card with the highest score, else one drawn by the softmax. Rows are the
        cheapest; where the rules ask for anything else (a draft, an X card) it is the lowest.
        """
        seen = seen.reshape(-1, seen.shape[-1])
        kinds = asked.reshape(-1)
        actions = masks.reshape(len(seen), -1).argmax(axis=1).astype(np.int32)
        rows = np.flatnonzero(kinds == ROW_KIND)
        if len(rows):
            actions[rows] = ROW_AT + cheapest_rows(seen[rows])
        seats = np.flatnonzero(kinds == CARD_KIND)
        decided = None
        if len(seats):
            decided = self._choose(seats, card_features(seen[seats]), best)
            actions[seats] = decided.hands.card[decided.taken] - 1
            assert int(actions[seats].max()) < CARDS
        return actions.reshape(asked.shape), decided

    def _choose(self, seats: NDArray[np.intp], hands: Hands, best: bool) -> Decisions:
        scores, hidden = self.scores(hands.features)
        top = np.maximum.reduceat(scores, hands.first)
        weights = np.exp(scores - top[hands.hand])
        shares = weights / np.add.reduceat(weights, hands.first)[hands.hand]
        # The largest of score + Gumbel noise is a draw from the softmax.
        noise = 0.0 if best else self._rng.gumbel(size=len(scores))
        tried = scores + noise
        reached = tried == np.maximum.reduceat(tried, hands.first)[hands.hand]
        listed = np.flatnonzero(reached)
        _, once = np.unique(hands.hand[listed], return_index=True)
        return Decisions(seats, hands, hidden, shares, listed[once])

    def learn(self, decided: list[Decisions], gains: Floats, rate: float = 0.05) -> None:
        """One step of REINFORCE: what led to a gain above average becomes likelier.

        `gains` has one number a seat (game x players + seat), with an average of about zero.
        """
        slopes = [np.zeros_like(part) for part in self.weights()]
        count = 0
        for one in decided:
            push = -one.shares
            push[one.taken] += 1.0
            push *= gains[one.seats][one.hands.hand]
            back = np.outer(push, self.outer) * (1.0 - one.hidden**2)
            slopes[0] += one.hands.features.T @ back
            slopes[1] += back.sum(axis=0)
            slopes[2] += push @ one.hidden
            slopes[3] += push @ one.hands.features
            count += len(one.seats)
        for part, slope, speed in zip(self.weights(), slopes, self._speed, strict=True):
            # RMSProp: a root mean square keeps the step size alike for all weights.
            slope /= max(1, count)
            speed *= 0.9
            speed += 0.1 * slope**2
            part += rate * slope / (np.sqrt(speed) + 1e-8)
