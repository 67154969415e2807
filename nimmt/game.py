"""What the three games have in common: rules with their options, and the life of a state.

A state says who must decide what (`pending`), takes the choices (`apply`) and returns events.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from operator import add
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self, overload

from nimmt.board import Board, Deal, Shuffle
from nimmt.choices import Ask, Choice, TurnOptions, new_tuple
from nimmt.errors import IllegalChoice, RulesError, shorten
from nimmt.events import Event, GameEnd, RoundEnd
from nimmt.table import Table
from nimmt.views import View

Options = Mapping[str, Any]
Pending = Mapping[int, Ask]
NOTHING_PENDING: Pending = MappingProxyType({})
MOST_PLAYERS = 10


# Whom a game asks is written down once and shared by all its states, which only ever replace it.
def one_asked(kind: str) -> tuple[Pending, ...]:
    """By seat: that seat alone is asked."""
    return tuple(MappingProxyType({seat: Ask(kind)}) for seat in range(MOST_PLAYERS))


def all_asked(kind: str) -> tuple[Pending, ...]:
    """By the number of players: all of them are asked together."""
    tables = [range(players) for players in range(MOST_PLAYERS + 1)]
    return tuple(MappingProxyType(dict.fromkeys(seats, Ask(kind))) for seats in tables)


class Result(NamedTuple):
    """The end of a game: points by seat, and places from 1 with ties sharing a place."""

    points: tuple[int, ...]
    places: tuple[int, ...]


def places_of(points: Sequence[int]) -> tuple[int, ...]:
    """Places by points, fewest first.

    >>> places_of([0, 6, 1, 0])
    (1, 4, 3, 1)
    """
    ascending = sorted(points)
    return tuple([1 + ascending.index(own) for own in points])


class Rules(ABC):
    """One rule set with its options. Instances are immutable and may be shared."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Goes up when the same choices on the same board would play out differently."""
    title: ClassVar[str]
    kinds: tuple[str, ...]
    """The kinds of decision that these rules and options can ask for."""
    min_players: int = 2
    max_players: int
    options: Options
    """Every option the rules have, written out in full."""

    @abstractmethod
    def __init__(self, options: Options) -> None: ...

    @abstractmethod
    def start(self, players: int, board: Board) -> "State":
        """The first state of a game; `state.opening` holds the events of the first deal."""

    @abstractmethod
    def draw_deal(self, players: int, shuffle: Shuffle) -> Deal:
        """Deal one round from a shuffled deck."""

    @abstractmethod
    def check_deal(self, players: int, deal: Deal) -> None:
        """Raise RulesError unless the deal is one that the deck could give."""

    @abstractmethod
    def deal_to_json(self, deal: Deal, start_seat: int) -> dict[str, Any]:
        """The deal as it stands in a replay."""

    @abstractmethod
    def deal_from_json(self, players: int, value: object) -> tuple[Deal, int]:
        """The deal and the start seat that stand in a replay; RulesError where they do not."""

    @abstractmethod
    def max_decisions(self, players: int) -> int:
        """A bound on the decisions of a whole game: no game is longer."""

    @abstractmethod
    def planned_rounds(self, players: int) -> int | None:
        """How many rounds a game has; None where the points decide it."""

    def check_players(self, players: object) -> None:
        if type(players) is not int or not self.min_players <= players <= self.max_players:
            given = ", ".join(f"{name}={shorten(value)}" for name, value in self.options.items())
            chosen = f" with {given}" if given else ""
            raise RulesError(
                f"{self.name}{chosen} is for {self.min_players} to {self.max_players} players,"
                f" got {shorten(players)}"
            )

    def __repr__(self) -> str:
        return f"<{self.name} {dict(self.options)}>"


class State(ABC):
    """One game in progress. Mutable; `copy()` shares nothing that can change."""

    __slots__ = (
        "board",
        "deals",
        "opening",
        "pending",
        "players",
        "points",
        "result",
        "round_no",
        "rules",
        "scores",
        "start_seat",
        "totals",
        "turn",
    )
    rules: Rules
    players: int
    board: Board | None
    """None for a state rebuilt from a view: such a game ends with its round."""
    pending: Pending
    """Who must decide what, now; empty when the game is over."""
    opening: Sequence[Event]
    """The events of the first deal."""
    round_no: int
    turn: int
    start_seat: int
    points: list[int]
    """What each seat would score if the round ended now."""
    totals: tuple[int, ...]
    """The points of the finished rounds together."""
    deals: list[tuple[Deal, int]]
    """The deal and the start seat of each round so far."""
    scores: list[tuple[int, ...]]
    """The points of each finished round."""
    result: Result | None

    def __init__(self, rules: Rules, players: int, board: Board | None) -> None:
        self.rules = rules
        self.players = players
        self.board = board
        self.round_no = -1
        self.start_seat = 0
        self.totals = (0,) * players
        self.deals = []
        self.scores = []
        self.result = None
        first: list[Event] = []
        self.opening = first
        if board is not None:
            self._deal(first)

    @abstractmethod
    def _deal(self, events: list[Event]) -> None:
        """Deal the next round, and ask for its first decision."""

    @abstractmethod
    def legal(self, seat: int) -> tuple[int, ...] | TurnOptions:
        """The choices of a pending seat; empty for a seat that is not asked."""

    @abstractmethod
    def apply(self, choices: Mapping[int, Choice]) -> list[Event]:
        """Carry out one choice for each pending seat, or raise IllegalChoice and change nothing."""

    @overload
    def view(self, seat: int) -> View: ...
    @overload
    def view(self, seat: None) -> Table: ...
    @abstractmethod
    def view(self, seat: int | None) -> View | Table:
        """What a seat may see; None for the spectator who sees everything."""

    @abstractmethod
    def copy(self) -> Self: ...

    @abstractmethod
    def playout(self, rng: Random, first: Mapping[int, Choice] | None = None) -> list[int]:
        """Points of this round if all play on at random; the state itself is left alone.

        `first` fixes choices of seats that are pending now; they are not checked for legality.
        """

    def forced(self, seat: int) -> Choice | None:
        """The only legal choice of a pending seat, or None where there is a real choice."""
        legal = self.legal(seat)
        if isinstance(legal, TurnOptions):
            return legal.only
        return legal[0] if len(legal) == 1 else None

    def canonical(self, seat: int, choice: object) -> Choice:
        """The choice in the one form a replay holds, or IllegalChoice."""
        legal = self.legal(seat)
        if isinstance(legal, TurnOptions):
            return legal.checked(seat, choice)
        if type(choice) is int and choice in legal:
            return choice
        kind = self.pending[seat].kind if seat in self.pending else "choice"
        raise IllegalChoice(seat, kind, choice, _one_of(legal))

    def _asked_alone(self, choices: Mapping[int, Choice]) -> tuple[int, Choice]:
        """The one seat that is asked, and its choice."""
        try:
            [seat] = self.pending
            # Nearly every call brings a dict with just that seat, which needs no closer look.
            if type(choices) is dict and len(choices) == 1:
                return seat, choices[seat]
        except Exception:
            # Another seat, a key that cannot even be compared, or no seat is asked: reported below.
            pass
        self._check_keys(choices)
        [seat] = self.pending
        return seat, choices[seat]

    def _check_keys(self, choices: Mapping[int, Choice]) -> None:
        got: object = choices
        # A dict is by far the commonest; asking for any Mapping costs ten times as much.
        if type(choices) is dict or isinstance(choices, Mapping):
            try:
                if choices and choices.keys() == self.pending.keys():
                    return
                got = sorted(choices, key=shorten)
            except Exception as error:
                # Keys that cannot even be compared are as wrong as any other.
                got = f"keys that raise {type(error).__name__}"
        expected = f"one for each seat of {sorted(self.pending)}"
        raise IllegalChoice(None, "choices", got, expected)

    def _end_round(self, events: list[Event]) -> tuple[int, ...]:
        points = tuple(self.points)
        self.totals = tuple(map(add, self.totals, points))
        self.scores.append(points)
        events.append(new_tuple(RoundEnd, (points, self.totals)))
        return points

    def _end_game(self, events: list[Event]) -> None:
        self.result = Result(self.totals, places_of(self.totals))
        self.pending = NOTHING_PENDING
        events.append(GameEnd(*self.result))

    def _copy_common(self, other: Self) -> Self:
        other.rules = self.rules
        other.players = self.players
        other.board = self.board
        other.pending = self.pending
        other.opening = self.opening
        other.round_no = self.round_no
        other.turn = self.turn
        other.start_seat = self.start_seat
        other.points = self.points[:]
        other.totals = self.totals
        other.deals = self.deals[:]
        other.scores = self.scores[:]
        other.result = self.result
        return other


def _one_of(legal: Sequence[int]) -> str:
    return f"one of {tuple(legal)}" if legal else "no answer, as this seat is not asked"
