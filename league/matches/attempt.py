"""Playing one stored match, once and only once: claim, play, keep the lease, store, let go.

Whatever dies on the way, the match is either done with one result or goes back to the queue.
"""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
import structlog
from sqlmodel import Session

import store
from league.live import Watch
from league.matches import culprit
from league.matches.plan import TableBot, match_name, plan_of
from league.matches.result import outcome_of
from league.matches.stage import NO_ROOM, Cause, OnEvent, RefereeFailed, Stage, VoidMatch
from league.matches.stalled import while_games_end
from league.settings import LeagueSettings
from referee.plan import MatchPlan
from referee.result import MatchResult
from store import Doorbell, Finish, Match, MatchState, SeasonState, Store
from store.matches import LEAGUE_QUEUES

LOG = structlog.get_logger("league")
HEARTBEATS_PER_LEASE = 4
CLAIM_TRIES = 10
PATIENCE_LEASES = 4
"""How many leases to keep retrying while the database, the disk or the file service is away."""
AGAIN_SECONDS = 0.5
NOT_NOW = (sa.exc.OperationalError, sa.exc.InterfaceError, store.NoRoom, store.BlobsAway)
"""What goes away by itself: a restarting database, a full disk, files out of reach."""


@dataclass(slots=True)
class Player:
    """Plays matches for one worker."""

    database: Store
    settings: LeagueSettings
    stage: Stage
    worker: str
    stopping: threading.Event
    """Set when the worker must let go of its matches now (a second signal)."""
    watch: Watch | None = None
    is_fit: Callable[[], bool] = lambda: True
    """Examines the worker after a failure; False: it was the worker, and no match pays for it."""
    told: Callable[[str], object] = lambda _: None
    """Hears how each attempt ended: `done`, or the cause."""
    fetch: Callable[[Sequence[str]], object] = lambda _: None
    """Makes the images of a match ready on this machine, which may take minutes."""
    queues: Sequence[str] = LEAGUE_QUEUES
    """From where it takes matches."""

    def play(self, match_id: int) -> Doorbell | None:
        """Play a queued match. A match that came to nothing and waits again is returned."""
        with self.database.write() as session:
            attempt = self._claim(session, match_id)
        if attempt is None:
            LOG.debug("not queued any more", match=match_name(match_id), worker=self.worker)
            return None
        return self.play_claimed(attempt)

    def claim_next(self) -> store.Attempt | None:
        """Take the match that waits longest; None: none waits for this worker."""
        with self.database.read() as session:
            if not store.attempts.any_queued(session, self.queues):
                return None
            able = store.workers.able(session)
        others = any(worker.name != self.worker for worker in able)
        self._fetch_next(others)
        # Some of those that wait may belong to a season that was paused meanwhile.
        for _ in range(CLAIM_TRIES):
            with self.database.write() as session:
                match_id = store.attempts.next_queued(
                    session, self.worker, queues=self.queues, others=others
                )
                if match_id is None:
                    return None
                attempt = self._claim(session, match_id)
            if attempt is not None:
                return attempt
        return None

    def _fetch_next(self, others: bool) -> None:
        """Have the next match's images here before it is ours: meanwhile another may take it."""
        with self.database.read() as session:
            match_id = store.attempts.peek_queued(
                session, self.worker, queues=self.queues, others=others
            )
        if match_id is None:
            return
        images = [bot.image for bot in self._load(match_id)[1] if bot.image is not None]
        try:
            if images:
                self.fetch(images)
        except Exception as error:
            # The attempt meets the same error, and says there whose it is.
            LOG.warning("images not ready", match=match_name(match_id), error=str(error)[:200])

    def play_claimed(self, attempt: store.Attempt) -> Doorbell | None:
        """Play a match that is ours; one that came to nothing and waits again is returned."""
        match_id = attempt.match_id
        log = LOG.bind(match=match_name(match_id), worker=self.worker)
        try:
            finish = asyncio.run(self._attempt(match_id, attempt))
            self.told("done" if finish is not Finish.REFUSED else "refused")
            return None
        except VoidMatch as error:
            log.warning("attempt void", reason=error.reason, cause=error.cause.value)
            state = self._void(attempt.token, error)
        except asyncio.CancelledError:
            stopped = VoidMatch("the worker was stopped", cause=Cause.STOPPED)
            state = self._void(attempt.token, stopped)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"[:500]
            if isinstance(error, OSError) and error.errno in NO_ROOM:
                # Whichever folder was full: the machine's trouble, as where replays go.
                log.warning("attempt void", reason=reason, cause=Cause.DISK.value)
                why = VoidMatch(reason, cause=Cause.DISK)
            else:
                # A bug of ours: nobody's fault at the table, and all that helps to find it is kept.
                log.exception("attempt failed")
                why = VoidMatch(reason, cause=Cause.BUG)
            state = self._void(attempt.token, why)
        if state is not MatchState.QUEUED:
            return None
        return Doorbell(match_id=match_id, queue=self._load(match_id)[0].queue)

    def _claim(self, session: Session, match_id: int) -> store.Attempt | None:
        match = session.get(Match, match_id)
        if match is not None and match.season_id is not None:
            season = store.seasons.season(session, match.season_id)
            if season.state is SeasonState.PAUSED:
                # An attempt that came to nothing has put it back into the queue since the pause.
                store.matches.hold(session, season.id)
                return None
        return store.attempts.claim(session, match_id, self.worker, self.settings.lease_seconds)

    async def _attempt(self, match_id: int, attempt: store.Attempt) -> Finish:
        match, bots = self._load(match_id)
        plan = plan_of(
            match,
            bots,
            attempt=attempt.number,
            runner=self.stage.runner,
            watch=bool(self.watch),
            start_ms=self.settings.start_ms,
        )
        async with self._lease(attempt.token):
            with self._shown(match_id, plan) as on_event:
                try:
                    result = await self._played(plan, bots, on_event)
                except RefereeFailed as error:
                    await self._examine(match, plan, bots, error)
                    raise
                return await self._deliver(attempt.token, match, len(bots), result)

    async def _examine(
        self, match: Match, plan: MatchPlan, bots: Sequence[TableBot], error: RefereeFailed
    ) -> None:
        """Find out whose message the referee could not bear, while the match is still ours."""
        found: store.JsonDict = {}
        try:
            async with asyncio.timeout(self.settings.match_seconds):
                await culprit.examine(self.database, self.stage, match, plan, bots, found)
        except Exception:
            # The crash itself must be counted and kept, whatever becomes of the search.
            LOG.exception("examination broken off", match=match_name(match.id))
        if found:
            error.evidence = {**(error.evidence or {}), "examination": found}

    async def _played(
        self, plan: MatchPlan, bots: Sequence[TableBot], on_event: OnEvent | None
    ) -> MatchResult:
        async with while_games_end(self.settings.match_seconds, on_event) as told:
            result = await self.stage.play(plan, bots, told)
        if not result.complete:
            raise VoidMatch("the referee stopped before the last game")
        return result

    async def _deliver(self, token: str, match: Match, bots: int, result: MatchResult) -> Finish:
        """Store a result; one that was played is worth waiting for the database or the disk."""
        deadline = time.monotonic() + PATIENCE_LEASES * self.settings.lease_seconds
        while True:
            try:
                return await asyncio.to_thread(self._store, token, match, bots, result)
            except NOT_NOW as error:
                if time.monotonic() > deadline:
                    raise VoidMatch(
                        f"the result could not be stored: {error}"[:500], cause=_cause(error)
                    ) from error
                LOG.warning("result waits", match=match_name(match.id), error=str(error)[:200])
            except store.BlobError as error:
                raise VoidMatch(str(error), cause=Cause.FILES) from None
            await asyncio.sleep(AGAIN_SECONDS)

    def _load(self, match_id: int) -> tuple[Match, list[TableBot]]:
        with self.database.read() as session:
            match = store.present(session, Match, match_id)
            seated = store.match_lists.seated(session, [match_id])[match_id]
            bots = []
            for seat in seated:
                version = store.present(session, store.Version, seat.version_id)
                program = None if version.program is None else tuple(version.program)
                bots.append(
                    TableBot(
                        name=seat.bot, version=seat.version, image=version.image, program=program
                    )
                )
        return match, bots

    @contextmanager
    def _shown(self, match_id: int, plan: MatchPlan) -> Iterator[OnEvent | None]:
        """Spectators hear of the attempt from its begin to its end, however it ends."""
        watch = self.watch
        if watch is None:
            yield None
            return
        watch.begin(match_id, plan)
        how = "void"
        try:
            yield lambda message: watch.tell(match_id, message)
            how = "done"
        finally:
            watch.end(match_id, how)

    @asynccontextmanager
    async def _lease(self, token: str) -> AsyncIterator[None]:
        """Keep the lease while the block runs; cancel the block when it is lost or we stop."""
        task = asyncio.current_task()
        assert task is not None
        beats = asyncio.create_task(self._beat(token, task))
        try:
            yield
        finally:
            beats.cancel()

    async def _beat(self, token: str, task: "asyncio.Task[Any]") -> None:
        pause = self.settings.lease_seconds / HEARTBEATS_PER_LEASE
        waited = 0.0
        while True:
            await asyncio.sleep(min(0.2, pause))
            waited += min(0.2, pause)
            if self.stopping.is_set():
                task.cancel()
                return
            if waited < pause:
                continue
            waited = 0.0
            try:
                held = await asyncio.to_thread(self._extend, token)
            except Exception as error:
                # The database may be restarting; the lease decides whether that was too long.
                LOG.warning("no heartbeat", error=str(error)[:200])
                continue
            if not held:
                LOG.warning("lease lost", worker=self.worker)
                self.told("lease lost")
                task.cancel()
                return

    def _extend(self, token: str) -> bool:
        with self.database.write() as session:
            return store.attempts.heartbeat(session, token, self.settings.lease_seconds)

    def _store(self, token: str, match: Match, bots: int, result: MatchResult) -> Finish:
        """Replays first, then everything else in one transaction that names their hash."""
        replay = self.database.blobs.write(game.replay.encode() for game in result.games)
        if replay.plain is not None:
            LOG.warning("replays stored in full", match=match_name(match.id), why=replay.plain)
        lines = list(_notes(result))
        notes = self.database.blobs.write(lines) if lines else None
        outcome = outcome_of(
            result, bots, match.passes, runner=self.stage.runner, replay=replay, notes=notes
        )
        with self.database.write() as session:
            finish = self._save(session, token, outcome)
        LOG.info("match stored", match=match_name(match.id), finish=finish.value)
        return finish

    def _save(self, session: Session, token: str, outcome: store.MatchOutcome) -> Finish:
        """Everything else, in the transaction of the caller."""
        return store.attempts.finish(session, token, outcome)

    def _void(self, token: str, error: VoidMatch) -> MatchState | None:
        """Give the match back; what is this worker's own trouble is not charged to it."""
        cause = error.cause
        fit = self.is_fit() if cause.asks_the_worker else True
        charged = fit and not cause.is_the_workers
        self.told(cause.value)
        try:
            with self.database.write() as session:
                return store.attempts.void(
                    session, token, error.reason, evidence=error.evidence, charged=charged
                )
        except Exception as failure:
            # The reaper ends the attempt when its lease runs out.
            LOG.warning("attempt not given back", error=str(failure)[:200])
            return None


def _cause(error: Exception) -> Cause:
    if isinstance(error, store.NoRoom):
        return Cause.DISK
    return Cause.FILES if isinstance(error, store.BlobsAway) else Cause.DATABASE


def _notes(result: MatchResult) -> Iterator[bytes]:
    for game in result.games:
        for seat, notes in sorted(game.notes.items()):
            written = {
                "pass": game.pass_no,
                "game_no": game.game_no,
                "seat": seat,
                "bot": game.seats[seat],
                "notes": [asdict(note) for note in notes],
            }
            yield json.dumps(written, separators=(",", ":")).encode()
