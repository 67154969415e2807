"""The rules of 6 nimmt!, 11 nimmt! and X nimmt!: pure, fast, standard library only.

>>> rules = get("six-nimmt", {"rounds": 1})
>>> state = rules.start(players=4, board=KeyedBoard(key_from_seed(1), number=0))
>>> sorted(state.pending)
[0, 1, 2, 3]
"""

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
