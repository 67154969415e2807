"""Determinised rollouts: guess what is hidden, play every candidate on from the same guess with the
same random numbers, and add up. Compiled where the core is there, else pure, with the same result.
"""

from collections.abc import Sequence
from ctypes import c_int32, c_int64, c_uint8
from dataclasses import dataclass
from math import inf, sqrt

from nimmt.choices import (
    CARD,
    DRAFT,
    ROW,
    STEAL,
    TURN,
    X_CARD,
    Choice,
    TurnOptions,
    fitting_piles,
)
from nimmt.core.hints import Chain, Hint, pack_hints
from nimmt.core.layout import (
    MOST_CHOICES,
    CSums,
    pack_choices,
    pack_expected,
    pack_policy,
    pack_position,
)
from nimmt.core.library import CoreError, check, load
from nimmt.core.policies import (
    NOTHING,
    SLOT_RISK,
    UNIFORM,
    UNIFORM_POLICY,
    Expected,
    Players,
    Policy,
)
from nimmt.core.position import Position
from nimmt.core.pure_eleven import ElevenGuess
from nimmt.core.pure_six import SixGuess
from nimmt.core.pure_x import XGuess
from nimmt.errors import IllegalChoice
from nimmt.generator import Generator

Guess = SixGuess | XGuess | ElevenGuess
_GUESSES: dict[str, type[Guess]] = {
    "six-nimmt": SixGuess,
    "x-nimmt": XGuess,
    "eleven-nimmt": ElevenGuess,
}


@dataclass(slots=True)
class Rollouts:
    """How the candidates did, by their order. A value is a seat's points less the mean of the
    others': fewer is better."""

    choices: list[Choice]
    others: int
    """How many other seats there are; the sums are of values times this."""
    counts: list[int]
    sums: list[int]
    squares: list[int]
    pair_sums: list[list[int]]
    pair_squares: list[list[int]]

    @classmethod
    def empty(cls, choices: Sequence[Choice], players: int) -> "Rollouts":
        """No rollouts yet."""
        count = len(choices)
        nothing = [[0] * count for _ in choices]
        return cls(
            list(choices), players - 1, [0] * count, [0] * count, [0] * count,
            nothing, [row[:] for row in nothing],
        )  # fmt: skip

    @property
    def played(self) -> int:
        """All rollouts together."""
        return sum(self.counts)

    def mean(self, i: int) -> float:
        """The mean value of a candidate."""
        return self.sums[i] / self.others / self.counts[i] if self.counts[i] else inf

    def error(self, i: int) -> float:
        """The standard error of that mean."""
        return _error(self.counts[i], self.sums[i], self.squares[i]) / self.others

    def difference(self, i: int, j: int) -> tuple[float, float]:
        """By how much candidate i has more than j on the guesses both were played from, and the
        standard error of that: far smaller than from the two means, as luck is shared."""
        count = min(self.counts[i], self.counts[j])
        total, squares = self.pair_sums[i][j], self.pair_squares[i][j]
        mean = total / self.others / count if count else 0.0
        return mean, _error(count, total, squares) / self.others

    @property
    def best(self) -> int:
        """The candidate with the lowest mean among those with the most rollouts."""
        most = max(self.counts)
        return min((i for i, n in enumerate(self.counts) if n == most), key=self.mean)

    def add(self, other: "Rollouts", among: Sequence[int] | None = None) -> None:
        """Take in more rollouts; `among` says which of our candidates the other's are."""
        at = range(len(other.choices)) if among is None else among
        for i, a in enumerate(at):
            self.counts[a] += other.counts[i]
            self.sums[a] += other.sums[i]
            self.squares[a] += other.squares[i]
            for j, b in enumerate(at):
                self.pair_sums[a][b] += other.pair_sums[i][j]
                self.pair_squares[a][b] += other.pair_squares[i][j]


def _error(count: int, total: int, squares: int) -> float:
    if count < 2:
        return inf
    return sqrt(max(0.0, squares - total * total / count) / (count - 1) / count)


def rollouts(
    position: Position,
    choices: Sequence[Choice],
    budget: int,
    seed: int,
    *,
    own: Policy = UNIFORM_POLICY,
    others: Policy = UNIFORM_POLICY,
    hints: Sequence[Hint] = (),
    expected: Expected = NOTHING,
    halving: bool = False,
    pure: bool | None = None,
) -> Rollouts:
    """About `budget` rollouts, the same number for each candidate. With `hints`, by seat ascending,
    hidden cards are guessed by what the others have chosen; with `expected`, seats lay their next
    card by these weights.

    With `halving` the worse half of the candidates leaves after each of log2 stages, so that most
    rollouts go to those that are hard to tell apart. The same seed gives the same numbers, compiled
    or pure.
    """
    _check(position, choices, own, others, budget)
    library = load(pure)
    made = Rollouts.empty(choices, position.players)
    if library is None:
        _pure_rollouts(made, position, budget, seed, Players(own, others, expected), hints, halving)
        return made
    count = len(choices)
    arrays = [(c_int64 * size)() for size in (count, count, count, count**2, count**2)]
    answer = library.nimmt_rollouts(
        pack_position(position), (c_uint8 * max(1, len(position.unseen)))(*position.unseen),
        len(position.unseen), pack_choices(choices, position), count, pack_policy(own),
        pack_policy(others), pack_hints(hints), len(hints),
        pack_expected(expected, position.players), seed, budget, halving, CSums(*arrays),
    )  # fmt: skip
    check(answer, "a search")
    made.counts, made.sums, made.squares = (list(array) for array in arrays[:3])
    made.pair_sums, made.pair_squares = (
        [array[i * count : (i + 1) * count] for i in range(count)] for array in arrays[3:]
    )
    return made


def playouts(
    position: Position,
    choice: Choice,
    count: int,
    seed: int,
    *,
    own: Policy = UNIFORM_POLICY,
    others: Policy = UNIFORM_POLICY,
    pure: bool | None = None,
) -> list[list[int]]:
    """The points by seat of single playouts that go on with one choice, each from a new guess."""
    _check(position, [choice], own, others, 1)
    library = load(pure)
    if library is None:
        return [
            _pure_playout(position, choice, seed, n, Players(own, others)) for n in range(count)
        ]
    players = position.players
    points = (c_int32 * (count * players))()
    answer = library.nimmt_playouts(
        pack_position(position), (c_uint8 * max(1, len(position.unseen)))(*position.unseen),
        len(position.unseen), pack_choices([choice], position), pack_policy(own),
        pack_policy(others), seed, count, points,
    )  # fmt: skip
    check(answer, "a playout")
    return [points[at : at + players] for at in range(0, count * players, players)]


def _check(
    position: Position, choices: Sequence[Choice], own: Policy, others: Policy, budget: int
) -> None:
    if not 1 <= len(choices) <= MOST_CHOICES:
        raise CoreError(f"got {len(choices)} candidates, expected 1 to {MOST_CHOICES}")
    if budget < len(choices):
        raise CoreError(f"got a budget of {budget}, expected {len(choices)} or more")
    if position.hidden > len(position.unseen):
        raise CoreError(
            f"got {position.hidden} hidden cards and {len(position.unseen)} that they may be"
        )
    legal = _legal(position)
    for choice in choices:
        if not _is_legal(legal, choice):
            raise CoreError(f"got the candidate {choice!r:.80}, expected a legal {position.kind}")
    risky = any(p.kind != UNIFORM and p.feature == SLOT_RISK for p in (own, others))
    if risky and position.rules.name == "eleven-nimmt":
        raise CoreError("got a policy by slot risk for 11 nimmt!, which has no slots")


def _legal(position: Position) -> Sequence[int] | TurnOptions:
    """What the seat may choose now; the core asks again by its own rules."""
    own = position.seat
    if position.kind == TURN:
        fits = fitting_piles(tuple(sorted(position.hands[own])), position.piles)
        held = position.bull_cards[own]
        return TurnOptions(fits, held or 1, held > 0, tuple(position.piles))
    if position.kind == STEAL:
        others = [0 if seat == own else n for seat, n in enumerate(position.bull_cards)]
        return [seat for seat, n in enumerate(others) if n and n == max(others)]
    known: dict[str, Sequence[int]] = {
        CARD: position.hands[own],
        ROW: range(len(position.rows)),
        DRAFT: position.pool,
        X_CARD: position.taken,
    }
    return known.get(position.kind, ())


def _is_legal(legal: Sequence[int] | TurnOptions, choice: Choice) -> bool:
    if not isinstance(legal, TurnOptions):
        return type(choice) is int and choice in legal
    try:
        legal.checked(0, choice)
    except IllegalChoice:
        return False
    return True


def _guess(
    position: Position, rng: Generator, players: Players, chain: Chain | None = None
) -> Guess:
    if chain is not None:
        dealt = chain.next_deal(rng)
    else:
        dealt = position.unseen[:]
        rng.shuffle(dealt, position.hidden)
    return _GUESSES[position.rules.name](position, dealt, rng, players)


def _pure_playout(
    position: Position, choice: Choice, seed: int, number: int, players: Players
) -> list[int]:
    rng = Generator.stream(seed, number)
    return _guess(position, rng, players).run(choice, rng)


def _pure_rollouts(
    made: Rollouts, position: Position, budget: int, seed: int, players: Players,
    hints: Sequence[Hint], halving: bool,
) -> None:  # fmt: skip
    chain = Chain(position, hints, seed) if hints else None
    left = list(range(len(made.choices)))
    stages = max(1, (len(left) - 1).bit_length()) if halving else 1
    number = 0
    for stage in range(stages):
        for _ in range(max(1, budget // stages // len(left))):
            rng = Generator.stream(seed, number)
            number += 1
            guess = _guess(position, rng, players, chain)
            values = []
            for i in left:
                points = guess.run(made.choices[i], rng.copy())
                values.append(points[position.seat] * position.players - sum(points))
            _add(made, left, values)
        if stage + 1 < stages:
            better = sorted(left, key=lambda i: (made.sums[i], i))
            left = sorted(better[: (len(left) + 1) // 2])


def _add(made: Rollouts, left: list[int], values: list[int]) -> None:
    for a, value in zip(left, values, strict=True):
        made.counts[a] += 1
        made.sums[a] += value
        made.squares[a] += value * value
        sums, squares = made.pair_sums[a], made.pair_squares[a]
        for b, other in zip(left, values, strict=True):
            sums[b] += value - other
            squares[b] += (value - other) ** 2
