"""Real reviews for tests of pages and API, made here with few rollouts."""

import sys
import threading
from typing import Any

import store
from league.reviews import ReviewMaker
from store import ReviewReason, Store

FEW = 64
AT_ONCE = (
    *(sys.executable, "-Es", "-c"),
    "import sys, review.child as child; child.step_back = lambda _: None;"
    " sys.exit(child.main(sys.argv[1:]))",
)
"""The child without stepping back: tests fill the cores that it would wait for."""


def make_reviews(database: Store, match_id: int, games: int = 1) -> list[dict[str, Any]]:
    """Review the first games of a match; returns the documents."""
    with database.write() as session:
        asked = store.reviews.ask(
            session, match_id, [(0, number) for number in range(games)], ReviewReason.ASKED
        )
    maker = ReviewMaker(database=database, worker="here", rollouts=FEW, command=AT_ONCE)
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
