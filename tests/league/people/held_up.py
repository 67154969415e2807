"""To know that another thread has come to a lock of ours, without a guess at how long it takes."""

import threading

import sqlalchemy as sa

from store import Store

WAITING = sa.text(
    "SELECT count(*) FROM pg_stat_activity"
    " WHERE datname = current_database() AND wait_event_type = 'Lock'"
)


def wait_until_held_up(store: Store, other: threading.Thread, comes: threading.Event) -> None:
    """Wait until the other, which says when it comes, waits for what this thread holds, or is done.

    SQLite has one lock, and does not say who waits for it: there it is enough that it comes.
    """
    assert comes.wait(60.0)
    pause = threading.Event()
    while store.is_postgresql and other.is_alive():
        with store.read() as session:
            if session.execute(WAITING).scalar_one():
                return
        pause.wait(0.01)
