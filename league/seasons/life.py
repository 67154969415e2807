"""The life of a season: opened, frozen, started, paused, finished; guarded and audited.

Each function is one transaction's worth of work on a session; who may call it is decided outside.
How a season is made, and changed while it is a draft, is in `drafts`.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import pairwise

from sqlmodel import Session

import store
from league.audit import Actor
from league.errors import LeagueRefusal
from league.words import counted
from store import Entry, MatchState, Season, SeasonState

DATES = {
    "opens_at": "the opening",
    "freezes_at": "the freeze",
    "starts_at": "the start",
    "ends_at": "the end",
}
"""The steps that a season can take by itself, in their order."""
REHEARSAL = "rehearsal-"
"""How the names of rehearsals begin, and no others: only organisers see them."""


def check_dates(season: Season) -> None:
    """LeagueRefusal for steps whose dates are not in their order."""
    given = [(name, getattr(season, name)) for name in DATES if getattr(season, name) is not None]
    for (earlier, first), (later, second) in pairwise(given):
        if second < first:
            raise LeagueRefusal(
                f"{DATES[later]} ({second:%F %R}) is before {DATES[earlier]} ({first:%F %R})"
            )


def check_future(session: Session, season: Season, names: Iterable[str]) -> None:
    """LeagueRefusal for a date in the past: the step would be taken at once, and for good."""
    now = store.database_time(session)
    for name in names:
        moment = getattr(season, name)
        if moment is not None and moment < now:
            raise LeagueRefusal(
                f"{DATES[name]} ({moment:%F %R} UTC) is in the past; give a date to come, or none"
                " and take the step yourself"
            )


def set_dates(
    session: Session, season_id: int, dates: Mapping[str, datetime | None], actor: Actor
) -> Season:
    """Change when a season opens, freezes, starts and ends by itself; None: not by itself."""
    season = store.locked(session, Season, season_id)
    if season.state.is_final:
        raise LeagueRefusal(f"season {season.name!r} is {season.state}; it needs no dates any more")
    changed = []
    for name, moment in dates.items():
        if name not in DATES:
            raise LeagueRefusal(f"got the date {name!r}, expected one of {', '.join(DATES)}")
        if getattr(season, name) != moment:
            setattr(season, name, moment)
            changed.append(name)
    check_dates(season)
    check_future(session, season, changed)
    session.flush()
    told = {name: None if at is None else f"{at:%Y-%m-%dT%H:%MZ}" for name, at in dates.items()}
    audit(session, actor, "season.dates", season, dict(told))
    return season


def open_entries(session: Session, season_id: int, actor: Actor) -> Season:
    """Let owners enter bots."""
    return _move(session, season_id, SeasonState.OPEN, actor, "season.open")


def enter(session: Session, season_id: int, full_name: str, actor: Actor) -> Entry:
    """Put a bot into a season; it needs a playable version only at the freeze."""
    season = store.seasons.season(session, season_id)
    bot = store.bots.find_bot(session, full_name)
    if bot is None:
        raise LeagueRefusal(f"there is no bot {full_name!r}; bots are named OWNER/NAME")
    if season.rules not in bot.rules:
        raise LeagueRefusal(f"{full_name} plays {', '.join(bot.rules)}, not {season.rules}")
    entry = store.seasons.enter(session, season_id, bot.id)
    audit(session, actor, "season.enter", season, {"bot": full_name})
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
    season = store.seasons.season(session, season_id)
    if season.state is SeasonState.PAUSED:
        raise LeagueRefusal(f"season {season.name!r} is paused; it has begun already: resume it")
    return _play(session, season_id, actor, "season.start")


def pause(session: Session, season_id: int, actor: Actor) -> Season:
    """Hold the queued matches back; those being played end and count."""
    season = _move(session, season_id, SeasonState.PAUSED, actor, "season.pause")
    store.matches.hold(session, season_id)
    return season


def resume(session: Session, season_id: int, actor: Actor) -> Season:
    """Go on after a pause."""
    season = store.seasons.season(session, season_id)
    if season.state is not SeasonState.PAUSED:
        raise LeagueRefusal(f"season {season.name!r} is {season.state}; only a paused one resumes")
    return _play(session, season_id, actor, "season.resume")


def _play(session: Session, season_id: int, actor: Actor, action: str) -> Season:
    season = _move(session, season_id, SeasonState.RUNNING, actor, action)
    # An end that has passed would cancel all that is left, seconds from now.
    check_future(session, season, ("ends_at",))
    return season


def finish(session: Session, season_id: int, actor: Actor, *, early: bool = False) -> Season:
    """End a season whose matches are over; `early` cancels those that are still to come.

    Stuck matches are the organiser's to decide, so they hold up all but an early end, which names
    them.
    """
    # The season first, its matches after it: every step locks in this order.
    season = store.locked(session, Season, season_id)
    if season.state is SeasonState.OPEN:
        raise LeagueRefusal(f"season {season.name!r} is open, without matches to end; call it off")
    _check_end(session, season, early=early)
    return _finish(session, season, actor, early=early)


def finish_without(session: Session, season_id: int, actor: Actor) -> Season:
    """End a season without its stuck matches, once everything else is over."""
    season = store.locked(session, Season, season_id)
    if not stuck(session, season_id):
        raise LeagueRefusal(f"no match of season {season.name!r} is stuck; finish it as usual")
    _check_open(session, season_id)
    return _finish(session, season, actor, early=False)


def stuck(session: Session, season_id: int) -> list[int]:
    """The matches that wait for the organiser: play again, strike, or finish without them."""
    return sorted(_matches(session, season_id, (MatchState.STUCK,)))


def _check_end(session: Session, season: Season, *, early: bool) -> None:
    """LeagueRefusal when a season cannot end yet; one in the wrong state is told that first."""
    if early or SeasonState.FINISHED not in season.state.next_states:
        return
    _check_open(session, season.id)
    if found := stuck(session, season.id):
        which = ", ".join(map(str, found[:10])) + (", …" if len(found) > 10 else "")
        raise LeagueRefusal(
            f"{counted(len(found), 'match is', 'matches are')} stuck ({which}); play them again"
            " (replay-match), strike them (strike-match), or finish without them (finish-without)"
        )


def _check_open(session: Session, season_id: int) -> None:
    if open_ := store.seasons.progress(session, season_id).open:
        left = counted(open_, "match is", "matches are")
        raise LeagueRefusal(f"{left} still to be played; end it early, or wait")


def _finish(session: Session, season: Season, actor: Actor, *, early: bool) -> Season:
    set_state(session, season.id, SeasonState.FINISHED)
    left = stuck(session, season.id)
    audit(session, actor, "season.finish", season, {"stuck": left} if left else {})
    if early:
        waiting = (MatchState.PLANNED, MatchState.QUEUED, MatchState.RUNNING)
        for match in _matches(session, season.id, waiting):
            store.matches.cancel(session, match, "the season ended")
    return season


def call_off(session: Session, season_id: int, actor: Actor) -> Season:
    """End a season that takes entries before anything is planned; its page stays."""
    season = store.locked(session, Season, season_id)
    if season.state is not SeasonState.OPEN:
        instead = "delete it" if season.state is SeasonState.DRAFT else "finish it early"
        raise LeagueRefusal(
            f"season {season.name!r} is {season.state}; only one that takes entries is called off"
            + ("" if season.state.is_final else f": {instead}")
        )
    return _move(session, season_id, SeasonState.FINISHED, actor, "season.call_off")


def archive(session: Session, season_id: int, actor: Actor) -> Season:
    """Keep a finished season for reading only, when none of its matches is being made up for."""
    season = store.locked(session, Season, season_id)
    still = store.seasons.progress(session, season_id).open
    if still and season.state is SeasonState.FINISHED:
        raise LeagueRefusal(
            f"{counted(still, 'match is', 'matches are')} still to be made up for; wait"
        )
    return _move(session, season_id, SeasonState.ARCHIVED, actor, "season.archive")


def _matches(session: Session, season_id: int, states: tuple[MatchState, ...]) -> list[int]:
    found: list[int] = []
    before: int | None = None
    while True:
        page = store.match_lists.matches(session, season_id=season_id, states=states, before=before)
        found += [match.id for match in page]
        if not page:
            return found
        before = page[-1].id


def _move(
    session: Session, season_id: int, state: SeasonState, actor: Actor, action: str
) -> Season:
    season = set_state(session, season_id, state)
    audit(session, actor, action, season, {})
    return season


def set_state(session: Session, season_id: int, state: SeasonState) -> Season:
    """Take a season to a state, or say why it cannot go there."""
    try:
        return store.seasons.set_state(session, season_id, state)
    except store.Conflict as error:
        raise LeagueRefusal(str(error)) from None


def audit(
    session: Session, actor: Actor, action: str, season: Season, detail: store.JsonDict
) -> None:
    """Write down who did what to a season."""
    store.audit.record(session, action, "season", season.id, actor=actor, detail=detail)
