"""One table while it is played: bridges and referee on one side, the database on the other.

What bridges say becomes frames, what people chose goes to their bridges, and every decision is
kept, so that another worker can go on from there. The database is looked at in a thread.
"""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import structlog
from sqlmodel import Session

import store
from league.people.bell import BELL, CHOICES, FRAMES, LOOK_SECONDS
from league.people.bridge_process import BridgeBot, BridgedSandbox, Line
from league.people.frames import Frame, GameClock, SeatFeed
from referee.lines import FromReferee
from referee.plan import GivenDecision
from sandbox.api import Sandbox
from store import Store

LOG = structlog.get_logger("league")
PAUSED = "The machine that played this table has gone; the table goes on elsewhere."


@dataclass(slots=True)
class Found:
    """What the database had for a table."""

    choices: dict[int, tuple[int, Any]] = field(default_factory=dict)
    """By seat: the ask that waited there, and the person's answer to it."""
    left: set[int] = field(default_factory=set)


@dataclass(slots=True)
class Table:
    """The people at one table, for one attempt."""

    database: Store
    match_id: int
    token: str
    seats: dict[int, SeatFeed]
    """Of the people, by seat; the one game of a table has bot n in seat n."""
    clock: GameClock
    decided: int = 0
    """How many decisions are stored."""
    uid: int | None = None
    """Whom bridges run as; None: the worker's own user."""
    _decisions: list[tuple[int, Frame]] = field(default_factory=list)
    _for_platform: list[tuple[int, int, Any]] = field(default_factory=list)
    _bridges: dict[int, BridgeBot] = field(default_factory=dict)
    _gone: set[int] = field(default_factory=set)
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _syncing: threading.Lock = field(default_factory=threading.Lock)

    # What the stage asks for.

    def seated(self, sandbox: Sandbox) -> Sandbox:
        """The sandbox for this table: bots as ever, and a bridge for each person."""
        return BridgedSandbox(sandbox, self.uid, self._bridge_said, self._bridges)

    def heard(self, message: dict[str, Any]) -> None:
        """The referee reports something."""
        if message["type"] != FromReferee.DECISION:
            return
        decision = message["decision"]
        seat = self.seats.get(decision["seat"])
        with self._lock:
            self.decided += 1
            self._decisions.append((self.decided, decision))
            if seat is not None and decision["by"] != "bot":
                ask_no = seat.platform_chose(decision)
                if ask_no is not None:
                    self._for_platform.append((seat.seat, ask_no, decision["choice"]))
        self._wake.set()

    def _bridge_said(self, bot: int, line: Line) -> None:
        seat, now = self.seats[bot], time.monotonic()
        with self._lock:
            match line["type"]:
                case "start":
                    if self.clock.began is None:
                        self.clock.began = now
                    seat.start(line)
                case "events":
                    seat.events(line)
                case "ask":
                    seat.ask(line, now, datetime.now(UTC), self.clock.left(now))
                # The end is told when the result is stored: then there is a replay to look at.
        self._wake.set()

    # The other side.

    @asynccontextmanager
    async def kept(self) -> AsyncIterator[None]:
        """Store and look while the block runs; should that fail for good, the block is cancelled.

        What is still to be stored in the end is left to `take_new`.
        """
        task = asyncio.current_task()
        assert task is not None
        keeping = asyncio.create_task(self._keep(task))
        loop = asyncio.get_running_loop()

        def wake() -> None:
            loop.call_soon_threadsafe(self._wake.set)

        try:
            with BELL.heard_by((CHOICES, self.match_id), wake):
                yield
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            # Its thread may still be writing what the result would write again.
            await asyncio.to_thread(self._settle)

    async def _keep(self, table: "asyncio.Task[Any]") -> None:
        while True:
            try:
                found = await asyncio.to_thread(self._sync)
                self._hand_over(found)
            except store.sittings.NotHeld:
                LOG.warning("table lost", match=self.match_id)
                table.cancel()
                return
            except store.DATABASE_ERRORS as error:
                # The lease decides whether it was away for too long.
                LOG.warning("table not kept", match=self.match_id, error=str(error)[:200])
                await asyncio.sleep(LOOK_SECONDS)
            except Exception:
                # A bug of ours: the table goes on from what is stored, here or elsewhere.
                LOG.exception("table not kept", match=self.match_id)
                table.cancel()
                return
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._wake.wait()
            except TimeoutError:
                pass
            self._wake.clear()

    def _settle(self) -> None:
        with self._syncing:
            pass

    def _sync(self) -> Found:
        """Store what is new, and look for what people have chosen."""
        with self._syncing:
            return self._stored_and_found()

    def _stored_and_found(self) -> Found:
        now = time.monotonic()
        with self._lock:
            left = self.clock.left(now)
            for number, seat in self.seats.items():
                if number in self._gone:
                    continue
                if left <= 0:
                    seat.end_time()
                elif self.clock.is_short(now):
                    seat.warn_of_end(left)
                seat.warn(now)
            is_new = bool(self._decisions or any(seat.new for seat in self.seats.values()))
        if is_new:
            with self.database.write() as session:
                store.sittings.require_held(session, self.match_id, self.token)
                kept = self.store_new(session)
            self.forget(kept)
            BELL.ring((FRAMES, self.match_id))
        return self._found(everybody_is_out=left <= 0)

    def _found(self, *, everybody_is_out: bool) -> Found:
        # Read once: the loop closes asks and opens others while this thread is at the database.
        with self._lock:
            waiting = {n: seat.open.number for n, seat in self.seats.items() if seat.open}
        found = Found()
        with self.database.read() as session:
            if everybody_is_out:
                gone = set(self.seats)
            else:
                gone = store.sittings.have_left(session, self.match_id)
            found.left = gone - self._gone
            for number, ask_no in waiting.items():
                chosen = store.sittings.find_choice(session, self.match_id, number, ask_no)
                if chosen is not None:
                    found.choices[number] = (ask_no, chosen.choice)
        return found

    def store_new(self, session: Session) -> tuple[int, dict[int, int], int]:
        """Store all that is not stored yet; returns how much, for `forget`."""
        with self._lock:
            decisions = list(self._decisions)
            frames = {number: list(seat.new) for number, seat in self.seats.items()}
            platform = list(self._for_platform)
        store.sittings.add_decisions(session, self.match_id, decisions)
        for new in frames.values():
            store.sittings.add_frames(session, self.match_id, new)
        for seat, ask_no, choice in platform:
            store.sittings.put_platform_choice(session, self.match_id, seat, ask_no, choice)
        return len(decisions), {seat: len(new) for seat, new in frames.items()}, len(platform)

    def forget(self, kept: tuple[int, dict[int, int], int]) -> None:
        """These have been stored."""
        decisions, frames, platform = kept
        with self._lock:
            del self._decisions[:decisions]
            del self._for_platform[:platform]
            for seat, count in frames.items():
                del self.seats[seat].new[:count]

    def _hand_over(self, found: Found) -> None:
        for number, (ask_no, choice) in found.choices.items():
            with self._lock:
                seat = self.seats[number]
                # The platform may have been faster by a moment.
                if seat.open is None or seat.open.number != ask_no:
                    continue
                ask = seat.chosen(choice)
            if ask is not None:
                self._bridges[number].say({"id": ask.wire_id, "choice": choice})
                self._wake.set()
        for number in found.left:
            if number in self._bridges:
                self._gone.add(number)
                self._bridges[number].leave()

    def end(self, frame: Frame) -> None:
        """The last frame of every person, also of those who have left."""
        with self._lock:
            for seat in self.seats.values():
                seat.end(frame)

    def tell_begun(self, frame: Frame) -> None:
        """Send the same to every person who was sent something before: `start` stays the first."""
        with self._lock:
            for seat in self.seats.values():
                if seat.number:
                    seat.add(frame)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A table as an attempt finds it."""

    table: Table
    given: tuple[GivenDecision, ...]
    move_ms: int
    people: frozenset[int]
    board: int
    """The number of the board that is played; 0 for a fresh one."""


def load_table(
    database: Store, match_id: int, token: str, *, game_seconds: float, uid: int | None = None
) -> Loaded:
    """Everything that earlier attempts have left; the table counts as being played from now on."""
    with database.write() as session:
        store.sittings.begin_playing(session, match_id, token)
        sitting = store.present(session, store.Sitting, match_id)
        rows = store.sittings.seats(session, match_id)
        decisions = store.sittings.decisions(session, match_id)
        people = [row.seat for row in rows if row.for_person]
        used = store.sittings.seconds_played(session, match_id)
        seats = {}
        for number in people:
            sent = store.sittings.frames(session, match_id, number, limit=1_000_000)
            seats[number] = _seat(number, rows, decisions, sent)
    given = tuple([GivenDecision(**one) for one in decisions])  # type: ignore[arg-type]
    board = int(str((sitting.source or {}).get("board", 0)))
    clock = GameClock(game_seconds, used)
    table = Table(database, match_id, token, seats, clock, decided=len(decisions), uid=uid)
    table.tell_begun({"type": "paused", "text": PAUSED})
    return Loaded(
        table=table, given=given, move_ms=sitting.move_ms, people=frozenset(people), board=board
    )


def _seat(
    number: int,
    rows: list[store.SittingSeat],
    decisions: list[store.JsonDict],
    sent: list[tuple[int, store.JsonDict]],
) -> SeatFeed:
    events = 0
    for _, data in sent:
        found = data.get("events")
        events += len(found) if isinstance(found, list) else 0
    asked = [one for one in decisions if one["seat"] == number and one["out"] is None]
    players = [
        {"seat": row.seat, "name": row.name, "kind": "person" if row.for_person else "bot"}
        for row in rows
    ]
    return SeatFeed(
        seat=number,
        players=players,
        number=sent[-1][0] if sent else 0,
        asks=len(asked),
        heard=events,
    )
