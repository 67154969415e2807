"""An ask that went wrong, told to the owner of the bot: what it saw, could choose, and sent.

People count from 1 here; the API has the same as the bot was told it.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dashboard.viewer.words import choice_words

_ASKED = {
    "card": "a card",
    "draft": "a card of the draft",
    "row": "a row to take",
    "x_card": "a card for its X row",
    "steal": "a seat to steal from",
    "turn": "a turn",
}
_FROM_ZERO = {"row": "row", "steal": "seat"}
"""What these kinds of choices number, and people count from 1."""


def chosen_words(kind: str, choice: Any) -> str:
    """A choice of a replay where nothing beside it says what its number is.

    >>> chosen_words("card", 41), chosen_words("row", 1)
    ('card 41', 'row 2')
    """
    words = choice_words(kind, choice)
    return f"card {words}" if kind in ("card", "draft") else words


def sent_words(kind: str, sent: Any) -> str:
    """What a bot sent; it may be no choice at all.

    >>> sent_words("row", 4), sent_words("turn", {"play": "?"}), sent_words("card", None)
    ('row 5', '{"play": "?"}', 'nothing that counts')
    """
    if sent is None:
        return "nothing that counts"
    is_choice = isinstance(sent, dict) if kind == "turn" else type(sent) is int
    if is_choice:
        try:
            return chosen_words(kind, sent)
        except (TypeError, ValueError, KeyError, AttributeError):
            pass
    return json.dumps(sent)


def told_ask(kind: str, view: Mapping[str, Any], legal: Any, sent: Any, choice: Any) -> str:
    """One line about one ask; `view` and `legal` as JSON has them.

    >>> told_ask("row", {"hand": [9], "rows": [[3, 5], [17]]}, [0, 1], 7, 1)
    'It was asked for a row to take. Hand: 9. Row 1: 3 5, row 2: 17. It could choose row 1 or 2. \
It sent row 8, so row 2 was chosen for it.'
    """
    hand = _cards(view.get("hand", ())) or "empty"
    return (
        f"It was asked for {_ASKED.get(kind, kind)}. Hand: {hand}. {_table(view)}"
        f"It could {_legal(kind, legal)}. It sent {sent_words(kind, sent)}, so"
        f" {chosen_words(kind, choice)} was chosen for it."
    )


def _cards(cards: Sequence[int]) -> str:
    return " ".join(map(str, cards))


def _table(view: Mapping[str, Any]) -> str:
    piles = [f"pile {pile['number'] + 1} with {pile['top']}" for pile in view.get("piles", ())]
    rows = [f"row {at}: {_cards(row)}" for at, row in enumerate(view.get("rows", ()), 1)]
    text = ", ".join(piles or rows)
    return f"{text[0].upper()}{text[1:]}. " if text else ""


def _either(items: Iterable[object]) -> str:
    """
    >>> _either([3, 17, 55])
    '3, 17 or 55'
    """
    words = [str(item) for item in items]
    return " or ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _legal(kind: str, legal: Any) -> str:
    """
    >>> turn = {"plays": {"2": [41, 44]}, "max_piles": 1, "many": False, "takes": [0]}
    >>> _legal("card", [3, 17]), _legal("turn", turn)
    ('choose card 3 or 17', 'play 41 or 44 on pile 3, or take pile 1')
    """
    if kind != "turn":
        what = _FROM_ZERO.get(kind)
        return f"choose {what or 'card'} {_either(one + 1 if what else one for one in legal)}"
    plays = [f"{_either(cards)} on pile {int(pile) + 1}" for pile, cards in legal["plays"].items()]
    ways = [f"play {'; '.join(plays)}"] if plays else []
    if legal["takes"]:
        ways.append(f"take pile {_either(pile + 1 for pile in legal['takes'])}")
    return ", or ".join(ways)
