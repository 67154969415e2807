"""11 nimmt!: plans its next cards as in a game of patience, as if the others did not move."""

from botkit import Bot, ElevenNimmtView, Play, Take, run

REACH = 10
"""A card fits when it lies one to ten above the top; 1 follows 100."""
DEPTH = 4
"""Cards that it plans ahead. By then the others have changed the piles anyway."""

Step = tuple[int, int]
"""A pile and the card to lay on it."""


class PatienceBot(Bot):
    """A card is good if more of its own cards can follow."""

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        if not self.turns.plays:
            return super().choose_turn(view)
        most = self.turns.widest_play()
        if self.turns.many and most is not None:
            return most
        tops = {pile.number: pile.top for pile in view.piles}
        pile, card = plan(tops, frozenset(view.hand))[0]
        return Play({pile: (card,)})


def plan(tops: dict[int, int], hand: frozenset[int], depth: int = DEPTH) -> list[Step]:
    """The longest run of single cards, nearest card first; of equally long ones the tightest.

    >>> plan({0: 10, 1: 50}, frozenset({12, 13, 55, 70}))
    [(0, 12), (0, 13), (1, 55)]
    """
    best: list[Step] = []
    for pile, top in sorted(tops.items(), key=lambda item: gap_above(item[1], hand)):
        if depth == 0 or (gap := gap_above(top, hand)) > REACH:
            break
        # Only the nearest card of each pile: a farther one would pass it over for good.
        card = (top + gap - 1) % 100 + 1
        later = plan({**tops, pile: card}, hand - {card}, depth - 1)
        if len(later) + 1 > len(best):
            best = [(pile, card), *later]
        if len(best) == depth:
            break
    return best


def gap_above(top: int, hand: frozenset[int]) -> int:
    """How far the nearest card of the hand lies above a top."""
    return min([(card - top) % 100 for card in hand], default=100)


if __name__ == "__main__":
    run(PatienceBot, rules=["eleven-nimmt"])
