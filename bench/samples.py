"""How strong the sample bots are: plays them in mixed tables and writes the table of the README.

Run `python -m bench.samples --write`. Tables are drawn at random, every table plays one block (each
bot once in each seat), and ratings and intervals are those of the league.
"""

import argparse
import multiprocessing
from pathlib import Path
from random import Random
from typing import NamedTuple

import nimmt
from bench import arena
from league.blocks import Block, BlockGame
from league.standings import StandingRow, standings

README = Path(__file__).resolve().parent.parent / "sample_bots" / "README.md"
BEGIN, END = "<!-- strength: begin -->", "<!-- strength: end -->"


class Field(NamedTuple):
    """One contest."""

    title: str
    rules: str
    options: dict[str, object]
    seats: int
    bots: tuple[str, ...]


FIELDS = (
    Field("6 nimmt!", "six-nimmt", {"rounds": 1}, 4,
          ("montecarlo", "slotrisk", "gap", "leastcost", "highest", "random", "lowest")),
    Field("6 nimmt!, advanced game", "six-nimmt",
          {"rounds": 1, "advanced": True, "opening_picks": 2}, 3,
          ("montecarlo", "slotrisk", "gap", "highest", "random")),
    Field("11 nimmt!", "eleven-nimmt", {}, 3,
          ("montecarlo", "bullhunter", "greedy", "gap", "random")),
    Field("X nimmt!", "x-nimmt", {}, 3,
          ("montecarlo", "xsafe", "gap", "highest", "random", "lowest")),
)  # fmt: skip


def block(job: tuple[int, int, int, int]) -> Block:
    """One table of one field: every bot once in every seat, on boards of their own."""
    field_no, number, seed, playouts = job
    field = FIELDS[field_no]
    rules = nimmt.get(field.rules, field.options)
    key = nimmt.key_from_seed(seed)
    table = tuple(Random(f"{seed}/{field.title}/{number}").sample(field.bots, field.seats))
    makers = [arena.maker(name, playouts) for name in table]
    games = []
    for turn in range(field.seats):
        order = [(seat + turn) % field.seats for seat in range(field.seats)]
        board = number * field.seats + turn
        result, rounds = arena.play(rules, [makers[bot] for bot in order], key, board)
        where = [order.index(bot) for bot in range(field.seats)]
        games.append(
            BlockGame(
                places=tuple(result.places[seat] for seat in where),
                points=tuple(result.points[seat] for seat in where),
                rounds=rounds,
            )
        )
    return Block(order=number, table=table, games=tuple(games))


def measure(field_no: int, blocks: int, seed: int, playouts: int) -> tuple[StandingRow, ...]:
    """The standings of one field."""
    jobs = [(field_no, number, seed, playouts) for number in range(blocks)]
    with multiprocessing.get_context("spawn").Pool() as pool:
        played = pool.map(block, jobs, chunksize=4)
    return standings(played).rows


def report(rows: tuple[StandingRow, ...]) -> list[str]:
    """A table in Markdown."""
    lines = [
        "| place | bot | rating | ± 95 % | points a round | ± 95 % | win share | games |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for row in rows:
        place = str(row.low) if row.low == row.high else f"{row.low} to {row.high}"
        lines.append(
            f"| {place} | [{row.bot}]({row.bot}/) | {row.official:.0f}"
            f" | {_half(row.official_half, 0)} | {row.points_per_round:.2f}"
            f" | {_half(row.points_half, 2)} | {100 * row.win_share:.1f} % | {row.games} |"
        )
    return lines


def _half(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=400, help="blocks a game")
    parser.add_argument("--playouts", type=int, default=60, help="for each candidate")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="one game, by number from 0")
    parser.add_argument("--write", action="store_true", help="write sample_bots/README.md")
    given = parser.parse_args()
    lines = [
        f"Measured with `python -m bench.samples --blocks {given.blocks} --playouts "
        f"{given.playouts} --seed {given.seed} --write`. The key is that of the seed, montecarlo "
        f"plays {given.playouts} playouts for each candidate, and 1500 is the mean of the field."
    ]
    for number, field in enumerate(FIELDS):
        if given.only in (None, number):
            found = report(measure(number, given.blocks, given.seed, given.playouts))
            lines += ["", f"### {field.title}, tables of {field.seats}", "", *found]
            print("\n".join(lines[-len(found) - 2 :]), flush=True)
    if given.write:
        text = README.read_text(encoding="utf-8")
        head, tail = text.split(BEGIN)[0], text.split(END)[1]
        README.write_text(
            f"{head}{BEGIN}\n" + "\n".join(lines) + f"\n{END}{tail}", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
