"""The check: a bot plays every kind of decision against sparring partners, step by named step.

The same report at home (`bullring check`) and on the server, readable and as JSON.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import nimmt
from league.bots import SAMPLES
from league.matches import play_match
from league.submissions.check.judge import Findings, Trial, judge
from league.submissions.check.report import CheckReport
from referee.plan import MatchPlan, PlannedBot, TimeControl, one_pass
from sandbox.api import CommandProgram, Program, Sandbox

STYLES = ("hoarder", "taker", "random")
"""Partners who take and hoard, so that bull cards run out and steals happen."""
DEFAULT_TIME = TimeControl()
MORE_TRIES = 3
"""How often the boards of a check are drawn again that held no decision of some kind."""


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


async def check_bot(
    program: Program,
    sandbox: Sandbox,
    *,
    rules: Sequence[str] = tuple(nimmt.GAMES),
    boards: int = 20,
    time: TimeControl = DEFAULT_TIME,
    key: bytes | None = None,
    on_step: Callable[[str], None] | None = None,
) -> CheckReport:
    """Play the trials and judge. Raises PlatformFault when the host, not the bot, failed.

    The boards follow from `key`, which the report names: a bot cannot know them beforehand, and
    the same key plays the same check again.
    """
    key = key or nimmt.new_key()
    planned = trials(rules, boards)
    found = Findings(planned=planned)
    for number, trial in enumerate(_in_turn(planned, found)):
        if on_step is not None:
            on_step(trial.words())
        await _try(trial, _key(key, number), program, sandbox, time, found)
        if on_step is not None and trial.rules in found.declined:
            on_step(f"{trial.rules}: it refuses, as it says")
    return judge(found, sandbox.name, time, key)


def _in_turn(planned: Sequence[Trial], found: Findings) -> Iterator[Trial]:
    """The trials that still make sense, and some again that never came to a kind of decision."""
    for trial in planned:
        if trial.rules not in found.declined and not found.is_out:
            yield trial
    for trial in planned:
        for _ in range(MORE_TRIES):
            met = found.is_out or not found.missing & set(trial.kinds)
            if met or trial.rules in found.declined:
                break
            yield trial


def _key(key: bytes, number: int) -> bytes:
    """The key of one trial: no two of them have boards in common."""
    return hashlib.sha256(b"check/%d/" % number + key).digest()


async def _try(
    trial: Trial,
    key: bytes,
    program: Program,
    sandbox: Sandbox,
    time: TimeControl,
    found: Findings,
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
        key=key.hex(),
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
        # A bot that was out before the Goodbye is not judged by how it ends.
        found.left += left
    found.take_in(trial, result)
