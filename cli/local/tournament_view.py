"""How a tournament is shown: a live table on a terminal, plain lines in a log, the outcome."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from cli.local.bots import SandboxKind
from cli.local.pace import LogLines, Pace
from cli.terminal import cell, console, say, say_text

if TYPE_CHECKING:
    from rich.console import RenderableType

    from league.local import Faulted, News, PlayedMatch, Tournament
    from league.ratings import Standings

CAUSES_SHOWN = 5
LEADERS = 3
TABLE_REST = 20.0
"""After the standings were computed they rest this many times as long: the cores are for bots."""
LEGEND = (
    "rating and points a round with their 95 % intervals, – cannot be measured yet;\n"
    "bots that share a letter are statistically tied; ms: median time of a decision"
)


class TournamentView:
    """Shows a run of a tournament on standard error."""

    def __init__(self, plan: "Tournament", played: "Sequence[PlayedMatch]") -> None:
        from rich.live import Live

        self._plan = plan
        self._played = played
        self._tables = len(plan.tables())
        self._left = self._tables - len(played)
        self._pace = Pace(
            self._left * plan.games_per_match, before=sum(len(match.games) for match in played)
        )
        self._running: dict[int, tuple[int, int]] = {}
        self._over = [0, 0]
        self._faults: Counter[int] = Counter(
            index
            for match in played
            for index, record in zip(match.table, match.bots, strict=True)
            for _ in record.faults
        )
        self._standings: Standings | None = None
        self._seen = -1
        self._not_before = 0.0
        self._lines = LogLines()
        screen = console(stderr=True)
        self._live = (
            Live(console=screen, auto_refresh=False, transient=True) if screen.is_terminal else None
        )

    def __enter__(self) -> "TournamentView":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, news: "News") -> None:
        """Take in what happened."""
        from league.local import Faulted, MatchEnded, Moved

        if isinstance(news, Moved):
            self._running[news.number] = (news.games, news.decisions)
        elif isinstance(news, MatchEnded):
            self._running.pop(news.match.number, None)
            self._over[0] += len(news.match.games)
            self._over[1] += news.match.decisions
        elif isinstance(news, Faulted):
            self._fault(news)
        self._pace.games = self._over[0] + sum(games for games, _ in self._running.values())
        self._pace.decisions = self._over[1] + sum(asks for _, asks in self._running.values())

    def _fault(self, news: "Faulted") -> None:
        self._faults[news.bot] += 1
        count = self._faults[news.bot]
        if count > CAUSES_SHOWN:
            return
        out = ", out of the pass" if news.out else ""
        more = "; further ones are only counted" if count == CAUSES_SHOWN else ""
        name = self._plan.bots[news.bot].name
        text = f"{name}: {news.kind} in match {news.number}{out}: {news.cause}{more}"
        if self._live is not None:
            self._live.console.print(cell(text), soft_wrap=True)
        else:
            say(text, err=True)

    def tick(self) -> None:
        """Show how far it is, if it is time to."""
        if self._live is not None:
            self._live.update(self._picture(), refresh=True)
        elif self._lines.is_due(self._pace.seconds):
            say(f"… {self._words()}", err=True)

    def _words(self) -> str:
        faults = f", {self._faults.total()} faults" if self._faults else ""
        done = f"{len(self._played)} of {self._tables} matches, {self._pace.words}{faults}"
        table = self._table()
        if table is None:
            return done
        leaders = [
            f"{row.bot} {row.official:.0f} {_half(row.official_half, 0)}"
            for row in table.rows[:LEADERS]
        ]
        return f"{done}; {', '.join(leaders)}"

    def _table(self) -> "Standings | None":
        """The standings, computed again when a match has ended, but never most of the time."""
        from league.local import standings

        begun = self._pace.seconds
        if self._seen != len(self._played) and begun >= self._not_before:
            self._seen = len(self._played)
            self._standings = standings(self._plan, self._played)
            now = self._pace.seconds
            self._not_before = now + TABLE_REST * (now - begun)
        return self._standings

    def _picture(self) -> "RenderableType":
        from rich.console import Group

        faults = f", {self._faults.total()} faults" if self._faults else ""
        line = f"{len(self._played)} of {self._tables} matches, {self._pace.words}{faults}"
        table = self._table()
        more = [] if table is None else [make_table(self._plan, table)]
        verdict = _verdict(self._plan, self._played)
        said = [] if verdict is None else [cell(verdict)]
        return Group(*more, *said, cell(f"{line}. Ctrl-C stops it; it can be resumed."))


def _verdict(plan: "Tournament", played: "Sequence[PlayedMatch]") -> str | None:
    from league.local import judge, verdict_words

    found = judge(plan, played)
    if found is None:
        return None
    return (
        f"{verdict_words(plan, found)} Evidence {found.llr:+.2f},"
        f" bounds {found.reject:.2f} and {found.accept:+.2f}."
    )


def make_table(plan: "Tournament", table: "Standings") -> Any:
    """The standings, as a season shows them."""
    from rich import box
    from rich.table import Table

    shown = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1),
        pad_edge=False,
        title=f"{plan.rules}, {plan.format.value}, tables of {plan.table}: {table.games} games in"
        f" {table.blocks} blocks, seed {plan.seed}",
        caption=LEGEND,
    )
    for name in ("", "bot", "tied", "rating", "points", "wins", "place", "faults", "ms"):
        # Where the terminal is narrow a long name takes a second line; numbers stay whole.
        side: Literal["left", "right"] = "left" if name in ("bot", "tied") else "right"
        shown.add_column(name, justify=side, no_wrap=name != "bot", overflow="fold")
    for row in table.rows:
        shown.add_row(
            str(row.low) if row.low == row.high else f"{row.low}-{row.high}",
            cell(row.bot),
            row.group,
            f"{row.official:.0f} {_half(row.official_half, 0)}",
            f"{row.points_per_round:.2f} {_half(row.points_half, 2)}",
            f"{100 * row.win_share:.0f} %",
            f"{row.mean_place:.2f}",
            str(sum(row.faults.values())),
            "–" if row.median_ms is None else f"{row.median_ms:.1f}",
        )
    return shown


def _half(value: float | None, digits: int) -> str:
    return "± –" if value is None else f"± {value:.{digits}f}"


def print_outcome(plan: "Tournament", played: "Sequence[PlayedMatch]") -> None:
    """The standings, the verdict, and the output of bots that failed."""
    from league.local import standings

    table = standings(plan, played)
    if table is None:
        say("No match was finished.")
        return
    console().print(make_table(plan, table))
    verdict = _verdict(plan, played)
    if verdict is not None:
        say(verdict)
    last = {
        index: record
        for match in played
        for index, record in zip(match.table, match.bots, strict=True)
        if record.faults
    }
    for index, record in sorted(last.items()):
        fault = record.faults[-1]
        say(f"{plan.bots[index].name}, the last fault: {fault.kind.value}: {fault.cause}")
        if record.log:
            say_text(record.log, indent="  ")
    if plan.sandbox == SandboxKind.PROCESS:
        say("Uncontained: the bots ran as processes of this user, for trusted bots only.")
