"""`play`: a match between bot classes in this process, with the table of `bullring play`.

A bot that raises or chooses what is not legal stops the match with its error: this is for finding
bugs, and what a failure costs in a league is the referee's business.
"""

import json
import secrets
import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import nimmt
from arena.bots import BotLike, NamedBot, find_classes
from arena.progress import Progress
from arena.replays import InlineReplay
from botkit.local import LocalSeat
from league.matches import BotSummary, summarise
from nimmt.replay import BY_BOT, BY_FORCED, Circumstances, Decision, Player, Recorder
from referee.plan import PlannedGame, duplicate, one_pass
from referee.result import BotRecord, GameRecord

DUPLICATE_UP_TO = 3
"""As `bullring play`: tables of this size and smaller play every board with every seating."""
COLUMNS = ("bot", "points", "± 95 %", "wins", "place", "median ms", "worst ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """A finished match: `rows` has one line a bot, `replay(n)` is one of its games."""

    rules: nimmt.Rules
    seed: int
    names: tuple[str, ...]
    duplicated: bool
    games: tuple[GameRecord, ...]
    rows: tuple[BotSummary, ...]
    """In the order in which the bots were given."""

    def replay(self, game: int = 0) -> InlineReplay:
        """One game, to be shown or saved."""
        if not 0 <= game < len(self.games):
            raise ValueError(f"got game {game}, expected 0 to {len(self.games) - 1}")
        return InlineReplay(self.games[game].document)

    def table(self) -> list[tuple[str, ...]]:
        """The lines of the table, best first: points a round, share of wins, mean place."""
        best = sorted(self.rows, key=lambda row: (row.mean_place, row.points_per_round))
        return [
            (
                row.bot,
                f"{row.points_per_round:.2f}",
                _number(row.points_half),
                f"{100 * row.win_share:.1f} %",
                f"{row.mean_place:.2f}",
                _number(row.median_ms),
                _number(row.worst_ms),
            )
            for row in best
        ]

    @property
    def title(self) -> str:
        """What was played."""
        return (
            f"{self.rules.name}, {len(self.names)} bots, {len(self.games)} games, seed {self.seed}"
        )

    def __str__(self) -> str:
        lines = [COLUMNS, *self.table()]
        widths = [max(len(line[at]) for line in lines) for at in range(len(COLUMNS))]
        text = [
            "  ".join(
                [line[0].ljust(widths[0])]
                + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
            )
            for line in lines
        ]
        return "\n".join([self.title, *text])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in COLUMNS)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>"
            for line in self.table()
        )
        return (
            f"<table><caption>{escape(self.title)}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def play(
    bots: Sequence[BotLike],
    rules: str = "six-nimmt",
    games: int = 1000,
    *,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    progress: bool = True,
) -> Arena:
    """Play bot classes against each other here, without processes.

    Tables of 2 and 3 play every board with every seating, larger ones each board once with the
    seats rotating; `games` is rounded up to whole blocks, in which every bot has had every seat.
    Same seed, same boards.
    """
    chosen = nimmt.get(rules, options or {})
    found = find_classes(bots, rules)
    chosen.check_players(len(found))
    if games < 1:
        raise ValueError(f"got {games} games, expected 1 or more")
    seed = secrets.randbelow(1_000_000) if seed is None else seed
    match = _Match(chosen, found, nimmt.key_from_seed(seed))
    duplicated = len(found) <= DUPLICATE_UP_TO
    blocks = -(-games // len(found))
    make = duplicate if duplicated else one_pass
    passes = make(len(found), blocks if duplicated else blocks * len(found))
    total = sum(len(planned) for planned in passes)
    with Progress("games", total, shown=progress) as advance:
        for pass_no, planned in enumerate(passes):
            for game in planned:
                match.play(pass_no, game)
                advance(1)
    names = [bot.name for bot in found]
    records = [match.record(bot) for bot in range(len(found))]
    return Arena(
        rules=chosen,
        seed=seed,
        names=tuple(names),
        duplicated=duplicated,
        games=tuple(match.games),
        rows=tuple(summarise(match.games, records, names, duplicated)),
    )


@dataclass(slots=True)
class _Match:
    """The games so far, and how long each bot thought."""

    rules: nimmt.Rules
    bots: list[NamedBot]
    key: bytes
    games: list[GameRecord] = field(default_factory=list)
    times: dict[int, list[float]] = field(default_factory=dict)

    def play(self, pass_no: int, game: PlannedGame) -> None:
        """One game to its end."""
        players = len(self.bots)
        state = self.rules.start(players, nimmt.KeyedBoard(self.key, game.board))
        seats = [
            LocalSeat(
                self.bots[bot].make, self.rules, seat, players,
                nimmt.bot_seed(self.key, game.board, seat), game.game_no,
            )
            for seat, bot in enumerate(game.seats)
        ]  # fmt: skip
        recorder = Recorder(state)
        for one in seats:
            one.see(state.opening)
        while state.pending:
            decisions = [self._decide(state, game, seats, seat) for seat in state.pending]
            recorder.record(decisions)
            events = state.apply({one.seat: one.choice for one in decisions})
            for one in seats:
                one.see(events)
        assert state.result is not None
        for one in seats:
            one.over(*state.result)
        self.games.append(self._finished(pass_no, game, recorder))

    def _decide(
        self, state: nimmt.State, game: PlannedGame, seats: Sequence[LocalSeat], seat: int
    ) -> Decision:
        kind, forced = state.pending[seat].kind, state.forced(seat)
        if forced is not None:
            return Decision(seat, kind, state.canonical(seat, forced), BY_FORCED)
        bot = game.seats[seat]
        view, legal = state.view(seat), state.legal(seat)
        began = time.perf_counter()
        try:
            choice = state.canonical(seat, seats[seat].ask(kind, view, legal))
        except Exception as error:
            error.add_note(
                f"{self.bots[bot].name} in seat {seat}, board {game.board}, round "
                f"{state.round_no}, turn {state.turn}: it was asked for a {kind}"
            )
            raise
        spent = (time.perf_counter() - began) * 1000
        self.times.setdefault(bot, []).append(spent)
        return Decision(seat, kind, choice, BY_BOT, round(spent, 3), 1)

    def _finished(self, pass_no: int, game: PlannedGame, recorder: Recorder) -> GameRecord:
        result = recorder.state.result
        assert result is not None
        about = Circumstances(
            match="arena",
            pass_no=pass_no,
            game_no=game.game_no,
            board=game.board,
            started=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            runner="in-process",
            players=[Player(bot=f"arena/{self.bots[bot].name}") for bot in game.seats],
            key=self.key,
            commitment=nimmt.commitment(self.key),
        )
        return GameRecord(
            pass_no=pass_no,
            game_no=game.game_no,
            board=game.board,
            seats=game.seats,
            points=result.points,
            places=result.places,
            out=(False,) * len(self.bots),
            rounds=len(recorder.state.scores),
            replay=json.dumps(recorder.document(about), separators=(",", ":")),
        )

    def record(self, bot: int) -> BotRecord:
        """How long a bot thought."""
        spent = self.times.get(bot, [])
        return BotRecord(
            asks=len(spent),
            timeouts=0,
            median_ms=statistics.median(spent) if spent else None,
            worst_ms=max(spent, default=None),
            think_s=sum(spent) / 1000,
            faults=(),
        )
