"""The clock of a league: ticks, ratings, sweeping, rehearsals, featured games.

Each has a timer of its own. Any number of processes may run a clock; a lease in the database says
which of them is the clock now.
"""

import threading
import time
from collections.abc import Callable

import structlog

import store
from league.ladder import LadderFields
from league.reviews import Featured
from league.settings import LeagueSettings
from league.worker import tick as clockwork
from league.worker.bells import Bells
from league.worker.metrics import WorkerMetrics
from league.worker.work import line
from store import Store

LOG = structlog.get_logger("league")
LEASE = "clock"
SWEEP_SECONDS = 3600.0
REHEARSAL_SECONDS = 5.0
"""How often to look for rehearsals that are over."""
FEATURED_SECONDS = 20.0
"""How often to look for a new game of the front page; it changes once a minute at most."""


class Clock:
    """What happens by itself in a league, in threads of its own."""

    def __init__(
        self,
        settings: LeagueSettings,
        database: Store,
        name: str,
        bells: Bells,
        metrics: WorkerMetrics,
    ) -> None:
        self._settings = settings
        self._database = database
        self._name = name
        self._bells = bells
        self._metrics = metrics
        self._over = threading.Event()
        self._leads = False
        self._rests: dict[int, float] = {}
        self.fields = LadderFields(database)
        self._featured = Featured(database)
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin; returns at once."""
        self._metrics.show_parts(clockwork.PARTS)
        tick = self._settings.tick_seconds
        self._every(tick, "tick", self.tick)
        self._every(2 * tick, "ratings", self._as_leader(self.rate))
        self._every(SWEEP_SECONDS, "sweep", self._as_leader(self.sweep))
        # A thread of its own: all games of a rehearsal are played again, and no tick can wait.
        self._every(REHEARSAL_SECONDS, "rehearsals", self._as_leader(self._rehearsals))
        self._every(FEATURED_SECONDS, "featured", self._as_leader(self.feature))

    def _every(self, seconds: float, name: str, act: Callable[[], object]) -> None:
        def run() -> None:
            clockwork.on_failure.set(self._metrics.missed_part)
            while not self._over.wait(seconds):
                try:
                    act()
                except Exception as error:
                    # The next turn is seconds away; the database may be restarting.
                    LOG.warning("clock missed a turn", part=name, error=line(error))
                    self._metrics.missed_part(name)

        self._metrics.show_parts([name])
        thread = threading.Thread(target=run, name=f"clock {name}", daemon=True)
        thread.start()
        self._threads.append(thread)

    def _as_leader(self, act: Callable[[], object]) -> Callable[[], object]:
        return lambda: act() if self._leads else None

    def tick(self) -> None:
        """One turn, if this process is the clock."""
        if not self._lead():
            return
        begun = time.monotonic()
        self._bells.ring(clockwork.tick(self._database, self._settings, self.fields))
        self._metrics.tick_seconds.set(time.monotonic() - begun)
        self._metrics.last_tick.set_to_current_time()
        self._metrics.ticks.inc()

    def _lead(self) -> bool:
        seconds = max(10.0, 5 * self._settings.tick_seconds)
        try:
            with self._database.write() as session:
                leads = store.leases.take(session, LEASE, self._name, seconds)
        except Exception:
            # Without the database nobody knows who leads, so this process does not.
            self._set_leads(False)
            raise
        self._set_leads(leads)
        return leads

    def _set_leads(self, leads: bool) -> None:
        if leads is not self._leads:
            LOG.info("this process is the clock" if leads else "another process is the clock")
        self._leads = leads
        self._bells.mark(leads)
        self._metrics.leader.set(leads)

    @property
    def leads(self) -> bool:
        """Whether this process is the clock now."""
        return self._leads

    def rate(self) -> None:
        """Bring ratings and standings up to date."""
        clockwork.refresh_ratings(self._database, self._rests)

    def sweep(self) -> None:
        """Remove files that no result names."""
        clockwork.sweep(self._database, self._settings)

    def _rehearsals(self) -> None:
        clockwork.conclude_rehearsals(self._database, self._over)

    def feature(self) -> None:
        """Have the game reviewed that the front page leads with."""
        review_id = self._featured.want()
        if review_id is not None:
            self._bells.ring(clockwork.Due(matches=(), submissions=(), reviews=(review_id,)))

    def stop(self) -> None:
        """End, and let another process be the clock at once."""
        self._over.set()
        for thread in self._threads:
            thread.join(timeout=10)
        if not self._leads:
            return
        self._set_leads(False)
        try:
            with self._database.write() as session:
                store.leases.release(session, LEASE, self._name)
        except Exception as error:
            # It runs out by itself.
            LOG.warning("clock not handed over", error=line(error))
