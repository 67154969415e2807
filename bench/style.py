"""Fits the numbers of `nimmt/style.py` to what `montecarlo` plays: a conditional logit.

Run `python -m bench.style`; it needs numpy (`bullring[train]`). Playouts are counted and boards
come from the seed, so that every machine finds the same numbers.
"""

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

import nimmt
from bench import arena
from bench.options import described
from nimmt.reading import slot_risks
from nimmt.style import QUARTERS, STYLES
from nimmt.views import SixNimmtView, XNimmtView
from sample_bots.montecarlo.bot import MonteCarloBot

GAMES: dict[str, tuple[dict[str, object], int]] = {
    "six-nimmt": ({"rounds": 1}, 4),
    "x-nimmt": ({}, 3),
}
PLAYOUTS = 60
ROUNDS = 40
"""Steps of Newton at most; a dozen are enough."""

Choice = tuple[NDArray[np.float64], int]
"""What speaks for each card of a hand, and which one was laid."""


def watch(name: str, boards: int, seed: int) -> list[Choice]:
    """The choices of games between `montecarlo` alone."""
    options, players = GAMES[name]
    rules = nimmt.get(name, options)
    powers = range(1, len(STYLES[name].card) + 1)
    made: list[Choice] = []

    class Watched(MonteCarloBot):
        playouts = PLAYOUTS

        def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
            chosen = super().choose_card(view)
            highest = self.memory.highest
            risks = slot_risks(name, self.memory.table, highest)
            heads = [risks[card] / QUARTERS for card in view.hand]
            rows = [
                [head, sqrt(head), *[(card / highest) ** power for power in powers]]
                for card, head in zip(view.hand, heads, strict=True)
            ]
            made.append((np.array(rows), view.hand.index(chosen)))
            return chosen

    for board in range(boards):
        arena.play(rules, [Watched] * players, nimmt.key_from_seed(seed), board)
    return made


def fit(choices: list[Choice]) -> tuple[NDArray[np.float64], float]:
    """The factors that make the choices likeliest, and the mean logarithm of their chance."""
    factors = np.zeros(choices[0][0].shape[1])
    total = 0.0
    for _ in range(ROUNDS):
        slope, bend, total = np.zeros_like(factors), 1e-6 * np.eye(len(factors)), 0.0
        for cards, chosen in choices:
            chances = np.exp(cards @ factors - (cards @ factors).max())
            chances /= chances.sum()
            mean = chances @ cards
            total += log(chances[chosen])
            slope += cards[chosen] - mean
            bend += (cards * chances[:, None]).T @ cards - np.outer(mean, mean)
        step = np.linalg.solve(bend, slope)
        factors += step
        if abs(step).max() < 1e-4:
            break
    return factors, total / len(choices)


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("--seed", type=int, default=5, help="of the boards")
    parser.add_argument("--boards", type=int, default=150, help="of each rules")
    given = parser.parse_args()
    for name in STYLES:
        choices = watch(name, given.boards, given.seed)
        factors, found = fit(choices)
        blind = -sum([log(len(cards)) for cards, _ in choices]) / len(choices)
        risk, root, *card = [round(float(factor), 2) for factor in factors]
        print(
            f'"{name}": Style({risk}, {root}, {tuple(card)}),  # {len(choices)} choices: '
            f"{found:.3f}, at random {blind:.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
