"""The matches of ladders: tables drawn and queued whenever the workers have room."""

import secrets
from collections import Counter
from itertools import combinations
from random import Random

import sqlalchemy as sa
from sqlmodel import Session, col

import store
from league.ladder.draw import draw_tables
from league.ladder.field import FieldView, matchmaking, read_state
from league.ladder.memory import LadderFields, LadderMemory
from league.ladder.rows import IN_FLIGHT
from league.matches import new_match
from store import Doorbell, Ladder, Match, MatchKind, Seat, Store

REMEMBERED = 200
"""How many of a ladder's latest matches count as recent meetings."""


def queue_matches(database: Store, room: int, fields: LadderFields | None = None) -> list[Doorbell]:
    """Make ladder matches for `room` free places in the queue.

    A ladder with no match on its way gets one match even when there is no room: a season that runs
    for days must not stop it. `fields` is the caller's memory of the ladders; without one, each is
    read from the database.
    """
    fields = fields or LadderFields(database)
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
                bells += make_matches(session, ladder_id, count, memory=fields.of(ladder_id))
    return bells


def make_matches(
    session: Session,
    ladder_id: int,
    count: int,
    *,
    seed: int | None = None,
    memory: LadderMemory | None = None,
) -> list[Doorbell]:
    """Draw up to `count` tables and queue their matches, all in one transaction.

    Without a memory the field is read in this session, with what it has not committed yet.
    """
    # The lock: two clocks at once would both see the same bots idle.
    ladder = store.locked(session, Ladder, ladder_id)
    if not ladder.is_open:
        return []
    view = FieldView(read_state(session, ladder)) if memory is None else memory.look(ladder)
    settings = matchmaking(session, ladder, view.entrants(ladder).values())
    drawn = secrets.randbits(32) if seed is None else seed
    tables = draw_tables(
        view.roster(ladder),
        *view.moment(ladder, store.database_time(session)),
        count=count,
        seed=drawn,
        settings=settings,
        meetings=_meetings(session, ladder_id),
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
    return store.matches.queue(session, new)


def flying(session: Session) -> dict[int, int]:
    """How many matches of each ladder are on their way, by its id."""
    query = (
        sa.select(col(Match.scale_id), sa.func.count())
        .where(col(Match.kind) == MatchKind.LADDER, col(Match.state).in_(IN_FLIGHT))
        .group_by(col(Match.scale_id))
    )
    return {ladder_id: int(count) for ladder_id, count in session.execute(query)}


def _meetings(session: Session, ladder_id: int) -> Counter[frozenset[str]]:
    """How often two versions met lately."""
    recent = (
        sa.select(col(Match.id))
        .where(col(Match.scale_id) == ladder_id)
        .order_by(col(Match.id).desc())
        .limit(REMEMBERED)
    )
    query = sa.select(col(Seat.match_id), col(Seat.version_id))
    tables: dict[int, list[str]] = {}
    for match_id, version_id in session.execute(
        query.where(col(Seat.match_id).in_(recent.scalar_subquery()))
    ):
        tables.setdefault(match_id, []).append(str(version_id))
    return Counter(frozenset(pair) for table in tables.values() for pair in combinations(table, 2))
