"""A tournament as CSV: its standings, a row a bot, and its games, a row a seat."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.options import refuse

if TYPE_CHECKING:
    from league.local import PlayedMatch, Tournament

GAMES = ("match", "pass", "game", "board", "seat", "bot", "points", "place", "out", "rounds")
"""Matches, passes, games, boards and seats count from 1."""


def write_standings_csv(path: Path, plan: "Tournament", played: "Sequence[PlayedMatch]") -> None:
    """A row a bot, best first; an empty cell cannot be measured yet."""
    from league.local import rows_to_json, standings

    table = standings(plan, played)
    rows = [] if table is None else rows_to_json(table)
    flat = [{**row, "faults": sum(row["faults"].values())} for row in rows]
    _write(path, list(flat[0]) if flat else ["bot"], [list(row.values()) for row in flat])


def write_games_csv(path: Path, plan: "Tournament", played: "Sequence[PlayedMatch]") -> None:
    """A row for every seat of every game."""
    _write(
        path,
        GAMES,
        (
            (
                match.number,
                game.pass_no + 1,
                game.game_no + 1,
                game.board + 1,
                seat + 1,
                plan.bots[match.table[bot]].name,
                game.points[seat],
                game.places[seat],
                int(game.out[seat]),
                game.rounds,
            )
            for match in played
            for game in match.games
            for seat, bot in enumerate(game.seats)
        ),
    )


def _write(path: Path, names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    try:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(names)
            writer.writerows(rows)
    except OSError as error:
        refuse(f"cannot write {path}: {error.strerror}; the results are kept, --resume them")
