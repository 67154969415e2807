"""The matches of ladders: tables drawn and queued whenever the workers have room."""

import secrets
from collections import Counter
from itertools import combinations
from random import Random

import sqlalchemy as sa
from sqlmodel import Session, col, select

import store
from league.ladder import field
from league.ladder.draw import choose
from league.matches import new_match
from store import Doorbell, Ladder, Match, MatchKind, Seat, Store

REMEMBERED = 200
"""How many of a ladder's latest matches count as recent meetings."""


def queue_matches(database: Store, room: int) -> list[Doorbell]:
    """Make ladder matches for `room` free places in the queue.

    A ladder with no match on its way gets one match even when there is no room: a season that runs
    for days must not stop it.
    """
    with database.read() as session:
        waiting = flying(session)
        ladders = sorted(
            (waiting.get(one.id, 0), one.id)
            for one in store.ladders.ladders(session, only_open=True)
        )
    bells: list[Doorbell] = []
    for place, (under_way, ladder_id) in enumerate(ladders):
        share = -(-(room - len(bells)) // (len(ladders) - place))
        count = max(share, 0 if under_way else 1)
        if count > 0:
            with database.write() as session:
                bells += make_matches(session, ladder_id, count)
    return bells


def make_matches(
    session: Session, ladder_id: int, count: int, *, seed: int | None = None
) -> list[Doorbell]:
    """Draw up to `count` tables and queue their matches, all in one transaction."""
    # The lock: two clocks at once would both see the same bots idle.
    ladder = store.locked(session, Ladder, ladder_id)
    if not ladder.is_open:
        return []
    bots = field.read_field(session, ladder)
    settings = field.matchmaking(session, ladder, bots)
    drawn = secrets.randbits(32) if seed is None else seed
    tables = choose(
        bots, count=count, seed=drawn, settings=settings, meetings=_meetings(session, ladder_id)
    )
    rng = Random(drawn)
    new = [
        new_match(
            ladder,
            MatchKind.LADDER,
            map(int, rng.sample(table.bots, len(table.bots))),
            scale_id=ladder.id,
        )
        for table in tables
    ]
    return store.matches.publish(session, store.matches.plan(session, new))


def flying(session: Session) -> dict[int, int]:
    """How many matches of each ladder are on their way, by its id."""
    query = (
        sa.select(col(Match.scale_id), sa.func.count())
        .where(col(Match.kind) == MatchKind.LADDER, col(Match.state).in_(field.IN_FLIGHT))
        .group_by(col(Match.scale_id))
    )
    return {ladder_id: int(count) for ladder_id, count in session.execute(query)}


def _meetings(session: Session, ladder_id: int) -> Counter[frozenset[str]]:
    """How often two versions met lately."""
    recent = store.match_lists.matches(session, scale_id=ladder_id, limit=REMEMBERED)
    query = select(Seat.match_id, Seat.version_id)
    rows = session.exec(query.where(col(Seat.match_id).in_([match.id for match in recent])))
    tables: dict[int, list[str]] = {}
    for match_id, version_id in rows:
        tables.setdefault(match_id, []).append(str(version_id))
    return Counter(frozenset(pair) for table in tables.values() for pair in combinations(table, 2))
