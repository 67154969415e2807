"""Queries of the pages beyond those of the store; every page needs a fixed number of them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.orm import defer
from sqlmodel import Session, col, select

from dashboard.http import Refused, Viewer
from store import (
    PUBLIC_KINDS,
    Bot,
    Entry,
    JsonDict,
    Ladder,
    Match,
    MatchKind,
    Owner,
    Rating,
    Scale,
    Season,
    SeasonState,
    Submission,
    Version,
    friendlies,
    sittings,
)

PAGE_SIZE = 50
PERSON_BOT = sittings.PERSON_BOT


@dataclass(frozen=True, slots=True, kw_only=True)
class BotLine:
    """A bot in a list."""

    bot: Bot
    full_name: str
    owner: Owner


def find_bot(session: Session, owner: str, name: str) -> BotLine | None:
    """A bot and its owner by their names."""
    query = (
        select(Bot, Owner)
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .where(Owner.handle == owner, Bot.name == name, _is_a_bot())
    )
    row = session.exec(query).one_or_none()
    return None if row is None else _line(row[0], row[1])


def _is_a_bot() -> sa.ColumnElement[bool]:
    """Not the one that stands for every person at a table: it has no page and is in no list."""
    return sa.not_(sa.and_(col(Owner.is_house).is_(True), col(Bot.name) == PERSON_BOT))


def _line(bot: Bot, owner: Owner) -> BotLine:
    return BotLine(bot=bot, owner=owner, full_name=f"{owner.handle}/{bot.name}")


def platform_bots(session: Session) -> list[BotLine]:
    """The bots that the platform brings along, by name."""
    query = (
        select(Bot, Owner)
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .where(col(Bot.is_anchor).is_(True), col(Bot.current_version).is_not(None))
        .order_by(col(Bot.name))
    )
    return [_line(bot, owner) for bot, owner in session.exec(query)]


def bots_page(
    session: Session,
    *,
    owner: str | None = None,
    before: int | None = None,
    limit: int = PAGE_SIZE,
    search: str = "",
) -> list[BotLine]:
    """Bots, newest first."""
    query = select(Bot, Owner).join(Owner, col(Owner.id) == col(Bot.owner_id))
    query = query.where(_is_a_bot())
    if owner is not None:
        query = query.where(Owner.handle == owner)
    if search:
        query = query.where(
            sa.or_(
                col(Bot.name).contains(search, autoescape=True),
                col(Owner.handle).contains(search, autoescape=True),
            )
        )
    if before is not None:
        query = query.where(col(Bot.id) < before)
    query = query.order_by(col(Bot.id).desc()).limit(limit)
    return [_line(bot, found) for bot, found in session.exec(query)]


def standings_of(session: Session, season_ids: Sequence[int]) -> dict[int, JsonDict | None]:
    """The published standings of several seasons."""
    query = sa.select(col(Season.id), col(Season.standings)).where(col(Season.id).in_(season_ids))
    return {row.id: row.standings for row in session.execute(query)}


def _hidden() -> sa.ColumnElement[bool]:
    """That a season is for organisers only: a draft, or a rehearsal."""
    rehearsal = col(Season.rehearsal_of_id).is_not(None)
    return sa.or_(col(Season.state) == SeasonState.DRAFT, rehearsal)


def is_hidden(season: Season) -> bool:
    """The same of a season that was read already."""
    return season.state is SeasonState.DRAFT or season.is_rehearsal


def season_names(session: Session, ids: Collection[int | None]) -> dict[int | None, str]:
    """What seasons are called."""
    wanted = {one for one in ids if one is not None}
    rows = session.exec(select(Season.id, Season.name).where(col(Season.id).in_(wanted))).all()
    return dict(rows)


def visible_seasons(
    session: Session,
    *,
    organiser: bool,
    before: int | None = None,
    limit: int = PAGE_SIZE,
    standings: bool = True,
) -> list[Season]:
    """Seasons, newest first; drafts and rehearsals are for organisers.

    Without `standings`, which may be long, they are left in the database.
    """
    query = select(Season).order_by(col(Season.id).desc()).limit(limit)
    if before is not None:
        query = query.where(col(Season.id) < before)
    if not standings:
        query = query.options(defer(col(Season.standings)))  # type: ignore[arg-type]
    if not organiser:
        query = query.where(sa.not_(_hidden()))
    return list(session.exec(query).all())


def hidden_seasons(session: Session) -> set[int]:
    """Seasons whose matches only organisers see."""
    return set(session.exec(select(Season.id).where(_hidden())).all())


def in_public() -> sa.ColumnElement[bool]:
    """That a match is the league's own, and of no season that only organisers see."""
    hidden = sa.select(col(Season.id)).where(_hidden())
    shown = sa.or_(col(Match.season_id).is_(None), col(Match.season_id).not_in(hidden))
    return sa.and_(col(Match.kind).in_(PUBLIC_KINDS), shown)


def season_named(session: Session, name: str, *, organiser: bool) -> Season | None:
    """A season that this viewer may see."""
    found = session.exec(select(Season).where(Season.name == name)).one_or_none()
    return None if found is not None and is_hidden(found) and not organiser else found


def season_number(session: Session, name: str, *, organiser: bool) -> int | None:
    """The id of a season that this viewer may see."""
    query = select(Season.id).where(Season.name == name)
    if not organiser:
        query = query.where(sa.not_(_hidden()))
    return session.exec(query).one_or_none()


def entries(session: Session, season_id: int) -> list[tuple[Entry, str, int | None]]:
    """The entries of a season with the bot's full name and the pinned version's number."""
    query = (
        sa.select(Entry, col(Owner.handle), col(Bot.name), col(Version.number))
        .join(Bot, col(Bot.id) == col(Entry.bot_id))
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .outerjoin(Version, col(Version.id) == col(Entry.version_id))
        .where(col(Entry.season_id) == season_id)
        .order_by(col(Entry.id))
    )
    return [
        (entry, f"{handle}/{name}", number)
        for entry, handle, name, number in session.execute(query)
    ]


def ratings_of(
    session: Session, version_ids: Sequence[int]
) -> list[tuple[Rating, Scale, Season | None, str]]:
    """Ratings of versions with their scales, visible seasons and titles of ladders, newest scale
    first."""
    query = (
        sa.select(Rating, Scale, Season, col(Ladder.title))
        .join(Scale, col(Scale.id) == col(Rating.scale_id))
        .outerjoin(Season, col(Season.id) == col(Scale.season_id))
        .outerjoin(Ladder, col(Ladder.id) == col(Scale.id))
        .where(
            col(Rating.version_id).in_(list(version_ids)),
            sa.or_(col(Season.id).is_(None), sa.not_(_hidden())),
        )
        .order_by(col(Rating.scale_id).desc(), col(Rating.version_id).desc())
    )
    return [
        (rating, scale, season, title or "")
        for rating, scale, season, title in session.execute(query)
    ]


def versions_named(session: Session, version_ids: Iterable[int]) -> dict[int, tuple[str, int, int]]:
    """Full bot name, version number and owner by the id of a version."""
    query = (
        sa.select(
            col(Version.id), col(Owner.handle), col(Bot.name), col(Version.number), col(Owner.id)
        )
        .join(Bot, col(Bot.id) == col(Version.bot_id))
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .where(col(Version.id).in_(list(version_ids)))
    )
    return {
        version_id: (f"{handle}/{name}", number, owner_id)
        for version_id, handle, name, number, owner_id in session.execute(query)
    }


def submissions_page(
    session: Session,
    owner_id: int,
    *,
    key: str | None = None,
    before: int | None = None,
    limit: int = PAGE_SIZE,
) -> list[Submission]:
    """An owner's submissions, newest first; with a key the one that was sent with it."""
    query = select(Submission).where(Submission.owner_id == owner_id)
    if key is not None:
        query = query.where(Submission.idempotency_key == key)
    if before is not None:
        query = query.where(col(Submission.id) < before)
    return list(session.exec(query.order_by(col(Submission.id).desc()).limit(limit)).all())


def owners_page(
    session: Session, *, before: int | None = None, limit: int = PAGE_SIZE
) -> list[Owner]:
    """Accounts, newest first."""
    query = select(Owner).order_by(col(Owner.id).desc()).limit(limit)
    if before is not None:
        query = query.where(col(Owner.id) < before)
    return list(session.exec(query).all())


def may_see_kind(session: Session, viewer: Viewer, match_id: int, kind: MatchKind) -> bool:
    """Whether a match of this kind is shown to this viewer; most kinds are for everyone.

    A friendly match is for whoever asked for it, and for organisers, until it is shared. The
    owners of the other bots learn nothing of it: what their bots did there counts nowhere.
    """
    if not kind.is_private:
        return True
    if kind is MatchKind.PRACTICE:
        friendly = friendlies.find(session, match_id)
        return friendly is not None and (friendly.shared or viewer.sees_private(friendly.owner_id))
    return False


def visible_match(session: Session, viewer: Viewer, match_id: int) -> Match:
    """A match this viewer may see: those of a draft or rehearsal are for organisers."""
    match = session.get(Match, match_id)
    if match is not None and not may_see_kind(session, viewer, match.id, match.kind):
        match = None
    if match is not None and match.season_id is not None and not viewer.is_organiser:
        season = session.get(Season, match.season_id)
        if season is None or is_hidden(season):
            match = None
    if match is None:
        raise Refused(404, f"got match {match_id}, expected one that exists")
    return match


def visible_submission(session: Session, viewer: Viewer, submission_id: int) -> Submission:
    """A submission of the viewer's own; another's does not exist for them."""
    row = session.get(Submission, submission_id)
    if row is None or not viewer.sees_private(row.owner_id):
        raise Refused(404, f"got submission {submission_id}, expected one of yours")
    return row
