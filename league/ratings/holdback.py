"""Which results live Elo takes in now: those of a ladder in the order in which it made its matches.

The official rating takes every result at once; its order cannot matter.
"""

from itertools import accumulate

import sqlalchemy as sa
from sqlmodel import Session, col

import store
from league.ratings.elo import releasable
from store import Match, MatchState

ON_THEIR_WAY = (MatchState.QUEUED, MatchState.RUNNING)


def held_back(session: Session, ladder_id: int) -> frozenset[int]:
    """Matches with a result that waits for a match which was made before them.

    The wait for a straggler begins when the first match made after it is over. One that comes in
    even later still counts at its own place in the order.
    """
    counts = sa.and_(col(Match.scale_id) == ladder_id, col(Match.rated))
    late = session.scalars(
        sa.select(col(Match.id)).where(counts, col(Match.state).in_(ON_THEIR_WAY))
    ).all()
    if not late:
        return frozenset()
    query = (
        sa.select(col(Match.id), col(Match.finished_at))
        .where(counts, col(Match.state) == MatchState.DONE, col(Match.id) > min(late))
        .order_by(col(Match.id).desc())
    )
    over = [(match_id, finished) for match_id, finished in session.execute(query)]
    now = store.database_time(session)
    # By match, from the last one on: when the first of all that were made after it was over.
    first = dict(
        zip(
            [match_id for match_id, _ in over],
            accumulate((finished for _, finished in over), min),
            strict=True,
        )
    )
    rows = [(match_id, True, 0.0) for match_id, _ in over]
    for straggler in late:
        since = [first[match_id] for match_id in first if match_id > straggler]
        waited = (now - since[-1]).total_seconds() if since else 0.0
        rows.append((straggler, False, waited))
    return frozenset(first) - frozenset(releasable(rows))
