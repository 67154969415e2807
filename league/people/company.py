"""Opponents of about a person's strength: the choice itself, and the ratings that it needs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class _Bot:
    """A bot that may sit at a table."""

    name: str
    is_platforms: bool
    """People are rated by platform bots alone; see `fits`."""


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

    One of them is a platform bot with a rating, where there is one: without any, the game would
    say nothing about the person. Where no bot has a rating at this game, the seats stay free, and
    platform bots take them.
    """
    options = options_of(request)
    scale = store.people_games.scale_of(session, request.rules, options, request.seats)
    free = request.seats - request.people - len(request.opponents)
    if scale is None or free <= 0:
        return request
    rated = _rated(session, scale.id, request.rules, contained=contained)
    left = {bot: elo for bot, elo in rated.items() if bot.name not in request.opponents}
    own = own_rating(session, person_id, request.rules, options, request.seats)
    if own is None and left:
        own = median(left.values())
    chosen: list[str] = []
    if not any(bot.is_platforms for bot in rated if bot.name in request.opponents):
        house = {bot.name: elo for bot, elo in left.items() if bot.is_platforms}
        chosen = pick_near(house, own, 1, SHUFFLE)
    others = {bot.name: elo for bot, elo in left.items() if bot.name not in chosen}
    chosen += pick_near(others, own, free - len(chosen), SHUFFLE)
    return replace(request, opponents=(*request.opponents, *chosen))


def _rated(session: Session, scale_id: int, rules: str, *, contained: bool) -> dict[_Bot, float]:
    """The rating of every bot that has one on a scale and may sit at a table."""
    by_bot: dict[int, float] = {}
    for row in sorted(store.ratings.table(session, scale_id), key=lambda row: row.version_id):
        version = session.get(Version, row.version_id)
        if row.official is not None and version is not None:
            # A newer version without a rating is as strong as the last that has one.
            by_bot[version.bot_id] = row.official
    found: dict[_Bot, float] = {}
    for name, version in may_play(session, rules, contained=contained):
        bot = store.present(session, Bot, version.bot_id)
        if bot.id in by_bot:
            found[_Bot(name, bot.is_anchor)] = by_bot[bot.id]
    return found
