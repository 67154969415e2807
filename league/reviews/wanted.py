"""The games that are reviewed by themselves: the one that the front page shows, and finals."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog
from sqlmodel import Session, col, select

import store
from league import ratings
from nimmt.errors import ReplayError
from review import Story, best_game, stories_of
from store import (
    BlobError,
    BlobKind,
    Conflict,
    NotFound,
    ReviewReason,
    Scale,
    Season,
    Store,
)

LOG = structlog.get_logger("league")
FINAL_GAMES = 4
"""How many games of a final are reviewed, from the first on."""
FEATURED_WAITING = 20
"""Featured games change with every match: none is added while this many reviews wait."""


class Featured:
    """Has the best game of the last match reviewed: the one that the front page leads with."""

    def __init__(self, database: Store) -> None:
        self._database = database
        self._seen: int | None = None
        """The match that was looked at last: all its games are played again for that, so once."""

    def want(self, now: datetime | None = None) -> int | None:
        """Look for a match that is new, and want its best game; the id of a review that is new.

        The match of the front page is the last one that was over when this minute began. While
        matches run it shows one of those instead, so a stream of results asks for no reviews.
        """
        minute = (now or datetime.now(UTC)).replace(second=0, microsecond=0)
        with self._database.read() as session:
            if store.reviews.waiting(session) >= FEATURED_WAITING:
                return None
            rehearsals = select(Season.id).where(col(Season.rehearsal_of_id).is_not(None))
            hidden = session.exec(rehearsals).all()
            if store.match_lists.running(session, hidden=hidden, limit=1):
                return None
            last = store.match_lists.latest(session, hidden=hidden, limit=1, before=minute)
            if not last or last[0].id == self._seen:
                return None
            match_id = last[0].id
            blob = store.results.blob_of(session, match_id, BlobKind.REPLAY)
        if blob is None:
            return None
        try:
            best = self._best(blob.sha256)
        except BlobError as error:
            # The file service may be down for a minute; the next turn tries again.
            LOG.warning("featured game not read", match=match_id, reason=str(error)[:200])
            return None
        except ReplayError as error:
            LOG.warning("featured game not found", match=match_id, reason=str(error)[:200])
            best = None
        made = None if best is None else self._ask(match_id, (best.pass_no, best.game_no))
        self._seen = match_id
        return made

    def _best(self, sha256: str) -> Story | None:
        """The best game of a file; None: there is none in it."""
        stories = stories_of(map(json.loads, self._database.blobs.lines(sha256)))
        return best_game(stories) if stories else None

    def _ask(self, match_id: int, place: tuple[int, int]) -> int | None:
        with self._database.read() as session:
            if store.reviews.of_game(session, match_id, *place) is not None:
                return None
        try:
            with self._database.write() as session:
                [made] = store.reviews.ask(session, match_id, [place], ReviewReason.FEATURED)
        except (NotFound, Conflict) as error:
            # It is being played again, or others were faster.
            LOG.info("featured game not reviewed", match=match_id, reason=str(error))
            return None
        return made.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Final:
    """The match that a season is remembered by, and the two that met in it."""

    match_id: int
    first: ratings.Row
    rival: ratings.Row
    """The best of those that the first has met; the second, unless those two never met."""


def want_final(session: Session, season: Season) -> list[int]:
    """Want reviews of the final of a season; their ids.

    For a season that is over and whose standings are up to date; the others come later.
    """
    if season.is_rehearsal or not season.state.is_final:
        return []
    scales = select(Scale.id).where(Scale.season_id == season.id)
    if set(session.exec(scales).all()) & set(ratings.stale(session)):
        return []
    final = final_of(session, season)
    if final is None:
        return []
    games = store.results.games(session, final.match_id)[:FINAL_GAMES]
    places = [(game.pass_no, game.game_no) for game in games]
    try:
        asked = store.reviews.ask(session, final.match_id, places, ReviewReason.FINAL)
    except Conflict as error:
        LOG.info("final not reviewed", season=season.name, reason=str(error))
        return []
    return [one.id for one in asked]


def final_of(session: Session, season: Season) -> Final | None:
    """The last rated match of the first of the standings against the best bot that it has met.

    First and second need not have met: bots of one owner never do, and the plan of a small season
    has no room for every pair.
    """
    table = ratings.read_table(season.standings)
    if table is None or not table.rows:
        return None
    first, *others = table.rows
    bot = store.bots.find_bot(session, first.bot)
    if bot is None:
        return None
    met = store.match_lists.last_meetings(session, season.id, bot.id)
    names = store.bots.full_names(session, met)
    last = {names[bot_id]: match_id for bot_id, match_id in met.items()}
    rival = next((row for row in others if row.bot in last), None)
    return None if rival is None else Final(match_id=last[rival.bot], first=first, rival=rival)
