"""Matches followed live: one reel a match for all its watchers, sent as server-sent events.

No watcher has a queue: each reads the shared game at its own pace, and one that falls behind or
comes back is sent what is missing, or the game on screen from its start.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

import structlog
from fastapi.sse import format_sse_event
from starlette.concurrency import run_in_threadpool

from dashboard.http import TooManyTopics
from dashboard.live.reel import Place, Reel
from dashboard.live.streams import (
    AGAIN_SECONDS,
    KEEP_ALIVE_SECONDS,
    RETRY_MS,
    Streams,
)
from league.live import Item
from store import DATABASE_ERRORS, MatchState

LOG = structlog.get_logger("dashboard")
MAX_SHOWS = 100
MAX_SHOWS_OF_ONE = 20
"""Different matches that one address follows at once."""
LOOK_SECONDS = 0.25
"""How often the record is read on; once for all watchers of a match."""
STATE_SECONDS = 2.0
"""How often the store is asked whether the match is still being played."""
LAST_WORD_SECONDS = 5.0
"""How long after its end a match may still say so itself; its worker may have died."""

Look = Callable[[Place], Sequence[Item]]
"""Reads on in the record of a match."""
State = Callable[[], MatchState]


@dataclass(slots=True)
class Show:
    """One match that is being watched."""

    reel: Reel
    state: MatchState = MatchState.RUNNING
    watchers: int = 0
    serial: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    events: dict[Place, bytes] = field(default_factory=dict)
    """Steps of the game on screen as they are sent, made once for all."""

    @property
    def final(self) -> bool:
        """Whether nothing more will come."""
        return self.state.is_final and (self.reel.finished or self.reel.shown is None)

    def status(self) -> str:
        """What the page says beside the game."""
        return json.dumps({"state": self.state.value, "done": self.reel.done, "final": self.final})

    def wake(self) -> None:
        """Tell the watchers that there is something new."""
        self.serial += 1
        self.changed.set()
        self.changed = asyncio.Event()


class Shows:
    """The matches that are followed through this process; all methods run on its event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, speed: float = 1.0) -> None:
        self._clock = clock
        self._speed = speed
        self._shows: dict[int, Show] = {}
        self._streams = Streams("matches", MAX_SHOWS_OF_ONE)

    @property
    def watchers(self) -> int:
        """Open connections."""
        return self._streams.total

    def watch(
        self,
        match_id: int,
        look: Look,
        state: State,
        last: Place | None,
        *,
        now: MatchState = MatchState.RUNNING,
        address: str = "",
    ) -> AsyncGenerator[bytes, None]:
        """Server-sent events: `game` (the game from its start), `steps` (more of it), `status`.

        `last` is the id of the last event that this watcher has seen, `now` the match's state.
        """
        if match_id not in self._shows:
            if not (now is MatchState.RUNNING or now.is_final):
                return _wait(now)
            if len(self._shows) >= MAX_SHOWS:
                raise TooManyTopics
        self._streams.refuse_excess(address, match_id)
        return self._watch(match_id, address, look, state, last)

    async def _watch(
        self, match_id: int, address: str, look: Look, state: State, last: Place | None
    ) -> AsyncGenerator[bytes, None]:
        show = self._shows.get(match_id)
        if show is None:
            show = self._shows[match_id] = Show(Reel(match_id, last, self._speed))
            show.task = asyncio.create_task(self._play(show, look, state))
        show.watchers += 1
        try:
            with self._streams.opened(address, match_id):
                yield format_sse_event(retry=RETRY_MS, comment="hello")
                async for event in _follow(show, last):
                    yield event
        finally:
            show.watchers -= 1
            if show.watchers == 0:
                if show.task is not None:
                    show.task.cancel()
                self._drop(show)

    def _drop(self, show: Show) -> None:
        if self._shows.get(show.reel.match_id) is show:
            del self._shows[show.reel.match_id]

    async def _play(self, show: Show, look: Look, state: State) -> None:
        """Play a match to its end; should that fail, its watchers have to reconnect."""
        try:
            await self._run(show, look, state)
        except Exception:
            # A bug in one show must not go unseen in a task that is never awaited.
            LOG.exception("a match cannot be followed", match=show.reel.match_id)
        finally:
            if not show.final:
                self._drop(show)
                show.wake()

    async def _run(self, show: Show, look: Look, state: State) -> None:
        """Read on, show what is due, and ask now and then whether the match goes on."""
        asked, ended = float("-inf"), float("inf")
        while not show.final:
            now = self._clock()
            before = show.status()
            if now - asked >= STATE_SECONDS:
                # Before the record: what a match that is over has said is then all read.
                show.state, asked = await _asked(state, show), now
                ended = min(ended, now) if show.state.is_final else float("inf")
            show.reel.take(await run_in_threadpool(look, show.reel.place))
            if now - ended > LAST_WORD_SECONDS:
                show.reel.over = show.reel.over or show.state.value
            game = show.reel.shown
            moved = show.reel.advance(self._clock())
            if show.reel.shown is not game:
                show.events = {}
            if moved or show.status() != before or not show.serial:
                show.wake()
            await asyncio.sleep(LOOK_SECONDS)

    async def close(self) -> None:
        """End all shows."""
        tasks = [show.task for show in self._shows.values() if show.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _asked(state: State, show: Show) -> MatchState:
    """The state of the match; the last one known while the database is away."""
    try:
        return await run_in_threadpool(state)
    except DATABASE_ERRORS as error:
        LOG.warning("no state of a match", match=show.reel.match_id, error=str(error)[:200])
        return show.state


async def _wait(state: MatchState) -> AsyncGenerator[bytes, None]:
    """All there is to say of a match that is not being played yet."""
    yield format_sse_event(retry=AGAIN_SECONDS * 1000, comment="hello")
    status = {"state": state.value, "done": 0, "final": False}
    yield format_sse_event(event="status", data_str=json.dumps(status))


async def _follow(show: Show, last: Place | None) -> AsyncGenerator[bytes, None]:
    seen, status = 0, ""
    while True:
        if show.serial > seen:
            seen = show.serial
            for event, place in _missing(show, last):
                yield event
                last = place
            if show.serial > seen:
                # More came while this watcher did not read: it comes before any word of the end.
                continue
            now, final = show.status(), show.final
            if now != status:
                status = now
                yield format_sse_event(event="status", data_str=status)
            if final:
                return
            continue
        if show.task is not None and show.task.done():
            # Looking failed; the browser tries again by itself.
            return
        try:
            await asyncio.wait_for(show.changed.wait(), KEEP_ALIVE_SECONDS)
        except TimeoutError:
            yield format_sse_event(comment="still here")


def _missing(show: Show, last: Place | None) -> list[tuple[bytes, Place]]:
    """What a watcher who has seen everything up to `last` has to be sent now."""
    shown, count = show.reel.shown, show.reel.count
    if shown is None:
        return []
    parts = shown.parts[:count]
    if last is None or not parts[0].place <= last <= shown.parts[-1].place:
        place = parts[-1].place
        whole = format_sse_event(event="game", data_str=show.reel.snapshot(), id=_id(place))
        return [(whole, place)]
    missing = [part for part in parts if part.place > last]
    for part in missing:
        if part.place not in show.events:
            show.events[part.place] = format_sse_event(
                event="steps", data_str=part.text, id=_id(part.place)
            )
    return [(show.events[part.place], part.place) for part in missing]


def _id(place: Place) -> str:
    return f"{place[0]}-{place[1]}"


def read_id(text: str | None) -> Place | None:
    """The place behind a Last-Event-ID; anything else is as good as none.

    >>> read_id("2-17"), read_id("x"), read_id(None)
    ((2, 17), None, None)
    """
    attempt, _, number = (text or "").partition("-")
    if attempt.isdecimal() and number.isdecimal() and len(attempt) + len(number) < 18:
        return int(attempt), int(number)
    return None
