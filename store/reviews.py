"""Reviews of games: who wants one, the lease of its maker, and the document in the end.

Every change of state is one conditional UPDATE, so two workers never make the same review.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, col, select

from api_models.states import MatchState, ReviewReason, ReviewState
from store.columns import JsonDict, db_time, utc_now
from store.errors import Conflict, NotFound
from store.packed import zstd
from store.tables import Game, Match, Review, Seat, Version

MAX_TRIES = 3
"""After this many workers that went silent a review has failed."""
LEASE_SECONDS = 120.0
"""Renewed while decisions are looked at; a single one takes seconds."""
MAX_WAITING = 1000
"""Reviews that may wait at once; whoever asks for more is refused."""
Place = tuple[int, int]
"""Pass and game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotGame:
    """A game of a bot, and where it sat."""

    match_id: int
    pass_no: int
    game_no: int
    seat: int
    """Its seat in that game."""
    version: int
    """The number of its version."""
    rules: str
    advanced: bool
    """Whether hands were picked in a draft: that is another game, by the same rules' name."""


def ask(
    session: Session, match_id: int, places: Iterable[Place], reason: ReviewReason
) -> list[Review]:
    """Want reviews of games of a match that is done; those that are wanted already stay so.

    One that failed is tried again, and one that now has a better reason goes first. Raises
    NotFound for a game that does not exist, Conflict when too many wait.
    """
    match = session.get(Match, match_id)
    if match is None or match.state is not MatchState.DONE:
        raise NotFound(f"got match {match_id}, expected one that is done")
    asked = []
    for pass_no, game_no in places:
        if session.get(Game, (match_id, pass_no, game_no)) is None:
            raise NotFound(
                f"got game {game_no} of pass {pass_no} of match {match_id}, expected one of it"
            )
        asked.append(_ask(session, match, pass_no, game_no, reason))
    return asked


def ask_stored(session: Session, sha256: str, reason: ReviewReason) -> Review:
    """Want the review of a replay that lies in a file of its own and belongs to no match.

    It is asked for once, whoever asks, like that of a game. Raises Conflict when too many wait.
    """
    found = of_stored(session, sha256)
    if found is None:
        _insert(session, reason, replay=sha256, attempt=0, pass_no=0, game_no=0)
    else:
        _again(session, found.id, reason)
    asked = of_stored(session, sha256)
    assert asked is not None
    return asked


def of_stored(session: Session, sha256: str) -> Review | None:
    """The review of a replay that belongs to no match; None: it was never asked for."""
    query = select(Review).where(Review.replay == sha256)
    return session.exec(query.execution_options(populate_existing=True)).one_or_none()


def forget_stored(session: Session, sha256: str) -> None:
    """Remove the review of a replay that is removed; who is making it notices."""
    session.execute(sa.delete(Review).where(col(Review.replay) == sha256))


def _ask(
    session: Session, match: Match, pass_no: int, game_no: int, reason: ReviewReason
) -> Review:
    known = _find(session, match, pass_no, game_no)
    if known is None:
        _insert(
            session,
            reason,
            match_id=match.id,
            attempt=match.attempts,
            pass_no=pass_no,
            game_no=game_no,
        )
    else:
        _again(session, known.id, reason)
    found = _find(session, match, pass_no, game_no)
    assert found is not None
    return found


def _insert(session: Session, reason: ReviewReason, **game: int | str) -> None:
    """A review that waits; nothing happens if another asked at the same moment."""
    if waiting(session) >= MAX_WAITING:
        raise Conflict(f"{MAX_WAITING} reviews wait already; ask again when some are done")
    dialect = session.get_bind().dialect.name
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    row = insert(Review).values(
        **game,
        state=ReviewState.WAITING,
        reason=reason,
        turn=reason.turn,
        tries=0,
        done=0,
        total=0,
        error="",
        summary={},
        created_at=utc_now(),
    )
    session.execute(row.on_conflict_do_nothing())


def _again(session: Session, review_id: int, reason: ReviewReason) -> None:
    """One that failed is tried again, and one that now has a better reason goes first."""
    failed = col(Review.state) == ReviewState.FAILED
    sooner = sa.and_(col(Review.state) == ReviewState.WAITING, col(Review.turn) > reason.turn)
    change = sa.update(Review).where(col(Review.id) == review_id)
    fresh = {"reason": reason, "turn": reason.turn}
    session.execute(change.where(sooner).values(fresh))
    restart = {**fresh, "state": ReviewState.WAITING, "tries": 0, "done": 0, "error": ""}
    session.execute(change.where(failed).values(restart))


def _find(session: Session, match: Match, pass_no: int, game_no: int) -> Review | None:
    query = select(Review).where(
        Review.match_id == match.id,
        Review.attempt == match.attempts,
        Review.pass_no == pass_no,
        Review.game_no == game_no,
    )
    return session.exec(query.execution_options(populate_existing=True)).one_or_none()


def waiting(session: Session, before: Review | None = None) -> int:
    """How many reviews wait; with `before` only those that are made before that one."""
    query = select(sa.func.count()).select_from(Review)
    query = query.where(col(Review.state) == ReviewState.WAITING)
    if before is not None:
        place = sa.tuple_(col(Review.turn), col(Review.id))
        query = query.where(place < sa.tuple_(sa.literal(before.turn), sa.literal(before.id)))
    return session.exec(query).one()


def next_wanted(session: Session) -> int | None:
    """The review to make next, also one whose worker went silent; takes no lock."""
    silent = sa.and_(col(Review.state) == ReviewState.WORKING, col(Review.lease_until) < db_time())
    free = sa.or_(col(Review.state) == ReviewState.WAITING, silent)
    query = select(Review.id).where(free).order_by(col(Review.turn), col(Review.id)).limit(1)
    return session.exec(query).first()


def claim(
    session: Session, review_id: int, worker: str, lease: float = LEASE_SECONDS
) -> Review | None:
    """Take a review that waits, or whose worker went silent; None: another has it.

    One that too many workers have died of fails here.
    """
    waits = col(Review.state) == ReviewState.WAITING
    silent = sa.and_(col(Review.state) == ReviewState.WORKING, col(Review.lease_until) < db_time())
    change = (
        sa.update(Review)
        .where(col(Review.id) == review_id, sa.or_(waits, silent))
        .values(
            state=ReviewState.WORKING,
            worker=worker,
            lease_until=db_time(lease),
            tries=col(Review.tries) + 1,
            done=0,
        )
        .returning(col(Review.tries))
    )
    tries = session.exec(change).scalar_one_or_none()
    if tries is None:
        return None
    if tries > MAX_TRIES:
        fail(session, review_id, worker, f"{MAX_TRIES} workers went silent over it")
        return None
    return session.get(Review, review_id, populate_existing=True)


def _held(review_id: int, worker: str) -> sa.Update:
    """An UPDATE of the review that this worker is making: the fence."""
    return sa.update(Review).where(
        col(Review.id) == review_id,
        col(Review.state) == ReviewState.WORKING,
        col(Review.worker) == worker,
    )


def advance(
    session: Session,
    review_id: int,
    worker: str,
    done: int,
    total: int,
    lease: float = LEASE_SECONDS,
) -> bool:
    """Say how far the work is, and extend the lease; False: it is no longer this worker's."""
    values = {"done": done, "total": total, "lease_until": db_time(lease)}
    change = _held(review_id, worker).values(values).returning(col(Review.id))
    return session.exec(change).one_or_none() is not None


def finish(
    session: Session, review_id: int, worker: str, document: dict[str, Any], summary: JsonDict
) -> bool:
    """Keep the document, if this worker still has the review."""
    packed = zstd.compress(json.dumps(document, separators=(",", ":")).encode(), level=9)
    values = {
        "state": ReviewState.DONE,
        "worker": None,
        "lease_until": None,
        "done": col(Review.total),
        "summary": summary,
        "document": packed,
        "finished_at": db_time(),
    }
    change = _held(review_id, worker).values(values).returning(col(Review.id))
    return session.exec(change).one_or_none() is not None


def fail(session: Session, review_id: int, worker: str, why: str) -> bool:
    """Say why there is no review; whoever asks again has it tried again."""
    values = {
        "state": ReviewState.FAILED,
        "worker": None,
        "lease_until": None,
        "error": why[:500],
        "finished_at": db_time(),
    }
    change = _held(review_id, worker).values(values).returning(col(Review.id))
    return session.exec(change).one_or_none() is not None


def give_back(session: Session, review_id: int, worker: str) -> None:
    """Leave a review to the others; it counts as no try."""
    values = {
        "state": ReviewState.WAITING,
        "worker": None,
        "lease_until": None,
        "tries": col(Review.tries) - 1,
    }
    session.execute(_held(review_id, worker).values(values))


def of_game(session: Session, match_id: int, pass_no: int, game_no: int) -> Review | None:
    """The review of a game as its match counts now; None: it was never asked for."""
    match = session.get(Match, match_id)
    return None if match is None else _find(session, match, pass_no, game_no)


def document(review: Review) -> dict[str, Any] | None:
    """`bullring-review/1`; None while it is not done."""
    if review.document is None:
        return None
    made: dict[str, Any] = json.loads(zstd.decompress(review.document))
    return made


def summaries(session: Session, match_id: int) -> list[tuple[Place, JsonDict]]:
    """What the finished reviews of a match say in short, by pass and game."""
    query = (
        sa.select(col(Review.pass_no), col(Review.game_no), col(Review.summary))
        .join(Match, col(Match.id) == col(Review.match_id))
        .where(
            col(Review.match_id) == match_id,
            col(Review.attempt) == col(Match.attempts),
            col(Review.state) == ReviewState.DONE,
        )
        .order_by(col(Review.pass_no), col(Review.game_no))
    )
    return [((pass_no, game_no), summary) for pass_no, game_no, summary in session.execute(query)]


def are_coming(session: Session, match_id: int) -> bool:
    """Whether reviews of a match are wanted that are not made yet."""
    query = (
        sa.select(col(Review.id))
        .join(Match, col(Match.id) == col(Review.match_id))
        .where(
            col(Review.match_id) == match_id,
            col(Review.attempt) == col(Match.attempts),
            col(Review.state).in_([ReviewState.WAITING, ReviewState.WORKING]),
        )
    )
    return session.execute(query.limit(1)).first() is not None


def games_of(session: Session, bot_id: int, match_ids: Sequence[int]) -> list[BotGame]:
    """The games of a bot in these matches, in the order of play."""
    query = (
        sa.select(
            *(col(Game.match_id), col(Game.pass_no), col(Game.game_no), col(Game.seats)),
            *(col(Seat.number), col(Version.number), col(Match.rules), col(Match.options)),
        )
        .join(Match, col(Match.id) == col(Game.match_id))
        .join(Seat, col(Seat.match_id) == col(Game.match_id))
        .join(Version, col(Version.id) == col(Seat.version_id))
        .where(
            col(Game.match_id).in_(list(match_ids)),
            col(Seat.bot_id) == bot_id,
            col(Seat.substitute).is_(False),
        )
        .order_by(col(Game.match_id), col(Game.pass_no), col(Game.game_no), col(Seat.number))
    )
    return [
        BotGame(
            match_id=match_id,
            pass_no=pass_no,
            game_no=game_no,
            seat=seats.index(number),
            version=version,
            rules=rules,
            advanced=bool(options.get("advanced")),
        )
        for match_id, pass_no, game_no, seats, number, version, rules, options in session.execute(
            query
        )
    ]


def of_matches(session: Session, match_ids: Sequence[int]) -> list[Review]:
    """All reviews of games of these matches, with their documents."""
    query = (
        select(Review)
        .join(Match, col(Match.id) == col(Review.match_id))
        .where(col(Review.match_id).in_(list(match_ids)), Review.attempt == Match.attempts)
    )
    return list(session.exec(query).all())
