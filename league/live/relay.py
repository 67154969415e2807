"""From the process that plays to those that show: entries of a broadcast, copied by a thread.

The thread alone waits for Redis or a pipe. What cannot be sent now stays in the broadcast, which is
bounded, and is sent later from where it broke off; a match never notices.
"""

import json
import os
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import redis
import structlog

from league.live.record import KEEP_GAMES, KEEP_ITEMS, Broadcast, Item
from store import JsonDict

LOG = structlog.get_logger("league")
KEPT_SECONDS = 900
"""How long Redis keeps a record after its last entry, should its worker die."""
OVER_SECONDS = 120
"""The same after the match is over: its viewers have read it, and only one who was cut off asks."""
LOOK_SECONDS = 1.0
SOCKET_SECONDS = 5.0
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds before the next try when nothing can be sent; doubled from the first to the second."""

Send = Callable[[int, Sequence[Item]], None]
"""Passes entries of a match on; raises OSError or RedisError when they have to be sent again."""


class Relay:
    """Copies a broadcast by `send` until it is closed."""

    def __init__(self, source: Broadcast, send: Send) -> None:
        self._source = source
        self._send = send
        self._sent: dict[tuple[int, str], tuple[int, int]] = {}
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="relay", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._closing.is_set():
            self._source.changed.wait(LOOK_SECONDS)
            self._source.changed.clear()
            try:
                self._copy()
                pause = FIRST_PAUSE
            except (OSError, redis.RedisError) as error:
                LOG.warning("live events wait", error=str(error)[:200], seconds=pause)
                self._closing.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                self._source.changed.set()

    def _copy(self) -> None:
        present = self._source.matches()
        self._sent = {match: self._sent.get(match, (0, 0)) for match in present}
        for match in present:
            items = self._source.since(match[0], self._sent[match])
            if items:
                self._send(match[0], items)
                self._sent[match] = items[-1].place

    def close(self) -> None:
        """Stop copying."""
        self._closing.set()
        self._source.changed.set()
        self._thread.join(timeout=SOCKET_SECONDS + 1)


def _key(match_id: int) -> str:
    return f"bullring:live:{match_id}"


def _connect(url: str, seconds: float) -> redis.Redis:
    # Explicit times: without them a Redis that hangs would hold its reader for ever.
    return redis.Redis.from_url(url, socket_timeout=seconds, socket_connect_timeout=seconds)


def to_redis(url: str, seconds: float = SOCKET_SECONDS) -> Send:
    """Entries go into a stream a match: numbered by us, short, gone after a while.

    Streams, not publish and subscribe: a viewer who comes late or reconnects finds what was missed.
    """
    client = _connect(url, seconds)
    games: dict[int, deque[str]] = {}

    def send(match_id: int, items: Sequence[Item]) -> None:
        key = _key(match_id)
        starts = games.setdefault(match_id, deque(maxlen=KEEP_GAMES))
        over = items[-1].data["type"] == "over"
        with client.pipeline(transaction=False) as pipe:
            if items[0].place == (1, 0):
                # A new database gives out the numbers of old matches again.
                pipe.delete(key)
            for item in items:
                text = json.dumps(item.data, separators=(",", ":"))
                place = f"{item.attempt}-{item.number}"
                if item.data["type"] == "game" and place not in starts:
                    starts.append(place)
                pipe.xadd(
                    key,
                    {"of": item.of, "data": text},
                    id=place,
                    maxlen=KEEP_ITEMS,
                    approximate=True,
                )
            if len(starts) == KEEP_GAMES:
                pipe.xtrim(key, minid=starts[0], approximate=True)
            pipe.expire(key, OVER_SECONDS if over else KEPT_SECONDS)
            answers = pipe.execute(raise_on_error=False)
        for answer in answers:
            # An entry that arrived although we heard nothing of it is refused the second time.
            if isinstance(answer, Exception) and "equal or smaller" not in str(answer):
                raise answer
        if over:
            del games[match_id]

    return send


class RedisRecords:
    """Reads what relays wrote. Redis being away looks like nothing happening."""

    def __init__(self, url: str, seconds: float = SOCKET_SECONDS) -> None:
        self._client = _connect(url, seconds)
        self._away = False

    def since(self, match_id: int, after: tuple[int, int] = (0, 0)) -> Sequence[Item]:
        """The entries after this place, oldest first."""
        try:
            # The library's types allow for every way of decoding; ours is bytes.
            found: Any = self._client.xrange(_key(match_id), min=f"({after[0]}-{after[1]}")
        except redis.RedisError as error:
            if not self._away:
                LOG.warning("no live events", error=str(error)[:200])
            self._away = True
            return []
        self._away = False
        return [_read(place, fields) for place, fields in found]


def _read(place: bytes, fields: dict[bytes, bytes]) -> Item:
    attempt, _, number = place.decode().partition("-")
    data: JsonDict = json.loads(fields[b"data"])
    of = fields[b"of"].decode()
    return Item(of=of, attempt=int(attempt), number=int(number), data=data)


def to_pipe(descriptor: int) -> Send:
    """Entries go as lines to the process that started this one."""

    def send(match_id: int, items: Sequence[Item]) -> None:
        for item in items:
            line = [match_id, item.of, item.attempt, item.number, item.data]
            data = memoryview(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            while data:
                data = data[os.write(descriptor, data) :]

    return send


def from_pipe(descriptor: int, broadcast: Broadcast) -> None:
    """Take in the lines of `to_pipe` until the writer is gone."""
    with os.fdopen(descriptor, "rb") as pipe:
        for line in pipe:
            match_id, of, attempt, number, data = json.loads(line)
            broadcast.put(match_id, Item(of=of, attempt=attempt, number=number, data=data))
