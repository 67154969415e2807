"""What spectators may see of running matches: a short, numbered record of each, in memory.

Whoever plays writes here and never waits. Pages in the same process read from here; for those
elsewhere a relay (`relay.py`) copies it. Nothing here knows a hand, a key or a fault.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import structlog

from nimmt import commitment
from referee.lines import FromReferee, ToWatchers
from referee.plan import MatchPlan
from store import JsonDict

LOG = structlog.get_logger("league")
KEEP_MATCHES = 64
"""Records kept, finished matches included: a viewer may still be reading after the end."""
KEEP_GAMES = 3
KEEP_ITEMS = 4096
"""Whole games are dropped from the front beyond this; the game being played always stays."""
LONGEST_GAME = 20_000
"""Items of one game at most; no game of sensible options comes near."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry of a record; entries are ordered by attempt and number, numbers from 0.

    `data` is `{"type": "game", …}` (a game that is watched begins), `{"type": "events",
    "events": […]}` (what happened in it, the public part) or `{"type": "over", "how": …}` with
    `done` or `void`.
    """

    of: str
    """The match's commitment: a database may give the number of a removed match out again."""
    attempt: int
    number: int
    data: JsonDict

    @property
    def place(self) -> tuple[int, int]:
        """What items are ordered by."""
        return self.attempt, self.number


class Watch(Protocol):
    """Told of what happens in matches while they are played; no call takes long or raises."""

    def begin(self, match_id: int, plan: MatchPlan) -> None:
        """An attempt begins."""

    def tell(self, match_id: int, message: Mapping[str, Any]) -> None:
        """The supervisor reports what is public (types `event` and `progress`)."""

    def end(self, match_id: int, how: str) -> None:
        """The attempt is over: `done`, its result being stored, or `void`."""


@dataclass(slots=True)
class _Record:
    """One match."""

    of: str
    attempt: int
    about: JsonDict = field(default_factory=dict)
    """What every game of the match has in common, for its `game` items."""
    bots: list[JsonDict] = field(default_factory=list)
    seats: dict[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    game: tuple[int, int] | None = None
    done: int = 0
    numbered: int = 0
    items: list[Item] = field(default_factory=list)
    over: bool = False

    def add(self, data: JsonDict) -> None:
        """Append an entry."""
        item = Item(of=self.of, attempt=self.attempt, number=self.numbered, data=data)
        self.items.append(item)
        self.numbered += 1

    def trim(self) -> None:
        """Drop whole games from the front until little enough is left."""
        starts = [at for at, item in enumerate(self.items) if item.data["type"] == "game"]
        while len(starts) > 1 and (len(starts) > KEEP_GAMES or len(self.items) > KEEP_ITEMS):
            cut = starts[1]
            self.items = self.items[cut:]
            starts = [at - cut for at in starts[1:]]


class Broadcast:
    """The records of this process; all methods may be called from any thread."""

    def __init__(self) -> None:
        self.changed = threading.Event()
        """Set after every new entry, for whoever copies them; it clears the event itself."""
        self._records: dict[int, _Record] = {}
        self._lock = threading.Lock()

    def begin(self, match_id: int, plan: MatchPlan) -> None:
        """An attempt begins: its public parts are kept, and nothing else of the plan."""
        seats = {
            (pass_no, game.game_no): game.seats
            for pass_no, games in enumerate(plan.passes)
            for game in games
        }
        about: JsonDict = {
            "rules": plan.rules,
            "options": dict(plan.options),
            "passes": len(plan.passes),
            "of": len(seats),
        }
        bots: list[JsonDict] = [{"bot": bot.name, "version": bot.version} for bot in plan.bots]
        of = commitment(bytes.fromhex(plan.key))
        with self._lock:
            record = _Record(of=of, attempt=plan.attempt, about=about, bots=bots, seats=seats)
            self._records.pop(match_id, None)
            self._records[match_id] = record
            self._make_room()

    def _make_room(self) -> None:
        over = [match_id for match_id, record in self._records.items() if record.over]
        for match_id in over[: max(0, len(self._records) - KEEP_MATCHES)]:
            del self._records[match_id]

    def tell(self, match_id: int, message: Mapping[str, Any]) -> None:
        """Take in what the supervisor says. A bug in here must not cost a match."""
        try:
            with self._lock:
                record = self._records.get(match_id)
                if record is not None:
                    self._tell(record, message)
        except Exception:
            # Watching must never cost a match.
            LOG.exception("a message could not be broadcast", match=match_id)

    def _tell(self, record: _Record, message: Mapping[str, Any]) -> None:
        if message["type"] == ToWatchers.PROGRESS:
            record.done = message["games"]
            return
        if message["type"] != FromReferee.EVENT:
            return
        game = (message["pass"], message["game_no"])
        if game != record.game:
            record.game = game
            players = [record.bots[bot] for bot in record.seats[game]]
            where = {"pass": game[0], "game_no": game[1], "done": record.done}
            record.add({"type": "game", **record.about, **where, "players": players})
            record.trim()
        if len(record.items) < LONGEST_GAME:
            record.add({"type": "events", "events": list(message["events"])})
            self.changed.set()

    def end(self, match_id: int, how: str) -> None:
        """The attempt is over."""
        with self._lock:
            record = self._records.get(match_id)
            if record is not None and not record.over:
                record.over = True
                record.add({"type": "over", "how": how, "done": record.done})
        self.changed.set()

    def put(self, match_id: int, item: Item) -> None:
        """Take in an entry that was written in another process."""
        with self._lock:
            record = self._records.get(match_id)
            if record is None or record.of != item.of or record.attempt < item.attempt:
                self._records.pop(match_id, None)
                record = self._records[match_id] = _Record(of=item.of, attempt=item.attempt)
                self._make_room()
            if not record.items or record.items[-1].place < item.place:
                record.items.append(item)
                record.over = item.data["type"] == "over"
                record.trim()
        self.changed.set()

    def since(self, match_id: int, after: tuple[int, int] = (0, 0)) -> Sequence[Item]:
        """The entries after this place, oldest first."""
        with self._lock:
            record = self._records.get(match_id)
            if record is None or not record.items or record.items[-1].place <= after:
                return []
            return [item for item in record.items if item.place > after]

    def matches(self) -> Sequence[tuple[int, str]]:
        """The matches that have a record, each with its commitment."""
        with self._lock:
            return [(match_id, record.of) for match_id, record in self._records.items()]
