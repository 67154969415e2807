"""The class that authors write. It knows nothing of connections: `botkit.client` feeds it."""

import random
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from nimmt import choices as kinds
from nimmt.choices import Choice, Play, Take, TurnOptions
from nimmt.events import Event
from nimmt.house import house_choice
from nimmt.views import ElevenNimmtView, SixNimmtView, View, XNimmtView

if TYPE_CHECKING:
    from nimmt.game import Rules


class MessageClock:
    """The time of one message of asks, shared by all bots that are asked in it."""

    __slots__ = ("asks_left", "bank_ms", "came", "free_ms")

    def __init__(self, free_ms: int = 0, bank_ms: int = 0, asks_left: int = 1) -> None:
        self.free_ms = free_ms
        self.bank_ms = bank_ms
        self.asks_left = asks_left
        self.came = time.monotonic()

    def left_ms(self) -> float:
        """What is left before the message is a timeout, the whole bank included."""
        return self.free_ms + self.bank_ms - (time.monotonic() - self.came) * 1000.0


class Played:
    """What a pass plays, as the referee named it: rules are made when a bot looks at them.

    Most bots never do, and with their deals, boards and playouts they take long to import.
    """

    def __init__(self, name: str, options: Mapping[str, object]) -> None:
        self.name = name
        self.options = options

    @cached_property
    def rules(self) -> "Rules":
        """The rules with these options."""
        from nimmt.registry import get

        return get(self.name, self.options)


class Question(NamedTuple):
    """One ask of a batch, for bots that override `choose_batch`."""

    bot: "Bot"
    """The instance that plays this game."""
    kind: str
    """`card`, `row`, `draft`, `x_card`, `steal` or `turn`."""
    view: View
    legal: tuple[int, ...] | TurnOptions


class Bot:
    """One bot in one game: a fresh instance plays each game, so `self` remembers that game alone.

    Override the decisions you care about; the others are made as the house would make them.
    """

    seat: int
    players: int
    game_no: int
    rng: random.Random
    """Seeded for this game. Draw all chance from it, and your games can be reproduced."""
    legal: tuple[int, ...] = ()
    """The legal choices of the current ask (all kinds but a turn of 11 nimmt!)."""
    turns: TurnOptions
    """The legal turns of the current ask (11 nimmt!)."""

    _clock = MessageClock()
    _note = ""
    _played: Played

    @cached_property
    def rules(self) -> "Rules":
        """What is played, with all options: `self.rules.name`, `self.rules.options`."""
        return self._played.rules

    def on_game_start(self) -> None:
        """A game begins; `seat`, `players`, `rules` and `rng` are set."""

    def on_event(self, event: Event) -> None:
        """Something happened at the table. Events are sent only to bots that override this."""

    def on_game_over(self, points: Sequence[int], places: Sequence[int]) -> None:
        """The game is over; both lists are by seat."""

    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        """Which card of `view.hand` to lay."""
        return min(view.hand)

    def choose_row(self, view: SixNimmtView | XNimmtView) -> int:
        """Which row to take: an index into `view.rows`."""
        return self._house(kinds.ROW, view)

    def choose_draft(self, view: SixNimmtView) -> int:
        """Which card of `view.pool` to draft (advanced game)."""
        return min(view.pool)

    def choose_x_card(self, view: XNimmtView) -> int:
        """Which card of `view.taken` to put into the own X row."""
        return min(view.taken)

    def choose_steal(self, view: ElevenNimmtView) -> int:
        """From which seat of `self.legal` to steal a bull card."""
        return min(self.legal)

    def choose_turn(self, view: ElevenNimmtView) -> Take | Play:
        """Take a pile, or play on piles: what is possible is in `self.turns`."""
        choice = house_choice(kinds.TURN, view, self.turns)
        assert not isinstance(choice, int)
        return choice

    @classmethod
    def choose_batch(cls, questions: Sequence[Question]) -> Sequence[Choice]:
        """Answer many asks of different games at once, for example with one call of a network."""
        return [question.bot.choose(question) for question in questions]

    def choose(self, question: Question) -> Choice:
        """Call the method for one question."""
        choice: Choice = getattr(self, f"choose_{question.kind}")(question.view)
        return choice

    def note(self, text: str) -> None:
        """Say a word (up to 200 bytes) on the choice you are making; only you will read it."""
        self._note = text

    @property
    def time_left_ms(self) -> float:
        """Time left for all asks of the current message together, the whole bank included."""
        return self._clock.left_ms()

    @property
    def free_time_ms(self) -> float:
        """Time left for all asks of the current message before the bank is touched."""
        return self._clock.left_ms() - self._clock.bank_ms

    @property
    def asks_left(self) -> int:
        """How many asks share that time, this one included."""
        return self._clock.asks_left

    def _house(self, kind: str, view: View) -> int:
        choice = house_choice(kind, view, self.legal)
        assert isinstance(choice, int)
        return choice
