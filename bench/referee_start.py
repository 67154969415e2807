"""What starting a match costs, for `python -m bench.referee --start`: imports, and a short match.

CPU time of all processes, not wall time: compare the rows of one run. Both ways of starting a
referee are measured in turn.
"""

import re
import resource
import statistics
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from league.matches.referee_process import play_match
from league.matches.referee_start import StartReferee, start_fresh
from league.matches.zygote import MATCHES, Zygote
from referee.plan import MatchPlan
from sandbox.api import CommandProgram
from sandbox.process import WATCHDOG, ProcessSandbox

ROOT = Path(__file__).resolve().parent.parent
LINE = re.compile(r"import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)")
GROUPS = (
    ("grpc", ("grpc",)),
    ("protobuf", ("google", "org")),
    ("ours", ("botkit", "nimmt", "referee", "wire", "watchdog")),
)
STARTS = {
    "a bot": ("-c", "from botkit import Bot, run"),
    "a referee": ("-Es", "-c", "import referee.__main__"),
    "the guard of a bot": (
        *("-I", "-S", "-c"),
        f"import sys; sys.path.insert(0, {str(WATCHDOG.parent)!r}); import watchdog",
    ),
}


def used() -> float:
    """CPU seconds of this process and of all that it has waited for."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum([one.ru_utime + one.ru_stime for one in both])


def run_python(*arguments: str) -> str:
    """Run it from our folder; returns what it wrote to stderr."""
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stderr


def process_ms(arguments: tuple[str, ...], times: int) -> float:
    """Median CPU time of a whole process, its end included."""
    taken = []
    for _ in range(times):
        before = used()
        run_python(*arguments)
        taken.append((used() - before) * 1e3)
    return statistics.median(taken)


def import_ms(arguments: tuple[str, ...]) -> dict[str, float]:
    """Milliseconds of the imports themselves by where they come from, as `-X importtime` tells."""
    found = dict.fromkeys([name for name, _ in GROUPS] + ["Python"], 0.0)
    for microseconds, module in LINE.findall(run_python("-X", "importtime", *arguments)):
        top = module.partition(".")[0]
        group = next((name for name, tops in GROUPS if top in tops), "Python")
        found[group] += int(microseconds) / 1e3
    return found


def show_imports(times: int) -> None:
    """A row for every kind of process that a match starts."""
    print("process             CPU ms   imports ms: Python, grpc, protobuf, ours")
    for name, arguments in STARTS.items():
        # These are wall times, and the shortest is the least disturbed.
        runs = [import_ms(arguments) for _ in range(times)]
        parts = {group: min([run[group] for run in runs]) for group in runs[0]}
        row = " ".join([f"{parts[group]:8.1f}" for group in ("Python", "grpc", "protobuf", "ours")])
        print(f"{name:<19} {process_ms(arguments, times):6.1f}  {row}")


async def match_s(plan: MatchPlan, start: StartReferee, times: int) -> float:
    """CPU seconds of one match in the process sandbox; a zygote's count when it is closed."""
    bot = CommandProgram(argv=(sys.executable, "bot.py"), cwd=ROOT / "sample_bots" / "lowest")
    before = used()
    for _ in range(times):
        result = await play_match(plan, ProcessSandbox(), [bot] * len(plan.bots), start=start)
        assert result.complete
    return (used() - before) / times


async def with_zygote(measure: Callable[[StartReferee], Awaitable[object]]) -> float:
    """CPU seconds of something with a zygote of its own, with all that this used."""
    zygote = Zygote()
    before = used()
    try:
        await measure(zygote.start)
    finally:
        zygote.close()
    return used() - before


async def show_matches(plan: MatchPlan, rounds: int, times: int) -> None:
    """CPU of a short match with referees started afresh and forked, in turn."""

    async def matches(start: StartReferee) -> None:
        await match_s(plan, start, times)

    async def one_match(start: StartReferee) -> None:
        await match_s(plan, start, 1)

    fresh, forked, births = [], [], []
    for _ in range(rounds):
        fresh.append(await match_s(plan, start_fresh, times))
        many, one = await with_zygote(matches), await with_zygote(one_match)
        forked.append((many - one) / (times - 1))
        births.append(one - forked[-1])
    before, after = statistics.median(fresh), statistics.median(forked)
    birth = max(0.0, statistics.median(births))
    after += birth / MATCHES
    print(f"a match of one game, {len(plan.bots)} bots, CPU of all processes:")
    print(f"  referee started afresh  {before * 1e3:6.0f} ms")
    print(f"  referee forked          {after * 1e3:6.0f} ms  ({after / before:.2f} x), of which")
    print(f"    its share of a zygote {birth / MATCHES * 1e3:6.1f} ms  ({birth * 1e3:.0f} ms each)")


async def show(plan: MatchPlan, quick: bool) -> None:
    """Both tables."""
    show_imports(3 if quick else 9)
    await show_matches(plan, *((1, 4) if quick else (3, 5)))
