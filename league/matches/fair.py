"""A fair host for one match: give back what others took, then hold the asking, then void.

The measuring is the sandbox's (`host_time.py`), the clocks are the referee's; here is what becomes
of a match. Nothing here knows who was late or who was leading.
"""

import contextlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from referee.faults import FaultKind
from referee.lines import FromSupervisor
from referee.plan import MatchPlan
from sandbox.api import PlatformFault, Sandbox
from sandbox.cpu_time import ProcessTree
from sandbox.host_sampler import TableWatch
from sandbox.host_time import Verdict, not_measured
from sandbox.watched import HostReporter, count_bots

JsonDict = dict[str, Any]
"""As the store has it; whoever plays at home has no store."""

REPORT_S = 0.2
"""How often the referee hears of the host."""

PATIENCE_S = 30.0
"""How long the asking is held before the match is void."""


class HostUnfit(PlatformFault):
    """Others had the time of the bots: no result, no fault, nobody is charged."""

    def __init__(self, reason: str, evidence: JsonDict | None = None) -> None:
        super().__init__(f"the host was unfit: {reason}")
        self.reason = reason
        self.evidence = evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """The place of one match on this machine: its cores, and who watches them."""

    cores: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    """The cores that no slot owns: for referees, and all else that is ours."""
    table: TableWatch | None = None
    """None: nobody watches."""
    hold: bool = True
    """Whether the asking is held while the host is unfit; at home no match waits."""
    void: bool = True
    """Whether lateness on an unfit host voids the match; otherwise it is only told."""
    patience_s: float = PATIENCE_S

    @property
    def is_measured(self) -> bool:
        """Whether there is anything to measure by."""
        return self.table is not None and bool(self.cores)

    def watched(self, sandbox: Sandbox) -> Sandbox:
        """The sandbox whose bots count as this table's own."""
        return sandbox if self.table is None else count_bots(sandbox, self.table)

    def take_in_referee(self, pid: int) -> None:
        """Keep the referee away from the bots' cores, or count its time as the table's own.

        Bots wait for it: when others keep it waiting, that is lost to them as well.
        """
        if self.table is not None:
            tree = ProcessTree(pid)
            used = _nothing if self._moved_away(pid) else tree.cpu_seconds
            self.table.add(used, tree.waited_seconds)

    def _moved_away(self, pid: int) -> bool:
        # It has no threads yet. What it uses elsewhere must not be counted here: it would hide
        # what others take from the bots.
        if self.cores and self.others and hasattr(os, "sched_setaffinity"):
            with contextlib.suppress(OSError):
                os.sched_setaffinity(pid, self.others)
                return True
        return False


def _nothing() -> float:
    return 0.0


def plan_for(slot: Slot, plan: MatchPlan, *, contained: bool) -> MatchPlan:
    """The plan as it is played in a slot: no more bots think than it has cores.

    Among strangers, those that wait are frozen too, so that nobody thinks on another's time.
    """
    if contained:
        return replace(plan, thinkers=max(1, len(slot.cores)), freeze=True)
    # Trusted bots are kept to the cores of their slot only where somebody watches these.
    if slot.is_measured and plan.thinkers is None:
        return replace(plan, thinkers=len(slot.cores))
    return plan


class FairMatch:
    """Speaks to the referee about the host, and decides whether the match still counts."""

    def __init__(self, slot: Slot) -> None:
        self._slot = slot
        self._reporter = None if slot.table is None else HostReporter(slot.table)
        self._last: Verdict | None = None

    def news(self) -> dict[str, Any]:
        """The next line for the referee. Raises HostUnfit when the match has waited too long."""
        assert self._reporter is not None
        report = self._reporter.report()
        self._last = report.verdict
        if self._slot.hold and report.unfit_s > self._slot.patience_s:
            raise HostUnfit(
                f"{report.verdict.reason}, and nobody could be asked for {report.unfit_s:.0f} s",
                _evidence(report.verdict, waited_s=round(report.unfit_s, 1)),
            )
        return {
            "type": FromSupervisor.HOST,
            "from": report.began,
            "to": report.ended,
            "foreign_ms": report.foreign_ms,
            "hold": self._slot.hold and not report.verdict.fit,
        }

    def excuse(self, fault: Mapping[str, Any]) -> str | None:
        """Why the host is to blame for a fault, where the match goes on all the same.

        Raises HostUnfit where it does not. None: the fault is the bot's.
        """
        verdict = self._verdict(fault)
        if verdict is None or verdict.fit:
            return None
        if self._slot.void:
            kind, began, ended = fault["kind"], fault["began"], fault["ended"]
            raise HostUnfit(
                f"{verdict.reason} during a {kind}",
                _evidence(verdict, kind=kind, seconds=round(ended - began, 3)),
            )
        return verdict.reason

    def _verdict(self, fault: Mapping[str, Any]) -> Verdict | None:
        table, began, ended = self._slot.table, fault.get("began"), fault.get("ended")
        if table is None or began is None or ended is None:
            return None
        if fault["kind"] == FaultKind.REFUSED_START:
            return table.judge_start(began, ended)
        return table.judge_ask(began, ended) if fault["kind"] == FaultKind.TIMEOUT else None

    def not_measured(self) -> str | None:
        """Why nobody can say what others took; None where it was measured."""
        if self._slot.table is None:
            return not_measured("nobody watches it").reason
        verdict = self._last or self._slot.table.is_fit()
        return None if verdict.measured else verdict.reason


def _evidence(verdict: Verdict, **more: object) -> JsonDict:
    found = {"reason": verdict.reason, "foreign_share": verdict.share, **more}
    return {"host": found}
