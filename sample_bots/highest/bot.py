"""Plays its highest card: high cards are the last to be placed, and rarely the sixth in a row."""

from botkit import Bot, SixNimmtView, XNimmtView, run


class HighestBot(Bot):
    """One line of play; rows and drafts are left to the defaults."""

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        return max(view.hand)

    def choose_draft(self, view: SixNimmtView) -> int:
        # The middle of what is left: neither the low cards that take rows, nor a hand that is
        # all of one kind.
        return view.pool[len(view.pool) // 2]


if __name__ == "__main__":
    run(HighestBot, rules=["six-nimmt", "x-nimmt"])
