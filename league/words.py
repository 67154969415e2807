"""Words for numbers, the same wherever the league speaks."""

from collections.abc import Mapping
from math import ceil


def counted(number: int, noun: str, more: str = "") -> str:
    """A number with its noun; `more` is the plural where an s does not make it.

    >>> counted(1, "slot"), counted(2, "slot"), counted(0, "match", "matches")
    ('1 slot', '2 slots', '0 matches')
    """
    return f"{number} {noun if number == 1 else more or noun + 's'}"


def game_words(title: str, options: Mapping[str, object]) -> str:
    """What a game at a table is called: its rules, and the advanced game for what it is.

    >>> game_words("6 nimmt!", {"limit": 66}), game_words("6 nimmt!", {"advanced": True})
    ('6 nimmt!', '6 nimmt!, advanced game')
    """
    return f"{title}, advanced game" if options.get("advanced") else title


def option_words(options: Mapping[str, object]) -> str:
    """Options of rules as they are typed.

    >>> option_words({"rounds": 1, "advanced": True})
    'rounds=1, advanced=true'
    """
    return ", ".join(
        f"{name}={str(value).lower() if isinstance(value, bool) else value}"
        for name, value in options.items()
    )


def duration(seconds: float) -> str:
    """A time for people.

    >>> duration(20), duration(90), duration(7300)
    ('1 minute', '2 minutes', '2.0 hours')
    """
    if seconds <= 60:
        return "1 minute"
    if seconds < 3600:
        return f"{ceil(seconds / 60)} minutes"
    return f"{seconds / 3600:.1f} hours"
