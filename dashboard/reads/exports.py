"""Raw results for others: every game of a season, as documents and as CSV."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from sqlmodel import col, select

from store import Game, Match, MatchState, Store, match_lists

GAME_COLUMNS = (
    *("match", "pass", "game", "board", "seat"),
    *("bot", "version", "points", "place", "out"),
)
PIECE = 1 << 16


def season_games(store: Store, season_id: int, piece: int = 100) -> Iterator[dict[str, Any]]:
    """All games of a season in order of creation, a few matches at a time."""
    after = 0
    while True:
        with store.read(patient=True) as session:
            query = (
                select(Match.id)
                .where(
                    Match.season_id == season_id,
                    Match.state == MatchState.DONE,
                    col(Match.id) > after,
                )
                .order_by(col(Match.id))
                .limit(piece)
            )
            ids = list(session.exec(query).all())
            if not ids:
                return
            seats = match_lists.seated(session, ids)
            order = (col(Game.match_id), col(Game.pass_no), col(Game.game_no))
            found = session.scalars(
                sa.select(Game).where(col(Game.match_id).in_(ids)).order_by(*order)
            ).all()
        after = ids[-1]
        for game in found:
            yield _public(game, {seat.number: seat for seat in seats[game.match_id]})


def _public(game: Game, table: dict[int, match_lists.Seated]) -> dict[str, Any]:
    return {
        "match": game.match_id,
        "pass_no": game.pass_no,
        "game_no": game.game_no,
        "board": game.board,
        "bots": [table[number].bot for number in game.seats],
        "versions": [table[number].version for number in game.seats],
        "points": game.points,
        "places": game.places,
        "out": [seat in game.out for seat in range(len(game.seats))],
        "rounds": game.rounds,
    }


def games_csv(found: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """The same as CSV: one line a seat."""
    lists = ("bots", "versions", "points", "places", "out")
    rows = (
        [game["match"], game["pass_no"], game["game_no"], game["board"], seat, *player]
        for game in found
        for seat, player in enumerate(zip(*(game[name] for name in lists), strict=True))
    )
    return csv_lines(GAME_COLUMNS, rows)


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    """CSV in pieces of a size worth sending."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([_safe_cell(cell) for cell in row])
        if buffer.tell() > PIECE:
            yield buffer.getvalue().encode()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue().encode()


def _safe_cell(value: object) -> object:
    """Spreadsheets run what begins like a formula, so such text gets a quote before it.

    >>> _safe_cell("=1+1"), _safe_cell(-3)
    ("'=1+1", -3)
    """
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return value
