"""Words for numbers, the same wherever the league speaks."""


def counted(number: int, noun: str, more: str = "") -> str:
    """A number with its noun; `more` is the plural where an s does not make it.

    >>> counted(1, "slot"), counted(2, "slot"), counted(0, "match", "matches")
    ('1 slot', '2 slots', '0 matches')
    """
    return f"{number} {noun if number == 1 else more or noun + 's'}"
