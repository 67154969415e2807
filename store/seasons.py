"""Seasons, their entries and progress; when and why a state changes is the league's."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import EntryState, MatchKind, MatchState, SeasonState
from store import audit, scales
from store.columns import utc_now
from store.engine import locked, present
from store.errors import Conflict
from store.tables import (
    Attempt,
    Block,
    Entry,
    Fault,
    Game,
    Match,
    Rating,
    RatingPoint,
    ReplayBlob,
    Review,
    Scale,
    Season,
    SeasonCount,
    Seat,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How many matches of a season are in each state."""

    counts: Mapping[MatchState, int]
    struck: int = 0
    """Of those with a result, the ones that no longer count."""

    @property
    def total(self) -> int:
        """All but the cancelled ones."""
        return sum(self.counts.values()) - self.counts[MatchState.CANCELLED]

    @property
    def done(self) -> int:
        """Matches with a result."""
        return self.counts[MatchState.DONE]

    @property
    def open(self) -> int:
        """Matches that the season still waits for; stuck ones are not among them."""
        return sum(count for state, count in self.counts.items() if state.holds_up_season)


def add_season(session: Session, season: Season) -> Season:
    """Store a new season and make its scale."""
    check_free(session, season.name)
    audit.give_unused_id(session, season, "season")
    session.add(season)
    session.flush()
    scales.add_scale(session, season.rules, season.options, season.table_size, season_id=season.id)
    return season


def check_free(session: Session, name: str) -> None:
    """Conflict when another season has this name."""
    if by_name(session, name) is not None:
        raise Conflict(f"got season name {name!r}, which is taken; choose another")


def fit_scale(session: Session, season: Season) -> None:
    """Give the scale of a season, on which nothing was played yet, what the season plays now."""
    scale = scales.of_season(session, season.id)
    scale.key = scales.scale_key(season.rules, season.options, season.table_size, season.id)
    for name in ("rules", "options", "table_size"):
        setattr(scale, name, getattr(season, name))
    session.flush()


def by_name(session: Session, name: str) -> Season | None:
    """The season of that name."""
    return session.exec(select(Season).where(Season.name == name)).one_or_none()


def seasons(session: Session, *states: SeasonState) -> list[Season]:
    """Seasons in these states (all if none is given), newest first."""
    query = select(Season).order_by(col(Season.id).desc())
    if states:
        query = query.where(col(Season.state).in_(states))
    return list(session.exec(query).all())


def set_state(session: Session, season_id: int, state: SeasonState) -> Season:
    """Move a season on; refuses a step that its life does not have."""
    season = locked(session, Season, season_id)
    if state not in season.state.next_states:
        allowed = ", ".join(sorted(season.state.next_states)) or "none, it is over"
        raise Conflict(
            f"got {state} for season {season.name!r}, which is {season.state};"
            f" next can be: {allowed}"
        )
    season.state = state
    now = utc_now()
    if state is SeasonState.FROZEN:
        season.frozen_at = now
    elif state is SeasonState.RUNNING:
        season.started_at = season.started_at or now
    elif state is SeasonState.FINISHED:
        season.finished_at = now
    session.flush()
    return season


def enter(session: Session, season_id: int, bot_id: int, *, is_anchor: bool = False) -> Entry:
    """Put a bot into a season that takes entries; entering twice is one entry."""
    season = locked(session, Season, season_id)
    if season.state not in (SeasonState.DRAFT, SeasonState.OPEN) and not is_anchor:
        raise Conflict(f"season {season.name!r} is {season.state}; entries need an open season")
    query = select(Entry).where(Entry.season_id == season_id, Entry.bot_id == bot_id)
    entry = session.exec(query).one_or_none()
    if entry is None:
        entry = Entry(season_id=season_id, bot_id=bot_id, is_anchor=is_anchor)
        audit.give_unused_id(session, entry, "entry")
        session.add(entry)
    elif entry.state is EntryState.DISQUALIFIED:
        raise Conflict(f"bot {bot_id} is disqualified from season {season.name!r}")
    else:
        entry.state, entry.left_at = EntryState.ENTERED, None
    session.flush()
    return entry


def leave(session: Session, entry_id: int, state: EntryState, reason: str) -> Entry:
    """Withdraw or disqualify an entrant; what happens to its matches is the league's."""
    entry = locked(session, Entry, entry_id)
    entry.state, entry.reason, entry.left_at = state, reason, utc_now()
    session.flush()
    return entry


def pin(session: Session, entry_id: int, version_id: int) -> None:
    """Fix the version an entrant plays with, at the freeze."""
    locked(session, Entry, entry_id).version_id = version_id
    session.flush()


def entries(session: Session, season_id: int, *, only_entered: bool = False) -> list[Entry]:
    """The entries of a season in order of entering."""
    query = select(Entry).where(Entry.season_id == season_id).order_by(col(Entry.id))
    if only_entered:
        query = query.where(Entry.state == EntryState.ENTERED)
    return list(session.exec(query).all())


def progress(session: Session, season_id: int) -> Progress:
    """How far along a season is, from the states of its matches."""
    query = (
        select(col(Match.state), col(Match.rated), sa.func.count())
        .where(Match.season_id == season_id)
        .group_by(col(Match.state), col(Match.rated))
    )
    return progress_from(session.exec(query))


def progress_from(rows: Iterable[tuple[MatchState, bool, int]]) -> Progress:
    """From numbers of matches by their state and whether they count."""
    counts = dict.fromkeys(MatchState, 0)
    struck = 0
    for state, rated, count in rows:
        counts[state] += int(count)
        struck += int(count) if state is MatchState.DONE and not rated else 0
    return Progress(counts=counts, struck=struck)


def kept_progress(session: Session, season_ids: Sequence[int]) -> dict[int, Progress]:
    """The progress of several seasons in one query, from counts that triggers keep.

    PostgreSQL writes them when a transaction commits: whoever has changed matches and not
    committed yet takes `progress`, which counts.
    """
    found: dict[int, list[tuple[MatchState, bool, int]]] = {number: [] for number in season_ids}
    for season_id, state, rated, count in session.execute(_kept(), {"ids": list(season_ids)}):
        found[season_id].append((state, rated, int(count)))
    return {number: progress_from(rows) for number, rows in found.items()}


@cache
def _kept() -> sa.Executable:
    """Put together once: that takes longer than to run it."""
    by = (col(SeasonCount.season_id), col(SeasonCount.state), col(SeasonCount.rated))
    return (
        sa.select(*by, sa.func.sum(col(SeasonCount.matches)))
        .where(col(SeasonCount.season_id).in_(sa.bindparam("ids", expanding=True)))
        .group_by(*by)
    )


def past(session: Session) -> set[int]:
    """The seasons that are over: what got stuck in them is counted and listed with them alone."""
    over = [state for state in SeasonState if state.is_final]
    return set(session.exec(select(Season.id).where(col(Season.state).in_(over))).all())


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """A seat of a version in a match of a season."""

    match_id: int
    number: int
    state: MatchState
    substitute: bool


def matches_of_version(session: Session, season_id: int, version_id: int) -> list[Sitting]:
    """Every match in which a version sits: a withdrawal counts and changes them."""
    query = (
        select(col(Match.id), col(Seat.number), col(Match.state), col(Seat.substitute))
        .join(Seat, col(Seat.match_id) == col(Match.id))
        .where(Match.season_id == season_id, Seat.version_id == version_id)
        .order_by(col(Seat.match_id))
    )
    return [
        Sitting(match_id=match_id, number=number, state=state, substitute=substitute)
        for match_id, number, state, substitute in session.exec(query)
    ]


def commitments(session: Session, season_id: int) -> list[tuple[int, str]]:
    """Id and key commitment of every match of a season, in creation order."""
    query = select(Match.id, Match.commitment).where(Match.season_id == season_id)
    return [(match_id, hashed) for match_id, hashed in session.exec(query.order_by(col(Match.id)))]


def season(session: Session, season_id: int) -> Season:
    """A season that has to exist."""
    return present(session, Season, season_id)


def rehearsals(session: Session, season_id: int | None = None) -> list[Season]:
    """The rehearsals that are still there (of one season, or all), newest first."""
    query = select(Season).where(col(Season.rehearsal_of_id).is_not(None))
    if season_id is not None:
        query = query.where(Season.rehearsal_of_id == season_id)
    return list(session.exec(query.order_by(col(Season.id).desc())).all())


def remove(session: Session, season_id: int) -> int:
    """Delete a rehearsal or a draft with all it left behind; returns how many matches it had.

    Only a season whose matches are all rehearsals can go: results are kept for ever.
    """
    locked(session, Season, season_id)
    own = select(Match.id).where(Match.season_id == season_id)
    real = own.where(Match.kind != MatchKind.REHEARSAL)
    if session.exec(real.limit(1)).first() is not None:
        raise Conflict(f"season {season_id} has matches that count, so it cannot be deleted")
    scale = select(Scale.id).where(Scale.season_id == season_id)
    for part in (RatingPoint, Rating):
        session.exec(sa.delete(part).where(col(part.scale_id).in_(scale)))
    for table in (Fault, ReplayBlob, Review, Block, Game, Attempt, Seat):
        session.exec(sa.delete(table).where(col(table.match_id).in_(own)))
    count = int(session.exec(sa.delete(Match).where(col(Match.season_id) == season_id)).rowcount)
    session.exec(sa.delete(Scale).where(col(Scale.season_id) == season_id))
    session.exec(sa.delete(Entry).where(col(Entry.season_id) == season_id))
    session.exec(sa.delete(Season).where(col(Season.id) == season_id))
    return count
