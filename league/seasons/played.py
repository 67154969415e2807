"""How balanced a season really was: counted from the matches that count, not from its plan."""

from dataclasses import asdict

import numpy as np
import sqlalchemy as sa
from sqlmodel import Session, col

import store
from league.arrays import Flags
from league.schedule import BalanceReport, count_balance
from store import Match, MatchState, Season, Seat

PLAYED = "played"
"""In `Season.balance["counted"]`: what was played was counted; otherwise it is the plan's."""


def recount(session: Session, season_id: int) -> None:
    """Keep the balance of what was played, once that is no longer what was planned.

    While a round robin runs, its plan says more: half of it is never balanced.
    """
    season = store.locked(session, Season, season_id)
    if season.balance is None or not (season.state.is_final or _goes_on(session, season)):
        return
    report = played_balance(session, season)
    if report is not None:
        season.balance = {
            **asdict(report),
            "holds": report.holds,
            "words": report.played_words,
            "counted": PLAYED,
        }
        session.flush()


def played_balance(session: Session, season: Season) -> BalanceReport | None:
    """The report on the matches that count; None while there are none."""
    versions, allowed = _field(session, season)
    index = {version: number for number, version in enumerate(versions)}
    query = (
        sa.select(col(Seat.match_id), col(Seat.version_id), col(Seat.substitute))
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(
            col(Match.season_id) == season.id,
            col(Match.state) == MatchState.DONE,
            col(Match.rated),
        )
        .order_by(col(Seat.match_id), col(Seat.number))
    )
    tables: dict[int, list[int]] = {}
    for match_id, version_id, substitute in session.execute(query):
        seated = len(versions) if substitute else index.get(version_id, len(versions))
        tables.setdefault(match_id, []).append(seated)
    if not tables or not versions:
        return None
    return count_balance(list(tables.values()), allowed, season.table_size)


def _field(session: Session, season: Season) -> tuple[list[int], Flags]:
    """The versions of those who take part, and which two of them may meet."""
    owners: dict[int, str] = {}
    for entry in store.seasons.entries(session, season.id, only_entered=True):
        if entry.version_id is not None:
            bot = store.present(session, store.Bot, entry.bot_id)
            owners[entry.version_id] = f"anchor {bot.id}" if bot.is_anchor else f"{bot.owner_id}"
    names = np.array(list(owners.values()))
    return list(owners), names[:, None] != names[None, :]


def _goes_on(session: Session, season: Season) -> bool:
    """Whether an adaptive season has matches beyond its plan."""
    kept = season.balance or {}
    planned = int(str(kept.get("tables", 0)))
    return (
        kept.get("counted") == PLAYED or store.seasons.progress(session, season.id).total > planned
    )
