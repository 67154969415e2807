"""What a finished match leaves: games, blocks, sums per seat, faults, blob rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import BlobKind, MatchState
from store.blobs import Blob
from store.engine import Store, database_time, missing
from store.errors import NotFound
from store.records import BlockGame, MatchOutcome
from store.tables import Block, Fault, Game, Match, ReplayBlob, Review, Seat

FEWEST_COUNTING = 2
"""Seats without which there is nothing to compare."""
SWEEP_SECONDS = 3600.0
"""Far longer than any worker needs from writing a file to naming it in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedBlock:
    """A block as the ratings read it; lists go by the order of `versions`."""

    match_id: int
    number: int
    versions: tuple[int, ...]
    games: tuple[BlockGame, ...]

    @property
    def order(self) -> int:
        """The creation order as one number."""
        return self.match_id << 16 | self.number


def save_results(session: Session, match_id: int, attempt: int, outcome: MatchOutcome) -> None:
    """Add all rows of an outcome; the caller has fenced the match and owns the transaction."""
    match = session.get(Match, match_id, populate_existing=True)
    if match is None:
        raise missing(Match, match_id)
    outcome.check(match.table_size)
    query = select(Seat).where(Seat.match_id == match_id).order_by(col(Seat.number))
    seats = session.exec(query).all()
    versions = [seat.version_id for seat in seats]
    counting = [at for at, seat in enumerate(seats) if not seat.substitute]
    by_number = {stats.seat: stats for stats in outcome.seats}
    for seat in seats:
        stats = by_number[seat.number]
        seat.games, seat.rounds = stats.games, stats.rounds
        seat.points, seat.places, seat.wins = stats.points, stats.places, stats.wins
        seat.faults, seat.out_games = stats.faults, stats.out_games
        seat.decisions, seat.think_ms = stats.decisions, stats.think_ms
        seat.stats = stats.stats
    _insert_games(session, match_id, outcome)
    _insert_blocks(session, match, versions, counting, outcome)
    _insert_faults(session, match_id, attempt, versions, outcome)
    _add_blob(session, match_id, attempt, BlobKind.REPLAY, outcome.replay)
    _add_blob(session, match_id, attempt, BlobKind.NOTES, outcome.notes)
    session.flush()


def _insert_games(session: Session, match_id: int, outcome: MatchOutcome) -> None:
    rows = [
        {
            "match_id": match_id,
            "pass_no": game.pass_no,
            "game_no": game.game_no,
            "board": game.board,
            "line": position if game.line is None else game.line,
            "seats": list(game.seats),
            "points": list(game.points),
            "places": list(game.places),
            "rounds": game.rounds,
            "out": list(game.out),
        }
        for position, game in enumerate(outcome.games)
    ]
    if rows:
        session.exec(sa.insert(Game), params=rows)


def _insert_blocks(
    session: Session, match: Match, versions: list[int], counting: list[int], outcome: MatchOutcome
) -> None:
    """The blocks without substitutes: what was played in their seats counts for no bot."""
    if len(counting) < FEWEST_COUNTING:
        return
    now = database_time(session)
    rows = [
        {
            "match_id": match.id,
            "number": block.number,
            "scale_id": match.scale_id,
            "versions": [versions[at] for at in counting],
            "games": [
                [list(game.places), list(game.points), list(game.out), game.rounds]
                for game in (game.among(counting) for game in block.games)
            ],
            "at": now,
        }
        for block in outcome.blocks
    ]
    if rows:
        session.exec(sa.insert(Block), params=rows)


def _insert_faults(
    session: Session, match_id: int, attempt: int, versions: list[int], outcome: MatchOutcome
) -> None:
    session.add_all(
        Fault(
            match_id=match_id,
            attempt=attempt,
            seat=fault.seat,
            version_id=versions[fault.seat],
            kind=fault.kind,
            cause=fault.cause,
            pass_no=fault.pass_no,
            game_no=fault.game_no,
            round_no=fault.round_no,
            decision=fault.decision,
            detail=fault.detail,
        )
        for fault in outcome.faults
    )


def _add_blob(
    session: Session, match_id: int, attempt: int, kind: BlobKind, blob: Blob | None
) -> None:
    if blob is not None:
        session.add(
            ReplayBlob(
                match_id=match_id,
                attempt=attempt,
                kind=kind,
                sha256=blob.sha256,
                size=blob.size,
                lines=blob.lines,
            )
        )


def drop_results(session: Session, match_id: int) -> None:
    """Remove games, blocks, reviews and sums of a match that is played again.

    Faults and blobs carry the number of their attempt and stay as its record.
    """
    session.exec(sa.delete(Game).where(col(Game.match_id) == match_id))
    session.exec(sa.delete(Block).where(col(Block.match_id) == match_id))
    session.exec(sa.delete(Review).where(col(Review.match_id) == match_id))
    zero = {
        "games": 0,
        "rounds": 0,
        "points": 0.0,
        "places": 0.0,
        "wins": 0.0,
        "faults": 0,
        "out_games": 0,
        "decisions": 0,
        "think_ms": 0.0,
        "stats": {},
    }
    session.exec(sa.update(Seat).where(col(Seat.match_id) == match_id).values(zero))


def blocks(
    session: Session,
    scale_id: int,
    *,
    after: tuple[int, int] = (0, -1),
    include_unrated: bool = False,
) -> Iterator[RatedBlock]:
    """The rated blocks of a scale in creation order: by match, then by number.

    `after` is the (match id, number) of the last one already seen.
    """
    query = (
        sa.select(
            col(Block.match_id),
            col(Block.number),
            col(Block.versions),
            col(Block.games),
        )
        .where(
            col(Block.scale_id) == scale_id,
            sa.tuple_(col(Block.match_id), col(Block.number)) > sa.tuple_(*after),
        )
        .order_by(col(Block.match_id), col(Block.number))
        .execution_options(yield_per=1000)
    )
    if not include_unrated:
        query = query.join(Match, col(Match.id) == col(Block.match_id)).where(col(Match.rated))
    for match_id, number, versions, played in session.execute(query):
        yield _rated(match_id, number, versions, played)


def _rated(match_id: int, number: int, versions: list[int], played: list[Any]) -> RatedBlock:
    return RatedBlock(
        match_id=match_id,
        number=number,
        versions=tuple(versions),
        games=tuple(
            BlockGame(places=tuple(places), points=tuple(points), out=tuple(out), rounds=rounds)
            for places, points, out, rounds in played
        ),
    )


def match_blocks(session: Session, match_id: int) -> list[RatedBlock]:
    """The blocks of one match in order, rated or not."""
    query = select(Block).where(Block.match_id == match_id).order_by(col(Block.number))
    return [
        _rated(row.match_id, row.number, row.versions, row.games) for row in session.exec(query)
    ]


def gate_blocks(session: Session, gate_id: int) -> list[RatedBlock]:
    """The blocks of a gate's matches in creation order."""
    query = (
        select(Block)
        .join(Match, col(Match.id) == col(Block.match_id))
        .where(Match.gate_id == gate_id)
        .order_by(col(Block.match_id), col(Block.number))
    )
    return [
        _rated(row.match_id, row.number, row.versions, row.games) for row in session.exec(query)
    ]


def games(session: Session, match_id: int) -> list[Game]:
    """The games of a match in the order of play."""
    query = select(Game).where(Game.match_id == match_id)
    return list(session.exec(query.order_by(col(Game.pass_no), col(Game.game_no))).all())


def faults(session: Session, match_id: int) -> list[Fault]:
    """The faults of the counted attempt of a match that is done."""
    query = (
        select(Fault)
        .join(Match, col(Match.id) == col(Fault.match_id))
        .where(
            Fault.match_id == match_id,
            Fault.attempt == Match.attempts,
            Match.state == MatchState.DONE,
        )
        .order_by(col(Fault.id))
    )
    return list(session.exec(query).all())


def blob_of(session: Session, match_id: int, kind: BlobKind = BlobKind.REPLAY) -> ReplayBlob | None:
    """The file of the counted attempt of a match that is done."""
    match = session.get(Match, match_id)
    if match is None or match.state is not MatchState.DONE:
        return None
    return session.get(ReplayBlob, (match_id, match.attempts, kind))


def replay_line(session: Session, match_id: int, pass_no: int, game_no: int) -> tuple[str, int]:
    """Hash and line under which `Blobs.line` finds the replay of a game."""
    blob = blob_of(session, match_id)
    game = session.get(Game, (match_id, pass_no, game_no))
    if blob is None or game is None:
        raise NotFound(
            f"got game {game_no} of pass {pass_no} of match {match_id}, expected a game of a match"
            " that is done and has its replays"
        )
    return blob.sha256, game.line


def blobs_of_season(session: Session, season_id: int) -> set[str]:
    """The hashes of all files that the matches of a season left."""
    own = select(Match.id).where(Match.season_id == season_id)
    query = select(ReplayBlob.sha256).where(col(ReplayBlob.match_id).in_(own))
    return set(session.exec(query).all())


def known_blobs(session: Session) -> set[str]:
    """The hashes that rows name; the sweeper leaves those files alone."""
    return set(session.exec(select(ReplayBlob.sha256).distinct()).all())


def sweep(store: Store, *, grace: float = SWEEP_SECONDS) -> list[str]:
    """Remove replay files that no row names and that are older than `grace` seconds."""
    with store.read() as session:
        known = known_blobs(session)
    return store.blobs.sweep(known, grace=grace)
