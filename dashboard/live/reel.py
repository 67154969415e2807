"""A live match as its watchers see it: which game is on, how much of it, and when the next step.

Pure: entries of the record and times go in, steps for the viewer come out. The record may run far
ahead of what people can follow; then the game on screen is shown to its end, and the next one is
whichever has begun last.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.viewer import LiveGame
from league.live import Item

Place = tuple[int, int]
AFTER_GAME_SECONDS = 5.0
"""How long the end of a game stays before the next one comes."""


@dataclass(slots=True)
class Part:
    """What one entry of the record adds to the game on screen."""

    place: Place
    text: str
    """Its steps, as watchers get them."""
    seconds: float
    """How long people need for it."""


@dataclass(slots=True)
class Shown:
    """One game: all that is known of it."""

    game: LiveGame
    parts: list[Part] = field(default_factory=list)
    whole: bool = True
    """False: entries are missing, so nothing can be shown after the last part."""
    ended: bool = False

    def add(self, item: Item, events: Sequence[dict[str, Any]]) -> None:
        """Take in events of this game."""
        steps, seconds = self.game.add(events)
        text = json.dumps({"steps": steps}, separators=(",", ":"))
        self.parts.append(Part(item.place, text, seconds))
        if any(event["event"] == "game_end" for event in events):
            self.ended = True
            self.parts[-1].seconds += AFTER_GAME_SECONDS


class Reel:
    """One match on screen."""

    def __init__(self, match_id: int, resume: Place | None = None, speed: float = 1.0) -> None:
        self.match_id = match_id
        self.speed = speed
        self.place: Place = (0, 0)
        """Up to where the record has been read."""
        self.shown: Shown | None = None
        self.count = 0
        """How many parts of the game on screen have been shown."""
        self.over: str | None = None
        """How the attempt ended, when it has."""
        self.done = 0
        self._next: Shown | None = None
        self._reading: Shown | None = None
        self._due = 0.0
        self._resume = resume
        self._resumed: Shown | None = None

    @property
    def finished(self) -> bool:
        """Whether the match is over and everything that will be shown has been shown."""
        if self.over is None:
            return False
        return self._next is None if self.shown is None else self.count == len(self.shown.parts)

    def take(self, items: Iterable[Item]) -> None:
        """Read on in the record."""
        for item in items:
            if item.attempt > self.place[0] > 0:
                # The attempt before came to nothing, and so did its games.
                self.shown = self._next = self._reading = self.over = None
            missing = self.place[0] == item.attempt and item.number != self.place[1] + 1
            if missing and self._reading is not None:
                self._reading.whole = False
                self._reading = None
            self.place = item.place
            self._read(item)

    def _read(self, item: Item) -> None:
        data: Any = item.data
        if data["type"] == "game":
            self.done = data["done"]
            self._reading = Shown(LiveGame(self.match_id, item.attempt, data))
        elif data["type"] == "over":
            self.over, self.done = data["how"], data["done"]
            self._reading = None
        elif self._reading is not None:
            fresh = not self._reading.parts
            self._reading.add(item, data["events"])
            if fresh:
                # Only now is there anything to see.
                self._replace(self._reading)

    def _replace(self, newest: Shown) -> None:
        """The newest game is shown next, unless another is to be seen to its end."""
        before, resume = self._next, self._resume
        if before is not None and resume is not None and before.parts[0].place <= resume:
            self._resumed = before
        self._next = newest

    def advance(self, now: float) -> bool:
        """Show what is due; says whether that was anything."""
        if self.shown is None:
            return self._begin(now)
        if self.count < len(self.shown.parts):
            if now < self._due:
                return False
            self._due = now + self.shown.parts[self.count].seconds / self.speed
            self.count += 1
            return True
        if now < self._due:
            return False
        ended = self.shown.ended or not self.shown.whole
        return ended and self.over is None and self._begin(now)

    def _begin(self, now: float) -> bool:
        """Bring the newest game to the screen."""
        if self._next is None:
            return False
        first, resume, shown = self.shown is None, self._resume, self._next
        self.count = 1
        if first and self._resumed is not None and resume is not None:
            shown = self._resumed
        else:
            self._next = None
        if first and resume is not None and resume >= shown.parts[0].place:
            self.count = sum(part.place <= resume for part in shown.parts)
        elif first and not shown.ended:
            # A viewer who joins in the middle of a game sees it as it stands.
            self.count = len(shown.parts)
        self.shown, self._resumed, self._resume = shown, None, None
        self._due = now + shown.parts[self.count - 1].seconds / self.speed
        return True

    def snapshot(self) -> str:
        """The game on screen from its start, as the viewer's payload."""
        assert self.shown is not None
        steps = [json.loads(part.text)["steps"] for part in self.shown.parts[: self.count]]
        payload = self.shown.game.payload([step for part in steps for step in part])
        return json.dumps(payload | {"done": self.done}, separators=(",", ":"))
