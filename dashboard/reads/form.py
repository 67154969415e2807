"""How a bot does: rivals, victims and nemeses, best and worst games, results by version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from dashboard.reads.access import in_public
from dashboard.reads.totals import Sums
from league.ratings import Crosstable
from store import Game, Match, Seat
from store.match_lists import Seated

SURE = 1.96
"""Standard errors from an even score that are more than chance, at 95 %."""
EVEN = 0.08
"""How far from one half a score may be that is called even."""
NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Opponent:
    """How a bot did against another."""

    bot: str
    score: float
    games: int
    z: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivalry:
    """The opponents worth naming; of each kind the clearest first."""

    rivals: list[Opponent]
    """As good as even, over the most games."""
    victims: list[Opponent]
    """Beaten more often than chance explains."""
    nemeses: list[Opponent]
    """The other way round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneGame:
    """A game of a bot, from its side."""

    match_id: int
    pass_no: int
    game_no: int
    points: int
    place: int
    lead: int
    """Points fewer than the best of the others; negative: more."""


def opponents_of(cross: Crosstable | None, bot: str) -> list[Opponent]:
    """Everyone a bot has met, by a crosstable, the most often beaten first."""
    if cross is None or bot not in cross.bots:
        return []
    own = cross.bots.index(bot)
    rows = [
        Opponent(bot=other, score=score, games=cross.games[own][at], z=cross.z[own][at])
        for at, other in enumerate(cross.bots)
        if at != own and (score := cross.score[own][at]) is not None
    ]
    return sorted(rows, key=lambda row: -row.score)


def rivalry(opponents: Sequence[Opponent]) -> Rivalry:
    """Who is beaten beyond chance, who wins beyond chance, and who is even; others are not named.

    >>> one = Opponent(bot="a/b", score=0.7, games=40, z=3.0)
    >>> rivalry([one]).victims == [one], rivalry([one]).rivals
    (True, [])
    """
    judged = [(one, one.z) for one in opponents if one.z is not None]
    even = [one for one, z in judged if abs(z) < SURE and abs(one.score - 0.5) < EVEN]
    return Rivalry(
        rivals=sorted(even, key=lambda one: abs(one.score - 0.5))[:NAMED],
        victims=[one for one, z in judged if z >= SURE][:NAMED],
        nemeses=[one for one, z in judged if z <= -SURE][::-1][:NAMED],
    )


def best_and_worst(
    session: Session, bot_id: int, seats: Mapping[int, Sequence[Seated]]
) -> tuple[OneGame, OneGame] | None:
    """The game with the greatest lead and the one with the greatest deficit, of these matches."""
    numbers = {
        match_id: seat.number
        for match_id, table in seats.items()
        for seat in table
        if seat.bot_id == bot_id
    }
    games = session.exec(select(Game).where(col(Game.match_id).in_(list(numbers)))).all()
    told = [_from(game, game.seats.index(numbers[game.match_id])) for game in games]
    if len(told) < 2:
        return None
    told.sort(key=lambda one: (one.lead, one.match_id, one.pass_no, one.game_no))
    return told[-1], told[0]


def _from(game: Game, seat: int) -> OneGame:
    others = [points for at, points in enumerate(game.points) if at != seat]
    return OneGame(
        match_id=game.match_id,
        pass_no=game.pass_no,
        game_no=game.game_no,
        points=game.points[seat],
        place=game.places[seat],
        lead=min(others) - game.points[seat],
    )


def sums_by_version(
    session: Session, bot_id: int, *, scale_id: int | None = None
) -> dict[int, Sums]:
    """What each version of a bot has played, added up, by the id of the version."""
    query = (
        sa.select(
            col(Seat.version_id),
            sa.func.count(),
            sa.func.sum(col(Seat.games)),
            sa.func.sum(col(Seat.wins)),
            sa.func.sum(col(Seat.points)),
        )
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Seat.bot_id) == bot_id, col(Seat.games) > 0, in_public())
        .group_by(col(Seat.version_id))
    )
    if scale_id is not None:
        query = query.where(col(Match.scale_id) == scale_id)
    return {
        version: Sums(matches=int(count), games=int(games), wins=float(wins), points=float(points))
        for version, count, games, wins, points in session.execute(query)
    }
