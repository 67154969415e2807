"""What the ladder knows of its bots and of the rules by which tables are drawn.

Records and enums only; `draw` draws the tables.
"""

from dataclasses import dataclass
from enum import Enum


class BotStatus(Enum):
    """The state of a version, as far as it matters to the ladder."""

    READY = "It may be drawn."
    CHECKING = "It is being built or checked."
    REJECTED = "It did not pass the check."
    SUSPENDED = "It failed too often."
    WITHDRAWN = "Its author took it out."
    DISQUALIFIED = "The organiser took it out."
    SUPERSEDED = "A newer version has replaced it."
    NOT_ENTERED = "It is not entered in this ladder."


class TableReason(Enum):
    """Why the first bot of a table was drawn."""

    WAITED = "It had waited for half of the promised longest wait."
    WEIGHT = "It was drawn by uncertainty, newness and waiting time."
    RANDOM = "A random table, which keeps the field connected."


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderBot:
    """All that matchmaking knows of a version."""

    bot: str
    owner: str
    fingerprint: str = ""
    """Equal fingerprints are one entrant; empty is equal to none."""
    elo: float = 1500.0
    deviation: float | None = None
    """Standard error of the official rating; None = not measurable yet."""
    games: int = 0
    idle_seconds: float = 0.0
    """Since its last match ended, or since it joined."""
    in_flight: int = 0
    """Matches queued or running."""
    status: BotStatus = BotStatus.READY
    submitted: float = 0.0
    anchor: bool = False
    """Anchor bots fill tables; they know no owner and no cap, and are never drawn first."""
    think_seconds: float | None = None
    """Of an anchor bot: how long it thinks in a match of this ladder; None = not measured yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderSettings:
    """The matchmaking rules of one ladder."""

    seats: int = 4
    longest_wait: float = 3600.0
    """The promise in seconds; at half of it a bot goes before all others."""
    cap: int = 2
    random_share: float = 0.2
    newcomer_games: int = 100
    base_weight: float = 0.05
    paused: bool = False
    workers: int = 1

    def __post_init__(self) -> None:
        if not 2 <= self.seats <= 10:
            raise ValueError(f"a table has 2 to 10 seats, got {self.seats!r}")
        if self.longest_wait <= 0 or self.cap < 1:
            raise ValueError(
                f"longest_wait must be above 0 and cap 1 or more, got {self.longest_wait!r} "
                f"and {self.cap!r}"
            )

    def lets_fill(self, bot: LadderBot) -> bool:
        """Whether an anchor bot thinks quickly enough to fill seats.

        A table full of such bots takes a quarter of the promised wait at most.
        """
        if bot.status is not BotStatus.READY:
            return False
        limit = self.longest_wait / 4 / (self.seats - 1)
        return bot.think_seconds is None or bot.think_seconds <= limit


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderTable:
    """A match to play. The first of `bots` is the one it was made for."""

    bots: tuple[str, ...]
    reason: TableReason
    anchors: tuple[str, ...] = ()
