"""Plays the card that costs least right now, and gets rid of its dearest cards first."""

from botkit import Bot, SixNimmtView, heads, run

ROW_HOLDS = 5


class LeastCostBot(Bot):
    """Looks one card ahead, as if nobody else played."""

    def choose_card(self, view: SixNimmtView) -> int:  # type: ignore[override]  # its only game
        return min(view.hand, key=lambda card: (immediate_cost(card, view.rows), -card))


def immediate_cost(card: int, rows: tuple[tuple[int, ...], ...]) -> int:
    """Heads this card would take if it were the only one played."""
    below = [row for row in rows if row[-1] < card]
    if not below:
        return min(heads(row) for row in rows)
    target = max(below, key=lambda row: row[-1])
    return heads(target) if len(target) == ROW_HOLDS else 0


if __name__ == "__main__":
    run(LeastCostBot, rules=["six-nimmt"])
