"""The games that are reviewed by themselves: the one that the front page shows, and finals."""

import structlog
from sqlmodel import Session, select

import store
from league import ratings
from store import Conflict, MatchState, NotFound, ReviewReason, Scale, Season, Store

LOG = structlog.get_logger("league")
FINAL_GAMES = 4
"""How many games of a final are reviewed, from the first on."""
LATEST = 500
"""Among how many matches of a season the final is looked for, from the last one back."""
FEATURED_WAITING = 20
"""Featured games change with every match: none is added while this many reviews wait."""


def want_featured(database: Store, match_id: int, pass_no: int, game_no: int) -> int | None:
    """Want the review of a game that is shown to all; the id of a review that is new."""
    with database.read() as session:
        known = store.reviews.of_game(session, match_id, pass_no, game_no)
        if known is not None or store.reviews.waiting(session) >= FEATURED_WAITING:
            return None
    try:
        with database.write() as session:
            [made] = store.reviews.ask(
                session, match_id, [(pass_no, game_no)], ReviewReason.FEATURED
            )
    except (NotFound, Conflict) as error:
        # It is being played again, or others were faster.
        LOG.info("featured game not reviewed", match=match_id, reason=str(error))
        return None
    return made.id


def want_final(session: Session, season: Season) -> list[int]:
    """Want reviews of the last match in which the two best of a season met; their ids.

    For a season that is over and whose standings are up to date; the others come later.
    """
    if season.is_rehearsal or not season.state.is_final:
        return []
    scales = select(Scale.id).where(Scale.season_id == season.id)
    if set(session.exec(scales).all()) & set(ratings.stale(session)):
        return []
    match_id = final_of(session, season)
    if match_id is None:
        return []
    games = store.results.games(session, match_id)[:FINAL_GAMES]
    places = [(game.pass_no, game.game_no) for game in games]
    try:
        asked = store.reviews.ask(session, match_id, places, ReviewReason.FINAL)
    except Conflict as error:
        LOG.info("final not reviewed", season=season.name, reason=str(error))
        return []
    return [one.id for one in asked]


def final_of(session: Session, season: Season) -> int | None:
    """The last rated match in which first and second of the standings sat at one table."""
    table = ratings.read_table(season.standings)
    if table is None or len(table.rows) < 2:
        return None
    best = {row.bot for row in table.rows[:2]}
    done = store.match_lists.matches(
        session, season_id=season.id, states=[MatchState.DONE], limit=LATEST
    )
    rated = [match.id for match in done if match.rated]
    seats = store.match_lists.seated(session, rated)
    return next((one for one in rated if best <= {seat.bot for seat in seats[one]}), None)
