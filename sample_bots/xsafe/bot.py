"""X nimmt!: avoids takes, keeps the X row rising slowly, and puts its dearest cards there."""

from botkit import Bot, SixNimmtView, XNimmtView, heads, run

ROW_HOLDS = (2, 3, 4)


class XSafeBot(Bot):
    """Cards in the X row cost nothing, so the X row is where dear cards belong."""

    def choose_card(self, view: XNimmtView) -> int:  # type: ignore[override]  # its only game
        return min(view.hand, key=lambda card: self._risk(card, view))

    def _risk(self, card: int, view: XNimmtView) -> tuple[float, int]:
        below = [(row[-1], index) for index, row in enumerate(view.rows) if row[-1] < card]
        if not below:
            return min(self._price(row, view) for row in view.rows), -card
        end, index = max(below)
        row = view.rows[index]
        free = ROW_HOLDS[index] - len(row)
        if free <= 0:
            return self._price(row, view), -card
        # Every other player may get in between; the wider the gap, the likelier.
        return (view.players - 1) * (card - end) / 100 * self._price(row, view) / free, -card

    def _price(self, row: tuple[int, ...], view: XNimmtView) -> float:
        """What taking a row is worth avoiding: all but one card come back to the hand."""
        last = view.x_rows[view.seat][-1:]
        fits = [card for card in row if not last or card > last[0]]
        broken = 0 if fits else 2 * heads(view.x_rows[view.seat])
        return 1 + heads(row) - max((heads([card]) for card in fits or row), default=0) + broken

    def choose_row(self, view: SixNimmtView | XNimmtView) -> int:
        assert isinstance(view, XNimmtView)
        return min(self.legal, key=lambda index: self._price(view.rows[index], view))

    def choose_x_card(self, view: XNimmtView) -> int:
        last = view.x_rows[view.seat][-1:]
        fits = [card for card in view.taken if not last or card > last[0]]
        if not fits:
            # The row breaks anyway: begin the new one as low as possible.
            return min(view.taken)
        # A low card leaves room, a dear card is well hidden: weigh the two.
        return min(fits, key=lambda card: card - 8 * heads([card]))


if __name__ == "__main__":
    run(XSafeBot, rules=["x-nimmt"])
