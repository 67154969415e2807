"""Friendly matches as their authors see them: how far one is, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session

from dashboard.http import Refused, Viewer
from dashboard.reads.access import visible_match
from dashboard.reads.progress import games_over
from dashboard.site import Site
from league.friendlies import FriendlyLimits, seat_summaries
from league.matches import BotSummary
from store import Friendly, Match, MatchState, bots, friendlies, match_lists
from store.match_lists import Seated


@dataclass(frozen=True, slots=True, kw_only=True)
class FriendlyView:
    """A friendly match with everything that a page or the API shows of it."""

    friendly: Friendly
    match: Match
    bot: str
    """`owner/name` of the one that it is about."""
    seats: list[Seated]
    rows: list[BotSummary]
    """A line for each seat; none before it is done."""
    ahead: int | None
    games_over: int | None
    reason: str

    @property
    def games(self) -> int:
        """How many there are to play."""
        return self.match.boards * self.match.passes


def friendly_limits(site: Site) -> FriendlyLimits:
    """What the settings allow an owner."""
    settings = site.settings
    return FriendlyLimits(
        at_once=settings.friendlies_at_once,
        per_hour=settings.friendlies_per_hour,
        per_day=settings.friendlies_per_day,
        games=settings.friendly_games,
    )


def one_friendly(site: Site, session: Session, viewer: Viewer, match_id: int) -> FriendlyView:
    """A friendly match that this viewer may see."""
    row = friendlies.find(session, match_id)
    if row is None:
        raise Refused(404, f"got friendly match {match_id}, expected one that exists")
    match = visible_match(session, viewer, match_id)
    [view] = friendly_views(site, session, [(row, match)])
    return view


def friendly_views(
    site: Site, session: Session, rows: Sequence[tuple[Friendly, Match]]
) -> list[FriendlyView]:
    """Friendly matches, each with its table and what is known of it."""
    names = bots.full_names(session, [row.bot_id for row, _ in rows])
    seats = match_lists.seated(session, [match.id for _, match in rows])
    return [
        FriendlyView(
            friendly=row,
            match=match,
            bot=names[row.bot_id],
            seats=seats.get(match.id, []),
            rows=_rows(session, match, seats.get(match.id, [])),
            ahead=friendlies.ahead(session, match) if match.state is MatchState.QUEUED else None,
            games_over=games_over(site, match),
            reason=_reason(session, match),
        )
        for row, match in rows
    ]


def _rows(session: Session, match: Match, seats: Sequence[Seated]) -> list[BotSummary]:
    return seat_summaries(session, match, seats) if match.state is MatchState.DONE else []


def _reason(session: Session, match: Match) -> str:
    """What the last attempt said, of a match that has no result."""
    if match.state is MatchState.DONE or not match.attempts:
        return ""
    return match_lists.attempts(session, match.id)[-1].reason
