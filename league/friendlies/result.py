"""What a friendly match says about its bots: the numbers that `bullring play` shows at home."""

from collections.abc import Sequence

from sqlmodel import Session

import store
from league.matches import BotSummary, summarise
from referee.result import BotRecord, GameRecord
from store import Game, Match
from store.match_lists import Seated


def seat_summaries(session: Session, match: Match, seats: Sequence[Seated]) -> list[BotSummary]:
    """A line for each seat in the order of the table; none before the match is done."""
    games = store.results.games(session, match.id)
    if not games:
        return []
    names = [seated.bot for seated in seats]
    records = [_record(seated) for seated in seats]
    return summarise([game_record(one) for one in games], records, names, match.passes > 1)


def game_record(game: Game) -> GameRecord:
    """A stored game as the referee told it."""
    return GameRecord(
        pass_no=game.pass_no,
        game_no=game.game_no,
        board=game.board,
        seats=tuple(game.seats),
        points=tuple(game.points),
        places=tuple(game.places),
        out=tuple(seat in game.out for seat in range(len(game.seats))),
        rounds=game.rounds,
    )


def _record(seated: Seated) -> BotRecord:
    """What was kept of a bot's clock; its faults are rows of their own."""
    seat = seated.seat
    return BotRecord(
        asks=seat.decisions,
        timeouts=0,
        median_ms=_number(seat.stats.get("median_ms")),
        worst_ms=_number(seat.stats.get("worst_ms")),
        think_s=seat.think_ms / 1000,
        faults=(),
        cpu_s=_number(seat.stats.get("cpu_s")),
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
