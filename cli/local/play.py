"""`bullring play`: a match between bots on this machine, as real processes over gRPC."""

import asyncio
import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.local.bots import SandboxKind, SandboxOption, find_bots
from cli.local.match_report import MatchProgress, report, show_debug
from cli.local.pace import looking
from cli.options import OptionOption, RulesArgument, get_rules, parse_options, refuse

if TYPE_CHECKING:
    from league.local import LocalMatch
    from referee.result import GameRecord, MatchResult


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
    duplicate: Annotated[
        bool | None,
        typer.Option(
            "--duplicate/--one-pass",
            help="Play every board with every seating, or each board once. "
            "By default tables of 2 and 3 are duplicated.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Same seed, same boards. Default: random.")
    ] = None,
    move_ms: Annotated[int, typer.Option(min=0, help="Time per move.")] = 100,
    bank_ms: Annotated[int, typer.Option(min=0, help="Time bank per pass.")] = 1000,
    in_flight: Annotated[
        int, typer.Option(min=1, help="Games in play at once; 1 plays one after the other.")
    ] = 64,
    thinkers: Annotated[
        int | None, typer.Option(min=1, help="How many bots may think at once. Default: all.")
    ] = None,
    option: OptionOption = None,
    replays: Annotated[
        Path | None, typer.Option(help="Write every game as a replay into this folder.")
    ] = None,
    debug: Annotated[
        int | None,
        typer.Option(
            metavar="SEAT", min=0, help="Show all asks and answers of this bot, counted from 0."
        ),
    ] = None,
    again: Annotated[
        Path | None, typer.Option(metavar="REPLAY", help="Play the board of this replay again.")
    ] = None,
    sandbox: SandboxOption = SandboxKind.PROCESS,
    tcp: Annotated[
        bool, typer.Option("--tcp", help="For bots whose gRPC cannot dial unix sockets.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Play a match between bots on this machine, and show how they did.

    For example: bullring play six-nimmt my_bot.py gap random random
    """
    import secrets

    from league.local import LocalMatch
    from referee.plan import TimeControl

    document = None if again is None else _replay(again, rules)
    chosen_options = parse_options(option)
    if document is not None:
        chosen_options = {**document["options"], **chosen_options}
    else:
        get_rules(rules, option, len(bots))
    if tcp and sandbox is not SandboxKind.PROCESS:
        refuse("--tcp is for trusted bots as processes: contained bots have no network")
    if debug is not None and debug >= len(bots):
        refuse(f"got --debug {debug}, expected a bot from 0 to {len(bots) - 1}")
    # A seed that was drawn is shown, so that a match can be played again.
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    match = LocalMatch(
        rules=rules,
        bots=tuple(find_bots(bots, sandbox, context)),
        options=chosen_options,
        boards=boards,
        duplicate=duplicate,
        seed=seed,
        time=TimeControl(move_ms=move_ms, bank_ms=bank_ms),
        in_flight=in_flight,
        thinkers=thinkers,
        debug_bot=debug,
        again=document,
        sandbox=sandbox.value,
        tcp=tcp,
    )
    try:
        match.plan()
    except ValueError as error:
        refuse(str(error))
    if replays is not None:
        replays.mkdir(parents=True, exist_ok=True)
    result = asyncio.run(_run(match, replays=replays))
    report(match, result, replays, as_json)


def _replay(path: Path, rules: str) -> dict[str, Any]:
    from cli.local.replay_files import UnreadableReplay, read
    from nimmt.errors import ReplayError
    from nimmt.verify import read as check

    try:
        _, document = next(iter(read(path)))
        check(document)
    except (UnreadableReplay, ReplayError) as error:
        refuse(f"--again {path}: {error}")
    if document["rules"] != rules:
        refuse(f"--again {path}: it is a game of {document['rules']}, and you asked for {rules}")
    found: dict[str, Any] = document
    return found


async def _run(match: "LocalMatch", *, replays: Path | None) -> "MatchResult":
    """Play, show progress, write replays as games end; Ctrl-C ends the match early."""
    from league.bots import distinct_names
    from league.local import play_local
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
                if news["type"] == "game" and replays is not None:
                    write_game(replays, news["game"])
                elif news["type"] == "debug":
                    show_debug(news)
                show(news)
    raise AssertionError("a match ends with its result")


def _stop_once(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """The first Ctrl-C ends the match with what was played; the second one aborts it."""
    stop.set()
    loop.remove_signal_handler(signal.SIGINT)


def write_game(folder: Path, game: "GameRecord") -> None:
    """One replay, and beside it the notes of each bot that made any."""
    name = f"pass{game.pass_no}-game{game.game_no:05d}"
    text = game.replay
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    for seat, notes in game.notes.items():
        lines = [
            json.dumps({"round": n.round_no, "decision": n.decision, "note": n.text}) for n in notes
        ]
        # Not .jsonl: a folder of replays is verified file by file, and notes are none.
        path = folder / f"{name}.seat{seat}.notes"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(play)
