"""Signs of life: how a worker says that it lives, and what becomes of those who do no more."""

import threading
from collections.abc import Callable, Collection

import structlog

import store
from league.worker.work import line
from store import Store

LOG = structlog.get_logger("league")
BEAT_SECONDS = 10.0
"""How often a worker says that it lives; a fraction of store.workers.SILENT_SECONDS."""


class Signs:
    """Writes the row of one worker again and again."""

    def __init__(self, database: Store, row: Callable[[], store.Worker]) -> None:
        self._database = database
        self._row = row

    def give(self) -> None:
        """Say that this worker lives, and what it is doing."""
        row = self._row()
        with self._database.write() as session:
            store.workers.beat(session, row)

    def try_to_give(self) -> None:
        """Nothing depends on a single sign: the database may be restarting."""
        try:
            self.give()
        except Exception as error:
            # The next one comes in seconds.
            LOG.warning("no sign of life", error=line(error))

    def run(self, stopping: threading.Event) -> None:
        """Give signs until the worker stops; its thread is in here."""
        while not stopping.wait(BEAT_SECONDS):
            self.try_to_give()


def reclaim_dead_workers(
    database: Store, found_dead: Collection[str], *, name: str, lease_seconds: float
) -> None:
    """Give back at once the matches of workers whose lock was found without a holder.

    Only a lock that could be seen says that somebody is dead. Host names and process numbers
    say nothing: two containers may share the one and count the other alike. Where no lock is
    in sight, the lease decides. `name` is the worker that asks.
    """
    if not found_dead:
        return
    with database.read() as session:
        alive = store.workers.alive(session, silent=2 * lease_seconds)
    for worker in alive:
        if worker.detail.get("owner") in found_dead and worker.name != name:
            with database.write() as session:
                store.attempts.reap(session, dead_worker=worker.name)
                store.workers.sign_off(session, worker.name)
