"""Words for the table: names of seats, lists, counts. Why things happen is in `why`.

People count from 1: seats, rows and piles are called by the numbers of replays and bots plus one.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

_ORDINALS = ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class Voice(NamedTuple):
    """How one at the table is spoken of, or spoken to.

    >>> Voice("gap", False).does("takes"), Voice("gap", True).does("takes")
    ('gap takes', 'you take')
    """

    called: str
    you: bool

    @property
    def name(self) -> str:
        """As subject or object."""
        return "you" if self.you else self.called

    @property
    def own(self) -> str:
        """Whose something is."""
        return "your" if self.you else f"{self.called}'s"

    @property
    def its(self) -> str:
        """The same where the name has been said."""
        return "your" if self.you else "its"

    @property
    def it(self) -> str:
        """The name where it has been said."""
        return "you" if self.you else "it"

    def verb(self, word: str) -> str:
        """A verb in the form that follows the name; given as it follows `it`."""
        return word if not self.you else {"has": "have"}.get(word, word.removesuffix("s"))

    def does(self, word: str) -> str:
        """Name and verb."""
        return f"{self.name} {self.verb(word)}"


def sentences(text: str) -> str:
    """With a capital where a sentence begins with `you`.

    >>> sentences("your 3 is low. you take row 2: you pay.")
    'Your 3 is low. You take row 2: you pay.'
    """
    return re.sub(r"(^|[.!?] )you", r"\1You", text)


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


def choice_words(kind: str, choice: Any) -> str:
    """A choice of a replay in a few words, as the viewer tells it.

    >>> choice_words("card", 41), choice_words("row", 0)
    ('41', 'row 1')
    >>> choice_words("turn", {"play": {"2": [41, 44], "5": [60]}})
    '41, 44 on pile 3; 60 on 6'
    """
    if kind == "row":
        return f"row {choice + 1}"
    if kind == "x_card":
        return f"X row {choice}"
    if kind == "steal":
        return f"steal from seat {choice + 1}"
    if kind != "turn":
        return str(choice)
    if "take" in choice:
        return f"take pile {choice['take'] + 1}"
    laid = [
        f"{', '.join(map(str, cards))} on {'pile ' if at == 0 else ''}{int(pile) + 1}"
        for at, (pile, cards) in enumerate(choice["play"].items())
    ]
    return "; ".join(laid)
