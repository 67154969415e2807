"""Who ranks in a table, whose Elo a new version takes over, and whose results are one.

Reads the store; the ratings themselves are computed elsewhere.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col

import store
from store import Bot, Scale, Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Lineage:
    """What the ratings have to know about the versions of a table."""

    ranked: frozenset[int]
    """Versions with a place; the others are rated and have none."""
    successors: dict[str, str]
    """New version -> the version of the same bot whose live Elo it takes over."""
    pooled: dict[int, int]
    """Version -> the version under which its results count: equal builds are one entrant."""

    def table(self, versions: tuple[int, ...]) -> tuple[str, ...]:
        """The table as the ratings see it; two equal builds at one table stay two."""
        seen = tuple(self.pooled.get(version, version) for version in versions)
        return tuple(map(str, seen if len(set(seen)) == len(seen) else versions))


def lineage_of(session: Session, ladder_id: int, versions: Iterable[int]) -> Lineage:
    """The lineage of these versions on a ladder, or in the season that the scale belongs to."""
    scale = store.present(session, Scale, ladder_id)
    query = (
        sa.select(Version, Bot)
        .join(Bot, col(Bot.id) == col(Version.bot_id))
        .where(col(Version.id).in_(sorted(set(versions))))
        .order_by(col(Version.bot_id), col(Version.number))
    )
    rows = [(version, bot) for version, bot in session.execute(query)]
    if scale.season_id is not None:
        entries = store.seasons.entries(session, scale.season_id)
        ranked = {
            entry.version_id
            for entry in entries
            if entry.version_id is not None and not entry.is_anchor
        }
        return Lineage(ranked=frozenset(ranked), successors={}, pooled={})
    field = store.ladders.field_of(session, ladder_id)
    places = frozenset(
        version.id
        for version, bot in rows
        if version.number == bot.current_version
        # A bot that drops the rules would keep a lucky place for ever, without playing for it.
        and scale.rules in bot.rules
        and not field.is_out(bot.id)
        and field.competes(bot)
    )
    pooled = _pooled(rows, places)
    played = [(version, bot) for version, bot in rows if version.id not in pooled]
    return Lineage(ranked=places, successors=_successors(played), pooled=pooled)


def _successors(rows: list[tuple[Version, Bot]]) -> dict[str, str]:
    """Each version follows the latest earlier one of its bot that has played here."""
    latest: dict[int, int] = {}
    found: dict[str, str] = {}
    for version, bot in rows:
        if bot.id in latest:
            found[str(version.id)] = str(latest[bot.id])
        latest[bot.id] = version.id
    return found


def _pooled(rows: list[tuple[Version, Bot]], ranked: frozenset[int]) -> dict[int, int]:
    """A build that is submitted again keeps its old results: luck cannot be farmed."""
    by_print: dict[str, list[Version]] = {}
    for version, bot in rows:
        if version.fingerprint is not None and not bot.is_anchor:
            by_print.setdefault(version.fingerprint, []).append(version)
    pooled: dict[int, int] = {}
    for same in by_print.values():
        kept = min(same, key=lambda one: (one.id not in ranked, one.id))
        pooled |= {one.id: kept.id for one in same if one.id != kept.id}
    return pooled
