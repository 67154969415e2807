"""Matches that are played again: voided by an organiser, or stuck and made up for; audited."""

from sqlmodel import Session

import store
from league.audit import Actor
from league.errors import LeagueRefusal
from store import Doorbell, EntryState, Match, MatchState, Season, SeasonState


def play_again(session: Session, match_id: int, actor: Actor, reason: str) -> Doorbell:
    """Void a match and play it again with the same boards and seats.

    A season ends without its stuck matches, so they may be made up for after its end.
    """
    if not reason.strip():
        raise LeagueRefusal("to play a match again takes a reason; it is kept in the audit log")
    try:
        match = store.present(session, Match, match_id)
        _check_open(session, match)
        bell = store.matches.play_again(session, match_id, reason)
    except store.StoreError as error:
        raise LeagueRefusal(str(error)) from None
    store.matches.ring_later(session, match_id)
    store.audit.record(session, "match.play_again", "match", match_id, actor=actor, reason=reason)
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
        raise LeagueRefusal(
            f"season {season.name!r} is {season.state} and match {match.id} is {match.state};"
            " after the end only a stuck match can be played again, before the season is archived"
        )
    if match.state is MatchState.CANCELLED:
        _check_seated(session, match, season)


def _check_seated(session: Session, match: Match, season: Season) -> None:
    """LeagueRefusal for a match that was cancelled because one of its bots has left."""
    gone = {
        entry.version_id: entry
        for entry in store.seasons.entries(session, season.id)
        if entry.state is not EntryState.ENTERED and entry.version_id is not None
    }
    for seat in store.match_lists.seated(session, [match.id]).get(match.id, []):
        if entry := gone.get(seat.version_id):
            raise LeagueRefusal(
                f"{seat.bot} is {entry.state}; match {match.id} was cancelled with it and stays so"
            )
