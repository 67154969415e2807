"""`bullring check`: what the server would say of a bot, at home and before submitting it."""

import asyncio
import re
from contextlib import nullcontext
from typing import Annotated

import typer

import nimmt
from cli.local.bots import SandboxKind, SandboxOption, find_bots
from cli.local.write import check_target
from cli.options import refuse
from cli.summary import SummaryOption, append_summary
from cli.terminal import say, say_json, say_text


def check(
    context: typer.Context,
    bot: Annotated[
        str,
        typer.Argument(
            metavar="BOT",
            help="A sample's name, a Python file, a folder, a command; image:NAME with Docker.",
        ),
    ],
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", "-r", help="Rules it plays; may be repeated. Default: all."),
    ] = None,
    boards: Annotated[int, typer.Option(min=1, help="Boards of each trial.")] = 20,
    move_ms: Annotated[int, typer.Option(min=0, help="Time per move.")] = 100,
    bank_ms: Annotated[int, typer.Option(min=0, help="Time bank per trial.")] = 1000,
    start_ms: Annotated[int, typer.Option(min=1, help="Time from start to Hello.")] = 10_000,
    key: Annotated[
        str | None,
        typer.Option(help="Play the boards of an earlier report again, by its key."),
    ] = None,
    sandbox: SandboxOption = SandboxKind.PROCESS,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    summary: SummaryOption = None,
) -> None:
    """Check a bot: does it start, stay legal, keep its time and exit when it is told to?

    The same steps run on the server when a bot is submitted. Exit code 1 when a step fails.
    """
    from league import wiring
    from league.local import UNFIT_TRIES
    from league.matches import HostUnfit
    from league.submissions import check_bot
    from referee.plan import TimeControl
    from sandbox.owner import Owner

    for name in rules or ():
        if name not in nimmt.GAMES:
            refuse(f"there are no rules {name!r}; known are {', '.join(nimmt.GAMES)}")
    if key is not None and not re.fullmatch(r"[0-9a-f]{64}", key):
        refuse(f"got --key {key!r}, expected the 64 hexadecimal digits that a report names")
    check_target("--summary", summary)
    if bot.startswith("image:"):
        sandbox = SandboxKind.DOCKER
    [found] = find_bots([bot], sandbox, context)
    owner = Owner()
    try:
        with wiring.home_slot(void=True) as slot:
            report = asyncio.run(
                check_bot(
                    found.program,
                    wiring.local_sandbox(sandbox.value, owner, pin=slot.is_measured),
                    rules=rules or list(nimmt.GAMES),
                    boards=boards,
                    key=None if key is None else bytes.fromhex(key),
                    time=TimeControl(move_ms=move_ms, bank_ms=bank_ms, start_ms=start_ms),
                    on_step=None if as_json else lambda text: say(f"… {text}", err=True),
                    seat=lambda: nullcontext(slot),
                    tries=UNFIT_TRIES,
                )
            )
    except HostUnfit as error:
        refuse(f"no verdict: {error}; close what uses the cores, and check again")
    finally:
        owner.close()
    if as_json:
        say_json(report.to_json())
    else:
        say_text(report.words())
        say(report.verdict)
    append_summary(summary, "check", report.verdict, report.words(), good=report.ok)
    if not report.ok:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(check)
