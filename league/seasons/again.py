"""Matches that are played again: voided by an organiser, or stuck and made up for; audited."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import LeagueRefusal, Malformed
from league.seasons.substitutes import plan_substitutes, seat_substitutes
from nimmt import new_key
from store import Doorbell, Entry, EntryState, Match, MatchState, Season, SeasonState
from store.seasons import Sitting


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """What a match was to be played on, until its result was voided after its key was public."""

    match_id: int
    attempt: int
    key: str
    """In hexadecimal."""
    commitment: str
    reason: str


def play_again(session: Session, match_id: int, actor: Actor, reason: str) -> Doorbell:
    """Void a match and play it again with the same seats; a platform bot takes the seat of a bot
    that has left the season since.

    The key of a match that was done is public, so it is played on fresh boards, and what commits
    to them is in the audit log before it is queued. Otherwise the boards stay. A season may have
    ended without its stuck matches, so they may be made up for after its end.
    """
    if not reason.strip():
        raise Malformed("playing a match again needs a reason; it is kept in the audit log")
    try:
        match = store.present(session, Match, match_id)
        _check_open(session, match)
        before = Replaced(
            match_id=match_id,
            attempt=match.attempts,
            key=match.key.hex(),
            commitment=match.commitment,
            reason=reason,
        )
        bell = store.matches.play_again(session, match_id, reason, key=new_key())
        filled = _fill_empty_seats(session, match)
    except store.StoreError as error:
        raise LeagueRefusal(str(error)) from None
    again = store.locked(session, Match, match_id)
    detail: store.JsonDict = {"substitutes": filled} if filled else {}
    if again.commitment != before.commitment:
        detail |= {
            "attempt": before.attempt,
            "key": before.key,
            "commitment": before.commitment,
            "new_commitment": again.commitment,
        }
    store.audit.record(
        session,
        Action.MATCH_PLAY_AGAIN,
        "match",
        match_id,
        actor=actor,
        reason=reason,
        detail=detail,
    )
    return bell


def strike(session: Session, match_id: int, actor: Actor, reason: str) -> Match:
    """Decide that a stuck match is not played: it becomes cancelled, for good unless played again
    before the season ends."""
    if not reason.strip():
        raise Malformed("to strike a match takes a reason; it is kept in the audit log")
    try:
        match = store.present(session, Match, match_id)
    except store.StoreError as error:
        raise LeagueRefusal(str(error)) from None
    if match.season_id is not None:
        store.locked(session, Season, match.season_id)
    if match.state is not MatchState.STUCK:
        raise LeagueRefusal(f"match {match_id} is {match.state}; only a stuck one can be struck")
    store.matches.cancel(session, match_id, reason)
    store.audit.record(session, Action.MATCH_STRIKE, "match", match_id, actor=actor, reason=reason)
    return match


def replaced_keys(session: Session, match_ids: Iterable[int]) -> dict[int, list[Replaced]]:
    """The keys that matches had before they were played again on fresh boards, oldest first."""
    found: dict[int, list[Replaced]] = {}
    for entry in store.audit.about(session, Action.MATCH_PLAY_AGAIN, "match", match_ids):
        if entry.subject_id is not None and "new_commitment" in entry.detail:
            replaced = Replaced(
                match_id=entry.subject_id,
                attempt=int(str(entry.detail["attempt"])),
                key=str(entry.detail["key"]),
                commitment=str(entry.detail["commitment"]),
                reason=entry.reason,
            )
            found.setdefault(entry.subject_id, []).append(replaced)
    return found


def may_play_again(match: Match, season: Season | None) -> bool:
    """Whether a match that is over, or stuck, can be played again."""
    made_up = match.state is MatchState.STUCK and (
        season is not None and season.state is SeasonState.FINISHED
    )
    return made_up or season is None or not season.state.is_final


def _check_open(session: Session, match: Match) -> None:
    if match.season_id is None:
        return
    # The season first, its match after it; so that it cannot be archived meanwhile.
    season = store.locked(session, Season, match.season_id)
    if not may_play_again(match, season):
        raise LeagueRefusal(
            f"season {season.name!r} is {season.state} and match {match.id} is {match.state};"
            " after the end only a stuck match can be played again, before the season is archived"
        )
    if match.state is MatchState.CANCELLED:
        _check_seated(session, match, season)


def _fill_empty_seats(session: Session, match: Match) -> list[str]:
    """Seat platform bots for those that have left; returns their names. The result counts again."""
    if match.season_id is None:
        return []
    season = store.present(session, Season, match.season_id)
    gone = _gone(session, season)
    filled = []
    for seat in store.match_lists.seated(session, [match.id])[match.id]:
        entry = gone.get(seat.version_id)
        if entry is None or seat.seat.substitute:
            continue
        here = Sitting(match_id=match.id, number=seat.number, state=match.state, substitute=False)
        [one] = plan_substitutes(session, season, seat.version_id, [here])
        if one.version_id is None:
            raise LeagueRefusal(
                f"{seat.bot} is {entry.state}, and match {match.id} cannot be played without it:"
                f" {one.why}"
            )
        seat_substitutes(session, season, [one], f"{seat.bot} is {entry.state}")
        filled.append(one.bot)
    if filled:
        why = "played again without the bots that left"
        store.matches.set_rated(session, [match.id], rated=True, reason=why)
    return filled


def _gone(session: Session, season: Season) -> dict[int, Entry]:
    """The entries of bots that have left, by the version that was entered."""
    return {
        entry.version_id: entry
        for entry in store.seasons.entries(session, season.id)
        if entry.state is not EntryState.ENTERED and entry.version_id is not None
    }


def _check_seated(session: Session, match: Match, season: Season) -> None:
    """LeagueRefusal for a match that was cancelled because one of its bots has left."""
    gone = _gone(session, season)
    for seat in store.match_lists.seated(session, [match.id]).get(match.id, []):
        if entry := gone.get(seat.version_id):
            raise LeagueRefusal(
                f"{seat.bot} is {entry.state}; match {match.id} was cancelled for good"
            )
