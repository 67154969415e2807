"""Bots that leave a season: withdrawn or disqualified, with the price on the table; audited."""

from dataclasses import asdict

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import LeagueRefusal
from league.ratings import RowChange, compare_standings, gather
from store import Entry, EntryState, MatchState, SeasonState

HALF = 0.5
"""A withdrawal before this share of its matches removes its results; later they stand."""
LEFT = {
    EntryState.WITHDRAWN: Action.ENTRY_WITHDRAWN,
    EntryState.DISQUALIFIED: Action.ENTRY_DISQUALIFIED,
}


def withdraw(session: Session, season_id: int, full_name: str, actor: Actor, reason: str) -> Entry:
    """Take a bot out of a season at its owner's wish."""
    season = store.seasons.season(session, season_id)
    if season.state.is_final:
        raise LeagueRefusal(f"season {season.name!r} is {season.state}; its results stand")
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


def preview_removal(session: Session, season_id: int, full_name: str) -> list[RowChange]:
    """What the table would be if none of this bot's matches counted; nothing is changed."""
    bot = store.bots.find_bot(session, full_name)
    entry = next(
        (
            one
            for one in store.seasons.entries(session, season_id)
            if bot is not None and one.bot_id == bot.id
        ),
        None,
    )
    if entry is None:
        raise LeagueRefusal(f"{full_name!r} is not entered in this season")
    ladder_id = store.scales.of_season(session, season_id).id
    now = gather(session, ladder_id)
    if entry.version_id is None or not now.has_table:
        return []
    then = gather(session, ladder_id, without=entry.version_id)
    return list(compare_standings(now.table(), then.table() if then.has_table else None))


def disqualify(
    session: Session, season_id: int, full_name: str, actor: Actor, reason: str
) -> list[RowChange]:
    """Take a bot out of a season for what it did; none of its results count any more.

    What that does to the table is kept in the audit log.
    """
    changes = preview_removal(session, season_id, full_name)
    _disqualify(session, season_id, full_name, actor, reason)
    store.audit.record(
        session,
        Action.SEASON_DISQUALIFY,
        "season",
        season_id,
        actor=actor,
        reason=reason,
        detail={"bot": full_name, "changes": [asdict(change) for change in changes]},
    )
    return changes


def _disqualify(
    session: Session, season_id: int, full_name: str, actor: Actor, reason: str
) -> Entry:
    if not reason.strip():
        raise LeagueRefusal("a disqualification needs a reason that everybody can read")
    season = store.seasons.season(session, season_id)
    if season.state is SeasonState.ARCHIVED:
        raise LeagueRefusal(f"season {season.name!r} is archived; it is kept for reading only")
    entry = _entry(session, season_id, full_name)
    return _leave(session, entry, EntryState.DISQUALIFIED, actor, reason, keeps=False)


def _entry(session: Session, season_id: int, full_name: str) -> Entry:
    bot = store.bots.find_bot(session, full_name)
    found = [
        entry
        for entry in store.seasons.entries(session, season_id)
        if bot is not None and entry.bot_id == bot.id
    ]
    if not found:
        raise LeagueRefusal(f"{full_name!r} is not entered in this season")
    if found[0].state is not EntryState.ENTERED:
        raise LeagueRefusal(f"{full_name} is {found[0].state} already: {found[0].reason}")
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
    store.audit.record(
        session,
        LEFT[state],
        "entry",
        entry.id,
        actor=actor,
        reason=reason,
        detail={"results_stand": keeps, "matches_struck": len(struck)},
    )
    return left
