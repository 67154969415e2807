"""Who would play if a season were frozen now, and who would not."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col

import store
from store import Bot, Entry, Season, Version


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
    """Entries with the build of another one: whoever handed it in first keeps its place.

    Not who entered first: that place would go to whoever copies a build before the freeze.
    """
    prints = {version.fingerprint for _, _, version in able if version.fingerprint is not None}
    query = (
        sa.select(col(Version.fingerprint), col(Bot.owner_id), sa.func.min(col(Version.id)))
        .join(Bot, col(Bot.id) == col(Version.bot_id))
        .where(col(Version.fingerprint).in_(prints))
        .group_by(col(Version.fingerprint), col(Bot.owner_id))
    )
    first = {(build, owner): number for build, owner, number in session.execute(query)}
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
