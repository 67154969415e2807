"""What the league does for the pages: ring for submissions and reviews, and say what is missing."""

from collections.abc import Sequence

import structlog

import store
from league.live import Broadcast, Item, RedisRecords
from league.needs import Missing
from league.settings import LeagueSettings
from league.worker import Bells, Due, make_celery
from store import Doorbell, Store

LOG = structlog.get_logger("league")


class LeagueServices:
    """The doors from the web process to the league. No call takes long, none raises."""

    def __init__(
        self, settings: LeagueSettings, database: Store, broadcast: Broadcast | None = None
    ) -> None:
        self._settings = settings
        self._database = database
        # The memory broker reaches nobody outside this process; then the clockwork finds the row.
        self._bells = None if settings.embedded else Bells(settings)
        self._app = None if settings.embedded else make_celery(settings)
        self._records: Broadcast | RedisRecords = broadcast or Broadcast()
        if settings.redis_url is not None:
            self._records = RedisRecords(settings.redis_url, settings.redis_seconds)

    def submitted(self, submission_id: int) -> None:
        """Wake a worker for a stored submission."""
        if self._bells is not None:
            self._bells.ring(Due(matches=(), submissions=(submission_id,)))

    def review_wanted(self, review_id: int) -> None:
        """Wake a worker for a review that waits."""
        if self._bells is not None:
            self._bells.ring(Due(matches=(), submissions=(), reviews=(review_id,)))

    def match_queued(self, bell: Doorbell) -> None:
        """Wake a worker for a match that somebody asked for."""
        if self._bells is not None:
            self._bells.ring(Due(matches=(bell,), submissions=()))

    def missing(self) -> Sequence[Missing]:
        """What keeps submissions from being checked now."""
        with self._database.read() as session:
            workers = store.workers.alive(session)
        if not workers:
            return [
                Missing(
                    what="a worker",
                    why="No worker has been heard from in the last minute.",
                    fix="Start one with `bullring worker`; submissions wait for it.",
                )
            ]
        if not any(str(worker.detail.get("runner", "")).startswith("docker") for worker in workers):
            return [
                Missing(
                    what="Docker",
                    why="The workers that are up run only trusted bots, as plain processes.",
                    fix="Start a worker with BULLRING_SANDBOX=docker on a machine with Docker.",
                )
            ]
        return []

    def live(self, match_id: int, after: tuple[int, int]) -> Sequence[Item]:
        """What has happened in a match after this place of its record; public things only."""
        return self._records.since(match_id, after)

    def refuses_uploads(self) -> Missing | None:
        """Whether this league can never check what is uploaded: its own worker is the only one,
        and plays trusted bots as plain processes."""
        if not self._settings.embedded or self._settings.sandbox == "docker":
            return None
        return Missing(
            what="Docker",
            why="This league runs only trusted bots, as plain processes, and no uploads.",
            fix="Its operator starts it with BULLRING_SANDBOX=docker on a machine with Docker.",
        )

    def broker_problem(self) -> str | None:
        """Why the broker cannot be reached, for /readyz."""
        if self._app is None:
            return None
        try:
            with self._app.connection_for_write(connect_timeout=1.0) as connection:
                connection.ensure_connection(max_retries=1, timeout=1)
        except Exception as error:
            # Whatever it is, the broker does not answer.
            return f"{type(error).__name__}: {error}"[:200]
        return None
