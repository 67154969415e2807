"""What a seat could expect: V of a point in a round, Q of each choice, and what a choice lost.

All numbers are in heads and estimated from rollouts in independent batches. A pilot says which
alternatives are near the best and how many guesses are needed; it takes no part in their values, so
that what was selected by noise is not measured by the same noise.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import fmean, stdev

from nimmt.choices import Choice, TurnOptions
from nimmt.core.field import EPSILON, field_policy, options_of
from nimmt.core.field_rollouts import FieldSums, Knowledge, field_rollouts
from nimmt.core.policies import Policy

NEAR = 3
"""How many of the alternatives that did best in the pilot are looked at closely."""
PILOT_SHARE = 8
"""The pilot gets one part in so many of a decision's rollouts."""
PILOT_BATCHES = 4
MOST_BATCHES = 32
FEWEST_WORLDS = 16
TARGET = 0.09
"""Heads: the standard error that is good enough for an alternative near the best."""
SURE = 5.0
"""Errors from which on a first look is enough to say whether a choice loses."""
FIRST_LOOK = 4
"""The first look takes one part in so many of the guesses."""
BAND = 2.0
"""Errors within which two choices count as equally good."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its standard error, in heads."""

    value: float
    error: float


@dataclass(frozen=True, slots=True)
class Alternative:
    """What could have been chosen."""

    choice: Choice
    q: Estimate
    near: bool
    """Whether it was looked at closely, as one of the best in the pilot."""
    tied: bool
    """Whether it is as good as the best, as far as can be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One decision, judged by what the seat knew."""

    v: Estimate
    q: Estimate
    difference: Estimate
    """q - v: better than the field policy is negative."""
    loss: Estimate
    """Against the best alternative; may come out below 0, as it is not clipped."""
    mistake: bool
    """The loss is real by field rollouts and by uniform ones."""
    best: Choice
    ess: int
    """How many independent guesses the batches were worth."""
    alternatives: list[Alternative]
    complete: bool
    """Whether these are all legal choices."""
    rollouts: int


@dataclass(frozen=True, slots=True)
class Hindsight:
    """The same decision with all hands open: what nobody could know, and no part of a judgement."""

    best: Choice
    q: Estimate
    """Of the choice that was made."""
    loss: Estimate


class Batches:
    """Means and errors of sums by batch; a quantity is a function of one batch's means."""

    def __init__(self, sums: FieldSums) -> None:
        self.rows = [[total / sums.worlds for total in row] for row in sums.sums]
        self.worlds = sums.worlds * len(self.rows)
        self.squares = sums.squares

    def estimate(self, of: Callable[[list[float]], float], half: int | None = None) -> Estimate:
        """A mean over all batches, or over the even or the odd ones."""
        values = [of(row) for row in (self.rows if half is None else self.rows[half::2])]
        return Estimate(fmean(values), stdev(values) / sqrt(len(values)))

    def mean(self, i: int, half: int | None = None) -> float:
        """The mean of one candidate."""
        return fmean([row[i] for row in (self.rows if half is None else self.rows[half::2])])

    def variance(self, i: int) -> float:
        """The variance of one rollout of a candidate."""
        return max(0.0, self.squares[i] / self.worlds - self.mean(i) ** 2)

    def spread(self, i: int) -> float:
        """The variance of one guess in the mean. Guesses of one chain resemble each other, so that
        the means of batches may vary more than those of independent rollouts would."""
        means = [row[i] for row in self.rows]
        return max(self.variance(i), stdev(means) ** 2 * self.worlds / len(means))

    def best(self, half: int) -> int:
        """The candidate with the lowest mean in a half."""
        return min(range(len(self.squares)), key=lambda i: (self.mean(i, half), i))

    def loss(self, made: int, best: tuple[int, int] | None = None) -> Estimate:
        """What a choice costs more than the best. Each half is measured against what the other
        half found best, so that noise makes no losses."""
        even, odd = best or (self.best(0), self.best(1))
        first = self.estimate(lambda row: row[made] - row[odd], 0)
        second = self.estimate(lambda row: row[made] - row[even], 1)
        error = sqrt(first.error**2 + second.error**2) / 2
        return Estimate((first.value + second.value) / 2, error)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judge:
    """Estimates values with so many rollouts for each decision."""

    rollouts: int
    pure: bool | None = None

    def expect(self, knowledge: Knowledge, seed: int) -> tuple[Estimate, int]:
        """V where the seat is not the one to decide, and the rollouts it took."""
        worlds = max(FEWEST_WORLDS, self.rollouts // PILOT_SHARE)
        pilot = self._play(knowledge, (), worlds, seed, most=PILOT_BATCHES)
        needed = _needed([pilot.spread(0)], self.rollouts - pilot.worlds)
        main = self._play(knowledge, (), needed, seed + 1)
        return main.estimate(lambda row: row[0]), pilot.worlds + main.worlds

    def judge(
        self,
        knowledge: Knowledge,
        legal: Sequence[int] | TurnOptions,
        policy_choice: Choice,
        made: Choice,
        seed: int,
    ) -> Judgement:
        """One decision that the seat is asked for now."""
        options = options_of(legal)
        complete = not (isinstance(legal, TurnOptions) and legal.many)
        choices = options if made in options else [*options, made]
        count = len(choices)
        worlds = max(FEWEST_WORLDS, self.rollouts // PILOT_SHARE // count)
        pilot = self._play(knowledge, choices, worlds, seed, most=PILOT_BATCHES)
        order = sorted(range(count), key=lambda i: (pilot.mean(i), i))
        f, a = choices.index(policy_choice), choices.index(made)
        near = sorted({*order[:NEAR], f, a})
        left = (self.rollouts - pilot.worlds * count) // len(near)
        needed = _needed([pilot.spread(i) for i in near], left)
        close = [choices[i] for i in near]
        main = self._play(knowledge, close, needed, seed + 1)
        rollouts = pilot.worlds * count + main.worlds * len(near)
        f_at, a_at = near.index(f), near.index(a)
        # V = sum of phi(choice) Q(choice). The small uniform part comes from the pilot, in which
        # all options were played from the same guesses.
        uniform = pilot.estimate(lambda row: fmean(row[: len(options)]) - row[f])
        v = _sum(main.estimate(lambda row: row[f_at]), uniform)
        difference = _sum(main.estimate(lambda row: row[a_at] - row[f_at]), uniform, -1)
        bests = (main.best(0), main.best(1))
        loss = main.loss(a_at, bests)
        mistake = loss.value > BAND * loss.error and loss.value > 0
        if mistake:
            mistake, more = self._is_robust(knowledge, close, a_at, bests, main.worlds, seed + 3)
            rollouts += more
        q = main.estimate(lambda row: row[a_at])
        overall = min(range(len(near)), key=lambda i: (main.mean(i), i))
        return Judgement(
            v=v, q=q, difference=difference, loss=loss, mistake=mistake, best=close[overall],
            ess=_effective(main, a_at, q), complete=complete, rollouts=rollouts,
            alternatives=_alternatives(choices, near, pilot, main, bests),
        )  # fmt: skip

    def weigh(
        self, knowledge: Knowledge, legal: Sequence[int] | TurnOptions, seed: int
    ) -> list[Alternative]:
        """Every choice alike, best first: for a seat that has not decided yet."""
        choices = options_of(legal)
        worlds = max(FEWEST_WORLDS, self.rollouts // len(choices))
        main = self._play(knowledge, choices, worlds, seed)
        every = range(len(choices))
        return _alternatives(choices, every, main, main, (main.best(0), main.best(1)))

    def hindsight(
        self, opened: Knowledge, legal: Sequence[int] | TurnOptions, made: Choice, seed: int
    ) -> tuple[Hindsight, int]:
        """The decision again from what was true, and the rollouts it took."""
        options = options_of(legal)
        choices = options if made in options else [*options, made]
        worlds = max(FEWEST_WORLDS, self.rollouts // PILOT_SHARE // len(choices))
        main = self._play(opened, choices, worlds, seed + 2)
        a = choices.index(made)
        best = min(range(len(choices)), key=lambda i: (main.mean(i), i))
        q = main.estimate(lambda row: row[a])
        return Hindsight(choices[best], q, main.loss(a)), main.worlds * len(choices)

    def _is_robust(
        self,
        knowledge: Knowledge,
        choices: Sequence[Choice],
        made: int,
        bests: tuple[int, int],
        worlds: int,
        seed: int,
    ) -> tuple[bool, int]:
        """Whether the choice loses when all play uniformly from here on as well.

        A first look at few guesses decides what is plain; else all of them are played afresh.
        """
        left = sorted({made, *bests})
        even, odd = (left.index(best) for best in bests)
        rollouts = 0
        for share, sure in ((FIRST_LOOK, SURE), (1, BAND)):
            again = self._play(
                *(knowledge, [choices[i] for i in left], ceil(worlds / share), seed + share),
                policy=field_policy(1),
            )
            rollouts += again.worlds * len(left)
            loss = again.loss(left.index(made), (even, odd))
            if abs(loss.value) > sure * loss.error:
                break
        return loss.value > max(0.0, BAND * loss.error), rollouts

    def _play(
        self,
        knowledge: Knowledge,
        choices: Sequence[Choice],
        worlds: int,
        seed: int,
        *,
        most: int = MOST_BATCHES,
        policy: Policy | None = None,
    ) -> Batches:
        # Both halves need two batches or more; short batches would only warm up their chains.
        batches = min(most, max(4, worlds // 16 * 2))
        each = ceil(worlds / batches)
        sums = field_rollouts(
            knowledge, choices, batches, each, seed, policy=policy, pure=self.pure
        )
        return Batches(sums)


def _needed(variances: Sequence[float], most: int) -> int:
    """How many guesses bring the error down to the target, as far as the budget goes."""
    return max(FEWEST_WORLDS, min(most, ceil(max(variances) / TARGET**2)))


def _sum(main: Estimate, uniform: Estimate, sign: int = 1) -> Estimate:
    error = sqrt(main.error**2 + (EPSILON * uniform.error) ** 2)
    return Estimate(main.value + sign * EPSILON * uniform.value, error)


def _effective(main: Batches, i: int, q: Estimate) -> int:
    if q.error == 0:
        return main.worlds
    return max(1, min(main.worlds, round(main.variance(i) / q.error**2)))


def _alternatives(
    choices: Sequence[Choice],
    near: Sequence[int],
    pilot: Batches,
    main: Batches,
    bests: tuple[int, int],
) -> list[Alternative]:
    """Every choice that was considered; those far from the best have only the pilot's numbers."""
    made = []
    for i, choice in enumerate(choices):
        if i in near:
            at = near.index(i)
            loss = main.loss(at, bests)
            q = main.estimate(lambda row, at=at: row[at])  # type: ignore[misc]
            made.append(Alternative(choice, q, True, loss.value <= BAND * loss.error))
        else:
            q = pilot.estimate(lambda row, i=i: row[i])  # type: ignore[misc]
            made.append(Alternative(choice, q, False, False))
    return sorted(made, key=lambda one: (one.q.value, not one.near))
