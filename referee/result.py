"""What came of a match: games, faults and times, as records that cross the pipe as JSON."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from referee.faults import FaultKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A bot's note on one of its choices."""

    round_no: int
    decision: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """One finished game. Tuples follow the seats; `seats` tells the bot in each."""

    pass_no: int
    game_no: int
    board: int
    seats: tuple[int, ...]
    points: tuple[int, ...]
    """As played."""
    places: tuple[int, ...]
    """Bots that were out share the last place."""
    out: tuple[bool, ...]
    rounds: int
    replay: str = ""
    """The document of format bullring-replay/1, as it is written: one line of JSON."""
    notes: Mapping[int, tuple[Note, ...]] = field(default_factory=dict)
    """By seat; private to the bot's author."""

    @property
    def document(self) -> dict[str, Any]:
        """The replay, parsed. Keep it: every access parses it again."""
        found: dict[str, Any] = json.loads(self.replay)
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultRecord:
    """One fault of one bot. Where the fault has no decision, the last fields are None."""

    bot: int
    pass_no: int
    kind: FaultKind
    cause: str
    """One readable line."""
    out: bool
    """Whether this fault put the bot out of the pass."""
    game_no: int | None = None
    round_no: int | None = None
    decision: int | None = None
    began: float | None = None
    ended: float | None = None
    """For faults of time: the time that was too long, on the machine's monotonic clock. Whoever
    watched the host can tell what it did just then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRecord:
    """One bot over all passes of the match."""

    asks: int
    timeouts: int
    median_ms: float | None
    """Median time of a decision; None when it made none."""
    worst_ms: float | None
    """The longest message time, divided by the asks in that message."""
    think_s: float
    """All its time on the clock."""
    faults: tuple[FaultRecord, ...]
    received: int = 0
    """Bytes of the messages it sent."""
    cpu_s: float | None = None
    """All passes together, as the sandbox measured it; None where it cannot."""
    memory_peak: int | None = None
    log: str = ""
    """The end of its output, control characters escaped; private to its author."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """A whole match, or what was played of it."""

    games: tuple[GameRecord, ...]
    bots: tuple[BotRecord, ...]
    complete: bool
    """False when the match was stopped before its last game."""
    decisions: int
    """Decisions that bots were asked for."""
    wall_s: float
    lag_ms: float
    """Time that the referee's own loop was late; bots are credited it within limits."""
    given_ms: float = 0.0
    """Time that the host took, and that was given back to all clocks that ran then."""
    held_s: float = 0.0
    """Of that, breaks in which no bot was asked."""
    not_measured: str | None = None
    """Why the supervisor could not tell what the host took; None where it could."""
    play_s: float = 0.0
    """The time in which games were in play, without the start of the bots."""
    referee_cpu_s: float = 0.0
    """Its own CPU time while games were in play."""
    referee_memory: int = 0
    """The referee's own peak, in bytes."""
