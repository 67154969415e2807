"""Matches. One that is not done shows who plays, and nothing of the cards."""

from itertools import islice

from starlette.responses import Response
from starlette.routing import Route

from dashboard import reads
from dashboard.http import Rank
from dashboard.pages.page import Ctx, show
from dashboard.reads import visible_match
from dashboard.viewer import (
    Highlight,
    chosen_words,
    match_highlights,
    reviewed_highlights,
    told_ask,
)
from league import seasons
from league.friendlies import game_record
from league.matches import place_halves
from referee.faults import FaultKind
from store import (
    Game,
    JsonDict,
    Match,
    MatchKind,
    MatchState,
    Season,
    match_lists,
    results,
    reviews,
)
from store.match_lists import Seated
from store.matches import public_key
from store.reviews import Place

PAGE = 40
NOTES_SHOWN = 100
"""Of each seat; the download has them all."""
SHOWN_FIRST = [MatchState.RUNNING, MatchState.DONE]
"""A plan may hold thousands of matches to come; whoever opens the list wants results."""


def match_list(ctx: Ctx) -> Response:
    """Matches, newest first: those with something to see, or in one state, or all."""
    wanted = ctx.query("state")
    chosen = next((state for state in MatchState if state.value == wanted), None)
    states = [chosen] if chosen else [] if wanted == "all" else SHOWN_FIRST
    with ctx.site.store.read() as session:
        hidden = set() if ctx.viewer.is_organiser else reads.hidden_seasons(session)
        before = ctx.query_int("before")
        rows = match_lists.matches(session, states=states, before=before, hidden=hidden, limit=PAGE)
        seats = match_lists.seated(session, [row.id for row in rows])
    return ctx.render(
        "matches.html",
        matches=rows,
        seats=seats,
        states=list(MatchState),
        state=chosen.value if chosen else "all" if wanted == "all" else "",
        more=rows[-1].id if len(rows) == PAGE else None,
    )


def match(ctx: Ctx, match_id: int) -> Response:
    """One match."""
    with ctx.site.store.read() as session:
        row = visible_match(session, ctx.viewer, match_id)
        season = session.get(Season, row.season_id) if row.season_id else None
        seats = match_lists.seated(session, [match_id]).get(match_id, [])
        games = results.games(session, match_id)
        faults = results.faults(session, match_id)
        attempts = match_lists.attempts(session, match_id)
        replaced = seasons.replaced_keys(session, [match_id]).get(match_id, [])
        owners = reads.versions_named(session, [seat.version_id for seat in seats])
        done = row.state is MatchState.DONE
        worth_watching = match_highlights(ctx.site, session, match_id) if done else []
        told = reviews.summaries(session, match_id) if done else []
        friendly = None
        if row.kind is MatchKind.PRACTICE:
            friendly = reads.one_friendly(ctx.site, session, ctx.viewer, match_id)
    logs = [
        (seat, str(seat.seat.stats["log"]))
        for seat in seats
        if seat.seat.stats.get("log") and ctx.viewer.sees_private(owners[seat.version_id][2])
    ]
    order = sorted(seats, key=lambda seat: (seat.seat.places, seat.seat.points))
    return ctx.render(
        "match.html",
        match=row,
        season=season,
        seats=order if done else seats,
        place_halves=_place_halves(row, games, seats) if done else {},
        highlights=[*worth_watching, *_reviewed(told, games, seats)],
        games_over=reads.games_over(ctx.site, row),
        by_number={seat.number: seat for seat in seats},
        games=games,
        faults=faults,
        attempts=attempts,
        replaced=replaced,
        key=public_key(row),
        logs=logs,
        friendly=friendly,
        asked_here=friendly is not None
        and ctx.viewer.owner is not None
        and ctx.viewer.owner.id == friendly.friendly.owner_id,
        organises=friendly is not None and ctx.viewer.is_organiser,
        again=ctx.viewer.is_organiser
        and not row.state.holds_up_season
        and seasons.may_play_again(row, season),
    )


def _place_halves(row: Match, games: list[Game], seats: list[Seated]) -> dict[int, float | None]:
    """Half the 95 % interval of each seat's mean place, by the number of the seat."""
    halves = place_halves([game_record(one) for one in games], len(seats), row.passes > 1)
    return dict(enumerate(halves))


def _reviewed(
    told: list[tuple[Place, JsonDict]], games: list[Game], seats: list[Seated]
) -> list[Highlight]:
    """What is worth watching by the reviews that there are."""
    names = {seat.number: seat.bot for seat in seats}
    bots = {(one.pass_no, one.game_no): [names[at] for at in one.seats] for one in games}
    return reviewed_highlights(told, bots)


def output(ctx: Ctx, match_id: int) -> Response:
    """What the reader's own bots wrote and did wrong in a match, and the notes on their moves."""
    kind = ctx.query("fault")
    with ctx.site.store.read() as session:
        row = reads.done_match(session, ctx.viewer, match_id)
        seats = reads.own_seats(session, ctx.viewer, row, ctx.query("bot") or None)
        outputs = reads.seat_outputs(ctx.site, session, row, seats, [kind] if kind else ())
        noted = reads.MoveFilter(noted=True)
        moves = [reads.seat_moves(ctx.site, session, row, seat.number, noted) for seat in seats]
    return ctx.render(
        "output.html",
        match=row,
        outputs=[
            (one, list(islice(own, NOTES_SHOWN))) for one, own in zip(outputs, moves, strict=True)
        ],
        kind=kind,
        kinds=[kind.value for kind in FaultKind],
        notes_shown=NOTES_SHOWN,
        chosen_words=chosen_words,
        told=_told,
    )


def _told(asked: reads.Asked) -> str:
    """The ask behind a fault, as people count."""
    move = asked.move
    return told_ask(move.kind, asked.view, asked.legal, move.sent, move.choice)


def routes() -> list[Route]:
    """Matches."""
    return [
        show("/matches", match_list, cached=True),
        show("/matches/{match_id:int}", match, cached=True),
        show("/matches/{match_id:int}/output", output, rank=Rank.AUTHOR),
    ]
