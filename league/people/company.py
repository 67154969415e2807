"""Opponents of about a person's strength: the choice itself, and the ratings that it needs."""

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from statistics import median

from sqlmodel import Session

import store
from league.people.board import own_rating
from league.people.opening import TableRequest, options_of
from league.people.opponents import SHUFFLE, may_play
from store import Bot, Version

SPARE = 2
"""So many more than are needed are near enough, so that the company varies."""


def pick_near(
    strengths: Mapping[str, float], own: float | None, count: int, rng: Random
) -> list[str]:
    """`count` of the bots nearest to a rating, drawn among the nearest; fewer if there are fewer.

    Who has no rating is taken to be in the middle of the bots.

    >>> pick_near({"weak": 1300.0, "even": 1500.0}, 1480.0, 2, Random(1))
    ['even', 'weak']
    """
    if not strengths:
        return []
    aim = median(strengths.values()) if own is None else own
    nearest = sorted(strengths, key=lambda name: (abs(strengths[name] - aim), name))
    found = rng.sample(nearest[: count + SPARE], min(count, len(nearest)))
    return sorted(found, key=nearest.index)


def of_about_my_strength(
    session: Session, person_id: str | None, request: TableRequest, *, contained: bool
) -> TableRequest:
    """The request with bots of about this person's strength in the seats that were left free.

    Where no bot has a rating at this game, the seats stay free, and platform bots take them.
    """
    options = options_of(request)
    scale = store.people_games.scale_of(session, request.rules, options, request.seats)
    free = request.seats - request.people - len(request.opponents)
    if scale is None or free <= 0:
        return request
    rated: dict[str, float] = {}
    by_bot: dict[int, float] = {}
    for row in sorted(store.ratings.table(session, scale.id), key=lambda row: row.version_id):
        version = session.get(Version, row.version_id)
        if row.official is not None and version is not None:
            # A newer version without a rating is as strong as the last that has one.
            by_bot[version.bot_id] = row.official
    for name, version in may_play(session, request.rules, contained=contained):
        bot = store.present(session, Bot, version.bot_id)
        if name not in request.opponents and bot.id in by_bot:
            rated[name] = by_bot[bot.id]
    own = own_rating(session, person_id, request.rules, options, request.seats)
    chosen = pick_near(rated, own, free, SHUFFLE)
    return replace(request, opponents=(*request.opponents, *chosen))
