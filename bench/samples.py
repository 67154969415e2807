"""How strong the sample bots are: plays them in mixed tables and writes the table of the README.

Run `python -m bench.samples --write`. Tables are drawn at random, every table plays one block (each
bot once in each seat), and ratings and intervals are those of the league. Search bots think by the
CPU time of their thread, so that a busy machine changes nothing.
"""

import multiprocessing
import sys
from pathlib import Path
from random import Random
from typing import NamedTuple

import nimmt
from bench import arena
from bench.options import described
from league.ratings import Block, BlockGame
from league.ratings.standings import StandingRow, make_standings

README = Path(__file__).resolve().parent.parent / "sample_bots" / "README.md"
BEGIN, END = "<!-- strength: begin -->", "<!-- strength: end -->"
SEARCHERS = ("sleuth", "montecarlo")
SEARCHED = 4
"""The searchers sit at every fourth table: they take nearly all of the time, while the others need
more games to be told apart."""
MOVE_MS = 5.0
"""CPU time that a searcher is given for a move."""


class Field(NamedTuple):
    """One contest."""

    title: str
    rules: str
    options: dict[str, object]
    seats: int
    blocks: int
    """Enough to separate bots that differ."""
    bots: tuple[str, ...]

    @property
    def heading(self) -> str:
        return f"### {self.title}, tables of {self.seats}, {self.blocks} blocks"


FIELDS = (
    Field("6 nimmt!", "six-nimmt", {"rounds": 1}, 4, 400,
          ("sleuth", "montecarlo", "slotrisk", "lookahead", "gap", "leastcost", "highest", "random",
           "lowest")),
    Field("6 nimmt!, advanced game", "six-nimmt",
          {"rounds": 1, "advanced": True, "opening_picks": 2}, 3, 300,
          ("sleuth", "montecarlo", "slotrisk", "lookahead", "gap", "leastcost", "highest", "random",
           "lowest")),
    Field("11 nimmt!", "eleven-nimmt", {}, 3, 300,
          ("sleuth", "montecarlo", "bullhunter", "dearest", "patience", "urgent", "greedy", "gap",
           "random", "lowest")),
    Field("X nimmt!", "x-nimmt", {}, 3, 400,
          ("sleuth", "montecarlo", "xsafe", "lookahead", "gap", "leastcost", "highest", "random",
           "lowest")),
)  # fmt: skip


def seating(field: Field, number: int, seed: int) -> tuple[str, ...]:
    """Who meets in a block."""
    rng = Random(f"{seed}/{field.title}/{number}")
    others = [bot for bot in field.bots if bot not in SEARCHERS]
    if number % SEARCHED:
        return tuple(rng.sample(others, field.seats))
    return (*SEARCHERS, *rng.sample(others, field.seats - len(SEARCHERS)))


def block(job: tuple[int, int, int]) -> Block:
    """One table of one field: every bot once in every seat, on boards of their own."""
    field_no, number, seed = job
    field = FIELDS[field_no]
    rules = nimmt.get(field.rules, field.options)
    key = nimmt.key_from_seed(seed)
    table = seating(field, number, seed)
    makers = [_maker(name) for name in table]
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


def _maker(name: str) -> arena.Maker:
    found = arena.find_class(name)
    return arena.spends(found, MOVE_MS, []) if name in SEARCHERS else found


def measure(field_no: int, seed: int, jobs: int | None) -> tuple[StandingRow, ...]:
    """The standings of one field."""
    blocks = FIELDS[field_no].blocks
    work = [(field_no, number, seed) for number in range(blocks)]
    played = []
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for done in pool.imap(block, work, chunksize=4):
            played.append(done)
            if len(played) % 20 == 0:
                sys.stderr.write(f"{FIELDS[field_no].title}: {len(played)} of {blocks} blocks\n")
    return make_standings(played).rows


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


def write(heading: str, table: list[str], seed: int) -> None:
    """Put one game's table into the README and leave the other games' alone."""
    text = README.read_text(encoding="utf-8")
    head, rest = text.split(BEGIN)
    body, tail = rest.split(END)
    old = {part.splitlines()[0]: part for part in body.split("### ")[1:]}
    named = heading.removeprefix("### ")
    old[named] = "\n".join([named, "", *table]) + "\n"
    lines = [
        BEGIN,
        f"Measured with `python -m bench.samples --seed {seed} --write`. The key is that of the "
        "seed; a block is one game in each seat; 1500",
        f"is the mean of the field. sleuth and montecarlo have {MOVE_MS:g} ms of CPU time for a "
        f"move, and sit at every {SEARCHED}th table.",
    ]
    for field in FIELDS:
        part = old.get(field.heading.removeprefix("### "))
        lines += ["", f"### {part.strip()}"] if part else []
    README.write_text(head + "\n".join([*lines, END]) + tail, encoding="utf-8")


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of tables and boards")
    parser.add_argument("--only", type=int, help="one game, by number from 0")
    parser.add_argument("--jobs", type=int, help="processes; default: one per core")
    parser.add_argument("--write", action="store_true", help="write sample_bots/README.md")
    given = parser.parse_args()
    for number, field in enumerate(FIELDS):
        if given.only not in (None, number):
            continue
        table = report(measure(number, given.seed, given.jobs))
        print("\n".join(["", field.heading, "", *table]), flush=True)
        if given.write:
            write(field.heading, table, given.seed)


if __name__ == "__main__":
    main()
