"""Looks one turn ahead: lays each of its cards against many turns that the others might play."""

from collections.abc import Sequence

from botkit import Bot, SixNimmtView, XNimmtView, heads, run

ROW_HOLDS = {"six-nimmt": (5, 5, 5, 5), "x-nimmt": (2, 3, 4)}
"""How many cards a resting row holds; the next one takes it."""
HIGHEST = {"six-nimmt": 104, "x-nimmt": 100}
TURNS = 50
"""More tell hardly more: what comes after this turn is left out anyway."""

Row = tuple[int, int, int]
"""The end of a row, its free places and its heads."""


class LookaheadBot(Bot):
    """Does not weigh a risk by a formula: it lets the turn happen, and counts."""

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        holds = ROW_HOLDS[self.rules.name]
        rows = [
            (row[-1], hold - len(row), heads(row))
            for row, hold in zip(view.rows, holds, strict=True)
        ]
        # The same turns for every card: then luck is the same for all of them.
        turns = [self._others(view) for _ in range(TURNS)]
        return min(view.hand, key=lambda card: (sum([cost(card, t, rows) for t in turns]), -card))

    def _others(self, view: SixNimmtView | XNimmtView) -> list[int]:
        """A card of every other seat: any of its hand where hands are open, else any unseen one."""
        if isinstance(view, SixNimmtView) and view.hands:
            hands = [hand for seat, hand in enumerate(view.hands) if seat != view.seat]
            return [self.rng.choice(hand) for hand in hands]
        shown = view.bull_piles if isinstance(view, SixNimmtView) else view.x_rows
        seen = {card for cards in (view.hand, *view.rows, *shown) for card in cards}
        unseen = [card for card in range(1, HIGHEST[self.rules.name] + 1) if card not in seen]
        return self.rng.sample(unseen, view.players - 1)

    def choose_draft(self, view: SixNimmtView) -> int:
        return view.pool[len(view.pool) // 2]


def cost(own: int, others: Sequence[int], start: Sequence[Row]) -> int:
    """Heads that a card takes when these others are laid in the same turn.

    >>> cost(20, [12, 15], [(10, 1, 7), (50, 3, 2)])
    0
    >>> cost(20, [15, 12], [(10, 2, 7), (50, 3, 2)]) > 7
    True
    """
    rows = list(start)
    for card in sorted([*others, own]):
        below = [row for row in rows if row[0] < card]
        row = max(below) if below else min(rows, key=lambda one: one[2])
        takes = not below or row[1] <= 0
        if card == own:
            return row[2] if takes else 0
        rows.remove(row)
        more = heads([card])
        # What a new row holds depends on the row; this turn is too short for that to matter.
        rows.append((card, 4, more) if takes else (card, row[1] - 1, row[2] + more))
    raise AssertionError("the own card is one of those that are laid")


if __name__ == "__main__":
    run(LookaheadBot, rules=["six-nimmt", "x-nimmt"])
