"""Bots that leave a season: withdrawn or disqualified, with what it does said first; audited.

Results stand from the first one on. A withdrawal strikes none; only a disqualification does, and
that is an organiser's act, also on a bot that has withdrawn already.
"""

from collections import Counter
from dataclasses import asdict, dataclass

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import LeagueRefusal, Malformed
from league.ratings import RowChange, compare_standings, gather
from league.seasons.substitutes import Filled, plan_substitutes, seat_substitutes
from league.words import counted
from store import Entry, EntryState, MatchState, Season, SeasonState
from store.seasons import Sitting

LEFT = {
    EntryState.WITHDRAWN: Action.ENTRY_WITHDRAWN,
    EntryState.DISQUALIFIED: Action.ENTRY_DISQUALIFIED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """What it means that a bot leaves: for its results, for open matches, for the table."""

    bot: str
    state: EntryState
    """Withdrawn or disqualified."""
    played: int
    """Matches it has a result in."""
    ending: int
    """Matches that are being played and end with it."""
    filled: tuple[Filled, ...]
    changes: tuple[RowChange, ...]
    """The table before and after; empty for a withdrawal, which changes no place."""

    @property
    def kept(self) -> int:
        """Open matches that are played with a platform bot in its seat."""
        return sum(one.version_id is not None for one in self.filled)

    @property
    def cancelled(self) -> int:
        """Open matches that are not played."""
        return len(self.filled) - self.kept

    @property
    def words(self) -> tuple[str, ...]:
        """The same in sentences, for whoever has to confirm it."""
        said = [self._results(), *self._running(), *self._open()]
        return tuple(said)

    def _results(self) -> str:
        if not self.played:
            return "It has no results yet."
        matches = counted(self.played, "match", "matches")
        if self.state is EntryState.DISQUALIFIED:
            return f"It has results in {matches}: none of them counts any more, for any bot."
        return f"It has results in {matches}: they stand, and its place with them."

    def _running(self) -> list[str]:
        said = []
        if self.ending:
            is_ending = counted(self.ending, "match is", "matches are")
            said.append(f"{is_ending} being played: it plays on there, and the result counts.")
        stopped = sum(one.state is MatchState.RUNNING for one in self.filled)
        if stopped:
            is_played = counted(stopped, "match is", "matches are")
            said.append(f"{is_played} being played: stopped, and played again without it.")
        return said

    def _open(self) -> list[str]:
        said = []
        if self.kept:
            names = sorted({one.bot for one in self.filled if one.bot})
            said.append(
                f"{counted(self.kept, 'open match goes', 'open matches go')} ahead with a platform"
                f" bot in its seat ({', '.join(names)}); boards, keys and the other seats stay, and"
                " nothing in that seat counts for the platform bot."
            )
        for why, many in Counter(one.why for one in self.filled if one.why).items():
            said.append(f"{counted(many, 'open match is', 'open matches are')} cancelled: {why}.")
        if not self.filled:
            said.append("It has no open matches.")
        return said


def preview_removal(
    session: Session, season_id: int, full_name: str, state: EntryState = EntryState.DISQUALIFIED
) -> Removal:
    """What a withdrawal or a disqualification would do now; nothing is changed."""
    season = store.seasons.season(session, season_id)
    entry = _entry(session, season, full_name, state)
    sittings = _sittings(session, entry)
    ends = [one for one in sittings if _plays_on(one, state)]
    waiting = [one for one in sittings if not one.state.is_final and one not in ends]
    filled: list[Filled] = []
    if entry.version_id is not None:
        filled = plan_substitutes(session, season, entry.version_id, waiting)
    strikes = state is EntryState.DISQUALIFIED
    return Removal(
        bot=full_name,
        state=state,
        played=len(_results(sittings)),
        ending=len(ends),
        filled=tuple(filled),
        changes=_changes(session, entry) if strikes else (),
    )


def _plays_on(one: Sitting, state: EntryState) -> bool:
    """A match that is being played ends with a bot that withdraws; a disqualified one is out."""
    return one.state is MatchState.RUNNING and state is EntryState.WITHDRAWN


def _results(sittings: list[Sitting]) -> list[int]:
    return [one.match_id for one in sittings if one.state is MatchState.DONE and not one.substitute]


def _changes(session: Session, entry: Entry) -> tuple[RowChange, ...]:
    """The table if none of this bot's matches counted."""
    ladder_id = store.scales.of_season(session, entry.season_id).id
    now = gather(session, ladder_id)
    if entry.version_id is None or not now.has_table:
        return ()
    then = gather(session, ladder_id, without=entry.version_id)
    return compare_standings(now.table(), then.table() if then.has_table else None)


def withdraw(
    session: Session, season_id: int, full_name: str, actor: Actor, reason: str
) -> Removal:
    """Take a bot out of a season at its owner's wish; its results stand."""
    return _leave(session, season_id, full_name, EntryState.WITHDRAWN, actor, reason)


def disqualify(
    session: Session, season_id: int, full_name: str, actor: Actor, reason: str
) -> Removal:
    """Take a bot out of a season for what it did; none of its results count any more.

    What that does to the table is kept in the audit log.
    """
    if not reason.strip():
        raise Malformed("a disqualification needs a reason that everybody can read")
    done = _leave(session, season_id, full_name, EntryState.DISQUALIFIED, actor, reason)
    store.audit.record(
        session,
        Action.SEASON_DISQUALIFY,
        "season",
        season_id,
        actor=actor,
        reason=reason,
        detail={"bot": full_name, "changes": [asdict(change) for change in done.changes]},
    )
    return done


def _entry(session: Session, season: Season, full_name: str, state: EntryState) -> Entry:
    """The entry of a bot that can leave a season in this way."""
    if state is EntryState.WITHDRAWN and season.state.is_final:
        raise LeagueRefusal(f"season {season.name!r} is {season.state}; its results stand")
    if season.state is SeasonState.ARCHIVED:
        raise LeagueRefusal(f"season {season.name!r} is archived; it is kept for reading only")
    bot = store.bots.find_bot(session, full_name)
    found = [
        entry
        for entry in store.seasons.entries(session, season.id)
        if bot is not None and entry.bot_id == bot.id
    ]
    if not found:
        raise LeagueRefusal(f"{full_name!r} is not entered in this season")
    entry = found[0]
    struck_later = state is EntryState.DISQUALIFIED and entry.state is EntryState.WITHDRAWN
    if entry.state is not EntryState.ENTERED and not struck_later:
        raise LeagueRefusal(f"{full_name} is {entry.state} already: {entry.reason}")
    return entry


def _sittings(session: Session, entry: Entry) -> list[Sitting]:
    if entry.version_id is None:
        return []
    return store.seasons.matches_of_version(session, entry.season_id, entry.version_id)


def _leave(
    session: Session,
    season_id: int,
    full_name: str,
    state: EntryState,
    actor: Actor,
    reason: str,
) -> Removal:
    # The season first, its matches after it; no clock finishes it meanwhile.
    season = store.locked(session, Season, season_id)
    done = preview_removal(session, season_id, full_name, state)
    entry = _entry(session, season, full_name, state)
    struck = _results(_sittings(session, entry)) if state is EntryState.DISQUALIFIED else []
    store.seasons.leave(session, entry.id, state, reason)
    seat_substitutes(session, season, list(done.filled), f"a bot was {state}: {reason}")
    store.matches.set_rated(session, struck, rated=False, reason=f"a bot was {state}")
    store.audit.record(
        session,
        LEFT[state],
        "entry",
        entry.id,
        actor=actor,
        reason=reason,
        detail={
            "results_stand": state is EntryState.WITHDRAWN,
            "matches_struck": len(struck),
            "matches_filled": done.kept,
            "matches_cancelled": done.cancelled,
        },
    )
    return done
