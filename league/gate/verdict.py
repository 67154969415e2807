"""The version gate: is the new version better than the old one? Pure; who plays what is elsewhere.

Both versions take the same seat against the same opponents; each block gives one difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import pi

import numpy as np

from league.arrays import Floats
from league.ratings import MINIMUM_BLOCKS, confidence_sequence, gsprt


class GateVerdict(Enum):
    """The answer of a gate."""

    PASS = "The new version is better."
    FAIL = "The new version is not better by as much as the gate asks for."
    UNDECIDED = "The games played so far do not tell; the old version stays."


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """What a gate asks for, and the errors it may make."""

    gain: float = 0.5
    """Points per round by which a new version should be better."""
    alpha: float = 0.05
    """Chance that an owner ever passes a version that is no better, over all attempts."""
    beta: float = 0.05
    """Chance that a version better by `gain` fails."""
    budget_blocks: int = 2500

    def __post_init__(self) -> None:
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5 and self.gain > 0):
            raise ValueError(
                f"gate settings need 0 < alpha, beta < 0.5 and gain > 0, got alpha {self.alpha!r}, "
                f"beta {self.beta!r}, gain {self.gain!r}"
            )


ALIKE_BLOCKS = 40
"""Blocks without any variation after which a gate stops: the next ones would be the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """A verdict with everything its author may want to see."""

    verdict: GateVerdict
    blocks: int
    """Blocks used: up to the crossing, or all of them."""
    finished: bool
    """Nothing more to play: a bound was crossed, or the budget is spent."""
    mean: float
    """Points per round by which the new version was better."""
    lower: float
    upper: float
    """Interval of that gain, valid at any time; endless when not measurable."""
    llr: float
    accept: float
    reject: float
    alpha: float
    """The part of the owner's error budget this attempt could spend."""
    words: str


def attempt_alpha(alpha: float, attempt: int) -> float:
    """The error this attempt may make; all attempts together never exceed alpha.

    The shares are 6 / (pi m)^2: 61 % for the first, 15 % for the second, 7 % for the third.

    >>> sum(attempt_alpha(0.05, m) for m in range(1, 100_000)) <= 0.05
    True
    """
    if attempt < 1:
        raise ValueError(f"attempts count from 1, got {attempt!r}")
    return alpha * 6.0 / (pi * attempt) ** 2


def judge_gate(
    differences: Sequence[float],
    *,
    attempt: int = 1,
    settings: GateSettings | None = None,
    steps: Sequence[int] | None = None,
    least_steps: int = 1,
) -> GateResult:
    """Judge all blocks so far. `differences` are old minus new, in points per round, in order.

    The first crossing counts: games that arrive after it change nothing. `steps` are the numbers
    of blocks played against the same opponents; what such blocks have in common proves nothing.
    """
    settings = settings or GateSettings()
    alpha = attempt_alpha(settings.alpha, attempt)
    values = np.asarray(differences, dtype=np.float64)[: settings.budget_blocks]
    if not len(values):
        values = np.zeros(1)
    test = gsprt(values, null=0.0, gain=settings.gain, alpha=alpha, beta=settings.beta)
    if steps is not None:
        test = replace(test, llr=_by_steps(test.llr, values, steps, least_steps))
    crossed = test.accepted | test.rejected
    decided = bool(crossed.any())
    last = int(np.argmax(crossed)) if decided else len(values) - 1
    verdict = GateVerdict.UNDECIDED
    if decided:
        verdict = GateVerdict.PASS if bool(test.accepted[last]) else GateVerdict.FAIL
    frozen = not decided and len(values) >= ALIKE_BLOCKS and not np.ptp(values) > 0
    if frozen:
        decided, last = True, ALIKE_BLOCKS - 1
        # Without any difference there is no gain. One that never varies cannot be judged.
        verdict = GateVerdict.UNDECIDED if values[0] else GateVerdict.FAIL
    used = last + 1 if len(differences) else 0
    interval = confidence_sequence(values[: last + 1], alpha=0.05)
    measurable = used >= MINIMUM_BLOCKS and bool(np.ptp(values[: last + 1]) > 0)
    finished = decided or used >= settings.budget_blocks
    mean = float(values[: last + 1].mean())
    return GateResult(
        verdict=verdict,
        blocks=used,
        finished=finished,
        mean=mean,
        lower=float(interval.lower[-1]),
        upper=float(interval.upper[-1]),
        llr=float(test.llr[last]),
        accept=test.accept,
        reject=test.reject,
        alpha=alpha,
        words=_words(verdict, used, mean, measurable=measurable, finished=finished),
    )


def _by_steps(llr: Floats, values: Floats, steps: Sequence[int], least: int) -> Floats:
    """The evidence where a verdict may fall: at the end of a step, weighed by how steps differ.

    Blocks of one step have their opponents in common. Where the gain depends on them, sums by step
    vary more than blocks do, and the evidence is worth less by that much.
    """
    ends = [end for end in np.cumsum(np.asarray(steps, dtype=np.int64)) if end <= len(values)]
    weighed = np.zeros(len(llr))
    for number, end in enumerate(ends[max(0, least - 1) :], max(1, least)):
        seen = values[:end] - values[:end].mean()
        sums = np.add.reduceat(seen, np.array([0, *ends[: number - 1]]))
        inside = float((seen**2).sum()) * end / max(1, end - 1)
        between = float((sums**2).sum()) * number / max(1, number - 1)
        weighed[end - 1] = llr[end - 1] / (max(1.0, between / inside) if inside > 0 else 1.0)
    return weighed


def _words(
    verdict: GateVerdict, used: int, mean: float, *, measurable: bool, finished: bool
) -> str:
    if not measurable:
        if used < MINIMUM_BLOCKS:
            return f"Not measurable yet: {used} of at least {MINIMUM_BLOCKS} blocks played."
        if verdict is GateVerdict.FAIL:
            return f"The two play alike: {used} blocks without any difference between them."
        if not mean:
            return f"No difference so far: {used} blocks; after {ALIKE_BLOCKS} the two play alike."
        return f"Not measurable: {used} blocks with the same difference of {mean:+.2f} every time."
    ending = " The budget is spent." if finished and verdict is GateVerdict.UNDECIDED else ""
    sign = "better" if mean >= 0 else "worse"
    result = f"After {used} blocks it was {abs(mean):.2f} points per round {sign}."
    return f"{verdict.value} {result}{ending}"
