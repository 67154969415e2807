"""The plan of one match: everything the referee is told before it begins. No file, no clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nimmt import Rules, get

MAX_PACE_MS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeControl:
    """How long bots may take, in milliseconds."""

    move_ms: int = 100
    """Free time of every ask."""
    bank_ms: int = 1000
    """For a whole pass: what an Asks message takes beyond the free time of its asks."""
    start_ms: int = 10_000
    """From the start of the process until its Hello."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBot:
    """A bot as replays name it; how it is started does not concern the referee."""

    name: str
    version: int | None = None
    image: str | None = None
    time: TimeControl | None = None
    """A clock of its own; None: that of the match, which is also what replays name."""
    person: bool = False
    """Whether a person sits here: no thinker, never frozen, told events as they happen, and out
    only after that many asks in a row without an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenDecision:
    """A decision that an earlier attempt recorded, to be applied without asking."""

    seat: int
    kind: str
    choice: Any
    """As replays write it."""
    by: str
    ms: float | None = None
    batch: int | None = None
    fault: Any = None
    out: str | None = None
    """Why the seat was out by then; None: it was not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedGame:
    """One game of a pass."""

    game_no: int
    board: int
    seats: tuple[int, ...]
    """Which bot, by its index in the plan, sits in each seat."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchPlan:
    """One match. `check()` it before it is played."""

    match: str
    """The name of the match in its replays."""
    attempt: int = 1
    rules: str
    options: Mapping[str, Any] = field(default_factory=dict)
    bots: tuple[PlannedBot, ...]
    passes: tuple[tuple[PlannedGame, ...], ...]
    key: str
    """64 hex digits. It leaves the referee only in replays with `reveal_key`."""
    reveal_key: bool = False
    given_deals: tuple[Any, ...] = ()
    """Deals by round, as a replay holds them, for every game instead of those of the key."""
    given_decisions: tuple[GivenDecision, ...] = ()
    """What was decided before, in order of its making, forced decisions left out: the one game of
    this match goes on from there. Whoever was out stays out."""
    time: TimeControl = TimeControl()
    in_flight: int = 64
    """How many games of a pass are in play at once; 1 plays one after the other."""
    thinkers: int | None = None
    """How many bots may think or start at once; None sets no limit."""
    freeze: bool = False
    """Whether bots that are not asked are frozen; the supervisor must be able to."""
    max_faults: int = 3
    """How many faults in one pass put a bot out of it."""
    runner: str = "process"
    tcp: bool = False
    """Listen on loopback ports with a token a seat, for languages whose gRPC knows no unix sockets;
    for trusted bots on this machine only."""
    watch: bool = False
    """Whether the events of one game at a time are reported, hidden cards left out. Only games of
    the last pass are: earlier boards are played again, and a viewer would know the hands."""
    pace_ms: int = 0
    """A rest after every movement of a card before bots are asked again, so that people can follow
    a game while it is played; no bot's clock runs meanwhile."""
    debug_bot: int | None = None
    """A bot whose asks and answers are reported word for word."""

    def check(self) -> Rules:
        """The rules of this plan; ValueError says what is wrong with the plan."""
        rules = get(self.rules, self.options)
        rules.check_players(len(self.bots))
        all_bots = list(range(len(self.bots)))
        for games in self.passes:
            for game in games:
                if sorted(game.seats) != all_bots:
                    raise ValueError(
                        f"game {game.game_no} seats the bots {game.seats}, expected each of "
                        f"{all_bots} once"
                    )
        for name, least in (("in_flight", 1), ("max_faults", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}, expected {least} or more")
        if not 0 <= self.pace_ms <= MAX_PACE_MS:
            raise ValueError(f"pace_ms is {self.pace_ms}, expected 0 to {MAX_PACE_MS}")
        if self.thinkers is not None and self.thinkers < 1:
            raise ValueError(f"thinkers is {self.thinkers}, expected 1 or more, or none for all")
        if len(self.key) != 64:
            raise ValueError(f"the key has {len(self.key)} characters, expected 64 hex digits")
        if self.given_decisions and (count := sum(map(len, self.passes))) != 1:
            raise ValueError(f"decisions are given for {count} games, expected one game")
        return rules

    @property
    def has_people(self) -> bool:
        """Whether a person sits at the table; only then is every decision reported."""
        return any(bot.person for bot in self.bots)

    def time_of(self, bot: int) -> TimeControl:
        """The clock of one bot."""
        return self.bots[bot].time or self.time

    def outs(self) -> dict[int, str]:
        """The bots that were out when the given decisions ended, and why."""
        found: dict[int, str] = {}
        for decision in self.given_decisions:
            if decision.out is not None:
                found[self.passes[0][0].seats[decision.seat]] = decision.out
        return found


def one_pass(bots: int, boards: int, first: int = 0) -> tuple[tuple[PlannedGame, ...], ...]:
    """Different boards, the bots moving one seat on from game to game: for 4 and more bots.

    >>> [game.seats for game in one_pass(3, 4)[0]]
    [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 1, 2)]
    """
    return (_games(bots, boards, first, shift=0),)


def duplicate(bots: int, boards: int, first: int = 0) -> tuple[tuple[PlannedGame, ...], ...]:
    """The same boards in every pass, the bots one seat on: each bot has every seat on each board.

    >>> [[game.seats for game in games] for games in duplicate(2, 2)]
    [[(0, 1), (1, 0)], [(1, 0), (0, 1)]]
    """
    return tuple([_games(bots, boards, first, shift) for shift in range(bots)])


def _games(bots: int, boards: int, first: int, shift: int) -> tuple[PlannedGame, ...]:
    return tuple(
        [
            PlannedGame(
                game_no=number,
                board=first + number,
                seats=tuple([(seat + number + shift) % bots for seat in range(bots)]),
            )
            for number in range(boards)
        ]
    )
