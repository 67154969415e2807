"""How fast reviews are, and how sure: `python -m bench.review [--pure]`.

Games of each kind are reviewed with the compiled core at the default budget. The error is one
standard error of an alternative's Q, as the review states it, on average over all alternatives
that cannot be told from the best; beside it the mean error of the loss of the decision that was
made. With `--pure` one seat is reviewed with few rollouts in pure Python as well, and its time at
the default budget is worked out from that. Times are CPU time on one core.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.table import Table

import nimmt
from bench.options import described
from nimmt.core import engine
from nimmt.simulate import play_game
from review import DEFAULT_ROLLOUTS, Judgement, Review, Settings, review_game

GAMES: tuple[tuple[str, str, dict[str, Any], list[str], int], ...] = (
    ("6 nimmt!", "six-nimmt", {"rounds": 1}, ["random", "house", "highest", "random"], 8),
    ("6 nimmt!, a draft", "six-nimmt", {"rounds": 1, "advanced": True}, ["random"] * 4, 2),
    ("X nimmt!", "x-nimmt", {}, ["random", "house", "highest", "random"], 2),
    ("11 nimmt!", "eleven-nimmt", {}, ["greedy", "house", "random", "greedy"], 1),
)
"""Title, rules, options, bots, and how many games are reviewed."""
PURE_ROLLOUTS = 200
COLUMNS = (
    *("game", "rounds", "s a round", "rollouts", "us each", "error near the best", "largest"),
    *("error of the loss", "pure, s a round"),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """Reviewed games of one kind."""

    reviews: list[Review]
    seconds: float

    @property
    def rounds(self) -> int:
        return sum(len(review.rounds) for review in self.reviews)

    @property
    def rollouts(self) -> int:
        return sum(review.rollouts for review in self.reviews)

    def _judged(self) -> list[Judgement]:
        parts = [part for review in self.reviews for part in review.rounds]
        return [step.judgement for part in parts for step in part.steps]

    def near_best(self) -> list[float]:
        """The errors of alternatives that cannot be told from the best."""
        return [other.q.error for one in self._judged() for other in one.alternatives if other.tied]

    def losses(self) -> list[float]:
        """The errors of what decisions lost."""
        return [one.loss.error for one in self._judged()]


def measure(documents: Sequence[dict[str, Any]], settings: Settings) -> Measured:
    """Review games and take the time."""
    began = time.process_time()
    made = [review_game(document, settings) for document in documents]
    return Measured(made, time.process_time() - began)


def row(title: str, documents: Sequence[dict[str, Any]], budget: int, pure: bool) -> list[str]:
    """One kind of game as a row of the table."""
    found = measure(documents, Settings(rollouts=budget))
    slow = "-"
    if pure:
        few = measure(documents[:1], Settings(rollouts=PURE_ROLLOUTS, pure=True, seats=(0,)))
        slow = f"{few.seconds / few.rollouts * found.rollouts / found.rounds:.0f}"
    errors = found.near_best()
    return [
        title,
        str(found.rounds),
        f"{found.seconds / found.rounds:.2f}",
        f"{found.rollouts // found.rounds:,}",
        f"{1e6 * found.seconds / found.rollouts:.2f}",
        f"{fmean(errors):.3f}",
        f"{max(errors):.3f}",
        f"{fmean(found.losses()):.3f}",
        slow,
    ]


def main() -> None:
    """Print the table."""
    parser = described(__doc__)
    parser.add_argument("--budget", type=int, default=DEFAULT_ROLLOUTS, help="rollouts a decision")
    parser.add_argument("--pure", action="store_true", help="measure pure Python as well")
    arguments = parser.parse_args()
    table = Table(title=f"A round with four seats, up to {arguments.budget:,} rollouts a decision")
    for column in COLUMNS:
        table.add_column(column, justify="left" if column == "game" else "right")
    key = nimmt.key_from_seed(3)
    for title, name, options, bots, games in GAMES:
        documents = [
            play_game(nimmt.get(name, options), bots, key, board).document(bots, key, board)
            for board in range(1, games + 1)
        ]
        table.add_row(*row(title, documents, arguments.budget, arguments.pure))
    console = Console(width=140)
    console.print(table)
    console.print(engine().about)


if __name__ == "__main__":
    main()
