"""Platform bots in the seats of a bot that has left: the others keep their matches and boards.

Nothing in such a seat counts for the platform bot; the seat itself says so (`Seat.substitute`).
"""

from collections import Counter
from collections.abc import Container
from dataclasses import dataclass

from sqlmodel import Session

import store
from store import EntryState, MatchState, Season
from store.match_lists import Seated
from store.seasons import Sitting

FEWEST = 2
"""Entrants at a table without which a match decides nothing."""
NO_BOT = "no platform bot is free for these rules"
TOO_FEW = "fewer than two entrants would be left at the table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """What becomes of one open match of a bot that leaves."""

    match_id: int
    number: int
    """The seat."""
    state: MatchState
    version_id: int | None
    """The substitute; None: the match is cancelled."""
    bot: str = ""
    why: str = ""
    """Why it is cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A platform bot that plays the rules of a season."""

    bot_id: int
    version_id: int
    name: str
    entered: bool


def plan_substitutes(
    session: Session, season: Season, version_id: int, open_matches: list[Sitting]
) -> list[Filled]:
    """Who would take the seats of a version; nothing is changed.

    Platform bots that are not entered come first, and the seats go round among them.
    """
    able = _candidates(session, season)
    entrants = {
        entry.version_id
        for entry in store.seasons.entries(session, season.id, only_entered=True)
        if entry.version_id not in (None, version_id)
    }
    seats: dict[int, list[Seated]] = {}
    ids = [one.match_id for one in open_matches]
    for at in range(0, len(ids), 500):
        seats |= store.match_lists.seated(session, ids[at : at + 500])
    used: Counter[int] = Counter()
    return [_fill(one, seats[one.match_id], able, entrants, used) for one in open_matches]


def _candidates(session: Session, season: Season) -> list[Candidate]:
    """The platform bots for these rules that were not taken out of the season themselves."""
    entries = {entry.bot_id: entry for entry in store.seasons.entries(session, season.id)}
    found = [
        (bot, version)
        for bot, version in store.bots.playable(session, season.rules)
        if bot.is_anchor and (bot.id not in entries or entries[bot.id].state is EntryState.ENTERED)
    ]
    names = store.bots.full_names(session, [bot.id for bot, _ in found])
    return [
        Candidate(
            bot_id=bot.id, version_id=version.id, name=names[bot.id], entered=bot.id in entries
        )
        for bot, version in found
    ]


def _fill(
    one: Sitting,
    table: list[Seated],
    able: list[Candidate],
    entrants: Container[int | None],
    used: Counter[int],
) -> Filled:
    here = {seat.bot_id for seat in table}
    left = sum(
        seat.version_id in entrants and not seat.seat.substitute
        for seat in table
        if seat.number != one.number
    )
    free = [candidate for candidate in able if candidate.bot_id not in here]
    chosen = min(
        free,
        key=lambda bot: (bot.entered, used[bot.bot_id], bot.bot_id),
        default=None,
    )
    if left < FEWEST or chosen is None:
        why = TOO_FEW if left < FEWEST else NO_BOT
        return Filled(
            match_id=one.match_id, number=one.number, state=one.state, version_id=None, why=why
        )
    used[chosen.bot_id] += 1
    return Filled(
        match_id=one.match_id,
        number=one.number,
        state=one.state,
        version_id=chosen.version_id,
        bot=chosen.name,
    )


def seat_substitutes(session: Session, season: Season, planned: list[Filled], reason: str) -> None:
    """Do what was planned; what cannot be filled is cancelled."""
    for one in planned:
        if one.version_id is None:
            store.matches.cancel(session, one.match_id, f"{reason}; {one.why}")
        else:
            store.matches.substitute(session, one.match_id, one.number, one.version_id, reason)
    if season.state is store.SeasonState.PAUSED:
        # What was stopped in mid-play waits for the end of the pause like the rest.
        store.matches.hold(session, season.id)
