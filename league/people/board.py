"""The people's board: who plays how well, on the scale of the bots of that game.

Ratings of bots are read and never written: nothing here touches a season or a ladder.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from sqlmodel import Session

import store
from league.errors import LeagueRefusal, Malformed
from league.people.opening import GUEST
from league.ratings import (
    BotStrength,
    PeopleGame,
    PersonRating,
    abandoned_places,
    rate_people,
)
from store import JsonDict, Person, Rating, Scale, Version
from store.people_games import CountedGame

Z = 1.96
"""Half an interval of 95 % in standard errors."""
NAME_LENGTH = 30
BOTS_SHOWN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPerson:
    """A person with a rating."""

    name: str | None
    """None: this person did not agree to be named."""
    is_guest: bool
    is_own: bool
    """Whether it is who looks."""
    rating: PersonRating
    is_person = True

    @property
    def elo(self) -> float:
        """The rating alone."""
        return self.rating.elo or 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardBot:
    """A bot of the same scale, to compare with."""

    bot: str
    version: int
    elo: float
    half: float | None
    is_person = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleBoard:
    """One game: its people and its bots, each best first."""

    rules: str
    options: JsonDict
    table_size: int
    scale: Scale | None
    """None: no bot has a rating at this game, so no person can have one."""
    people: tuple[BoardPerson, ...]
    bots: tuple[BoardBot, ...]
    games: int
    own: PersonRating | None
    """Of whoever looks, rated yet or not; None: no game of theirs counts."""

    @property
    def rows(self) -> list["BoardPerson | BoardBot"]:
        """People and bots together, best first."""
        return sorted((*self.people, *self.bots), key=lambda one: -one.elo)


def people_boards(session: Session, own_id: str | None = None) -> list[PeopleBoard]:
    """A board for every game that people have played, the most played first."""
    groups: dict[str, list[CountedGame]] = {}
    for game in store.people_games.counted(session):
        key = store.scales.scale_key(game.rules, game.options, game.table_size)
        groups.setdefault(key, []).append(game)
    made = [_board(session, games, own_id) for games in groups.values()]
    return sorted(made, key=lambda board: (board.scale is None, -board.games, board.rules))


def own_rating(
    session: Session, person_id: str, rules: str, options: JsonDict, table_size: int
) -> float | None:
    """The rating of a person at one game; None: there is none, or not yet."""
    key = store.scales.scale_key(rules, options, table_size)
    games = [
        game
        for game in store.people_games.counted(session)
        if store.scales.scale_key(game.rules, game.options, game.table_size) == key
    ]
    own = _board(session, games, person_id).own if games else None
    return None if own is None else own.elo


def _board(session: Session, games: Sequence[CountedGame], own_id: str | None) -> PeopleBoard:
    one = games[0]
    scale = store.people_games.scale_of(session, one.rules, one.options, one.table_size)
    ratings = [] if scale is None else store.ratings.table(session, scale.id)
    versions = _versions(session, ratings)
    known = _strengths(ratings, _platform(session, versions))
    played = [_people_game(game, known) for game in games]
    ids = sorted({seat.person_id for game in games for seat in game.seats if seat.person_id})
    rated = rate_people(played, known, ids)
    people = store.people_games.people(session, ids)
    return PeopleBoard(
        rules=one.rules,
        options=one.options,
        table_size=one.table_size,
        scale=scale,
        people=tuple(
            _person(people[row.person], row, own_id) for row in rated if row.elo is not None
        ),
        bots=_bots(session, ratings, versions),
        games=len(games),
        own=next((row for row in rated if row.person == own_id), None),
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


def _person(person: Person, rating: PersonRating, own_id: str | None) -> BoardPerson:
    return BoardPerson(
        name=person.name if person.name and person.name_shown else None,
        is_guest=person.owner_id is None,
        is_own=person.id == own_id,
        rating=rating,
    )


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


def set_name(session: Session, person_id: str, name: str, *, shown: bool) -> Person:
    """How a person is named on pages, and whether at all; it can be taken back at any time."""
    # Letters of other widths and shapes become plain ones, so that no name looks like a handle.
    text = " ".join(unicodedata.normalize("NFKC", name).split())
    if not text.isprintable() or not len(text) <= NAME_LENGTH or (shown and not text):
        raise Malformed(
            f"got {len(text)} characters, expected a name of 1 to {NAME_LENGTH} printable ones"
        )
    person = store.locked(session, Person, person_id)
    owner = store.accounts.owner_by_handle(session, text.lower())
    if owner is not None and owner.id != person.owner_id:
        raise LeagueRefusal(f"{text} is the name of an account here; choose another name")
    if person.name_shown and (not shown or text != person.name):
        # Consent was for the name as it was; earlier tables and their replays show it no longer.
        store.sittings.forget_name(session, person_id, GUEST)
    person.name, person.name_shown = text, shown
    session.flush()
    return person
