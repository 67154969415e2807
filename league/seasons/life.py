"""What each step in the life of a season does, and what it waits for; audited.

Each function is one transaction's worth of work on a session. When a step can be taken, and by
whom, is the table in `steps`.
How a season is made, and changed while it is a draft, is in `drafts`.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import pairwise

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import LeagueRefusal, Malformed, NotThere
from league.reviews import want_final
from league.seasons import played
from league.seasons.steps import SEASON_STEPS, begin
from league.words import counted
from store import Entry, Season

DATES = {step.date: step.event for step in SEASON_STEPS if step.date}
"""The dates at which a season takes steps by itself, in their order."""
REHEARSAL = "rehearsal-"
"""How the names of rehearsals begin, and no others: only organisers see them."""


def check_dates(season: Season) -> None:
    """LeagueRefusal for steps whose dates are not in their order."""
    given = [(name, getattr(season, name)) for name in DATES if getattr(season, name) is not None]
    for (earlier, first), (later, second) in pairwise(given):
        if second < first:
            raise Malformed(
                f"{DATES[later]} ({second:%F %R}) is before {DATES[earlier]} ({first:%F %R})"
            )


def check_future(session: Session, season: Season, names: Iterable[str]) -> None:
    """LeagueRefusal for a date in the past: the step would be taken at once, and for good."""
    now = store.database_time(session)
    for name in names:
        moment = getattr(season, name)
        if moment is not None and moment < now:
            raise Malformed(
                f"{DATES[name]} ({moment:%F %R} UTC) is in the past; give a future date, or none"
                " and take the step yourself"
            )


def set_dates(
    session: Session, season_id: int, dates: Mapping[str, datetime | None], actor: Actor
) -> Season:
    """Change when a season opens, freezes, starts and ends by itself; None: not by itself."""
    season = store.locked(session, Season, season_id)
    if season.state.is_final:
        raise LeagueRefusal(f"season {season.name!r} is {season.state}; it no longer has dates")
    changed = []
    for name, moment in dates.items():
        if name not in DATES:
            raise Malformed(f"got the date {name!r}, expected one of {', '.join(DATES)}")
        if getattr(season, name) != moment:
            setattr(season, name, moment)
            changed.append(name)
    check_dates(season)
    check_future(session, season, changed)
    session.flush()
    detail = {name: None if at is None else f"{at:%Y-%m-%dT%H:%MZ}" for name, at in dates.items()}
    audit(session, actor, Action.SEASON_DATES, season, dict(detail))
    return season


def open_entries(session: Session, season_id: int, actor: Actor) -> Season:
    """Let owners enter bots."""
    return _step(session, "open", season_id, actor, Action.SEASON_OPEN)


def enter(session: Session, season_id: int, full_name: str, actor: Actor) -> Entry:
    """Put a bot into a season; it needs a playable version only at the freeze."""
    season = store.seasons.season(session, season_id)
    bot = store.bots.find_bot(session, full_name)
    if bot is None:
        raise NotThere(f"there is no bot {full_name!r}; bots are named OWNER/NAME")
    if season.rules not in bot.rules:
        raise LeagueRefusal(
            f"{full_name} plays {', '.join(bot.rules)}, not {season.rules}; change its rules first"
        )
    entry = store.seasons.enter(session, season_id, bot.id)
    audit(session, actor, Action.SEASON_ENTER, season, {"bot": full_name})
    return entry


def read_date(text: str) -> datetime:
    """A date as people type it; without a zone it is UTC. ValueError says what was expected.

    >>> read_date("2026-12-01T18:00+02:00").isoformat()
    '2026-12-01T16:00:00+00:00'
    """
    try:
        found = datetime.fromisoformat(text)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError(f"got {text!r}, expected a date like 2026-12-01T18:00 (UTC)") from None


def start(session: Session, season_id: int, actor: Actor) -> Season:
    """Let the matches be played."""
    return _step(session, "start", season_id, actor, Action.SEASON_START)


def pause(session: Session, season_id: int, actor: Actor) -> Season:
    """Hold the queued matches back; those being played end and count."""
    season = _step(session, "pause", season_id, actor, Action.SEASON_PAUSE)
    store.matches.hold(session, season_id)
    return season


def resume(session: Session, season_id: int, actor: Actor) -> Season:
    """Go on after a pause."""
    return _step(session, "resume", season_id, actor, Action.SEASON_RESUME)


def end_has_passed(session: Session, season: Season) -> str:
    """Why a season is not started only to end at once: that would cancel all that is left."""
    try:
        check_future(session, season, ("ends_at",))
    except LeagueRefusal as refusal:
        return str(refusal)
    return ""


def finish(session: Session, season_id: int, actor: Actor, *, early: bool = False) -> Season:
    """End a season whose matches are over; `early` cancels those that are still to come.

    Stuck matches are the organiser's to decide, so they hold up all but an early end, which names
    them.
    """
    return _end(session, begin(session, "finish", season_id, actor, early=early), actor)


def finish_without(session: Session, season_id: int, actor: Actor) -> Season:
    """End a season without its stuck matches, once everything else is over."""
    return _end(session, begin(session, "finish-without", season_id, actor), actor)


def _end(session: Session, season: Season, actor: Actor) -> Season:
    left = store.matches.stuck(session, season.id)
    audit(session, actor, Action.SEASON_FINISH, season, {"stuck": list(left)} if left else {})
    store.matches.cancel_open(session, season.id, "the season ended")
    played.recount(session, season.id)
    want_final(session, season)
    return season


def undecided(session: Session, season: Season) -> str:
    """What keeps a season from its end: matches to play, or stuck ones that nobody decided on."""
    if open_ := unplayed(session, season):
        return open_
    found = store.matches.stuck(session, season.id)
    if not found:
        return ""
    which = ", ".join(map(str, found[:10])) + (", …" if len(found) > 10 else "")
    return (
        f"{counted(len(found), 'match is', 'matches are')} stuck ({which}); play them again"
        " (replay-match), strike them (strike-match), or finish without them (finish-without)"
    )


def nothing_stuck(session: Session, season: Season) -> str:
    """Why a season cannot end without its stuck matches: it has others to play, or none stuck."""
    if not store.matches.stuck(session, season.id):
        return f"no match of season {season.name!r} is stuck; finish it as usual"
    return unplayed(session, season)


def unplayed(session: Session, season: Season) -> str:
    """What a season has still to play before its end."""
    left = store.seasons.progress(session, season.id).open
    words = counted(left, "match is", "matches are")
    return f"{words} still to be played; end it early, or wait" if left else ""


def call_off(session: Session, season_id: int, actor: Actor) -> Season:
    """End a season that takes entries before anything is planned; its page stays."""
    return _step(session, "call-off", season_id, actor, Action.SEASON_CALL_OFF)


def archive(session: Session, season_id: int, actor: Actor) -> Season:
    """Keep a finished season for reading only, when none of its matches is being made up for."""
    return _step(session, "archive", season_id, actor, Action.SEASON_ARCHIVE)


def being_made_up_for(session: Session, season: Season) -> str:
    """What a finished season has still to play before it is kept for reading only."""
    left = store.seasons.progress(session, season.id).open
    words = counted(left, "match is", "matches are")
    return f"{words} still to be made up for; wait" if left else ""


def _step(
    session: Session,
    name: str,
    season_id: int,
    actor: Actor,
    action: Action,
    *,
    early: bool = False,
) -> Season:
    season = begin(session, name, season_id, actor, early=early)
    audit(session, actor, action, season, {})
    return season


def audit(
    session: Session, actor: Actor, action: Action, season: Season, detail: store.JsonDict
) -> None:
    """Write down who did what to a season."""
    store.audit.record(session, action, "season", season.id, actor=actor, detail=detail)
