"""What one seat's browser is sent, frame by frame; exactly this and nothing else.

Pure: lines of a bridge and decisions of the referee go in, numbered frames come out.
"""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from api_models.states import ChoiceBy

Frame = dict[str, Any]
MISSES = 3
"""After this many asks in a row without an answer the platform plays on for a person."""
GAME_WARNING_SECONDS = 300.0
"""So long before the end of a game's time its people are warned."""
TIME_IS_UP = "The time for this game is over: the platform plays on for you."


@dataclass(slots=True)
class GameClock:
    """The time of a whole game; it runs from the first card, and stands while nobody plays it."""

    seconds: float
    used: float = 0.0
    """By earlier attempts."""
    began: float | None = None
    """On the monotonic clock; None: not begun in this attempt."""

    def left(self, now: float) -> float:
        """What is left; negative once it is over.

        >>> GameClock(60.0, used=20.0, began=100.0).left(110.0)
        30.0
        """
        return self.seconds - self.used - (0.0 if self.began is None else now - self.began)

    def is_short(self, now: float) -> bool:
        """Whether people are to be warned."""
        return self.left(now) <= min(GAME_WARNING_SECONDS, self.seconds / 4)


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
    game_warned: bool = False
    time_is_up: bool = False
    """Whether the platform plays on because the game's time is over."""
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

    def ask(self, line: Frame, now: float, clock: datetime, game_left: float) -> None:
        """The seat has to decide, within its time and that of the game, which `ends` then."""
        self.asks += 1
        game_left = max(0.0, game_left)
        seconds = min(line["move_ms"] / 1000.0, game_left)
        self.open = OpenAsk(self.asks, line["id"], now, seconds)
        deadline = (clock + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        ends = (clock + timedelta(seconds=game_left)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        asked = {name: line[name] for name in ("kind", "view", "legal")}
        asked["move_ms"] = round(seconds * 1000)
        self.add({"type": "ask", "ask": self.asks, **asked, "deadline": deadline, "ends": ends})

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

    def warn_of_end(self, left: float) -> None:
        """The game's time is nearly over: say so once, when the seat has to decide."""
        if self.open is not None and not self.game_warned:
            self.game_warned = True
            text = f"This game may take {_words(left)} more; then the platform plays on for you."
            self.add({"type": "warning", "left": MISSES - self.misses, "text": text})

    def end_time(self) -> None:
        """The game's time is over."""
        if not self.time_is_up:
            self.time_is_up = True
            self.add({"type": "warning", "left": 0, "text": TIME_IS_UP})

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
        why = "left" if decision["out"] == "left" and not self.time_is_up else "time"
        self._answered(ask.number, decision["choice"], ChoiceBy.PLATFORM, why)
        if self.misses >= MISSES and why == "time" and not self.time_is_up:
            text = "Nobody answered: the platform plays on for you to the end of the game."
            self.add({"type": "warning", "left": 0, "text": text})
        return ask.number

    def _answered(self, number: int, choice: Any, by: ChoiceBy, why: str) -> None:
        frame = {"type": "answered", "ask": number, "choice": choice, "by": by.value, "why": why}
        self.add(frame)


def _words(seconds: float) -> str:
    """How long, for people.

    >>> _words(299.7), _words(45.2), _words(60)
    ('5 minutes', '46 s', '1 minute')
    """
    if seconds < 60:
        return f"{ceil(seconds)} s"
    minutes = ceil(seconds / 60)
    return "1 minute" if minutes == 1 else f"{minutes} minutes"
