"""Choices as numbers, for policies: one numbering for 6 nimmt! and X nimmt!, one for 11 nimmt!.

`core/train.c` has the same numbers and masks in C; docs/training.md describes them. An action of
11 nimmt! names piles by their top cards, and covers what `TurnOptions.sensible` lists.
"""

from nimmt.choices import CARD, DRAFT, ROW, STEAL, WINDOW, X_CARD, Choice, Play, Take, TurnOptions
from nimmt.choices import HIGHEST as ELEVEN_HIGHEST
from nimmt.choices import gap as gap_of
from nimmt.errors import IllegalChoice
from nimmt.views import ElevenNimmtView, View

ACTION_VERSION = 1
"""Goes up when a number changes its meaning."""
CARDS, ROW_AT, ROW_PASS = 104, 104, 108
ROW_ACTIONS = 109
"""6 nimmt! and X nimmt!: card - 1, 104 + row, and 108 for a seat that is not asked."""
TAKE_AT, PILE_AT, WIDEST, STEAL_AT, TURN_PASS = 1000, 1100, 1200, 1201, 1211
TURN_ACTIONS = 1212
"""11 nimmt!: (card - 1) x 10 + gap - 1 lays one card, 1000 + top - 1 takes the pile with that top,
1100 + top - 1 lays all that fits on it, 1200 is the widest play, 1201 + seat steals, 1211 is for a
seat that is not asked."""


def action_count(rules: str) -> int:
    """How many actions these rules have."""
    return TURN_ACTIONS if rules == "eleven-nimmt" else ROW_ACTIONS


def action_mask(view: View, kind: str, legal: tuple[int, ...] | TurnOptions) -> bytes:
    """One byte an action, 1 where it is legal. A seat that is not asked (`""`) can only pass."""
    eleven = isinstance(view, ElevenNimmtView)
    mask = bytearray(TURN_ACTIONS if eleven else ROW_ACTIONS)
    if not kind:
        mask[-1] = 1
    elif isinstance(legal, TurnOptions):
        assert isinstance(view, ElevenNimmtView)
        _mask_turn(mask, view, legal)
    else:
        at = _first(kind)
        for number in legal:
            mask[at + number] = 1
    return bytes(mask)


def _first(kind: str) -> int:
    """What is added to the number that answers this kind."""
    return {CARD: -1, DRAFT: -1, X_CARD: -1, ROW: ROW_AT, STEAL: STEAL_AT}[kind]


def _mask_turn(mask: bytearray, view: ElevenNimmtView, legal: TurnOptions) -> None:
    for number, top in view.piles:
        mask[TAKE_AT + top - 1] = 1
        cards = legal.plays.get(number, ())
        for card in cards:
            mask[_lay(card, top)] = 1
        if legal.many and len(cards) > 1:
            mask[PILE_AT + top - 1] = 1
    if legal.many:
        widest = legal.widest_play()
        mask[WIDEST] = widest is not None and len(widest.cards) > 1


def _lay(card: int, top: int) -> int:
    return (card - 1) * WINDOW + gap_of(card, top) - 1


def choice_of(action: int, view: View, kind: str, legal: tuple[int, ...] | TurnOptions) -> Choice:
    """The choice that an action means; IllegalChoice for one that the mask forbids."""
    mask = action_mask(view, kind, legal)
    if not kind or not 0 <= action < len(mask) or not mask[action]:
        expected = f"one of the actions {[at for at, one in enumerate(mask) if one][:40]}"
        raise IllegalChoice(view.seat, kind or "pass", action, expected)
    if not isinstance(legal, TurnOptions):
        return action - _first(kind)
    assert isinstance(view, ElevenNimmtView)
    numbers = {pile.top: pile.number for pile in view.piles}
    if action == WIDEST:
        widest = legal.widest_play()
        assert widest is not None
        return widest
    if action >= PILE_AT:
        number = numbers[action - PILE_AT + 1]
        return Play({number: legal.plays[number]})
    if action >= TAKE_AT:
        return Take(numbers[action - TAKE_AT + 1])
    card, gap = action // WINDOW + 1, action % WINDOW + 1
    return Play({numbers[(card - gap - 1) % ELEVEN_HIGHEST + 1]: (card,)})


def action_of(
    choice: Choice, view: View, kind: str, legal: tuple[int, ...] | TurnOptions
) -> int | None:
    """The action that means this choice; None for a play of 11 nimmt! that has no number."""
    if isinstance(choice, int):
        return choice + _first(kind)
    assert isinstance(view, ElevenNimmtView)
    assert isinstance(legal, TurnOptions)
    tops = {pile.number: pile.top for pile in view.piles}
    if isinstance(choice, Take):
        return TAKE_AT + tops[choice.pile] - 1
    laid = {pile: tuple(cards) for pile, cards in choice.cards.items()}
    [first, *more] = laid
    if not more and len(laid[first]) == 1:
        return _lay(laid[first][0], tops[first])
    if not more and set(laid[first]) == set(legal.plays.get(first, ())):
        return PILE_AT + tops[first] - 1
    widest = legal.widest_play() if legal.many else None
    sets = {pile: set(cards) for pile, cards in laid.items()}
    if widest and sets == {pile: set(cards) for pile, cards in widest.cards.items()}:
        return WIDEST
    return None
