"""Rating scales: one for each ladder and one for each season; what they say is the league's."""

import json
from collections.abc import Mapping

from sqlmodel import Session, select

from store.columns import JsonDict
from store.engine import present
from store.tables import Scale


def scale_key(
    rules: str, options: Mapping[str, object], table_size: int, season_id: int | None = None
) -> str:
    """The canonical text of a rating scale.

    >>> scale_key("x-nimmt", {}, 4)
    'x-nimmt/4/{}'
    >>> scale_key("six-nimmt", {"rounds": 1, "advanced": False}, 4, season_id=7)
    'six-nimmt/4/{"advanced":false,"rounds":1}/season:7'
    """
    written = json.dumps(options, sort_keys=True, separators=(",", ":"))
    season = "" if season_id is None else f"/season:{season_id}"
    return f"{rules}/{table_size}/{written}{season}"


def by_key(session: Session, key: str) -> Scale | None:
    """The scale that this text identifies."""
    return session.exec(select(Scale).where(Scale.key == key)).one_or_none()


def add_scale(
    session: Session,
    rules: str,
    options: JsonDict,
    table_size: int,
    *,
    season_id: int | None = None,
) -> Scale:
    """A new scale on which nothing was played yet."""
    made = Scale(
        key=scale_key(rules, options, table_size, season_id),
        season_id=season_id,
        rules=rules,
        options=options,
        table_size=table_size,
    )
    session.add(made)
    session.flush()
    return made


def of_season(session: Session, season_id: int) -> Scale:
    """The scale of a season."""
    return session.exec(select(Scale).where(Scale.season_id == season_id)).one()


def scale(session: Session, scale_id: int) -> Scale:
    """A scale that has to exist; a ladder's has the ladder's id."""
    return present(session, Scale, scale_id)
