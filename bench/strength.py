"""How much stronger `sleuth` is than `montecarlo` at equal CPU: paired games on fixed boards.

Run `python -m bench.strength`. Both sit at every table, each board is played twice with their
seats exchanged, and the clock of both is the CPU time of the thread, so that a busy machine changes
nothing. What is reported is the difference of the points a round, and the chance to come in ahead
as Elo, both with intervals of 95 % over boards. `--idea` switches parts of `sleuth` off.

Two processes share the boards: `--boards 400` and `--first 400 --boards 400`. Of two halves
that are equally long the points are the mean, and the interval is the root of the sum of squares,
halved.
"""

import time
from functools import partial
from math import log10, sqrt
from random import Random
from statistics import fmean, stdev
from typing import NamedTuple

import nimmt
import sample_bots.montecarlo.bot as montecarlo
from bench import arena
from bench.options import described
from nimmt.core import rollouts
from sample_bots.sleuth.bot import SleuthBot

HEAD = (
    "| game | table | idea | ms a move | CPU ms used | boards | points a round | Elo |\n"
    "|---|---|---|---|---|---:|---|---|"
)


class Field(NamedTuple):
    """One game, and who fills the other seats of a mixed table."""

    title: str
    rules: str
    options: dict[str, object]
    mixed: tuple[str, ...]


FIELDS = {
    "six": Field("6 nimmt!", "six-nimmt", {"rounds": 1}, ("slotrisk", "gap")),
    "advanced": Field("6 nimmt!, advanced game", "six-nimmt",
                      {"rounds": 1, "advanced": True, "opening_picks": 2}, ("highest",)),
    "eleven": Field("11 nimmt!", "eleven-nimmt", {}, ("bullhunter",)),
    "x": Field("X nimmt!", "x-nimmt", {}, ("xsafe",)),
}  # fmt: skip
PARTS = ("models", "reads", "foresees")
IDEAS: dict[str, tuple[str, ...]] = {
    "all": PARTS,
    "none": (),
    "models": ("models",),
    "models, reading": ("models", "reads"),
    "foresight": ("foresees",),
}
"""By name, the parts of `sleuth` that are switched on."""


class Contest(NamedTuple):
    """What is compared, and where."""

    field: str
    mixed: bool
    new_ms: float
    old_ms: float
    idea: str
    seed: int


class Board(NamedTuple):
    """What one board showed, both games together."""

    points: float
    """New less old, a round."""
    ahead: float
    """How often the new one came in before an old one; level is a half."""


class Spent(NamedTuple):
    """The CPU seconds of every decision, the events before it included."""

    new: list[float]
    old: list[float]


def play_board(contest: Contest, number: int, spent: Spent) -> Board:
    """Both games of one board."""
    field = FIELDS[contest.field]
    rules = nimmt.get(field.rules, field.options)
    parts = {part: part in IDEAS[contest.idea] for part in PARTS}
    old = arena.spends(montecarlo.MonteCarloBot, contest.old_ms, spent.old)
    makers = [arena.spends(SleuthBot, contest.new_ms, spent.new, **parts), old]
    makers += [arena.find_class(name) if contest.mixed else old for name in field.mixed]
    order = list(range(len(makers)))
    Random(f"{contest.seed}/{number}").shuffle(order)
    points, ahead = [], []
    for seats in (order, [{0: 1, 1: 0}.get(who, who) for who in order]):
        key = nimmt.key_from_seed(contest.seed)
        result, rounds = arena.play(rules, [makers[who] for who in seats], key, number)
        mine = seats.index(0)
        rivals = [seat for seat, who in enumerate(seats) if who and makers[who] is old]
        theirs = fmean([result.points[seat] for seat in rivals])
        points.append((result.points[mine] - theirs) / rounds)
        ahead += [_score(result.places[mine], result.places[seat]) for seat in rivals]
    return Board(fmean(points), fmean(ahead))


def _score(own: int, other: int) -> float:
    return 0.5 if own == other else float(own < other)


def interval(values: list[float]) -> tuple[float, float]:
    """The mean and half of its interval."""
    return fmean(values), 1.96 * stdev(values) / sqrt(len(values))


def elo(share: float) -> float:
    """The difference of ratings that gives this score."""
    share = min(max(share, 1e-3), 1 - 1e-3)
    return 400 * log10(share / (1 - share))


def report(contest: Contest, boards: list[Board], spent: Spent) -> str:
    """One line of the table."""
    points, half = interval([one.points for one in boards])
    ahead, width = interval([one.ahead for one in boards])
    used = " / ".join([f"{1000 * fmean(times):.1f}" for times in spent])
    return (
        f"| {FIELDS[contest.field].title} | {'mixed' if contest.mixed else 'Monte Carlo'} "
        f"| {contest.idea} | {contest.new_ms:g} / {contest.old_ms:g} | {used} "
        f"| {len(boards)} | {points:+.2f} ± {half:.2f} "
        f"| {elo(ahead):+.0f} ({elo(ahead - width):+.0f} to {elo(ahead + width):+.0f}) |"
    )


def run(contest: Contest, boards: int, minutes: float, first: int = 0) -> str:
    """Play the boards from the first one on in their order, as far as the time goes."""
    spent = Spent([], [])
    played: list[Board] = []
    ends = time.monotonic() + 60 * minutes
    # One board alone has no interval.
    while len(played) < 2 or (len(played) < boards and time.monotonic() < ends):
        played.append(play_board(contest, first + len(played), spent))
    return report(contest, played, spent)


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("fields", nargs="*", default=list(FIELDS), help=", ".join(FIELDS))
    parser.add_argument(
        "--tables", choices=("mixed", "search", "both"), default="both", help="who else plays"
    )
    parser.add_argument("--idea", choices=tuple(IDEAS), default="all", help="what of sleuth is on")
    parser.add_argument("--ms", type=float, default=5, help="CPU time of a move")
    parser.add_argument("--old-ms", type=float, help="that of montecarlo, if it is another")
    parser.add_argument("--pure-old", action="store_true", help="montecarlo without the core")
    parser.add_argument("--boards", type=int, default=800, help="of each contest at most")
    parser.add_argument("--first", type=int, default=0, help="the board to begin with, from 0")
    parser.add_argument("--minutes", type=float, default=1e6, help="of each contest at most")
    parser.add_argument("--seed", type=int, default=1, help="of the boards")
    given = parser.parse_args()
    if given.pure_old:
        vars(montecarlo)["rollouts"] = partial(rollouts, pure=True)
    print(HEAD)
    for field in given.fields:
        for mixed in (True, False):
            if given.tables == ("search" if mixed else "mixed"):
                continue
            old_ms = given.old_ms or given.ms
            contest = Contest(field, mixed, given.ms, old_ms, given.idea, given.seed)
            print(run(contest, given.boards, given.minutes, given.first), flush=True)


if __name__ == "__main__":
    main()
