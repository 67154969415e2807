"""The house choice: what is played for a bot that failed. Deterministic, from the view alone."""

from collections.abc import Sequence

from nimmt import choices as kinds
from nimmt.cards import heads
from nimmt.choices import Choice, Play, Take, TurnOptions, gap
from nimmt.views import ElevenNimmtView, View


def house_choice(kind: str, view: View, legal: Sequence[int] | TurnOptions) -> Choice:
    """Lowest card or seat; cheapest row; in 11 nimmt! the single card with the smallest gap."""
    if isinstance(legal, TurnOptions):
        assert isinstance(view, ElevenNimmtView)
        return _house_turn(view, legal)
    if kind == kinds.ROW:
        assert not isinstance(view, ElevenNimmtView)
        return min(legal, key=lambda index: (heads(view.rows[index]), index))
    return min(legal)


def _house_turn(view: ElevenNimmtView, legal: TurnOptions) -> Choice:
    if not legal.plays:
        return Take(min(legal.takes))
    tops = {pile.number: pile.top for pile in view.piles}
    # Cards stand by ascending gap, so the first of each pile is its closest.
    closest = {pile: gap(cards[0], tops[pile]) for pile, cards in legal.plays.items()}
    pile = min(closest, key=lambda number: (closest[number], number))
    return Play({pile: legal.plays[pile][:1]})
