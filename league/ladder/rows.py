"""What the field of a ladder is read from, as columns: bots, ratings, matches. Queries only."""

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import Session, col

from store import (
    Bot,
    EntryState,
    LadderEntry,
    Match,
    MatchState,
    Owner,
    Rating,
    Seat,
    Submission,
    SubmissionState,
    Version,
    VersionState,
)

IN_FLIGHT = (MatchState.PLANNED, MatchState.QUEUED, MatchState.RUNNING)
# In whole microseconds: sums come out the same in whatever order they are added up.
THINK_US = sa.cast(sa.func.round(col(Seat.think_ms) * 1000), sa.BigInteger())


class VersionRow(NamedTuple):
    """A version, as far as ladders care."""

    id: int
    number: int
    state: VersionState
    fingerprint: str | None
    created_at: datetime
    accepted_at: datetime | None


class BotRow(NamedTuple):
    """A bot with its versions and what was decided on it in one ladder."""

    id: int
    owner_id: int
    full_name: str
    is_anchor: bool
    current_version: int | None
    suspended_at: datetime | None
    suspended_why: str | None
    disabled: bool
    """Whether its owner may no longer play."""
    versions: tuple[VersionRow, ...]
    """The newest first."""
    in_check: bool
    entry: EntryState
    competes: bool
    """Whether it plays for a place; a platform bot has to be entered."""

    @property
    def current(self) -> VersionRow | None:
        """The version that plays."""
        wanted = self.current_version
        return next((one for one in self.versions if one.number == wanted), None)


class RatingRow(NamedTuple):
    """What a scale says of a version."""

    live: float
    official: float | None
    low: float | None
    high: float | None
    games: int


class SeatRow(NamedTuple):
    """Who sits at a table, and how long it thought there."""

    bot_id: int
    version_id: int
    is_anchor: bool
    think_us: int
    games: int


class MatchRow(NamedTuple):
    """A match of a ladder now."""

    state: MatchState
    finished_at: datetime | None
    seats: tuple[SeatRow, ...]


def bot_rows(
    session: Session, ladder_id: int, rules: str, only: Collection[int] | None = None
) -> dict[int, BotRow]:
    """The bots that play these rules, whatever their state; `only` some of them, by their ids."""
    versions = _versions(session, only)
    checking = _in_check(session)
    query = sa.select(col(LadderEntry.bot_id), col(LadderEntry.state), col(LadderEntry.is_anchor))
    query = query.where(col(LadderEntry.ladder_id) == ladder_id)
    entries = {bot_id: (state, anchor) for bot_id, state, anchor in session.execute(query)}
    people = sa.select(
        col(Bot.id),
        col(Bot.owner_id),
        col(Owner.handle),
        col(Bot.name),
        col(Bot.rules),
        col(Bot.is_anchor),
        col(Bot.current_version),
        col(Bot.suspended_at),
        col(Bot.suspended_why),
        col(Owner.disabled_at),
    ).join(Owner, col(Owner.id) == col(Bot.owner_id))
    if only is not None:
        people = people.where(col(Bot.id).in_(only))
    found: dict[int, BotRow] = {}
    for (
        number,
        owner,
        handle,
        name,
        plays,
        anchor,
        current,
        since,
        why,
        disabled,
    ) in session.execute(people.order_by(col(Bot.id))):
        if rules in plays:
            state, fills = entries.get(number, (EntryState.ENTERED, anchor))
            found[number] = BotRow(
                number,
                owner,
                f"{handle}/{name}",
                anchor,
                current,
                since,
                why,
                disabled is not None,
                tuple(versions.get(number, ())),
                number in checking,
                state,
                not anchor or not fills,
            )
    return found


def _versions(session: Session, only: Collection[int] | None) -> dict[int, list[VersionRow]]:
    query = sa.select(
        col(Version.bot_id),
        col(Version.id),
        col(Version.number),
        col(Version.state),
        col(Version.fingerprint),
        col(Version.created_at),
        col(Version.accepted_at),
    )
    if only is not None:
        query = query.where(col(Version.bot_id).in_(only))
    found: dict[int, list[VersionRow]] = {}
    for bot_id, *row in session.execute(query.order_by(col(Version.number).desc())):
        found.setdefault(bot_id, []).append(VersionRow(*row))
    return found


def _in_check(session: Session) -> set[int]:
    """The bots with a submission on its way; there are never many."""
    states = [one for one in SubmissionState if not one.is_final]
    query = sa.select(col(Submission.bot_id)).where(col(Submission.state).in_(states)).distinct()
    return set(session.execute(query).scalars())


def rating_rows(session: Session, scale_id: int) -> dict[int, RatingRow]:
    """The ratings of a scale by version."""
    query = sa.select(
        col(Rating.version_id),
        col(Rating.live),
        col(Rating.official),
        col(Rating.low),
        col(Rating.high),
        col(Rating.games),
    ).where(col(Rating.scale_id) == scale_id)
    return {version_id: RatingRow(*row) for version_id, *row in session.execute(query)}


def tables_in_flight(session: Session, ladder_id: int) -> dict[int, tuple[int, ...]]:
    """The bots of every match that waits or runs, seat by seat."""
    query = (
        sa.select(col(Seat.match_id), col(Seat.bot_id))
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Match.scale_id) == ladder_id, col(Match.state).in_(IN_FLIGHT))
        .order_by(col(Seat.match_id), col(Seat.number))
    )
    found: dict[int, list[int]] = {}
    for match_id, bot_id in session.execute(query):
        found.setdefault(match_id, []).append(bot_id)
    return {match_id: tuple(table) for match_id, table in found.items()}


def last_ends(session: Session, ladder_id: int) -> dict[int, datetime]:
    """When the last match of each bot ended."""
    query = (
        sa.select(col(Seat.bot_id), sa.func.max(col(Match.finished_at)))
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Match.scale_id) == ladder_id, col(Match.state) == MatchState.DONE)
        .group_by(col(Seat.bot_id))
    )
    return {bot_id: moment for bot_id, moment in session.execute(query) if moment is not None}


def think_sums(session: Session, ladder_id: int) -> dict[int, tuple[int, int]]:
    """Microseconds and games of the versions of anchor bots.

    Their own time only: a quick bot at a slow table stays quick.
    """
    query = (
        sa.select(col(Seat.version_id), sa.func.sum(THINK_US), sa.func.sum(col(Seat.games)))
        .join(Match, col(Match.id) == col(Seat.match_id))
        .join(Bot, col(Bot.id) == col(Seat.bot_id))
        .where(
            col(Match.scale_id) == ladder_id,
            col(Match.state) == MatchState.DONE,
            col(Bot.is_anchor),
            col(Seat.games) > 0,
        )
        .group_by(col(Seat.version_id))
    )
    return {
        version_id: (int(think), int(games)) for version_id, think, games in session.execute(query)
    }


def match_rows(session: Session, ladder_id: int, match_ids: Collection[int]) -> dict[int, MatchRow]:
    """These matches as they are now; one that is gone is left out."""
    query = (
        sa.select(
            col(Match.id),
            col(Match.state),
            col(Match.finished_at),
            col(Seat.bot_id),
            col(Seat.version_id),
            col(Bot.is_anchor),
            THINK_US,
            col(Seat.games),
        )
        .join(Seat, col(Seat.match_id) == col(Match.id))
        .join(Bot, col(Bot.id) == col(Seat.bot_id))
        .where(col(Match.id).in_(match_ids), col(Match.scale_id) == ladder_id)
        .order_by(col(Match.id), col(Seat.number))
    )
    about: dict[int, tuple[MatchState, datetime | None]] = {}
    seats: dict[int, list[SeatRow]] = {}
    for match_id, state, finished_at, *seat in session.execute(query):
        about[match_id] = state, finished_at
        seats.setdefault(match_id, []).append(SeatRow(*seat))
    return {match_id: MatchRow(*about[match_id], tuple(table)) for match_id, table in seats.items()}
