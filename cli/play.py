"""`bullring play`: a match between bots on this machine, as real processes over gRPC."""

import asyncio
import json
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.bots import SandboxKind, SandboxOption, find_bots
from cli.rules import OptionOption, RulesArgument, get_rules, parse_options, refuse

if TYPE_CHECKING:
    from league.local import LocalMatch
    from league.summary import BotSummary
    from referee.result import GameRecord, MatchResult

Show = Callable[[dict[str, Any]], None]
CAUSES_SHOWN = 5


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
        int | None, typer.Option(min=0, help="Same seed, same boards. Random if left out.")
    ] = None,
    move_ms: Annotated[int, typer.Option(min=0, help="Free time of every decision.")] = 100,
    bank_ms: Annotated[int, typer.Option(min=0, help="Spare time of a whole pass.")] = 1000,
    in_flight: Annotated[
        int, typer.Option(min=1, help="Games in play at once; 1 plays one after the other.")
    ] = 64,
    thinkers: Annotated[
        int | None, typer.Option(min=1, help="How many bots may think at once; all if left out.")
    ] = None,
    option: OptionOption = None,
    replays: Annotated[
        Path | None, typer.Option(help="Write every game as a replay into this folder.")
    ] = None,
    debug: Annotated[
        int | None,
        typer.Option(metavar="SEAT", min=0, help="Show all asks and answers of one bot, from 0."),
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
        refuse(f"--debug {debug} names no bot; they are counted from 0 to {len(bots) - 1}")
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
    result = asyncio.run(_run(match, quiet=as_json, replays=replays))
    _report(match, result, replays, as_json)


def _replay(path: Path, rules: str) -> dict[str, Any]:
    from cli.replay_files import UnreadableReplay, read
    from nimmt.verify import ReplayError
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


async def _run(match: "LocalMatch", *, quiet: bool, replays: Path | None) -> "MatchResult":
    """Play, show progress, write replays as games end; Ctrl-C ends the match early."""
    from league.finding import distinct_names
    from league.local import play_local
    from referee.result import MatchResult

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, _stop_once, loop, stop)
    total = sum(len(games) for games in match.plan().passes)
    names = distinct_names(match.bots)
    with _progress(total, names, quiet=quiet or match.debug_bot is not None) as show:
        async for news in play_local(match, stop=stop):
            if isinstance(news, MatchResult):
                return news
            if news["type"] == "game" and replays is not None:
                write_game(replays, news["game"])
            elif news["type"] == "debug":
                _show_debug(news)
            show(news)
    raise AssertionError("a match ends with its result")


def _stop_once(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> None:
    """The first Ctrl-C ends the match with what was played; the second one breaks off."""
    stop.set()
    loop.remove_signal_handler(signal.SIGINT)


def write_game(folder: Path, game: "GameRecord") -> None:
    """One replay, and beside it the notes of each bot that made any."""
    name = f"pass{game.pass_no}-game{game.game_no:05d}"
    text = json.dumps(game.replay, separators=(",", ":"))
    (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    for seat, notes in game.notes.items():
        lines = [
            json.dumps({"round": n.round_no, "decision": n.decision, "note": n.text}) for n in notes
        ]
        # Not .jsonl: a folder of replays is verified file by file, and notes are none.
        path = folder / f"{name}.seat{seat}.notes"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _show_debug(news: dict[str, Any]) -> None:
    arrow = "-> bot" if news["direction"] == "to" else "<- bot"
    typer.echo(f"{arrow} {json.dumps(news['message'], separators=(',', ':'))}", err=True)


class _progress:
    """Boards done, decisions a second, time left; on standard error, and only on a terminal."""

    def __init__(self, total: int, names: Sequence[str], *, quiet: bool) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        self._names = names
        console = Console(stderr=True)
        self._bar = Progress(
            TextColumn("games"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}", style="cyan"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._bar.add_task("games", total=total, rate="starting the bots")

    def __enter__(self) -> Show:
        self._bar.start()
        return self._show

    def _show(self, news: dict[str, Any]) -> None:
        if news["type"] == "progress":
            seconds = self._bar.tasks[0].elapsed or 0
            rate = f"{news['decisions'] / seconds:,.0f} decisions/s" if seconds else ""
            self._bar.update(self._task, completed=news["games"], rate=rate)
        elif news["type"] == "fault" and not self._bar.disable:
            fault = news["fault"]
            out = ", out of the pass" if fault["out"] else ""
            text = f"{self._names[fault['bot']]}: {fault['kind']}{out}: {fault['cause']}"
            self._bar.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()


def _report(
    match: "LocalMatch", result: "MatchResult", replays: Path | None, as_json: bool
) -> None:
    from league.finding import distinct_names
    from league.summary import summarise
    from referee.records import to_json

    names = distinct_names(match.bots)
    rows = summarise(result.games, result.bots, names, match.duplicated) if result.games else []
    if as_json:
        about = {
            "rules": match.rules,
            "options": dict(match.plan().check().options),
            "seed": match.seed,
            "runner": match.sandbox,
            "complete": result.complete,
            "games": len(result.games),
            "passes": len(match.plan().passes),
            "decisions": result.decisions,
            "seconds": result.wall_s,
            "play_seconds": result.play_s,
            "lag_ms": result.lag_ms,
        }
        typer.echo(json.dumps({**about, "bots": [to_json(row) for row in rows]}))
        return
    _print(match, result, rows, replays)


def _print(
    match: "LocalMatch", result: "MatchResult", rows: Sequence["BotSummary"], replays: Path | None
) -> None:
    from rich.console import Console
    from rich.markup import escape

    from league.wording import counted

    console = Console()
    if not rows:
        console.print("No game was finished.")
    else:
        console.print(_table(match, result, rows))
    for row in rows:
        for fault in row.faults[:CAUSES_SHOWN]:
            where = "" if fault.game_no is None else f" in game {fault.game_no}"
            out = ", out of the pass" if fault.out else ""
            text = f"{row.bot}: {fault.kind}{where}{out}: {fault.cause}"
            console.print(escape(text), highlight=False, soft_wrap=True)
        if (more := len(row.faults) - CAUSES_SHOWN) > 0:
            console.print(f"{row.bot}: … and {counted(more, 'more fault')}")
    for name, bot in zip([row.bot for row in rows], result.bots, strict=False):
        if bot.faults and bot.log:
            console.print(f"{name} wrote, at the end:", highlight=False)
            console.print(escape(bot.log[-2000:]), highlight=False, soft_wrap=True)
    if not result.complete:
        console.print("Stopped early: this is what was played.")
    if match.sandbox == SandboxKind.PROCESS:
        console.print("Uncontained: the bots ran as processes of this user, for trusted bots only.")
    if replays is not None:
        console.print(f"Replays: {replays}", soft_wrap=True, highlight=False)


def _table(match: "LocalMatch", result: "MatchResult", rows: Sequence["BotSummary"]) -> Any:
    from rich.markup import escape
    from rich.table import Table

    seconds = max(result.play_s, 1e-9)
    table = Table(
        title=f"{match.rules}, {len(rows)} bots, {rows[0].games} games, seed {match.seed}\n"
        f"{result.decisions:,} decisions in {seconds:.1f} s ({result.decisions / seconds:,.0f}/s)",
        caption="points a round, share of wins, mean place; time of a decision",
    )
    columns = ("bot", "points", "± 95 %", "wins", "place", "faults")
    for name in (*columns, "median", "worst ms"):
        table.add_column(name, justify="left" if name == "bot" else "right")
    for row in sorted(rows, key=lambda row: (row.mean_place, row.points_per_round)):
        table.add_row(
            escape(row.bot),
            f"{row.points_per_round:.2f}",
            _number(row.points_half),
            f"{100 * row.win_share:.1f} %",
            f"{row.mean_place:.2f}",
            str(len(row.faults)) + (f" (out in {row.out_games})" if row.out_games else ""),
            _number(row.median_ms),
            _number(row.worst_ms),
        )
    return table


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(play)
