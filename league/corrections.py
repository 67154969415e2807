"""What an organiser may put right: withdraw, disqualify, void and play again; all audited."""

from datetime import UTC, datetime

from sqlmodel import Session

import store
from league.seasons import Actor, SeasonError
from store import Doorbell, Entry, EntryState, Match, MatchState, Season, SeasonState

_LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
HALF = 0.5
"""A withdrawal before this share of its matches removes its results; later they stand."""


def withdraw(session: Session, season_id: int, full_name: str, actor: Actor, reason: str) -> Entry:
    """Take a bot out of a season at its owner's wish."""
    season = store.seasons.season(session, season_id)
    if season.state.is_final:
        raise SeasonError(f"season {season.name!r} is {season.state}; its results stand")
    entry = _entry(session, season_id, full_name)
    keeps = results_stand(session, season_id, full_name)
    return _leave(session, entry, EntryState.WITHDRAWN, actor, reason, keeps=keeps)


def results_stand(session: Session, season_id: int, full_name: str) -> bool:
    """Whether the bot's results would stay if it were withdrawn now."""
    played, total = _played(session, season_id, _entry(session, season_id, full_name))
    return total > 0 and played >= HALF * total


def played_and_open(session: Session, season_id: int, full_name: str) -> tuple[int, int]:
    """How many matches a bot has played, and how many are still to come."""
    played, total = _played(session, season_id, _entry(session, season_id, full_name))
    return played, total - played


def disqualify(
    session: Session, season_id: int, full_name: str, actor: Actor, reason: str
) -> Entry:
    """Take a bot out of a season for what it did; none of its results count any more."""
    if not reason.strip():
        raise SeasonError("a disqualification needs a reason that everybody can read")
    season = store.seasons.season(session, season_id)
    if season.state is SeasonState.ARCHIVED:
        raise SeasonError(f"season {season.name!r} is archived; it is kept for reading only")
    entry = _entry(session, season_id, full_name)
    return _leave(session, entry, EntryState.DISQUALIFIED, actor, reason, keeps=False)


def play_again(session: Session, match_id: int, actor: Actor, reason: str) -> Doorbell:
    """Void a match and play it again with the same boards and seats.

    A season ends without its stuck matches, so they may be made up for after its end.
    """
    if not reason.strip():
        raise SeasonError("to play a match again takes a reason; it is kept in the audit log")
    try:
        match = store.present(session, Match, match_id)
        _check_open(session, match)
        bell = store.matches.play_again(session, match_id, reason)
    except store.StoreError as error:
        raise SeasonError(str(error)) from None
    # Nobody may ring this bell (a command line has no workers), so the next tick finds it stale.
    store.locked(session, Match, match_id).published_at = _LONG_AGO
    session.flush()
    store.journal.record(session, "match.play_again", "match", match_id, actor=actor, reason=reason)
    return bell


def may_play_again(match: Match, season: Season | None) -> bool:
    """Whether a match that is over, or stuck, can be played again."""
    made_up = match.state is MatchState.STUCK and (
        season is not None and season.state is SeasonState.FINISHED
    )
    return made_up or season is None or not season.state.is_final


def _check_open(session: Session, match: Match) -> None:
    if match.season_id is None:
        return
    # The season first, its match after it; and nobody archives it meanwhile.
    season = store.locked(session, Season, match.season_id)
    if not may_play_again(match, season):
        raise SeasonError(
            f"season {season.name!r} is {season.state} and match {match.id} is {match.state};"
            " after the end only a stuck match can be played again, before the season is archived"
        )
    if match.state is MatchState.CANCELLED:
        _check_seated(session, match, season)


def _check_seated(session: Session, match: Match, season: Season) -> None:
    """SeasonError for a match that was cancelled because one of its bots has left."""
    gone = {
        entry.version_id: entry
        for entry in store.seasons.entries(session, season.id)
        if entry.state is not EntryState.ENTERED and entry.version_id is not None
    }
    for seat in store.pages.seated(session, [match.id]).get(match.id, []):
        if entry := gone.get(seat.version_id):
            raise SeasonError(
                f"{seat.bot} is {entry.state}; match {match.id} was cancelled with it and stays so"
            )


def cancel(session: Session, match_id: int, actor: Actor, reason: str) -> bool:
    """See to it that a match is not played."""
    cancelled = store.matches.cancel(session, match_id, reason)
    if cancelled:
        store.journal.record(session, "match.cancel", "match", match_id, actor=actor, reason=reason)
    return cancelled


def _entry(session: Session, season_id: int, full_name: str) -> Entry:
    bot = store.bots.find_bot(session, full_name)
    found = [
        entry
        for entry in store.seasons.entries(session, season_id)
        if bot is not None and entry.bot_id == bot.id
    ]
    if not found:
        raise SeasonError(f"{full_name!r} is not entered in this season")
    if found[0].state is not EntryState.ENTERED:
        raise SeasonError(f"{full_name} is {found[0].state} already: {found[0].reason}")
    return found[0]


def _played(session: Session, season_id: int, entry: Entry) -> tuple[int, int]:
    if entry.version_id is None:
        return 0, 0
    states = [
        state
        for _, state in store.seasons.matches_of_version(session, season_id, entry.version_id)
        if state is not MatchState.CANCELLED
    ]
    return states.count(MatchState.DONE), len(states)


def _leave(
    session: Session, entry: Entry, state: EntryState, actor: Actor, reason: str, *, keeps: bool
) -> Entry:
    left = store.seasons.leave(session, entry.id, state, reason)
    struck: list[int] = []
    if entry.version_id is not None:
        for match_id, now in store.seasons.matches_of_version(
            session, entry.season_id, entry.version_id
        ):
            if now is MatchState.DONE and not keeps:
                struck.append(match_id)
            elif not now.is_final:
                store.matches.cancel(session, match_id, f"a bot was {state}: {reason}")
    store.matches.set_rated(session, struck, rated=False, reason=f"a bot was {state}")
    store.journal.record(
        session,
        f"entry.{state}",
        "entry",
        entry.id,
        actor=actor,
        reason=reason,
        detail={"results_stand": keeps, "matches_struck": len(struck)},
    )
    return left
