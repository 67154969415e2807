"""Showcase matches: a table plays once more for people to watch, one game at a time and paced."""

from dataclasses import replace

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import LeagueRefusal
from league.matches.plan import new_match
from store import Match, MatchKind


def add_showcase(session: Session, match_id: int, actor: Actor, games: int = 1) -> int:
    """Queue the table of a match again, on fresh boards; it is not rated. Returns its number."""
    try:
        match = store.present(session, Match, match_id)
    except store.StoreError as error:
        raise LeagueRefusal(str(error)) from None
    seats = store.match_lists.seated(session, [match_id])[match_id]
    versions = [seat.version_id for seat in seats]
    again = new_match(match, MatchKind.SHOWCASE, versions, rated=False, in_flight=1)
    [made] = store.matches.plan(session, [replace(again, boards=games, passes=1)])
    store.matches.publish(session, [made])
    store.matches.ring_later(session, made)
    store.audit.record(
        session, Action.MATCH_SHOWCASE, "match", made, actor=actor, detail={"table_of": match_id}
    )
    return made
