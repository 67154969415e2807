"""Who would play if a season were frozen now, and who would not."""

from dataclasses import dataclass

from sqlmodel import Session

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
    found = Lineup(plays=[], drops=[])
    prints: set[str] = set()
    for entry in store.seasons.entries(session, season.id, only_entered=True):
        if entry.bot_id not in current:
            found.drops.append((entry, "it had no accepted version at the freeze"))
            continue
        bot, version = current[entry.bot_id]
        if version.fingerprint is not None and version.fingerprint in prints:
            reason = "it is the same build as an earlier entry; equal fingerprints are one entrant"
            found.drops.append((entry, reason))
            continue
        prints.add(version.fingerprint or f"version {version.id}")
        found.plays.append((entry, bot, version))
    return found
