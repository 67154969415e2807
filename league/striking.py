"""Disqualification with its price on the table: the standings before and after, and the audit."""

from dataclasses import asdict, dataclass

from sqlmodel import Session

import store
from league import corrections
from league.material import gather
from league.seasons import Actor, SeasonError
from league.standings import RowChange, compare


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One bot's line before and after; `bot` is its name and version."""

    bot: str
    place_before: int | None
    place_after: int | None
    official_before: float | None
    official_after: float | None


def preview(session: Session, season_id: int, full_name: str) -> list[Change]:
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
        raise SeasonError(f"{full_name!r} is not entered in this season")
    ladder_id = store.seasons.ladder_of(session, season_id).id
    now = gather(session, ladder_id)
    if entry.version_id is None or not now.has_table:
        return []
    then = gather(session, ladder_id, without=entry.version_id)
    names = {version: fact.name for version, fact in now.facts.items()}
    before = now.table()
    if not then.has_table:
        # Nothing would be left of the table.
        return [
            Change(
                bot=row.name,
                place_before=row.place,
                place_after=None,
                official_before=row.official,
                official_after=None,
            )
            for row in before.rows
        ]
    return [_change(row, names) for row in compare(before, then.table())]


def _change(row: RowChange, names: dict[str, str]) -> Change:
    return Change(
        bot=names.get(row.bot, row.bot),
        place_before=row.place_before,
        place_after=row.place_after,
        official_before=row.official_before,
        official_after=row.official_after,
    )


def disqualify(
    session: Session, season_id: int, full_name: str, actor: Actor, reason: str
) -> list[Change]:
    """Disqualify, and keep what it did to the table in the audit log."""
    changes = preview(session, season_id, full_name)
    corrections.disqualify(session, season_id, full_name, actor, reason)
    store.journal.record(
        session,
        "season.disqualify",
        "season",
        season_id,
        actor=actor,
        reason=reason,
        detail={"bot": full_name, "changes": [asdict(change) for change in changes]},
    )
    return changes
