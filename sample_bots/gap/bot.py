"""Plays the card that lies closest above a row's end: simple, quick, and far better than chance."""

from botkit import Bot, ElevenNimmtView, Play, SixNimmtView, Take, XNimmtView, heads, run

ROW_HOLDS = {"six-nimmt": (5, 5, 5, 5), "x-nimmt": (2, 3, 4)}
"""How many cards a resting row holds; the next one takes it."""


class GapBot(Bot):
    """A small gap leaves little room for other cards to get in between."""

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        return min(view.hand, key=lambda card: self._risk(card, view))

    def _risk(self, card: int, view: SixNimmtView | XNimmtView) -> tuple[int, int]:
        """First what the card would cost if nobody else played, then its gap."""
        below = [(row[-1], index) for index, row in enumerate(view.rows) if row[-1] < card]
        if not below:
            # A low card takes the cheapest row.
            return min(heads(row) for row in view.rows), card
        end, index = max(below)
        row = view.rows[index]
        full = len(row) >= ROW_HOLDS[self.rules.name][index]
        return (heads(row) if full else 0), card - end

    def choose_draft(self, view: SixNimmtView) -> int:
        # A hand that is spread out has an answer to most rows, so take what lies farthest from it.
        held = view.hand or (0,)
        return max(view.pool, key=lambda card: min(abs(card - other) for other in held))

    def choose_x_card(self, view: XNimmtView) -> int:
        # The X row must rise. The card just above its end leaves the most room for later ones.
        row = view.x_rows[view.seat]
        fitting = [card for card in view.taken if not row or card > row[-1]]
        return min(fitting or view.taken)

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        most = self.turns.widest_play()
        if most is not None and self.turns.many:
            return most
        return super().choose_turn(view)


if __name__ == "__main__":
    run(GapBot)
