"""What the trials of a check have shown of a bot, and the steps that are judged from it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import nimmt
from league.submissions.check.report import CheckReport, Step
from league.words import counted, option_words
from referee.plan import TimeControl
from referee.result import BotRecord, FaultRecord, MatchResult

PLAYS_ONLY = "it plays only"
"""How the referee's cause begins when a bot says by itself that it does not play these rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One short match of the check."""

    rules: str
    options: Mapping[str, Any]
    players: int
    boards: int
    in_flight: int

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of decisions that these rules have."""
        return tuple(nimmt.get(self.rules, self.options).kinds)

    def words(self) -> str:
        """What is played, for whoever follows the check."""
        options = option_words(self.options)
        return (
            f"{self.rules}{f' ({options})' if options else ''}, {self.players} players, "
            f"{counted(self.boards, 'board')}, {self.in_flight} in flight"
        )


@dataclass(slots=True)
class Findings:
    """What the trials have shown so far."""

    planned: Sequence[Trial]
    """What a bot has to play to the end, but for rules that it declines."""
    started: bool = False
    finished: list[Trial] = field(default_factory=list)
    """Played to the end with the bot in every game."""
    declined: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    expected: set[str] = field(default_factory=set)
    faults: list[tuple[Trial, FaultRecord, dict[str, Any] | None]] = field(default_factory=list)
    records: list[BotRecord] = field(default_factory=list)
    batches: int = 0
    left: list[bool] = field(default_factory=list)

    @property
    def missing(self) -> set[str]:
        """Kinds of decisions that have not come up. A steal needs an empty pool and a big take at
        once: not meeting one says nothing."""
        return self.expected - set(self.kinds) - {"steal"}

    @property
    def unfinished(self) -> list[Trial]:
        """Trials that were not played to their end, or not at all."""
        return [
            trial
            for trial in self.planned
            if trial not in self.finished and trial.rules not in self.declined
        ]

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules whose every trial was played to its end."""
        open_rules = {trial.rules for trial in self.unfinished} | self.declined
        return tuple(sorted({trial.rules for trial in self.finished} - open_rules))

    @property
    def is_out(self) -> bool:
        """A bot that was put out of one short match will not do better in the next."""
        return any(fault.out for _, fault, _ in self.faults)

    def take_in(self, trial: Trial, result: MatchResult) -> None:
        """What one trial has shown of the bot, which is the first of its match."""
        record = result.bots[0]
        self.records.append(record)
        for fault in record.faults:
            if fault.cause.startswith(PLAYS_ONLY):
                self.started = True
                self.declined.add(trial.rules)
                return
        self.started |= record.asks > 0
        self.expected |= set(trial.kinds)
        if result.complete and not any(fault.out for fault in record.faults):
            self.finished.append(trial)
        for game in result.games:
            seat = game.seats.index(0)
            for part in game.document["rounds"]:
                for decision in part["decisions"]:
                    if decision["seat"] == seat and decision["by"] == "bot":
                        self.kinds[decision["kind"]] += 1
                        self.batches = max(self.batches, decision["batch"] or 1)
        self.faults += [(trial, fault, _decision(result, fault)) for fault in record.faults]


def _decision(result: MatchResult, fault: FaultRecord) -> dict[str, Any] | None:
    """The decision at which a fault happened, as the replay has it."""
    if fault.game_no is None or fault.round_no is None or fault.decision is None:
        return None
    for game in result.games:
        if game.game_no == fault.game_no and game.pass_no == fault.pass_no:
            decisions = game.document["rounds"][fault.round_no]["decisions"]
            if fault.decision < len(decisions):
                found: dict[str, Any] = decisions[fault.decision]
                return found
    return None


def judge(found: Findings, runner: str, time: TimeControl, key: bytes) -> CheckReport:
    """Every step in turn; what follows a start that failed is left out."""
    faults = [fault for _, fault, _ in found.faults]
    steps = [_starts(found, faults)]
    if found.started:
        steps += [
            _to_the_end(found, faults),
            _kinds(found),
            _legal(found, faults),
            _in_time(found, faults, time),
            _batches(found, faults),
            _goodbye(found),
        ]
    return CheckReport(
        runner=runner,
        rules=found.rules if found.started else (),
        key=key.hex(),
        steps=tuple(steps),
        faults=tuple(_fault(trial, fault, where) for trial, fault, where in found.faults),
        log=next((record.log for record in reversed(found.records) if record.log), ""),
    )


def _fault(trial: Trial, fault: FaultRecord, decision: dict[str, Any] | None) -> dict[str, Any]:
    places = (("game", fault.game_no), ("round", fault.round_no), ("decision", fault.decision))
    # People count from 1; a crash may come between two decisions.
    counted = [f"{name} {number + 1}" for name, number in places if number is not None]
    where = ", ".join([trial.rules, *counted])
    return {
        "kind": fault.kind.value,
        "cause": fault.cause,
        "where": where,
        "decision": decision,
        "rules": trial.rules,
    }


def _starts(found: Findings, faults: Sequence[FaultRecord]) -> Step:
    if not found.started:
        cause = faults[0].cause if faults else "it was never asked anything"
        return Step(name="starts and connects", ok=False, says=cause)
    if found.declined >= {trial.rules for trial in found.planned}:
        says = "it plays none of the rules that were asked for; name its rules with --rules"
        return Step(name="starts and connects", ok=False, says=says)
    says = "it said Hello in time"
    if found.declined:
        says += f"; it refuses {' and '.join(sorted(found.declined))}, as it says"
    return Step(name="starts and connects", ok=True, says=says)


def _to_the_end(found: Findings, faults: Sequence[FaultRecord]) -> Step:
    name = "plays every trial to its end"
    left = found.unfinished
    if not left:
        return Step(name=name, ok=True, says=f"{counted(len(found.finished), 'trial')}, all whole")
    why = next((f"{fault.kind.value}: {fault.cause}" for fault in faults if fault.out), "it ended")
    done = len(found.planned) - len(left)
    says = f"{done} of {len(found.planned)}; the next one was {left[0].words()}: {why}"
    return Step(name=name, ok=False, says=says)


def _kinds(found: Findings) -> Step:
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(found.kinds.items())) or "none"
    missing = sorted(found.expected - set(found.kinds))
    says = f"answered {counts}"
    if missing:
        says += f"; not met: {', '.join(missing)}"
    return Step(name="answers every kind of decision", ok=not found.missing, says=says)


def _legal(found: Findings, faults: Sequence[FaultRecord]) -> Step:
    bad = [fault for fault in faults if fault.kind.value in ("illegal_choice", "protocol")]
    if bad:
        return Step(
            name="stays legal", ok=False, says=f"{counted(len(bad), 'time')} not: {bad[0].cause}"
        )
    return Step(
        name="stays legal",
        ok=True,
        says=f"{counted(sum(found.kinds.values()), 'choice')}, all legal",
    )


def _in_time(found: Findings, faults: Sequence[FaultRecord], time: TimeControl) -> Step:
    late = [fault for fault in faults if fault.kind.value == "timeout"]
    worst = max((record.worst_ms or 0.0 for record in found.records), default=0.0)
    says = f"its slowest decision took {worst:.1f} ms; {time.move_ms} ms are free"
    if worst > time.move_ms:
        says += f", the rest came out of its bank of {time.bank_ms} ms"
    if late:
        says = f"{counted(len(late), 'timeout')}: {late[0].cause}"
    return Step(name="keeps its time", ok=not late, says=says)


def _batches(found: Findings, faults: Sequence[FaultRecord]) -> Step:
    gone = [f for f in faults if f.kind.value in ("crashed", "out_of_memory", "output_flood")]
    if gone:
        return Step(name="stays up", ok=False, says=f"{gone[0].kind.value}: {gone[0].cause}")
    return Step(
        name="stays up", ok=True, says=f"up to {counted(found.batches, 'ask')} in one message"
    )


def _goodbye(found: Findings) -> Step:
    if not found.left:
        says = "not seen: it was out before Goodbye came"
        return Step(name="ends on Goodbye", ok=True, says=says)
    stayed = found.left.count(False)
    if stayed:
        times = counted(stayed, "time")
        says = f"{times} it had to be killed; exit when Goodbye comes, it saves time"
        # Being ended by force costs a bot nothing but seconds, so this is advice.
        return Step(name="ends on Goodbye", ok=True, says=says)
    return Step(name="ends on Goodbye", ok=True, says="it left by itself")
