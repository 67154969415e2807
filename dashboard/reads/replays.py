"""Everything about a match that the pages of its games depend on, in one query.

A game and its replay never change; the match can be played again, struck from view with its
season, and its bots can be renamed. So two equal `ReplayFacts` mean equal pages.
"""

from dataclasses import dataclass
from functools import cache

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from dashboard.http import Refused, Viewer
from dashboard.reads.access import may_see_kind
from store import (
    BlobKind,
    Bot,
    Match,
    MatchKind,
    MatchState,
    Owner,
    ReplayBlob,
    Season,
    SeasonState,
    Seat,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFacts:
    """Who sat there."""

    number: int
    bot: str
    """`owner/name`."""
    owner_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayFacts:
    """A match as its replays show it."""

    match_id: int
    state: MatchState
    attempts: int
    commitment: str
    rules: str
    table_size: int
    passes: int
    replay: str | None
    """Hash of the file with the replays of the counted attempt."""
    notes: str | None
    """Hash of the file with the bots' notes."""
    seats: tuple[SeatFacts, ...]


def replay_facts(session: Session, viewer: Viewer, match_id: int) -> ReplayFacts:
    """The facts of a match this viewer may see."""
    rows = [tuple(row) for row in session.execute(_query(), {"match_id": match_id})]
    if not rows or not _is_shown(session, viewer, match_id, *rows[0][6:10]):
        raise Refused(404, f"got match {match_id}, expected one that exists")
    state, attempts, commitment, rules, table_size, passes = rows[0][:6]
    return ReplayFacts(
        match_id=match_id,
        state=state,
        attempts=attempts,
        commitment=commitment,
        rules=rules,
        table_size=table_size,
        passes=passes,
        replay=rows[0][10],
        notes=rows[0][11],
        seats=tuple(
            SeatFacts(number=number, bot=f"{handle}/{name}", owner_id=owner_id)
            for *_, number, handle, name, owner_id in rows
        ),
    )


@cache
def _query() -> sa.Executable:
    """Put together once: that takes longer than to run it."""
    replay, notes = aliased(ReplayBlob), aliased(ReplayBlob)
    query = (
        sa.select(
            *(col(Match.state), col(Match.attempts), col(Match.commitment), col(Match.rules)),
            *(col(Match.table_size), col(Match.passes)),
            *(
                col(Match.kind),
                col(Match.season_id),
                col(Season.state),
                col(Season.rehearsal_of_id),
            ),
            *(col(replay.sha256), col(notes.sha256)),
            *(col(Seat.number), col(Owner.handle), col(Bot.name), col(Owner.id)),
        )
        .join(Seat, col(Seat.match_id) == col(Match.id))
        .join(Bot, col(Bot.id) == col(Seat.bot_id))
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .outerjoin(Season, col(Season.id) == col(Match.season_id))
        .where(col(Match.id) == sa.bindparam("match_id"))
        .order_by(col(Seat.number))
    )
    for blob, kind in ((replay, BlobKind.REPLAY), (notes, BlobKind.NOTES)):
        counted = sa.and_(
            col(blob.match_id) == col(Match.id),
            col(blob.attempt) == col(Match.attempts),
            col(blob.kind) == kind,
        )
        query = query.outerjoin(blob, counted)
    return query


def _is_shown(
    session: Session,
    viewer: Viewer,
    match_id: int,
    kind: MatchKind,
    season_id: int | None,
    state: SeasonState | None,
    rehearses: int | None,
) -> bool:
    """As `access.visible_match`, of a season that may be missing."""
    if not may_see_kind(session, viewer, match_id, kind):
        return False
    hidden = season_id is not None and (state in (None, SeasonState.DRAFT) or rehearses is not None)
    return viewer.is_organiser or not hidden
