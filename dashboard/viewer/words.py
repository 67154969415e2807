"""Words for the table: names of seats, lists, counts. Why things happen is in `why`.

People count from 1: seats, rows and piles are called by the numbers of replays and bots plus one.
"""

from collections.abc import Iterable, Sequence

_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def names_of(bots: Sequence[str]) -> list[str]:
    """A short name for each seat; equal names are told apart by their seats.

    >>> names_of(["ada/greedy", "bo/slow", "cy/greedy"])
    ['greedy (seat 1)', 'slow', 'greedy (seat 3)']
    """
    short = [bot.rsplit("/", 1)[-1] for bot in bots]
    return [
        name if short.count(name) == 1 else f"{name} (seat {seat})"
        for seat, name in enumerate(short, 1)
    ]


def listed(items: Iterable[object]) -> str:
    """
    >>> listed([3, 5, 9])
    '3, 5 and 9'
    """
    words = [str(item) for item in items]
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def several(count: int, noun: str) -> str:
    """
    >>> several(1, "head"), several(9, "card")
    ('1 head', '9 cards')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def ordinal(number: int) -> str:
    """
    >>> ordinal(6)
    'sixth'
    """
    return _ORDINALS[number]


def number_word(number: int) -> str:
    """
    >>> number_word(5), number_word(14)
    ('five', '14')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def zone_number(zone: str) -> int:
    """The number of a row or pile as people count.

    >>> zone_number("row:0")
    1
    """
    return int(zone.partition(":")[2]) + 1


def zone_seat(zone: str) -> int:
    """The seat that a zone belongs to, as replays count.

    >>> zone_seat("hand:2")
    2
    """
    return int(zone.partition(":")[2])
