"""Matches and replays. A match that is not done shows who plays, and nothing of the cards."""

from collections.abc import Callable
from typing import Any

from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from dashboard import reads
from dashboard.http import EMBED_CSP, Refused
from dashboard.pages.page import Ctx, found, show
from dashboard.reads import visible_match
from dashboard.render import game_url, rules_title
from dashboard.viewer import (
    export_html,
    links_for,
    load_document,
    load_notes,
    match_highlights,
    payload_for,
)
from league import seasons
from store import Match, MatchState, Season, match_lists, results
from store.matches import public_key

PAGE = 40
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
        highlights=worth_watching,
        games_over=_games_over(ctx, row),
        by_number={seat.number: seat for seat in seats},
        games=games,
        faults=faults,
        attempts=attempts,
        replaced=replaced,
        key=public_key(row),
        logs=logs,
        again=ctx.viewer.is_organiser
        and not row.state.holds_up_season
        and seasons.may_play_again(row, season),
    )


def _games_over(ctx: Ctx, match: Match) -> int | None:
    """How many games of a match that is being played are over; None when that is not known here."""
    if match.state is not MatchState.RUNNING:
        return None
    record = ctx.site.services.live(match.id, (0, 0))
    counts = [item.data.get("done") for item in record if item.of == match.commitment]
    return max((count for count in counts if isinstance(count, int)), default=None)


def _payload(
    ctx: Ctx,
    match_id: int,
    pass_no: int,
    game_no: int,
    *,
    reads_notes_of: Callable[[int], bool] | None = None,
) -> dict[str, Any]:
    """The viewer's data for this viewer and the seat they chose.

    `reads_notes_of`: of which owners the notes are put in; else of all that the viewer may read.
    """
    allowed = reads_notes_of or ctx.viewer.sees_private
    wanted = ctx.query("seat")
    seat = ctx.query_int("seat")
    with ctx.site.store.read() as session:
        row = visible_match(session, ctx.viewer, match_id)
        document = load_document(ctx.site, session, match_id, pass_no, game_no)
        games = results.games(session, match_id)
        game = found(
            next((g for g in games if (g.pass_no, g.game_no) == (pass_no, game_no)), None), "game"
        )
        seats = {
            seated.number: seated for seated in match_lists.seated(session, [match_id])[match_id]
        }
        owners = reads.versions_named(session, [seated.version_id for seated in seats.values()])
        own = {
            at
            for at, number in enumerate(game.seats)
            if allowed(owners[seats[number].version_id][2])
        }
        notes = load_notes(ctx.site, session, match_id, game, own)
    if wanted and (seat is None or seat >= row.table_size):
        raise Refused(422, f"got seat {wanted[:20]!r}, expected 0 to {row.table_size - 1}")
    names = [seats[number].bot for number in game.seats]
    title = f"{rules_title(row.rules)} · match {match_id} · game {game_no + 1}"
    if row.passes > 1:
        title += f" of pass {pass_no + 1}"
    links = links_for(row, game, games, names)
    return payload_for(document, seat=seat, title=title, links=links, notes=notes)


def _source(ctx: Ctx, match_id: int, pass_no: int, game_no: int) -> str:
    """Where the viewer fetches its data: the same seat as the page."""
    seat = ctx.query_int("seat")
    address = f"{game_url(match_id, pass_no, game_no)}/data"
    return address if seat is None else f"{address}?seat={seat}"


def replay(ctx: Ctx, match_id: int, pass_no: int, game_no: int) -> Response:
    """A game, move by move."""
    payload = _payload(ctx, match_id, pass_no, game_no)
    source = _source(ctx, match_id, pass_no, game_no)
    return ctx.render("replay.html", replay=payload, replay_src=source, match_id=match_id)


def replay_data(ctx: Ctx, match_id: int, pass_no: int, game_no: int) -> Response:
    """The data of the viewer, with the notes that this viewer may read."""
    payload = _payload(ctx, match_id, pass_no, game_no)
    headers = {"cache-control": "private, no-cache", "vary": "Cookie"}
    return JSONResponse(payload, headers=headers)


def embed(ctx: Ctx, match_id: int, pass_no: int, game_no: int) -> Response:
    """The viewer alone, for other pages to show in a frame."""
    payload = _payload(ctx, match_id, pass_no, game_no)
    source = _source(ctx, match_id, pass_no, game_no)
    static = ctx.site.assets.url
    response = ctx.render("replay/embed.html", replay=payload, replay_src=source, static=static)
    response.headers["content-security-policy"] = EMBED_CSP
    return response


def export(ctx: Ctx, match_id: int, pass_no: int, game_no: int) -> Response:
    """The game as one file that works offline. Files are handed on, so private notes are left
    out; `?notes=1` puts those of the viewer's own bots in, and nobody else's."""
    viewer, wanted = ctx.viewer, ctx.query("notes") == "1"

    def own(owner_id: int) -> bool:
        return wanted and viewer.owner is not None and viewer.owner.id == owner_id

    payload = _payload(ctx, match_id, pass_no, game_no, reads_notes_of=own)
    name = f"bullring-{match_id}-{pass_no}-{game_no}.html"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return HTMLResponse(export_html(payload), headers=headers)


def routes() -> list[Route]:
    """Matches and replays."""
    game = "/matches/{match_id:int}/games/{pass_no:int}/{game_no:int}"
    return [
        show("/matches", match_list, cached=True),
        show("/matches/{match_id:int}", match, cached=True),
        show(game, replay, cached=True),
        show(f"{game}/data", replay_data),
        show(f"{game}/embed", embed),
        show(f"{game}/export", export),
    ]
