"""Real reviews for tests of pages and API, made here with few rollouts."""

import threading
from typing import Any

import store
from league.matches import usable_cores
from league.reviews import ReviewMaker
from store import ReviewReason, Store

FEW = 64


def make_reviews(database: Store, match_id: int, games: int = 1) -> list[dict[str, Any]]:
    """Review the first games of a match; returns the documents."""
    with database.write() as session:
        asked = store.reviews.ask(
            session, match_id, [(0, number) for number in range(games)], ReviewReason.ASKED
        )
    # With cores of its own the child does not wait for an idle machine.
    maker = ReviewMaker(database=database, worker="here", rollouts=FEW, cores=usable_cores())
    while maker.make_next(threading.Event()):
        pass
    made = []
    with database.read() as session:
        for one in asked:
            row = store.present(session, store.Review, one.id)
            document = store.reviews.document(row)
            assert document is not None, row.error
            made.append(document)
    return made
