"""How fast reviews are, and how sure: `python -m bench.review`.

A round of each game is reviewed with the compiled core at the default budget, and with few rollouts
in pure Python, whose time at the default budget is worked out from that. Times are CPU time.
"""

import argparse
import time
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from rich.console import Console
from rich.table import Table

import nimmt
from nimmt.core import engine
from nimmt.simulate import play_game
from review import DEFAULT_ROLLOUTS, Review, Settings, review_game

GAMES: tuple[tuple[str, str, dict[str, Any], list[str]], ...] = (
    ("6 nimmt!", "six-nimmt", {"rounds": 1}, ["random", "house", "highest", "random"]),
    ("6 nimmt!, a draft", "six-nimmt", {"rounds": 1, "advanced": True}, ["random"] * 4),
    ("X nimmt!", "x-nimmt", {}, ["random", "house", "highest", "random"]),
    ("11 nimmt!", "eleven-nimmt", {}, ["greedy", "house", "random", "greedy"]),
)
PURE_ROLLOUTS = 200
BOARD = 1


@dataclass(frozen=True, slots=True)
class Measured:
    """One reviewed game."""

    review: Review
    seconds: float

    @property
    def a_round(self) -> float:
        return self.seconds / len(self.review.rounds)

    def near_best(self) -> list[float]:
        """The errors of alternatives that cannot be told from the best."""
        steps = [step for part in self.review.rounds for step in part.steps]
        tied = [other for step in steps for other in step.judgement.alternatives if other.tied]
        return [other.q.error for other in tied]


def measure(document: dict[str, Any], settings: Settings) -> Measured:
    """Review a game and take the time."""
    began = time.process_time()
    made = review_game(document, settings)
    return Measured(made, time.process_time() - began)


def one_round(document: dict[str, Any]) -> int:
    """How many decisions of a game are unforced in its first round."""
    return sum(entry["by"] != "forced" for entry in document["rounds"][0]["decisions"])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--budget", type=int, default=DEFAULT_ROLLOUTS, help="rollouts a decision")
    parser.add_argument("--pure", action="store_true", help="measure pure Python as well")
    arguments = parser.parse_args()
    table = Table(title=f"A round with four seats, up to {arguments.budget:,} rollouts a decision")
    for column in ("game", "decisions", "s a round", "rollouts", "us each", "error near the best",
                   "largest", "pure, s a round"):  # fmt: skip
        table.add_column(column, justify="left" if column == "game" else "right")
    key = nimmt.key_from_seed(3)
    for title, name, options, bots in GAMES:
        game = play_game(nimmt.get(name, options), bots, key, BOARD)
        document = game.document(bots, key, BOARD)
        found = measure(document, Settings(rollouts=arguments.budget))
        rounds = len(found.review.rounds)
        pure = "-"
        if arguments.pure:
            seats = (0,)
            slow = measure(document, Settings(rollouts=PURE_ROLLOUTS, pure=True, seats=seats))
            each = slow.seconds / slow.review.rollouts
            pure = f"{each * found.review.rollouts / rounds:.0f}"
        errors = found.near_best()
        table.add_row(
            title,
            str(one_round(document)),
            f"{found.a_round:.2f}",
            f"{found.review.rollouts // rounds:,}",
            f"{1e6 * found.seconds / found.review.rollouts:.2f}",
            f"{fmean(errors):.3f}",
            f"{max(errors):.3f}",
            pure,
        )
    console = Console()
    console.print(table)
    console.print(engine().about)


if __name__ == "__main__":
    main()
