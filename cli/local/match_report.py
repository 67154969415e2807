"""How a match on this machine is shown: its progress while it plays, and what came of it."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.local.bots import SandboxKind
from cli.local.pace import LogLines, Pace
from cli.terminal import cell, console, say, say_json, say_text
from league.words import counted
from referee.lines import FromReferee, ToWatchers

if TYPE_CHECKING:
    from league.local import LocalMatch
    from league.matches import BotSummary
    from referee.result import FaultRecord, MatchResult

CAUSES_SHOWN = 5


class MatchProgress:
    """Games done, decisions a second, time left; on standard error, as a bar or as plain lines."""

    def __init__(self, total: int, names: Sequence[str], *, quiet: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        self._names = names
        self.excused: list[str] = []
        """What this machine did to the bots while one of them was late."""
        self._quiet = quiet
        self._pace = Pace(total)
        self._lines = LogLines()
        screen = console(stderr=True)
        self._bar = Progress(
            TextColumn("games"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}, {task.fields[left]}", style="cyan"),
            console=screen,
            transient=True,
            disable=quiet or not screen.is_terminal,
        )
        self._task = self._bar.add_task(
            "games", total=total, rate=self._pace.rate, left=self._pace.left
        )

    def __enter__(self) -> Callable[[dict[str, Any]], None]:
        self._bar.start()
        return self._show

    def tick(self) -> None:
        """Show how far it is, if it is time to."""
        if not self._bar.disable:
            pace = self._pace
            self._bar.update(self._task, completed=pace.games, rate=pace.rate, left=pace.left)
        elif not self._quiet and self._lines.is_due(self._pace.seconds):
            say(f"… {self._pace.words}", err=True)

    def _show(self, news: dict[str, Any]) -> None:
        if news["type"] == ToWatchers.PROGRESS:
            self._pace.games = news["games"]
            self._pace.decisions = max(self._pace.decisions, news["decisions"])
        elif news["type"] == FromReferee.ASKED:
            self._pace.decisions = max(self._pace.decisions, news["asks"])
        elif news["type"] == FromReferee.FAULT and not self._bar.disable:
            fault = news["fault"]
            out = ", out of the pass" if fault["out"] else ""
            self._print(f"{self._names[fault['bot']]}: {fault['kind']}{out}: {fault['cause']}")
        elif news["type"] == ToWatchers.UNFIT:
            self.excused.append(news["reason"])

    def _print(self, text: str) -> None:
        self._bar.console.print(cell(text), soft_wrap=True)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
        if self.excused:
            late = counted(len(self.excused), "fault")
            say(
                f"{late} came while other work had this machine, and would not count in a league: "
                f"{self.excused[-1]}.",
                err=True,
            )


def show_debug(news: dict[str, Any]) -> None:
    """One message to or from the bot that is being debugged."""
    arrow = "-> bot" if news["direction"] == "to" else "<- bot"
    say(f"{arrow} {json.dumps(news['message'], separators=(',', ':'))}", err=True)


def report(match: "LocalMatch", result: "MatchResult", replays: Path | None, as_json: bool) -> None:
    """What was played, as a table with its faults or as one line of JSON."""
    from league.bots import distinct_names
    from league.matches import summarise
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
        say_json({**about, "bots": [to_json(row) for row in rows]})
        return
    _print(match, result, rows, replays)


def _print(
    match: "LocalMatch", result: "MatchResult", rows: Sequence["BotSummary"], replays: Path | None
) -> None:
    if not rows:
        say("No game was finished.")
    else:
        console().print(_table(match, result, rows))
    for row in rows:
        for fault in row.faults[:CAUSES_SHOWN]:
            where = _where(fault, passes=len(match.plan().passes))
            out = ", out of the pass" if fault.out else ""
            text = f"{row.bot}: {fault.kind}{where}{out}: {fault.cause}"
            say(text)
        if (more := len(row.faults) - CAUSES_SHOWN) > 0:
            say(f"{row.bot}: … and {counted(more, 'more fault')}")
    for name, bot in zip([row.bot for row in rows], result.bots, strict=False):
        if bot.faults and bot.log:
            say(f"{name} wrote, at the end:")
            say_text(bot.log[-2000:], indent="  ")
    if not result.complete:
        say("Stopped early: this is what was played.")
    if match.sandbox == SandboxKind.PROCESS:
        say("Uncontained: the bots ran as processes of this user, for trusted bots only.")
    if replays is not None:
        say(f"Replays: {replays}")


def _where(fault: "FaultRecord", *, passes: int) -> str:
    """In which game, and where that number comes more than once, in which pass."""
    found = [] if fault.game_no is None else [f"game {fault.game_no + 1}"]
    if passes > 1:
        found.insert(0, f"pass {fault.pass_no + 1}")
    return f" in {', '.join(found)}" if found else ""


def _table(match: "LocalMatch", result: "MatchResult", rows: Sequence["BotSummary"]) -> Any:
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
            cell(row.bot),
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
