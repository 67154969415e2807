"""The check: a bot plays every kind of decision against sparring partners, step by named step.

The same report at home (`bullring check`) and on the server, readable and as JSON.
"""

import hashlib
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

import nimmt
from league.bots import SAMPLES
from league.matches import NO_SLOT, HostUnfit, Slot, plan_for, play_match
from league.submissions.check.judge import Findings, Trial, judge
from league.submissions.check.report import CheckReport
from referee.lines import ToWatchers
from referee.plan import MatchPlan, PlannedBot, TimeControl, one_pass
from sandbox.api import CommandProgram, Program, Sandbox

STYLES = ("hoarder", "taker", "random")
"""Partners who take and hoard, so that bull cards run out and steals happen."""
DEFAULT_TIME = TimeControl()
Seat = Callable[[], AbstractAsyncContextManager[Slot]]
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
    seat: Seat | None = None,
    tries: int | None = None,
) -> CheckReport:
    """Play the trials and judge. Raises PlatformFault when the host, not the bot, failed.

    The boards follow from `key`, which the report names: a bot cannot know them beforehand, and
    the same key plays the same check again. `seat` gives the slot to play in. A trial that failed
    for lack of time on an unfit host is played again in another one; after `tries` of these
    HostUnfit is raised, or never.
    """
    key = key or nimmt.new_key()
    planned = trials(rules, boards)
    found = Findings(planned=planned)
    tell = on_step or _say_nothing
    turns = enumerate(_in_turn(planned, found))
    turn = next(turns, None)
    unfit = 0
    while turn is not None:
        async with seat() if seat is not None else nullcontext(NO_SLOT) as slot:
            try:
                while turn is not None:
                    number, trial = turn
                    tell(trial.words())
                    await _try(trial, _key(key, number), program, sandbox, time, found, slot)
                    if trial.rules in found.declined:
                        tell(f"{trial.rules}: it refuses, as it says")
                    turn = next(turns, None)
            except HostUnfit as error:
                unfit += 1
                if tries is not None and unfit >= tries:
                    raise
                tell(f"This trial does not count and is played again: {error}.")
    return judge(found, sandbox.name, time, key)


def _say_nothing(_: str) -> None:
    """For a check that nobody follows."""


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
    slot: Slot,
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
        if news["type"] == ToWatchers.LEFT and news["bot"] == 0:
            left.append(bool(news["by_itself"]))

    plan = plan_for(slot, plan, contained=False)
    result = await play_match(plan, sandbox, [program, *partners], on_report=on_report, slot=slot)
    if not any(fault.out for fault in result.bots[0].faults):
        # A bot that was out before the Goodbye is not judged by how it ends.
        found.left += left
    found.take_in(trial, result)
