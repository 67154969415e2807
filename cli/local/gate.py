"""`bullring gate`: is the new version better than the old one? At home, without any database."""

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cli.local.bots import SandboxKind, SandboxOption, find_bots
from cli.local.write import check_target
from cli.options import OptionOption, get_rules, parse_options, refuse
from cli.summary import SummaryOption, append_summary
from cli.terminal import say, say_json

if TYPE_CHECKING:
    from league.local import GateProgress, HomeGate


def gate(
    context: typer.Context,
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new version of your bot.")],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The old version of it.")],
    rules: Annotated[str, typer.Option("--rules", help="The rules to play.")],
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            "-a",
            metavar="BOT",
            help="An opponent; may be repeated. Default: all quick samples that play the rules.",
        ),
    ] = None,
    table: Annotated[
        int | None,
        typer.Option(
            min=2, max=10, help="Seats at a table. Default: 4, or the named opponents and your bot."
        ),
    ] = None,
    gain: Annotated[
        float, typer.Option(help="Points per round, above 0, by which the new one is to be better.")
    ] = 0.5,
    budget: Annotated[int, typer.Option(min=20, help="The most blocks to play.")] = 2500,
    attempt: Annotated[
        int, typer.Option(min=1, help="The number of this try; all tries share one error budget.")
    ] = 1,
    boards: Annotated[int, typer.Option(min=4, help="Boards of a match.")] = 80,
    same_boards: Annotated[
        bool, typer.Option(help="Give both versions the same boards; saves games.")
    ] = False,
    move_ms: Annotated[int, typer.Option(min=0, help="Time per move.")] = 100,
    bank_ms: Annotated[int, typer.Option(min=0, help="Time bank per pass.")] = 1000,
    seed: Annotated[int | None, typer.Option(min=0, help="Same seed, same boards.")] = None,
    option: OptionOption = None,
    sandbox: SandboxOption = SandboxKind.PROCESS,
    as_json: Annotated[bool, typer.Option("--json", help="Print the verdict as JSON.")] = False,
    summary: SummaryOption = None,
) -> None:
    """Is the new version of a bot better than the old one? Stops as soon as the games tell.

    Both play the same seat against the same opponents, dealt evenly from a panel: the samples, or
    those you name. Exit code 0: it is better; 1: it is not; 3: the games do not tell.

    For example: bullring gate my_bot.py old/my_bot.py --rules six-nimmt -o rounds=1
    """
    from league.gate import GateSettings, GateVerdict
    from league.local import HomeGate
    from referee.plan import TimeControl

    get_rules(rules, option)
    if new == old or (_source(new) is not None and _source(new) == _source(old)):
        refuse(
            f"got {new} and {old}, which are the same bot; expected two versions of it: keep a copy"
            " of the old one, and change the new one"
        )
    panel = against or _samples(rules, (new, old))
    seats = table or (1 + len(against) if against else 4)
    if against and len(against) < seats - 1:
        refuse(
            f"--table {seats} needs {seats - 1} opponents, got {len(against)}; name more with"
            " --against, or choose a smaller --table"
        )
    get_rules(rules, option, seats)
    if not gain > 0:
        refuse(f"got --gain {gain:g}, expected more than 0, such as --gain 0.5")
    check_target("--summary", summary)
    settings = GateSettings(gain=gain, budget_blocks=budget)
    bots = find_bots([new, old, *panel], sandbox, context)
    plan = HomeGate(
        new=bots[0],
        old=bots[1],
        panel=tuple(bots[2:]),
        seats=seats,
        rules=rules,
        options=parse_options(option),
        boards=boards,
        same_boards=same_boards,
        time=TimeControl(move_ms=move_ms, bank_ms=bank_ms),
        sandbox=sandbox.value,
        attempt=attempt,
        settings=settings,
        seed=seed,
    )
    if not as_json:
        say(f"Panel: {', '.join(panel)}. Looking for a gain of {gain:g}.")
    last = asyncio.run(_run(plan, quiet=as_json))
    if last is None:
        refuse("stopped before the first two matches were over; there is no result")
    _say(last, as_json)
    codes = {GateVerdict.PASS: 0, GateVerdict.FAIL: 1, GateVerdict.UNDECIDED: 3}
    good = {0: True, 1: False, 3: None}[codes[last.result.verdict]]
    append_summary(summary, "gate", last.result.words, "\n".join(_details(last)), good=good)
    raise typer.Exit(codes[last.result.verdict])


def _samples(rules: str, two: tuple[str, str]) -> list[str]:
    """All samples that play the rules, but slow ones, the two themselves and copies of them."""
    from league.bots import SAMPLES
    from league.local import quick_samples

    own = {text for text in map(_source, two) if text is not None}
    found = [
        name
        for name in quick_samples(rules)
        if name not in two and _source(str(SAMPLES / name)) not in own
    ]
    if not found:
        refuse(f"no other sample plays {rules!r}; name opponents with --against")
    return found


def _source(text: str) -> bytes | None:
    """What a bot of one file is made of, to find its copies."""
    from league.bots import SAMPLES

    place = SAMPLES / text if (SAMPLES / text / "bot.py").is_file() else Path(text).expanduser()
    file = place / "bot.py" if place.is_dir() else place
    return file.read_bytes() if file.suffix == ".py" and file.is_file() else None


async def _run(plan: "HomeGate", *, quiet: bool) -> "GateProgress | None":
    """Play until the verdict; Ctrl-C ends it with what is known."""
    from league.local import run_gate
    from league.matches import HostUnfit

    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stop.set)
    last = None
    try:
        async for last in run_gate(plan, stop=stop):
            if not quiet:
                _show(last)
    except HostUnfit as error:
        refuse(f"no verdict: {error}; close what uses the cores, and start the gate again")
    return last


def _show(last: "GateProgress") -> None:
    found = last.result
    say(
        f"{last.games} games, {found.blocks} blocks: {found.mean:+.2f} points per round,"
        f" evidence {found.llr:+.2f} (bounds {found.reject:.2f} and {found.accept:+.2f})",
        err=True,
    )


def _say(last: "GateProgress", as_json: bool) -> None:
    from league.gate import gate_report

    if as_json:
        faults = {"new_faults": last.new_faults, "old_faults": last.old_faults}
        say_json({**gate_report(last.result, last.games, last.company), **faults})
        return
    say(f"{last.result.words} {last.games} games were played.")
    for line in _details(last)[1:]:
        say(line)


def _details(last: "GateProgress") -> list[str]:
    """What stands behind the verdict, a line each."""
    lines = [f"{last.games} games were played.", last.company.words]
    if last.new_faults or last.old_faults:
        lines.append(f"Faults: {last.new_faults} by the new version, {last.old_faults} by the old.")
    return lines


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(gate)
