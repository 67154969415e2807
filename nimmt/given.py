"""What comes from outside, checked or refused with what was expected: options, and deals.

The rules of each game say what they ask for; nothing here knows a game.
"""

from collections.abc import Sequence
from typing import Any

from nimmt.board import Cards
from nimmt.errors import RulesError, shorten
from nimmt.game import Options


def check_cards(groups: Sequence[Cards], sizes: Sequence[int], highest: int, what: str) -> None:
    """Raise RulesError unless these are groups of those sizes, of different cards 1..highest."""
    if [len(group) for group in groups] != list(sizes):
        got = [len(group) for group in groups]
        raise RulesError(f"{what} holds {got} cards, expected {list(sizes)}")
    seen: set[int] = set()
    for group in groups:
        for card in group:
            if type(card) is not int or not 1 <= card <= highest:
                raise RulesError(f"{what} holds {shorten(card)}, expected cards 1 to {highest}")
            if card in seen:
                raise RulesError(f"{what} holds the card {card} twice")
            seen.add(card)


def known_options(name: str, options: Options, defaults: Options) -> dict[str, Any]:
    """The options over their defaults; a name that is no option is refused."""
    for option in options:
        if option not in defaults:
            known = ", ".join(defaults) or "no options"
            raise RulesError(f"{name} has no option {option!r:.40}; it knows {known}")
    return {**defaults, **options}


def whole_number(name: str, value: object, low: int, high: int) -> int:
    """The value, if it is a whole number in this range."""
    if type(value) is not int or not low <= value <= high:
        raise RulesError(f"option {name} must be {low} to {high}, got {shorten(value)}")
    return value


def json_object(value: object, keys: Sequence[str], what: str) -> dict[str, Any]:
    """The value, if it is a JSON object with exactly these keys."""
    if not isinstance(value, dict) or set(value) != set(keys):
        got = sorted(value, key=repr) if isinstance(value, dict) else value
        raise RulesError(f"{what} must have exactly {', '.join(keys)}, got {shorten(got)}")
    return value


def json_cards(value: object, what: str) -> Cards:
    """The value, if it is a list of whole numbers."""
    if not isinstance(value, list) or any(type(card) is not int for card in value):
        raise RulesError(f"{what} must be a list of cards, got {shorten(value)}")
    return tuple(value)


def json_groups(value: object, count: int, what: str) -> tuple[Cards, ...]:
    """The value, if it is a list of that many lists of cards."""
    if not isinstance(value, list) or len(value) != count:
        raise RulesError(f"{what} must be a list of {count} lists, got {shorten(value)}")
    return tuple([json_cards(group, what) for group in value])


def json_hands(value: object, players: int, what: str = "hands") -> tuple[Cards, ...]:
    """One list of cards a seat; a hand has no order, ours stand ascending."""
    return tuple([tuple(sorted(hand)) for hand in json_groups(value, players, what)])


def json_starts(value: object, count: int) -> Cards:
    """Rows or piles as they start: each a list of one card."""
    groups = json_groups(value, count, "rows")
    if any(len(group) != 1 for group in groups):
        raise RulesError(f"every row starts with one card, got {shorten(value)}")
    return tuple([group[0] for group in groups])


def json_seat(value: object, players: int) -> int:
    """The value, if it is a seat at this table."""
    if type(value) is not int or not 0 <= value < players:
        raise RulesError(f"start_seat must be 0 to {players - 1}, got {shorten(value)}")
    return value
