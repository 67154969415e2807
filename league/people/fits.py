"""The ratings behind the people's board, worked out once for as long as nothing changes."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.engine import URL
from sqlmodel import Session

import store
from league.ratings import BotStrength, PeopleGame, PersonRating, abandoned_places, rate_people
from store import JsonDict, Rating, Scale, Version
from store.people_games import CountedGame, Proof

Z = 1.96
"""Half an interval of 95 % in standard errors."""
BOTS_SHOWN = 12
KEPT = 4
"""Databases whose ratings are kept: a process has one, or few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardBot:
    """A bot of the same scale, to compare with."""

    bot: str
    version: int
    elo: float
    half: float | None
    is_person = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The ratings of one game, without anything that is personal but ids."""

    key: str
    rules: str
    options: JsonDict
    table_size: int
    scale: Scale | None
    rated: tuple[PersonRating, ...]
    bots: tuple[BoardBot, ...]
    games: int


@dataclass(frozen=True, slots=True)
class _Kept:
    """The last ratings of a database."""

    proof: Proof
    fits: tuple[Fit, ...]


_KEPT: OrderedDict[URL, _Kept] = OrderedDict()
_WORKING = threading.Lock()
"""Held by the one thread that works ratings out."""


def fitted(session: Session) -> tuple[Fit, ...]:
    """The ratings of every game that people have played.

    While another thread works them out again, they are what they were before: whoever waited for
    it would keep a connection of the database from all others.
    """
    database = session.get_bind().engine.url
    # Read before the data: a change in between makes the proof old, never the ratings.
    proof = store.people_games.proof(session)
    before = _KEPT.get(database)
    if before is not None and before.proof == proof:
        return before.fits
    if not _WORKING.acquire(blocking=before is None):
        assert before is not None
        return before.fits
    try:
        # Whoever had nothing and waited finds what the other has made.
        found = _KEPT.get(database)
        if found is None or found.proof != proof:
            _KEPT[database] = found = _Kept(proof, _fit_all(session))
            _KEPT.move_to_end(database)
            while len(_KEPT) > KEPT:
                _KEPT.popitem(last=False)
        return found.fits
    finally:
        _WORKING.release()


def _fit_all(session: Session) -> tuple[Fit, ...]:
    groups: dict[str, list[CountedGame]] = {}
    for game in store.people_games.counted(session):
        key = store.scales.scale_key(game.rules, game.options, game.table_size)
        groups.setdefault(key, []).append(game)
    return tuple(_fit(session, key, games) for key, games in groups.items())


def _fit(session: Session, key: str, games: Sequence[CountedGame]) -> Fit:
    one = games[0]
    scale = store.people_games.scale_of(session, one.rules, one.options, one.table_size)
    ratings = [] if scale is None else store.ratings.table(session, scale.id)
    if scale is not None:
        # It outlives the session, also one that is rolled back.
        session.expunge(scale)
    versions = _versions(session, ratings)
    known = _strengths(ratings, _platform(session, versions))
    played = [_people_game(game, known) for game in games]
    ids = sorted({seat.person_id for game in games for seat in game.seats if seat.person_id})
    return Fit(
        key=key,
        rules=one.rules,
        options=one.options,
        table_size=one.table_size,
        scale=scale,
        rated=tuple(rate_people(played, known, ids)),
        bots=_bots(session, ratings, versions),
        games=len(games),
    )


def _versions(session: Session, ratings: Sequence[Rating]) -> dict[int, Version]:
    found = (session.get(Version, row.version_id) for row in ratings)
    return {version.id: version for version in found if version is not None}


def _platform(session: Session, versions: dict[int, Version]) -> dict[int, Version]:
    """The versions of platform bots. Others say nothing about a person: whoever wrote one, or
    knows who did, may sit at the table, and have it lose."""
    return {
        number: one
        for number, one in versions.items()
        if store.present(session, store.Bot, one.bot_id).is_anchor
    }


def _strengths(ratings: Sequence[Rating], versions: dict[int, Version]) -> dict[str, BotStrength]:
    """Official ratings by version, and by bot for versions that have none: its newest one's."""
    known: dict[str, BotStrength] = {}
    for row in sorted(ratings, key=lambda row: row.version_id):
        if row.official is None or row.version_id not in versions:
            continue
        spread = 0.0 if row.low is None or row.high is None else (row.high - row.low) / 2 / Z
        strength = BotStrength(elo=row.official, error=spread)
        known[_of_version(row.version_id)] = strength
        known[_of_bot(versions[row.version_id].bot_id)] = strength
    return known


def _of_version(number: int) -> str:
    return f"version {number}"


def _of_bot(number: int) -> str:
    return f"bot {number}"


def _people_game(game: CountedGame, known: dict[str, BotStrength]) -> PeopleGame:
    seats = []
    for seat in game.seats:
        exact = _of_version(seat.version_id)
        seats.append(seat.person_id or (exact if exact in known else _of_bot(seat.bot_id)))
    people = [seat.person_id is not None for seat in game.seats]
    places = abandoned_places(people) if game.places is None else game.places
    return PeopleGame(seats=tuple(seats), places=places, rounds=game.rounds)


def _bots(
    session: Session, ratings: Sequence[Rating], versions: dict[int, Version]
) -> tuple[BoardBot, ...]:
    names = store.bots.full_names(session, [version.bot_id for version in versions.values()])
    found = []
    for row in ratings[:BOTS_SHOWN]:
        version = versions.get(row.version_id)
        if version is None or row.official is None:
            continue
        half = None if row.low is None or row.high is None else (row.high - row.low) / 2
        found.append(
            BoardBot(bot=names[version.bot_id], version=version.number, elo=row.official, half=half)
        )
    return tuple(found)
