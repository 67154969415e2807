"""The games of people that a rating may use, and the ratings of the bots they met.

What counts is decided here by facts alone (`counted`); what it means is the league's.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import SeasonState, SittingState
from store import revisions
from store.columns import JsonDict
from store.scales import by_key, scale_key
from store.tables import (
    Game,
    Match,
    Person,
    Rating,
    Scale,
    Season,
    Seat,
    Sitting,
    SittingDecision,
    SittingSeat,
)

LATEST = 5000
"""Of each game (rules, options and table size) the latest that are looked at."""
MOST = 20_000
"""Of all games together: there may be any number of kinds."""
Proof = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonSeat:
    """A seat of a game that counts; a bot where there is no person."""

    person_id: str | None
    version_id: int
    bot_id: int
    left: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedGame:
    """A game at a table with people; both go by seat."""

    match_id: int
    rules: str
    options: JsonDict
    table_size: int
    seats: tuple[PersonSeat, ...]
    places: tuple[int, ...] | None
    """None: it was begun and never ended."""
    rounds: int


def counted(session: Session) -> list[CountedGame]:
    """All that count: one person among bots, unassisted, on a fresh board, from the first card on.

    A game that its person left counts, ended or not; one that the platform broke off does not.
    """
    latest = _latest()
    query = (
        select(Sitting, Match)
        .join(Match, col(Match.id) == col(Sitting.match_id))
        .where(col(Match.id).in_(latest))
        .order_by(col(Match.id))
    )
    found = [(sitting, match) for sitting, match in session.exec(query)]
    seats, games = _seats(session, latest), _games(session, latest)
    made = [
        _game(sitting, match, seats.get(match.id, ()), games.get(match.id))
        for sitting, match in found
    ]
    return [game for game in made if game is not None]


def may_count(sitting: Sitting, seats: Iterable[SittingSeat]) -> bool:
    """Whether the game of a table, as it stands, will count; see `counted`."""
    return sitting.ratable and not sitting.assisted and sum(one.for_person for one in seats) == 1


def proof(session: Session) -> Proof:
    """What the games that count, and the ratings of the bots, are told by: while it is the same,
    so are they. It is a fraction of the work of `counted`."""
    ended = select(
        sa.func.count(),
        sa.func.coalesce(sa.func.sum(col(Sitting.match_id)), 0),
        sa.func.max(col(Sitting.finished_at)),
    ).where(*_MAY_COUNT)
    left = select(sa.func.count()).where(
        col(SittingSeat.left_at).is_not(None), col(SittingSeat.person_id).is_not(None)
    )
    rated = (
        sa.select(
            *(col(Rating.scale_id), sa.func.count(), sa.func.max(col(Rating.changed_at))),
            sa.func.sum(col(Rating.official)),
        )
        .where(col(Rating.official).is_not(None))
        .group_by(col(Rating.scale_id))
        .order_by(col(Rating.scale_id))
    )
    return (
        # Which bots there are, what they are called, and which seasons all may see.
        revisions.tokens(session, [revisions.NAMES, revisions.SEASONS]),
        tuple(session.exec(ended).one()),
        session.exec(left).one(),
        tuple(tuple(row) for row in session.execute(rated)),
    )


_MAY_COUNT = (
    col(Sitting.ratable),
    ~col(Sitting.assisted),
    col(Sitting.state).in_((SittingState.OVER, SittingState.CLOSED)),
)


def _latest() -> sa.Select[tuple[int]]:
    """The matches that count, of each game the latest: a busy one pushes no other off.

    Where all are too many, each game keeps the same share.
    """
    begun = (
        sa.select(col(SittingDecision.match_id))
        .where(col(SittingDecision.match_id) == col(Match.id))
        .exists()
    )
    game = (col(Match.rules), col(Match.options), col(Match.table_size))
    back = sa.func.row_number().over(partition_by=game, order_by=col(Match.id).desc())
    numbered = (
        sa.select(col(Match.id).label("id"), back.label("back"))
        .join(Sitting, col(Sitting.match_id) == col(Match.id))
        .where(*_MAY_COUNT, begun)
        .subquery()
    )
    latest = sa.select(numbered.c.id).where(numbered.c.back <= LATEST)
    return latest.order_by(numbered.c.back, numbered.c.id.desc()).limit(MOST)


def _seats(session: Session, ids: sa.Select[tuple[int]]) -> dict[int, list[PersonSeat]]:
    query = (
        sa.select(
            *(col(Seat.match_id), col(SittingSeat.person_id), col(SittingSeat.left_at)),
            *(col(Seat.version_id), col(Seat.bot_id)),
        )
        .join(
            SittingSeat,
            sa.and_(
                col(SittingSeat.match_id) == col(Seat.match_id),
                col(SittingSeat.seat) == col(Seat.number),
            ),
        )
        .where(col(Seat.match_id).in_(ids))
        .order_by(col(Seat.match_id), col(Seat.number))
    )
    found: dict[int, list[PersonSeat]] = {}
    for match_id, person_id, left_at, version_id, bot_id in session.execute(query):
        seat = PersonSeat(
            person_id=person_id, version_id=version_id, bot_id=bot_id, left=left_at is not None
        )
        found.setdefault(match_id, []).append(seat)
    return found


def _games(session: Session, ids: sa.Select[tuple[int]]) -> dict[int, Game]:
    query = select(Game).where(col(Game.match_id).in_(ids))
    return {game.match_id: game for game in session.exec(query)}


def _game(
    sitting: Sitting, match: Match, seats: Iterable[PersonSeat], game: Game | None
) -> CountedGame | None:
    table = tuple(seats)
    people = [seat for seat in table if seat.person_id is not None]
    # Two people at one table may have shown each other their hands.
    if len(people) != 1:
        return None
    # Without a result it counts only where its person is the reason.
    if game is None and not people[0].left:
        return None
    places = None if game is None else _by_table(game)
    return CountedGame(
        match_id=match.id,
        rules=match.rules,
        options=match.options,
        table_size=match.table_size,
        seats=table,
        places=places,
        rounds=1 if game is None else game.rounds,
    )


def _by_table(game: Game) -> tuple[int, ...]:
    by_number = dict(zip(game.seats, game.places, strict=True))
    return tuple(by_number[number] for number in range(len(game.seats)))


def scale_of(session: Session, rules: str, options: JsonDict, table_size: int) -> Scale | None:
    """The scale of the bots of a game: its ladder's, or that of the latest season that all see."""
    ladder = by_key(session, scale_key(rules, options, table_size))
    if ladder is not None and _is_rated(session, ladder.id):
        return ladder
    query = (
        select(Scale)
        .join(Season, col(Season.id) == col(Scale.season_id))
        .where(
            Scale.rules == rules,
            Scale.table_size == table_size,
            col(Season.state) != SeasonState.DRAFT,
            col(Season.rehearsal_of_id).is_(None),
        )
        .order_by(col(Scale.id).desc())
    )
    alike = [one for one in session.exec(query) if one.options == options]
    return next((one for one in alike if _is_rated(session, one.id)), None)


def _is_rated(session: Session, scale_id: int) -> bool:
    query = select(Rating.version_id).where(
        Rating.scale_id == scale_id, col(Rating.official).is_not(None)
    )
    return session.exec(query.limit(1)).first() is not None


def people(session: Session, ids: Iterable[str]) -> dict[str, Person]:
    """People by id."""
    query = select(Person).where(col(Person.id).in_(list(ids)))
    return {person.id: person for person in session.exec(query)}
