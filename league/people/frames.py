"""What one seat's browser is sent, frame by frame; exactly this and nothing else.

Pure: lines of a bridge and decisions of the referee go in, numbered frames come out.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from api_models.states import ChoiceBy

Frame = dict[str, Any]
MISSES = 3
"""After this many asks in a row without an answer the platform plays on for a person."""


@dataclass(slots=True)
class OpenAsk:
    """The ask that waits for a person."""

    number: int
    """Counted for this seat from 1, the same in every attempt."""
    wire_id: int
    asked_at: float
    """On the monotonic clock."""
    seconds: float
    warned: bool = False


@dataclass(slots=True)
class SeatFeed:
    """The frames of one seat, going on after those that earlier attempts sent."""

    seat: int
    players: list[Frame]
    number: int = 0
    """Of the last frame."""
    asks: int = 0
    """Asks that were answered in earlier attempts, and those of this one."""
    heard: int = 0
    """Events that the seat was sent in earlier attempts: they are not sent again."""
    misses: int = 0
    open: OpenAsk | None = None
    new: list[tuple[int, int, Frame]] = field(default_factory=list)
    """Frames that are not stored yet: seat, number, frame."""

    def add(self, frame: Frame) -> None:
        """Send a frame."""
        self.number += 1
        self.new.append((self.seat, self.number, frame))

    def end(self, frame: Frame) -> None:
        """Send the last frame; a second try to store it sends the same one."""
        if not self.new or self.new[-1][2]["type"] != frame["type"]:
            self.add(frame)

    def start(self, line: Frame) -> None:
        """The game begins; one that goes on in another attempt has begun before."""
        if self.number == 0:
            about = {name: line[name] for name in ("rules", "options", "seat", "move_ms")}
            self.add({"type": "start", **about, "players": self.players, "resumed": False})

    def events(self, line: Frame) -> None:
        """Something happened."""
        events = line["events"]
        known = min(self.heard, len(events))
        self.heard -= known
        if events[known:]:
            self.add({"type": "events", "events": events[known:]})

    def ask(self, line: Frame, now: float, clock: datetime) -> None:
        """The seat has to decide."""
        self.asks += 1
        seconds = line["move_ms"] / 1000.0
        self.open = OpenAsk(self.asks, line["id"], now, seconds)
        deadline = (clock + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        asked = {name: line[name] for name in ("kind", "view", "legal", "move_ms")}
        self.add({"type": "ask", "ask": self.asks, **asked, "deadline": deadline})

    def warn(self, now: float) -> None:
        """Half of the time has gone by without an answer: say so, once for each ask."""
        ask = self.open
        if ask is None or ask.warned or now - ask.asked_at < ask.seconds / 2:
            return
        ask.warned = True
        left = MISSES - self.misses
        rest = f"{ask.seconds / 2:.0f} s"
        text = f"Still there? In {rest} the platform chooses for you."
        if left == 1:
            text = f"Still there? In {rest} the platform plays on for you to the end of the game."
        self.add({"type": "warning", "left": left, "text": text})

    def chosen(self, choice: Any) -> OpenAsk | None:
        """The person has chosen; returns the ask that is to be answered."""
        ask, self.open = self.open, None
        if ask is not None:
            self.misses = 0
            self._answered(ask.number, choice, ChoiceBy.PERSON, "")
        return ask

    def platform_chose(self, decision: Frame) -> int | None:
        """The platform has decided for this seat; returns the number of the ask, if it was asked.

        Once nobody sits there any more, the seat is asked nothing, and is told nothing of it.
        """
        ask, self.open = self.open, None
        if ask is None:
            return None
        self.misses += 1
        why = "left" if decision["out"] == "left" else "time"
        self._answered(ask.number, decision["choice"], ChoiceBy.PLATFORM, why)
        if self.misses >= MISSES and why == "time":
            text = "Nobody answered: the platform plays on for you to the end of the game."
            self.add({"type": "warning", "left": 0, "text": text})
        return ask.number

    def _answered(self, number: int, choice: Any, by: ChoiceBy, why: str) -> None:
        frame = {"type": "answered", "ask": number, "choice": choice, "by": by.value, "why": why}
        self.add(frame)
