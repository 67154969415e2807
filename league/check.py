"""The check: a bot plays every kind of decision against sparring partners, step by named step.

The same report at home (`bullring check`) and on the server, readable and as JSON.
"""

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import nimmt
from league.finding import SAMPLES
from league.supervisor import play_match
from league.wording import counted
from referee.plan import MatchPlan, PlannedBot, TimeControl, one_pass
from referee.result import BotRecord, FaultRecord, MatchResult
from sandbox.api import CommandProgram, Program, Sandbox

STYLES = ("hoarder", "taker", "random")
"""Partners who take and hoard, so that bull cards run out and steals happen."""
PLAYS_ONLY = "it plays only"
"""How the referee's cause begins when a bot says by itself that it does not play these rules."""
LOG_SHOWN = 4000
DEFAULT_TIME = TimeControl()


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One short match of the check."""

    rules: str
    options: Mapping[str, Any]
    players: int
    boards: int
    in_flight: int


def trials(rules: Sequence[str], boards: int) -> list[Trial]:
    """Every kind of decision of these rules, with batches and one ask at a time."""
    known: dict[str, list[tuple[dict[str, Any], int]]] = {
        "six-nimmt": [({"rounds": 1}, 4), ({"rounds": 1, "advanced": True}, 3)],
        "eleven-nimmt": [({}, 3)],
        "x-nimmt": [({}, 3)],
    }
    return [
        Trial(rules=name, options=options, players=players, boards=count, in_flight=in_flight)
        for name in rules
        for options, players in known[name]
        for in_flight, count in ((16, boards), (1, max(1, boards // 5)))
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One named thing that was looked at."""

    name: str
    ok: bool
    says: str
    """One line: what was found, and what to do where it is wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """What the author reads."""

    runner: str
    rules: tuple[str, ...]
    """The rules it turned out to play."""
    steps: tuple[Step, ...]
    faults: tuple[dict[str, Any], ...] = ()
    """With the offending ask, as the replay has it."""
    log: str = ""
    """The end of the bot's own output."""

    @property
    def ok(self) -> bool:
        """Whether the bot may play."""
        return all(step.ok for step in self.steps)

    def to_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return {**asdict(self), "ok": self.ok}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "CheckReport":
        """The report behind the JSON; raises KeyError or TypeError where it is none."""
        return cls(
            runner=str(document["runner"]),
            rules=tuple(document["rules"]),
            steps=tuple(Step(**step) for step in document["steps"]),
            faults=tuple(document["faults"]),
            log=str(document["log"]),
        )

    @property
    def verdict(self) -> str:
        """The last line of what an author reads."""
        may = "It may play." if self.ok else "It may not play yet."
        return f"{may} Runner: {self.runner}; rules: {', '.join(self.rules) or 'none'}"

    def words(self) -> str:
        """The report for reading."""
        lines = [f"{'ok  ' if step.ok else 'FAIL'} {step.name}: {step.says}" for step in self.steps]
        for fault in self.faults[:5]:
            lines.append(f"     fault {fault['kind']}: {fault['cause']}")
            if fault.get("decision") is not None:
                lines.append(f"     at {fault['where']}: {fault['decision']}")
        if self.log and not self.ok:
            lines += ["     the bot's own output, at its end:", self.log[-LOG_SHOWN:].rstrip()]
        return "\n".join(lines)


@dataclass(slots=True)
class _Findings:
    """What the trials have shown so far."""

    started: bool = False
    played: set[str] = field(default_factory=set)
    declined: set[str] = field(default_factory=set)
    kinds: Counter[str] = field(default_factory=Counter)
    expected: set[str] = field(default_factory=set)
    faults: list[tuple[Trial, FaultRecord, dict[str, Any] | None]] = field(default_factory=list)
    records: list[BotRecord] = field(default_factory=list)
    batches: int = 0
    left: list[bool] = field(default_factory=list)


async def check_bot(
    program: Program,
    sandbox: Sandbox,
    *,
    rules: Sequence[str] = tuple(nimmt.GAMES),
    boards: int = 20,
    time: TimeControl = DEFAULT_TIME,
    on_step: Callable[[str], None] | None = None,
) -> CheckReport:
    """Play the trials and judge. Raises PlatformFault when the host, not the bot, failed."""
    found = _Findings()
    for trial in trials(rules, boards):
        if trial.rules in found.declined or (found.faults and _is_out(found)):
            continue
        if on_step is not None:
            on_step(
                f"{trial.rules} {dict(trial.options)}, {trial.players} players, "
                f"{counted(trial.boards, 'board')}, {trial.in_flight} in flight"
            )
        await _try(trial, program, sandbox, time, found)
        if on_step is not None and trial.rules in found.declined:
            on_step(f"{trial.rules}: it refuses, as it says")
    return _report(found, sandbox.name, time)


def _is_out(found: _Findings) -> bool:
    """A bot that cannot stay in a short match will not do better in the next one."""
    return any(fault.out for _, fault, _ in found.faults)


async def _try(
    trial: Trial, program: Program, sandbox: Sandbox, time: TimeControl, found: _Findings
) -> None:
    sparring = SAMPLES / "_sparring"
    partners = [
        CommandProgram(argv=(sys.executable, str(sparring / "bot.py"), style), cwd=sparring)
        for style in STYLES[: trial.players - 1]
    ]
    names = ["bot", *(f"sparring-{n}" for n in range(1, trial.players))]
    plan = MatchPlan(
        match="check",
        rules=trial.rules,
        options=trial.options,
        bots=tuple(PlannedBot(name=name) for name in names),
        passes=one_pass(trial.players, trial.boards),
        key=nimmt.key_from_seed(trial.boards).hex(),
        reveal_key=True,
        time=time,
        in_flight=trial.in_flight,
        runner=sandbox.name,
    )

    left: list[bool] = []

    def on_report(news: dict[str, Any]) -> None:
        if news["type"] == "left" and news["bot"] == 0:
            left.append(bool(news["by_itself"]))

    result = await play_match(plan, sandbox, [program, *partners], on_report=on_report)
    if not any(fault.out for fault in result.bots[0].faults):
        # How a bot ends that was out before the Goodbye is no matter of manners.
        found.left += left
    _take_in(trial, result, found)


def _take_in(trial: Trial, result: MatchResult, found: _Findings) -> None:
    record = result.bots[0]
    found.records.append(record)
    for fault in record.faults:
        if fault.cause.startswith(PLAYS_ONLY):
            found.started = True
            found.declined.add(trial.rules)
            return
    found.started |= record.asks > 0
    found.played.add(trial.rules)
    found.expected |= set(nimmt.get(trial.rules, trial.options).kinds)
    for game in result.games:
        seat = game.seats.index(0)
        for part in game.replay["rounds"]:
            for decision in part["decisions"]:
                if decision["seat"] == seat and decision["by"] == "bot":
                    found.kinds[decision["kind"]] += 1
                    found.batches = max(found.batches, decision["batch"] or 1)
    found.faults += [(trial, fault, _decision(result, fault)) for fault in record.faults]


def _decision(result: MatchResult, fault: FaultRecord) -> dict[str, Any] | None:
    """The decision at which a fault happened, as the replay has it."""
    if fault.game_no is None or fault.round_no is None or fault.decision is None:
        return None
    for game in result.games:
        if game.game_no == fault.game_no and game.pass_no == fault.pass_no:
            decisions = game.replay["rounds"][fault.round_no]["decisions"]
            if fault.decision < len(decisions):
                found: dict[str, Any] = decisions[fault.decision]
                return found
    return None


def _report(found: _Findings, runner: str, time: TimeControl) -> CheckReport:
    faults = [fault for _, fault, _ in found.faults]
    steps = [_starts(found, faults)]
    if found.started:
        steps += [
            _kinds(found),
            _legal(found, faults),
            _in_time(found, faults, time),
            _batches(found, faults),
            _goodbye(found),
        ]
    return CheckReport(
        runner=runner,
        rules=tuple(sorted(found.played - found.declined)) if found.started else (),
        steps=tuple(steps),
        faults=tuple(_fault(trial, fault, where) for trial, fault, where in found.faults),
        log=next((record.log for record in reversed(found.records) if record.log), ""),
    )


def _fault(trial: Trial, fault: FaultRecord, decision: dict[str, Any] | None) -> dict[str, Any]:
    where = f"{trial.rules}, game {fault.game_no}, round {fault.round_no}, {fault.decision}"
    return {
        "kind": fault.kind.value,
        "cause": fault.cause,
        "where": where,
        "decision": decision,
        "rules": trial.rules,
    }


def _starts(found: _Findings, faults: Sequence[FaultRecord]) -> Step:
    if not found.started:
        cause = faults[0].cause if faults else "it was never asked anything"
        return Step(name="starts and connects", ok=False, says=cause)
    if not found.played - found.declined:
        says = "it plays none of the rules that were asked for; name its rules with --rules"
        return Step(name="starts and connects", ok=False, says=says)
    says = "it said Hello in time"
    if found.declined:
        says += f"; it refuses {' and '.join(sorted(found.declined))}, as it says"
    return Step(name="starts and connects", ok=True, says=says)


def _kinds(found: _Findings) -> Step:
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(found.kinds.items())) or "none"
    missing = sorted(found.expected - set(found.kinds))
    # A steal needs an empty pool and a big take at once: not meeting one says nothing bad.
    silent = [kind for kind in missing if kind != "steal"]
    says = f"answered {counts}"
    if missing:
        says += f"; not met: {', '.join(missing)}"
    return Step(name="answers every kind of decision", ok=not silent, says=says)


def _legal(found: _Findings, faults: Sequence[FaultRecord]) -> Step:
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


def _in_time(found: _Findings, faults: Sequence[FaultRecord], time: TimeControl) -> Step:
    late = [fault for fault in faults if fault.kind.value == "timeout"]
    worst = max((record.worst_ms or 0.0 for record in found.records), default=0.0)
    says = f"its slowest decision took {worst:.1f} ms; {time.move_ms} ms are free"
    if worst > time.move_ms:
        says += f", the rest came out of its bank of {time.bank_ms} ms"
    if late:
        says = f"{counted(len(late), 'timeout')}: {late[0].cause}"
    return Step(name="keeps its time", ok=not late, says=says)


def _batches(found: _Findings, faults: Sequence[FaultRecord]) -> Step:
    gone = [f for f in faults if f.kind.value in ("crashed", "out_of_memory", "output_flood")]
    if gone:
        return Step(name="stays up", ok=False, says=f"{gone[0].kind.value}: {gone[0].cause}")
    return Step(
        name="stays up", ok=True, says=f"up to {counted(found.batches, 'ask')} in one message"
    )


def _goodbye(found: _Findings) -> Step:
    if not found.left:
        says = "not seen: it was out before Goodbye came"
        return Step(name="ends on Goodbye", ok=True, says=says)
    stayed = found.left.count(False)
    if stayed:
        times = counted(stayed, "time")
        says = f"{times} it had to be ended; leave when Goodbye comes, it saves time"
        # Being ended by force costs a bot nothing but seconds, so this is advice.
        return Step(name="ends on Goodbye", ok=True, says=says)
    return Step(name="ends on Goodbye", ok=True, says="it left by itself")
