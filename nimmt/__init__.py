"""The rules of 6 nimmt!, 11 nimmt! and X nimmt!: pure, fast, standard library only.

>>> from nimmt import KeyedBoard, get, key_from_seed
>>> rules = get("six-nimmt", {"rounds": 1})
>>> state = rules.start(players=4, board=KeyedBoard(key_from_seed(1), number=0))
>>> sorted(state.pending)
[0, 1, 2, 3]

A name is imported when it is first asked for: a bot that answers from its view needs no deals.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nimmt.board import Board, Deal, GivenBoard, KeyedBoard
    from nimmt.cards import bulls, heads
    from nimmt.choices import Ask, Choice, Play, Take, TurnOptions
    from nimmt.errors import IllegalChoice, RulesError
    from nimmt.events import Event, seen_by
    from nimmt.game import Result, Rules, State
    from nimmt.house import house_choice
    from nimmt.keys import bot_seed, commitment, key_from_seed, new_key
    from nimmt.registry import GAMES, get
    from nimmt.table import Table, fold
    from nimmt.views import ElevenNimmtView, Pile, SixNimmtView, View, XNimmtView

__all__ = [
    "GAMES",
    "Ask",
    "Board",
    "Choice",
    "Deal",
    "ElevenNimmtView",
    "Event",
    "GivenBoard",
    "IllegalChoice",
    "KeyedBoard",
    "Pile",
    "Play",
    "Result",
    "Rules",
    "RulesError",
    "SixNimmtView",
    "State",
    "Table",
    "Take",
    "TurnOptions",
    "View",
    "XNimmtView",
    "bot_seed",
    "bulls",
    "commitment",
    "fold",
    "get",
    "heads",
    "house_choice",
    "key_from_seed",
    "new_key",
    "seen_by",
]

_HOME = {
    "board": ("Board", "Deal", "GivenBoard", "KeyedBoard"),
    "cards": ("bulls", "heads"),
    "choices": ("Ask", "Choice", "Play", "Take", "TurnOptions"),
    "errors": ("IllegalChoice", "RulesError"),
    "events": ("Event", "seen_by"),
    "game": ("Result", "Rules", "State"),
    "house": ("house_choice",),
    "keys": ("bot_seed", "commitment", "key_from_seed", "new_key"),
    "registry": ("GAMES", "get"),
    "table": ("Table", "fold"),
    "views": ("ElevenNimmtView", "Pile", "SixNimmtView", "View", "XNimmtView"),
}
"""Where each name lives, as said to type checkers above."""
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}


# Hidden from type checkers, which would believe that every name can be had here.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in _HOME:
            return import_module(f"nimmt.{name}")
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'nimmt' has no attribute {name!r}")
        value: object = getattr(import_module(f"nimmt.{_MODULE_OF[name]}"), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
