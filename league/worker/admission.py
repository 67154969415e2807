"""Whether a worker is fit to take matches: its checks, and what follows from them.

A check looks at one thing that a match needs. What is wrong with this worker alone quarantines it;
a service that all share and that does not answer makes it wait, and is nobody's fault.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from store import WorkerState

LOG = structlog.get_logger("league")
FIRST_PENALTY, LONGEST_PENALTY = 300.0, 3600.0
"""Seconds that a worker whose checks pass stays out for failing where others succeed."""


class Elsewhere(Exception):
    """What a check found is not this worker's: a service that all share does not answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that a worker needs."""

    name: str
    look: Callable[[], str | None]
    """What is wrong with this worker, in words for its operator; None: nothing. Raises Elsewhere.
    Anything else that it raises counts as this worker's own."""
    hint: bool = False
    """Whether matches can be played all the same; it is told, and keeps no worker from playing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the checks found, by their names."""

    own: Mapping[str, str] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    """How long each check took."""

    @property
    def state(self) -> WorkerState:
        """What the worker may do."""
        if self.own:
            return WorkerState.QUARANTINED
        return WorkerState.WAITING if self.elsewhere else WorkerState.UP

    @property
    def reasons(self) -> dict[str, str]:
        """Everything that is not well, for the worker's row in the database."""
        return {**self.own, **self.elsewhere, **self.hints}

    @property
    def words(self) -> str:
        """Why the worker takes no matches."""
        found = {**self.own, **self.elsewhere}
        return "; ".join(f"{name}: {reason}" for name, reason in found.items())


class Admission:
    """The checks of one worker, the last verdict, and the penalty for failing where others do not.

    Whoever wants a further condition adds a `Check`; nothing else has to know of it.
    """

    def __init__(
        self, checks: Sequence[Check] = (), clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._checks = list(checks)
        self._clock = clock
        self._lock = threading.Lock()
        self._penalty = 0.0
        self._until = 0.0
        self._blame = ""
        self.verdict = Verdict()

    def add(self, checks: Iterable[Check]) -> None:
        """More conditions."""
        self._checks.extend(checks)

    def examine(self) -> Verdict:
        """Run every check, one after the other; one examination at a time."""
        with self._lock:
            own: dict[str, str] = {}
            elsewhere: dict[str, str] = {}
            hints: dict[str, str] = {}
            seconds: dict[str, float] = {}
            for check in self._checks:
                begun = self._clock()
                try:
                    reason = check.look()
                    if reason is not None:
                        (hints if check.hint else own)[check.name] = reason[:300]
                except Elsewhere as error:
                    (hints if check.hint else elsewhere)[check.name] = str(error)[:300]
                except Exception as error:
                    # A check that fails has not shown that the thing is usable.
                    text = f"{type(error).__name__}: {error}"[:300]
                    (hints if check.hint else own)[check.name] = text
                seconds[check.name] = self._clock() - begun
            if self._clock() < self._until:
                own["failures"] = self._blame
            self.verdict = Verdict(own=own, elsewhere=elsewhere, hints=hints, seconds=seconds)
            return self.verdict

    def penalise(self, reason: str) -> float:
        """Keep the worker out although its checks pass, each time longer; says for how long."""
        self._penalty = min(LONGEST_PENALTY, max(FIRST_PENALTY, 2 * self._penalty))
        self._until = self._clock() + self._penalty
        self._blame = reason
        return self._penalty

    def own_up(self, names: Iterable[str]) -> Verdict:
        """What was thought to be elsewhere is this worker's own: others get answers there."""
        found = self.verdict
        moved = {name: found.elsewhere[name] for name in names if name in found.elsewhere}
        left = {name: why for name, why in found.elsewhere.items() if name not in moved}
        self.verdict = Verdict(
            own={**found.own, **moved}, elsewhere=left, hints=found.hints, seconds=found.seconds
        )
        return self.verdict
