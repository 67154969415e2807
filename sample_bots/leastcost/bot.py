"""Plays the card that costs least right now, and gets rid of its dearest cards first."""

from botkit import Bot, SixNimmtView, XNimmtView, heads, run

ROW_HOLDS = {"six-nimmt": (5, 5, 5, 5), "x-nimmt": (2, 3, 4)}
"""How many cards a resting row holds; the next one takes it."""


class LeastCostBot(Bot):
    """Looks one card ahead, as if nobody else played."""

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        holds = ROW_HOLDS[self.rules.name]
        return min(view.hand, key=lambda card: (immediate_cost(card, view.rows, holds), -card))


def immediate_cost(card: int, rows: tuple[tuple[int, ...], ...], holds: tuple[int, ...]) -> int:
    """Heads this card would take if it were the only one played."""
    below = [(row[-1], row, hold) for row, hold in zip(rows, holds, strict=True) if row[-1] < card]
    if not below:
        return min(heads(row) for row in rows)
    _, target, hold = max(below)
    return heads(target) if len(target) == hold else 0


if __name__ == "__main__":
    run(LeastCostBot, rules=["six-nimmt", "x-nimmt"])
