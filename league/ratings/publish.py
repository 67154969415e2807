"""From stored blocks to published ratings and standings: reads the store, computes, writes back.

The numbers themselves are made by the pure modules; here they are only fetched and stored.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import sqlalchemy as sa
from sqlmodel import Session, col, select

import store
from league.ratings.elo import EloRun
from league.ratings.holdback import held_back
from league.ratings.inputs import gather
from league.ratings.mixing import measure_mixing, tables_of
from league.ratings.standings import Badge, BotFacts, StandingRow, Standings
from store import Rating, RatingPoint, Scale, Store

_NOTHING = [0, 0, 0]
_BADGES = {
    Badge.SETTLED: "settled",
    Badge.OPEN: "open",
    Badge.NOT_MEASURABLE: "not_measurable",
}


def refresh(database: Store, ladder_id: int) -> Standings | None:
    """Compute a ladder's table from scratch and publish it; None while nothing is played.

    Safe to run at any time and twice: the same blocks give the same table.
    """
    with database.read() as session:
        # The mark first: a result that comes in meanwhile makes the table stale, never unnoticed.
        mark = _marks(session, ladder_id).get(ladder_id, _NOTHING)
        material = gather(session, ladder_id)
    if not material.has_table:
        with database.write() as session:
            _publish(session, ladder_id, None, mark, material.held)
        return None
    run = material.live()
    table = material.table(run)
    published = table_to_json(table, material.facts)
    mixing = measure_mixing(tables_of(material.blocks, material.matches))
    if mixing is not None:
        published["mixing"] = {**asdict(mixing), "words": mixing.words}
    with database.write() as session:
        _publish(session, ladder_id, published, mark, material.held)
        _save(session, ladder_id, table, run, material.matches)
    return table


def _publish(
    session: Session,
    ladder_id: int,
    published: store.JsonDict | None,
    mark: list[int],
    held: frozenset[int],
) -> None:
    found = store.present(session, Scale, ladder_id)
    now = store.database_time(session)
    if found.season_id is not None:
        season = store.locked(session, store.Season, found.season_id)
        # A season has a plan, whose balance is reported elsewhere.
        published = published and {k: v for k, v in published.items() if k != "mixing"}
        season.standings, season.standings_at = published, now
    scale = store.locked(session, Scale, ladder_id)
    scale.standings, scale.standings_at = published, now
    scale.progress = {**scale.progress, "rated": mark, "held": sorted(held)}
    session.flush()


def _save(
    session: Session, ladder_id: int, table: Standings, run: EloRun, matches: Mapping[int, int]
) -> None:
    now = store.database_time(session)
    rows = [_rating(ladder_id, row) for row in table.rows]
    if store.present(session, Scale, ladder_id).season_id is None:
        store.ratings.save(session, ladder_id, rows)
    else:
        # A bot that was struck from a season no longer has a rating in it.
        store.ratings.replace_all(session, ladder_id, rows)
    known = select(RatingPoint.match_id).where(RatingPoint.scale_id == ladder_id).distinct()
    seen = set(session.exec(known).all())
    official = {row.bot: row for row in table.rows}
    last: dict[tuple[int, str], RatingPoint] = {}
    for step in run.history:
        match_id = matches[step.order]
        row = official.get(step.bot)
        if match_id in seen or row is None:
            continue
        half = row.official_half
        last[match_id, step.bot] = RatingPoint(
            scale_id=ladder_id,
            version_id=int(step.bot),
            match_id=match_id,
            at=now,
            blocks=row.blocks,
            live=step.after + run.shift,
            official=row.official,
            low=None if half is None else row.official - half,
            high=None if half is None else row.official + half,
        )
    store.ratings.add_points(session, list(last.values()))


def _rating(ladder_id: int, row: StandingRow) -> Rating:
    half = row.official_half
    return Rating(
        scale_id=ladder_id,
        version_id=int(row.bot),
        live=row.live,
        blocks=row.blocks,
        games=row.games,
        provisional=row.provisional,
        official=row.official,
        low=None if half is None else row.official - half,
        high=None if half is None else row.official + half,
        settled=row.badge is Badge.SETTLED,
        stats={"win_share": row.win_share, "points_per_round": row.points_per_round},
    )


def table_to_json(table: Standings, facts: Mapping[str, BotFacts]) -> store.JsonDict:
    """The table as it is stored for pages: bots by name, nothing that JSON cannot hold."""
    names = {bot: facts[bot].name if bot in facts else bot for bot in table.ranked}
    rows = []
    for row in table.rows:
        name, _, number = names[row.bot].rpartition(" ")
        fields = {
            key: value for key, value in asdict(row).items() if key not in ("bot", "name", "badge")
        }
        rows.append(
            {
                **fields,
                "bot": name,
                "version": int(number),
                "version_id": int(row.bot),
                "badge": _BADGES[row.badge],
                "faults": dict(row.faults),
            }
        )
    cross = table.crosstable
    return {
        "rows": rows,
        "blocks": table.blocks,
        "games": table.games,
        "crosstable": {
            "bots": [names[bot].rpartition(" ")[0] for bot in cross.bots],
            "score": _numbers(np.where(cross.games > 0, cross.score, np.nan)),
            "games": cross.games.tolist(),
            "z": _numbers(cross.z),
        },
        "rotation": None if table.rotation is None else asdict(table.rotation),
        "calibration": [
            {**asdict(one), "holds": one.holds}
            for one in table.calibration
            if np.isfinite(one.half_width)
        ],
    }


def _numbers(values: Any) -> list[list[float | None]]:
    return [[None if np.isnan(one) else float(one) for one in row] for row in values]


def _marks(session: Session, ladder_id: int | None = None) -> dict[int, list[int]]:
    """What each ladder's table rests on, in three numbers: a new, struck or repeated result
    changes them. Times would not do: a result may be committed long after its time was taken."""
    query = (
        sa.select(
            col(store.Match.scale_id),
            sa.func.count(),
            sa.func.sum(col(store.Match.id)),
            sa.func.sum(col(store.Match.attempts)),
        )
        .where(
            col(store.Match.state) == store.MatchState.DONE,
            col(store.Match.rated),
            col(store.Match.scale_id).is_not(None),
        )
        .group_by(col(store.Match.scale_id))
    )
    if ladder_id is not None:
        query = query.where(col(store.Match.scale_id) == ladder_id)
    return {ladder: [int(one) for one in mark] for ladder, *mark in session.execute(query)}


def stale(session: Session) -> list[int]:
    """Ladders whose published table does not rest on the results that are stored now."""
    marks = _marks(session)
    published = session.execute(sa.select(col(Scale.id), col(Scale.progress))).all()
    return sorted(
        ladder_id
        for ladder_id, progress in published
        if progress.get("rated", _NOTHING) != marks.get(ladder_id, _NOTHING)
        or _has_let_go(session, ladder_id, progress.get("held", []))
    )


def _has_let_go(session: Session, ladder_id: int, held: list[int]) -> bool:
    """Whether results that live Elo held back may count now, though no new one has come in."""
    return bool(held) and held != sorted(held_back(session, ladder_id))
