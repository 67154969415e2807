"""`bullring play`: a match between bots on this machine, as real processes over gRPC."""

import asyncio
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.local.bots import SandboxKind, SandboxOption, find_bots
from cli.local.match_options import (
    BankMsOption,
    DuplicateOption,
    InFlightOption,
    MoveMsOption,
    ReplaysOption,
    SeedOption,
    StartMsOption,
    TcpOption,
)
from cli.local.match_report import MatchProgress, report, show_debug
from cli.local.pace import looking
from cli.local.write import make_folder, write_game
from cli.options import OptionOption, RulesArgument, get_rules, parse_options, refuse
from cli.terminal import say
from league.words import counted

if TYPE_CHECKING:
    from league.local import LocalMatch
    from referee.result import MatchResult

CRASHED = 3
"""Exit code when a bot of the author's did not run to the end."""


def play(
    context: typer.Context,
    rules: RulesArgument,
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT BOT …",
            help="A sample's name, a Python file, a folder with bot.py, or a command in quotes.",
            show_default=False,
        ),
    ],
    boards: Annotated[int, typer.Option("--boards", "-b", min=1, help="How many boards.")] = 100,
    duplicate: DuplicateOption = None,
    seed: SeedOption = None,
    move_ms: MoveMsOption = 100,
    bank_ms: BankMsOption = 1000,
    start_ms: StartMsOption = 10_000,
    in_flight: InFlightOption = 64,
    thinkers: Annotated[
        int | None,
        typer.Option(min=1, help="How many bots may think at once. Default: one per core."),
    ] = None,
    option: OptionOption = None,
    replays: ReplaysOption = None,
    debug: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Show all asks and answers of one bot: 1 is the one you named first.",
        ),
    ] = None,
    again: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Play the board of this replay again.")
    ] = None,
    sandbox: SandboxOption = SandboxKind.PROCESS,
    tcp: TcpOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Play a match between bots on this machine, and show how they did.

    Exit code 0: it was played, or stopped with Ctrl-C; 3: a bot of yours crashed. Many bots, many
    matches, on all cores: bullring tournament.

    For example: bullring play six-nimmt my_bot.py gap random random
    """
    import secrets

    from league.local import LocalMatch
    from referee.plan import TimeControl

    document = None if again is None else _replay(again, rules, len(bots))
    chosen_options = parse_options(option)
    if document is not None:
        chosen_options = {**document["options"], **chosen_options}
    else:
        get_rules(rules, option, len(bots))
    if tcp and sandbox is not SandboxKind.PROCESS:
        refuse(
            "got --tcp with --sandbox docker, expected one of them: contained bots have no network;"
            " leave --tcp out"
        )
    if debug is not None and debug > len(bots):
        refuse(f"got --debug {debug}, expected the number of a bot, from 1 to {len(bots)}")
    # A seed that was drawn is shown, so that a match can be played again.
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    match = LocalMatch(
        rules=rules,
        bots=tuple(find_bots(bots, sandbox, context)),
        options=chosen_options,
        boards=boards,
        duplicate=duplicate,
        seed=seed,
        time=TimeControl(move_ms=move_ms, bank_ms=bank_ms, start_ms=start_ms),
        in_flight=in_flight,
        thinkers=thinkers,
        debug_bot=None if debug is None else debug - 1,
        again=document,
        sandbox=sandbox.value,
        tcp=tcp,
    )
    try:
        match.plan()
    except ValueError as error:
        refuse(str(error))
    if replays is not None:
        make_folder("--replays", replays)
    result = asyncio.run(_run(match, replays=replays))
    report(match, result, replays, as_json)
    if failed := _crashed(match, result):
        say(f"Crashed: {', '.join(failed)}. Exit code {CRASHED}.", err=True)
        raise typer.Exit(CRASHED)


def _crashed(match: "LocalMatch", result: "MatchResult") -> list[str]:
    """The bots of whoever plays that did not run to the end; samples are ours."""
    from league.bots import distinct_names
    from league.local import CRASHES

    bots = zip(distinct_names(match.bots), match.bots, result.bots, strict=True)
    return [
        name
        for name, bot, record in bots
        if not bot.sample and any(fault.kind in CRASHES for fault in record.faults)
    ]


def _replay(path: Path, rules: str, bots: int) -> dict[str, Any]:
    from cli.local.replay_files import UnreadableReplay, read
    from nimmt.errors import ReplayError
    from nimmt.verify import read as check

    try:
        _, document = next(iter(read(path)))
        check(document)
    except (UnreadableReplay, ReplayError) as error:
        known = "" if isinstance(error, UnreadableReplay) else f" {path}:"
        refuse(f"got --again{known} {error}")
    if document["rules"] != rules:
        refuse(f"--again {path}: it is a game of {document['rules']}, and you asked for {rules}")
    if (players := len(document["players"])) != bots:
        refuse(
            f"--again {path}: it is a game of {players} players, and you named"
            f" {counted(bots, 'bot')}; name {players}"
        )
    found: dict[str, Any] = document
    return found


async def _run(match: "LocalMatch", *, replays: Path | None) -> "MatchResult":
    """Play, show progress, write replays as games end; Ctrl-C ends the match early."""
    from league.bots import distinct_names
    from league.local import play_local
    from referee.lines import FromReferee
    from referee.result import MatchResult

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, _stop_once, loop, stop)
    total = sum(len(games) for games in match.plan().passes)
    names = distinct_names(match.bots)
    # The asks and answers of a bot that is debugged are progress enough.
    progress = MatchProgress(total, names, quiet=match.debug_bot is not None)
    with progress as show:
        async with looking(progress.tick):
            async for news in play_local(match, stop=stop):
                if isinstance(news, MatchResult):
                    return news
                if news["type"] == FromReferee.GAME and replays is not None:
                    write_game(replays, news["game"])
                elif news["type"] == FromReferee.DEBUG:
                    show_debug(news)
                show(news)
    raise AssertionError("a match ends with its result")


def _stop_once(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """The first Ctrl-C ends the match with what was played; the second one aborts it."""
    stop.set()
    loop.remove_signal_handler(signal.SIGINT)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(play)
