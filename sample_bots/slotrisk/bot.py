"""Asks how likely it is that others fill the row before its own card gets there."""

from math import exp

from botkit import Bot, SixNimmtView, heads, run

ROW_HOLDS = 5
CARDS = 104


class SlotRiskBot(Bot):
    """The danger of a card: unseen cards in its gap against free places in its row."""

    def choose_card(self, view: SixNimmtView) -> int:  # type: ignore[override]  # its only game
        unseen = self._unseen(view)
        return min(view.hand, key=lambda card: (self._danger(card, view, unseen), -card))

    def _unseen(self, view: SixNimmtView) -> list[int]:
        """Cards that another seat may hold: not in my hand, not on the table, not taken."""
        if view.hands:
            mine = view.seat
            return sorted(c for seat, hand in enumerate(view.hands) if seat != mine for c in hand)
        seen = set(view.hand)
        for cards in (*view.rows, *view.bull_piles):
            seen.update(cards)
        return [card for card in range(1, CARDS + 1) if card not in seen]

    def _danger(self, card: int, view: SixNimmtView, unseen: list[int]) -> float:
        """Heads this card is expected to take in this turn."""
        below = [row for row in view.rows if row[-1] < card]
        cheapest = min(heads(row) for row in view.rows)
        if not below:
            return float(cheapest)
        row = max(below, key=lambda one: one[-1])
        free = ROW_HOLDS - len(row)
        between = sum(row[-1] < other < card for other in unseen)
        expected = (view.players - 1) * between / max(1, len(unseen))
        return at_least(free, expected) * heads(row)

    def choose_draft(self, view: SixNimmtView) -> int:
        # A hand that is spread out has an answer to most rows, so take what lies farthest from it.
        held = view.hand or (0,)
        return max(view.pool, key=lambda card: min(abs(card - other) for other in held))


def at_least(count: int, expected: float) -> float:
    """Chance that a Poisson number with this mean is `count` or more.

    >>> at_least(0, 0.5)
    1.0
    >>> round(at_least(1, 0.5), 3)
    0.393
    """
    term, below = exp(-expected), 0.0
    for number in range(count):
        below += term
        term *= expected / (number + 1)
    return 1.0 - below


if __name__ == "__main__":
    run(SlotRiskBot, rules=["six-nimmt"])
