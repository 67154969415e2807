"""The freeze of a season: versions pinned, tables drawn, keys made and committed to.

After it not even the organiser can change anything.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from sqlmodel import Session

import store
from league import schedule
from league.audit import Action, Actor
from league.errors import LeagueRefusal
from league.matches import new_match
from league.schedule import BalanceReport
from league.seasons import life, rows
from league.seasons.steps import begin
from league.words import counted
from store import Bot, Entry, EntryState, MatchKind, Season, Version

FEWEST = 2
"""Entries without which there is no season."""


def freeze_season(session: Session, season_id: int, actor: Actor) -> Season:
    """Pin every entry to a version, plan all matches, and commit to all their keys."""
    season = begin(session, "freeze", season_id, actor)
    pinned = _pin(session, season)
    planned = _schedule(season, pinned, _anchors(session, season))
    scale = store.scales.of_season(session, season.id)
    new = [
        new_match(
            season,
            MatchKind.SEASON,
            map(int, table.seats),
            season_id=season.id,
            scale_id=scale.id,
            round_no=table.round_no,
            in_flight=season.in_flight,
            max_faults=season.max_faults,
        )
        for table in planned.tables
    ]
    store.matches.plan(session, new)
    season.commitment = commitment_of(
        one for _, one in store.seasons.commitments(session, season.id)
    )
    season.balance = _balance(planned.report)
    detail: store.JsonDict = {
        "entries": len(pinned),
        "matches": len(new),
        "commitment": season.commitment,
    }
    life.audit(session, actor, Action.SEASON_FREEZE, season, detail)
    return season


def commitment_of(commitments: Iterable[str]) -> str:
    """What a season promises at its freeze: one hash over the commitments of all its matches."""
    return "sha256:" + hashlib.sha256("\n".join(commitments).encode()).hexdigest()


def _pin(session: Session, season: Season) -> list[tuple[store.Bot, store.Version]]:
    """Fix the versions that play. An entry that cannot take part is withdrawn with the reason."""
    found = lineup(session, season)
    for entry, reason in found.drops:
        store.seasons.leave(session, entry.id, EntryState.WITHDRAWN, reason)
    for entry, _, version in found.plays:
        store.seasons.pin(session, entry.id, version.id)
    return [(bot, version) for _, bot, version in found.plays]


def missing_entries(session: Session, season: Season) -> str:
    """What a freeze still waits for: two entries that can play."""
    able = len(lineup(session, season).plays)
    if able >= FEWEST:
        return ""
    return (
        f"season {season.name!r} has {counted(able, 'entry', 'entries')} that can play, and a"
        " freeze needs two or more: enter more bots, or wait for their checks"
    )


def _anchors(session: Session, season: Season) -> list[int]:
    """The versions of platform bots that may fill seats, when there are fewer bots than seats."""
    entered = {entry.bot_id for entry in store.seasons.entries(session, season.id)}
    playable = store.bots.playable(session, season.rules)
    return sorted(
        version.id for bot, version in playable if bot.is_anchor and bot.id not in entered
    )


def _schedule(
    season: Season, pinned: list[tuple[store.Bot, store.Version]], anchors: list[int]
) -> schedule.Schedule:
    # Anchor bots may meet one another although one account owns them all.
    entrants = [
        schedule.Entrant(
            bot=str(version.id),
            owner=f"anchor {bot.id}" if bot.is_anchor else f"owner {bot.owner_id}",
        )
        for bot, version in pinned
    ]
    try:
        return schedule.make_schedule(
            entrants,
            season.table_size,
            meetings=rows.meetings_of(season),
            anchors=[str(version_id) for version_id in anchors],
            seed=season.id,
        )
    except ValueError as error:
        raise LeagueRefusal(f"season {season.name!r} cannot be scheduled: {error}") from None


def _balance(report: BalanceReport) -> store.JsonDict:
    return {**asdict(report), "holds": report.holds, "words": report.words}


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineup:
    """The entries of a season, sorted into those that can play and those that cannot."""

    plays: list[tuple[Entry, Bot, Version]]
    drops: list[tuple[Entry, str]]
    """With the reason, for their authors to read."""


def lineup(session: Session, season: Season) -> Lineup:
    """Each entry with its current version; one build plays once, however often it is entered."""
    current = {bot.id: (bot, found) for bot, found in store.bots.playable(session, season.rules)}
    entered = store.seasons.entries(session, season.id, only_entered=True)
    able = [(entry, *current[entry.bot_id]) for entry in entered if entry.bot_id in current]
    found = Lineup(plays=[], drops=[])
    found.drops.extend(
        (entry, "it had no accepted version at the freeze")
        for entry in entered
        if entry.bot_id not in current
    )
    twins = _twins(session, able)
    for entry, bot, version in able:
        if entry.id in twins:
            reason = "it is the same build as another's; equal fingerprints are one entrant"
            found.drops.append((entry, reason))
        else:
            found.plays.append((entry, bot, version))
    return found


def _twins(session: Session, able: Sequence[tuple[Entry, Bot, Version]]) -> set[int]:
    """Entries with the build of another one: whoever submitted it first keeps its place.

    Not who entered first: that place would go to whoever copies a build before the freeze.
    """
    prints = {version.fingerprint for _, _, version in able if version.fingerprint is not None}
    first = store.bots.first_with_build(session, prints)
    kept: dict[str, tuple[int, int]] = {}
    for entry, bot, version in able:
        if version.fingerprint is not None:
            claim = (first[version.fingerprint, bot.owner_id], entry.id)
            kept[version.fingerprint] = min(claim, kept.get(version.fingerprint, claim))
    stay = {entry_id for _, entry_id in kept.values()}
    return {
        entry.id
        for entry, _, version in able
        if version.fingerprint is not None and entry.id not in stay
    }
