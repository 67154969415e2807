"""Asking for the review of one game, wherever its replay lies; who may see it is for the asker's
room to decide, before."""

from collections.abc import Iterable
from dataclasses import dataclass

from sqlmodel import Session

import store
from store import Review, ReviewReason, ReviewState, Store
from store.reviews import BotGame


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchGame:
    """A game of a match."""

    match_id: int
    pass_no: int
    game_no: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredGame:
    """A game of no match, whose replay is the first line of a stored file."""

    sha256: str
    """The hash that names the file, as `Blobs.write` gives it."""


ReviewedGame = MatchGame | StoredGame


def review_of(session: Session, game: ReviewedGame) -> Review | None:
    """The review of a game, done or not; None: it was never asked for."""
    if isinstance(game, StoredGame):
        return store.reviews.of_stored(session, game.sha256)
    return store.reviews.of_game(session, game.match_id, game.pass_no, game.game_no)


def ask_review(database: Store, game: ReviewedGame) -> Review:
    """Have a game reviewed for somebody who waits for it; one that exists stays as it is.

    Ring `review_wanted` with the id of what comes back. Raises NotFound for a game that does not
    exist or whose match is not done, Conflict when too many reviews wait.
    """
    with database.write() as session:
        if isinstance(game, StoredGame):
            return store.reviews.ask_stored(session, game.sha256, ReviewReason.ASKED)
        place = (game.pass_no, game.game_no)
        [row] = store.reviews.ask(session, game.match_id, [place], ReviewReason.ASKED)
        return row


def is_under_way(review: Review | None) -> bool:
    """Whether asking would change nothing: it is there, being made, or first in line."""
    if review is None:
        return False
    if review.state is ReviewState.WAITING:
        return review.reason is ReviewReason.ASKED
    return review.state is not ReviewState.FAILED


def ask_sample(database: Store, games: Iterable[BotGame]) -> list[int]:
    """Have the games of a sample reviewed, after all that people wait for; the ids of the reviews.

    Raises Conflict when too many reviews wait.
    """
    asked: list[int] = []
    with database.write() as session:
        for game in games:
            place = (game.pass_no, game.game_no)
            rows = store.reviews.ask(session, game.match_id, [place], ReviewReason.SAMPLE)
            asked += [row.id for row in rows]
    return asked
