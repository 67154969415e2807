"""How long we wait for the database: to connect, for a lock, for a statement, for any answer.

The server ends what takes too long. A connection that swallows everything never hears from the
server, so the client counts as well.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg.abc import PQGen
from psycopg.errors import OperationalError
from sqlalchemy.engine import Connection, Engine

ANSWER_MARGIN = 5.0
"""How much longer than the server the client waits, so that the server's own words come first."""
PATIENT = "bullring_patient"
"""The execution option of upgrades, backups and exports, which may take their time."""
WRITES = "bullring_writes"
"""The execution option of transactions that lock rows."""
WAIT_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseTimeouts:
    """All in seconds."""

    connect: float = 10.0
    lock: float = 20.0
    """For a row or table that another transaction holds."""
    statement: float = 60.0
    patient: float = 3600.0
    """For one statement of an upgrade, a backup, a restore or an export."""

    @property
    def idle(self) -> float:
        """For a transaction that holds locks and asks nothing: its client may have gone without
        the server hearing of it."""
        return 2 * self.statement

    @property
    def connection_arguments(self) -> dict[str, object]:
        """What the driver is told: a peer that is gone for good is noticed within half a minute."""
        return {
            "connect_timeout": max(2, round(self.connect)),
            "keepalives_idle": 15,
            "keepalives_interval": 5,
            "keepalives_count": 3,
            "tcp_user_timeout": 30_000,
            # A pooler that gives every transaction another server knows no statements that were
            # prepared before (PgBouncer before 1.21).
            "prepare_threshold": None,
        }


class Bounded(psycopg.Connection[Any]):
    """A connection that stops waiting: what it waited for is unknown, so it is closed."""

    answer_seconds: float | None = None

    def wait(
        self,
        gen: PQGen[Any],
        interval: float = WAIT_SECONDS,
        timeout: float | None = None,
    ) -> Any:
        """Wait for the server; OperationalError when it says nothing for too long."""
        if timeout is not None or self.answer_seconds is None:
            return super().wait(gen, interval, timeout)
        try:
            return super().wait(gen, interval, self.answer_seconds)
        # The driver has no public name for it.
        except psycopg.errors._WaitTimeout:
            self.pgconn.finish()
            raise OperationalError(
                f"the database did not answer within {self.answer_seconds:.0f} seconds; "
                "the connection is closed"
            ) from None


def bound(engine: Engine, timeouts: DatabaseTimeouts) -> None:
    """Give every transaction of a PostgreSQL engine its limits."""

    @sa.event.listens_for(engine, "do_connect")
    def connect(_dialect: Any, _record: Any, args: list[Any], arguments: dict[str, Any]) -> Any:
        return Bounded.connect(*args, **arguments)

    sa.event.listen(engine, "begin", partial(_limit, timeouts))


def _limit(timeouts: DatabaseTimeouts, connection: Connection) -> None:
    patient = bool(connection.get_execution_options().get(PATIENT))
    statement = timeouts.patient if patient else timeouts.statement
    raw: object = connection.connection.dbapi_connection
    if isinstance(raw, Bounded):
        raw.answer_seconds = statement + ANSWER_MARGIN
    writes = bool(connection.get_execution_options().get(WRITES))
    idle = f"; SET LOCAL idle_in_transaction_session_timeout = {round(timeouts.idle * 1000)}"
    # SET LOCAL ends with the transaction, so a pooler between us and the server may hand the
    # connection to another client afterwards.
    connection.exec_driver_sql(
        f"SET LOCAL statement_timeout = {round(statement * 1000)};"
        f" SET LOCAL lock_timeout = {round(timeouts.lock * 1000)}" + (idle if writes else "")
    )
