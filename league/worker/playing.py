"""The matches of a worker: a free slot on a fit host claims one, plays it, and tells the queue."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import structlog

import store
from league.live import Watch
from league.matches import Player, Stage, match_name
from league.settings import LeagueSettings
from league.worker.broker import PLAY
from league.worker.metrics import WorkerMetrics
from league.worker.standing import Standing
from league.worker.work import Work, WorkSlots
from store import Store
from store.matches import LEAGUE_QUEUES

LOG = structlog.get_logger("league")
Admitted = Callable[[Callable[[], bool]], AbstractContextManager[Stage | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Playing:
    """Plays the matches that wait, for one worker."""

    settings: LeagueSettings
    database: Store
    stage: Stage
    admitted: Admitted | None
    """The stage in a slot as soon as the host is fit, or None when the worker leaves first."""
    name: str
    standing: Standing
    watch: Watch | None
    fetch: Callable[[Sequence[str]], object]
    metrics: WorkerMetrics
    after: Callable[[store.Doorbell | None], object]
    """Told when a match is over, with the bell of one that waits again."""

    def work(self) -> Work:
        """Matches, as a kind of work."""
        return Work(
            name="matches",
            task=PLAY,
            queues=LEAGUE_QUEUES,
            do_next=self.play_next,
            failure="no match claimed",
            slots=self.settings.slots,
            is_awaited=True,
        )

    def play_next(self, slots: WorkSlots) -> bool:
        """Claim and play one match; False: there was none.

        A claim is made by a free slot only, and on a fit host only.
        """
        with self.database.read() as session:
            if not store.attempts.any_queued(session, LEAGUE_QUEUES):
                return False
        with self._seated() as stage:
            if stage is None or not self.standing.takes:
                return False
            player = self._player(stage)
            attempt = player.claim_next()
            if attempt is None:
                return False
            self._play(attempt, player, slots)
        return True

    def _seated(self) -> AbstractContextManager[Stage | None]:
        """Where to play, once this machine is fit for it; until then nothing is claimed."""
        if self.admitted is None:
            return nullcontext(self.stage)
        return self.admitted(lambda: not self.standing.takes)

    def _play(self, attempt: store.Attempt, player: Player, slots: WorkSlots) -> None:
        begun = time.monotonic()
        again = None
        match = match_name(attempt.match_id)
        with slots.busy():
            try:
                # Whatever is logged on the way, also by libraries, says which match it belongs to.
                with structlog.contextvars.bound_contextvars(match=match):
                    again = player.play_claimed(attempt)
            except Exception:
                # The lease ends the attempt; the slot has to live on.
                LOG.exception("slot failed", match=match)
            finally:
                self.metrics.match_seconds.observe(time.monotonic() - begun)
        self.after(again)

    def _player(self, stage: Stage) -> Player:
        return Player(
            self.database,
            self.settings,
            stage,
            self.name,
            self.standing.stopping,
            self.watch,
            is_fit=self.standing.is_fit,
            told=self.metrics.ended,
            fetch=self.fetch,
        )
