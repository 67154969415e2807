"""What the three reference games share: cards, heads, places, option and deal checks.

No rule of a single game is here, and nothing is imported from the product."""

from collections.abc import Sequence
from typing import Any

Deal = dict[str, Any]
Options = dict[str, Any]


def heads(card: int) -> int:
    """Bull heads on a card; the order of the questions matters (55 is also a multiple of 11)."""
    if card == 55:
        return 7
    if card % 11 == 0:
        return 5
    if card % 10 == 0:
        return 3
    if card % 5 == 0:
        return 2
    return 1


def heads_of(cards: Sequence[int]) -> int:
    """Bull heads on several cards."""
    return sum(heads(card) for card in cards)


def closest_lower_row(rows: Sequence[Sequence[int]], card: int) -> int | None:
    """The row where a card belongs: ends below it, and the closest of those. None: a low card."""
    best: int | None = None
    for index, row in enumerate(rows):
        if row[-1] < card and (best is None or row[-1] > rows[best][-1]):
            best = index
    return best


def places_of(points: Sequence[int]) -> list[int]:
    """Places from 1, fewest points first, equal points share a place (6-6, 11-26, X-9)."""
    return [1 + sum(1 for other in points if other < own) for own in points]


def is_number(value: object) -> bool:
    """A true integer; Python counts True as 1, JSON does not."""
    return type(value) is int


def check_known(options: Options, known: Sequence[str]) -> None:
    """No option exists but those of the rules."""
    for name in options:
        if name not in known:
            raise ValueError(f"unknown option {name!r}; the options are {list(known)}")


def check_players(players: int, fewest: int, most: int) -> None:
    """The number of players must lie in the range of the rules."""
    if not is_number(players) or not fewest <= players <= most:
        raise ValueError(f"{players!r} players; expected {fewest} to {most}")


def check_keys(deal: Deal, keys: Sequence[str]) -> None:
    """A deal holds what chance decided and nothing else."""
    if sorted(deal) != sorted(keys):
        raise ValueError(f"deal with {sorted(deal)}; expected {sorted(keys)}")


def check_start_seat(deal: Deal, expected: int) -> None:
    """The start seat follows from the rules; the deal only repeats it."""
    if deal["start_seat"] != expected:
        raise ValueError(f"deal starts at seat {deal['start_seat']!r}; expected {expected}")


def check_groups(name: str, groups: Any, count: int, size: int) -> None:
    """`groups` must be `count` lists of `size` cards each."""
    if not isinstance(groups, list) or len(groups) != count:
        raise ValueError(f"{name} {groups!r}; expected {count} lists")
    for group in groups:
        if not isinstance(group, list) or len(group) != size:
            raise ValueError(f"{name} with {group!r}; expected a list of {size} cards")


def check_distinct(cards: Sequence[int], highest: int) -> None:
    """Every card is a number of the deck and is dealt once."""
    for card in cards:
        if not is_number(card) or not 1 <= card <= highest:
            raise ValueError(f"card {card!r} in the deal; expected 1 to {highest}")
    if len(set(cards)) != len(cards):
        raise ValueError(f"a card is dealt twice in {sorted(cards)}")
