"""A game, move by move: the page, the viewer's data, the frame for other sites, the file.

All four are made of one payload, which is built once and kept while its match stays the same.
"""

import gzip
import json
from dataclasses import dataclass
from typing import Any, cast

from sqlmodel import Session
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from dashboard.http import EMBED_CSP, Refused
from dashboard.pages.page import Ctx, found, show
from dashboard.reads import ReplayFacts, replay_facts
from dashboard.render import Kept, Marks, Sheet, game_title, game_url
from dashboard.viewer import export_html, links_for, load_document, load_notes, payload_for
from store import Match, present, results

Place = tuple[int, int, int]
"""Match, pass and game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What was made of one game for those who may read the same notes."""

    data: bytes
    packed: bytes
    """The same as gzip."""
    sheet: Sheet

    @property
    def payload(self) -> dict[str, Any]:
        """The viewer's data."""
        made: dict[str, Any] = json.loads(self.data)
        return made

    @property
    def size(self) -> int:
        """Bytes that it takes, nearly."""
        return len(self.data) + len(self.packed) + self.sheet.size


def _made(ctx: Ctx, place: Place, *, only_own_notes: bool = False, notes: bool = True) -> Replay:
    """The replay for this viewer and the seat they chose, as it was kept or made now.

    `only_own_notes`: those of the viewer's own bots, even for organisers; `notes` False: none.
    """
    with ctx.site.store.read() as session:
        facts = replay_facts(session, ctx.viewer, place[0])
    wanted, seat = ctx.query("seat"), ctx.query_int("seat")
    if wanted and (seat is None or seat >= facts.table_size):
        raise Refused(422, f"got seat {wanted[:20]!r}, expected 0 to {facts.table_size - 1}")
    owner = ctx.viewer.owner
    readable = frozenset(
        one.owner_id
        for one in facts.seats
        if facts.notes is not None
        and notes
        and ctx.viewer.sees_private(one.owner_id)
        and not (only_own_notes and (owner is None or owner.id != one.owner_id))
    )
    # Whoever may read the same notes gets the same replay; nobody else can come to this address.
    address = ("replay", place, seat, readable)
    shelf = ctx.site.shelf
    with shelf.making(address):
        kept = shelf.get(address)
        if kept is not None and kept.proof == facts:
            return cast(Replay, kept.made)
        with ctx.site.store.read() as session:
            payload = _payload(ctx, session, facts, place, seat, readable)
        made = _draw(ctx, place, seat, payload)
        shelf.put(address, Kept(made=made, size=made.size, proof=facts))
    return made


def _payload(
    ctx: Ctx,
    session: Session,
    facts: ReplayFacts,
    place: Place,
    seat: int | None,
    readable: frozenset[int],
) -> dict[str, Any]:
    """The viewer's data, with the notes of the bots of these owners."""
    match_id, pass_no, game_no = place
    document = load_document(ctx.site, session, match_id, pass_no, game_no)
    games = results.games(session, match_id)
    game = found(
        next((one for one in games if (one.pass_no, one.game_no) == (pass_no, game_no)), None),
        "game",
    )
    seats = {one.number: one for one in facts.seats}
    own = {at for at, number in enumerate(game.seats) if seats[number].owner_id in readable}
    notes = load_notes(ctx.site, session, match_id, game, own)
    title = (
        f"{game_title(facts.rules, document['options'])} · match {match_id} · game {game_no + 1}"
    )
    if facts.passes > 1:
        title += f" of pass {pass_no + 1}"
    names = [seats[number].bot for number in game.seats]
    links = links_for(present(session, Match, match_id), game, games, names)
    if seat is not None:
        links["review"] += f"?seat={seat}"
    return payload_for(document, seat=seat, title=title, links=links, notes=notes)


def _draw(ctx: Ctx, place: Place, seat: int | None, payload: dict[str, Any]) -> Replay:
    """The page and the data that its viewer fetches, from one payload."""
    here = game_url(*place)
    marks = Marks()
    text = ctx.draw(
        "replay.html",
        marks,
        here=here,
        replay=payload,
        replay_src=_source(place, seat),
        match_id=place[0],
    )
    data = json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode()
    return Replay(data=data, packed=gzip.compress(data, 6), sheet=marks.sheet(text, {}))


def _source(place: Place, seat: int | None) -> str:
    """Where the viewer fetches its data: the same seat as the page."""
    address = f"{game_url(*place)}/data"
    return address if seat is None else f"{address}?seat={seat}"


def replay(ctx: Ctx, match_id: int, pass_no: int, game_no: int) -> Response:
    """A game, move by move."""
    return ctx.render_sheet(_made(ctx, (match_id, pass_no, game_no)).sheet)


def replay_data(ctx: Ctx, match_id: int, pass_no: int, game_no: int) -> Response:
    """The data of the viewer, with the notes that this viewer may read."""
    made = _made(ctx, (match_id, pass_no, game_no))
    headers = {"cache-control": "private, no-cache", "vary": "Accept-Encoding, Cookie"}
    body = made.data
    if "gzip" in ctx.request.headers.get("accept-encoding", ""):
        body, headers["content-encoding"] = made.packed, "gzip"
    return Response(body, headers=headers, media_type="application/json")


def embed(ctx: Ctx, match_id: int, pass_no: int, game_no: int) -> Response:
    """The viewer alone, for other pages to show in a frame."""
    place = (match_id, pass_no, game_no)
    response = ctx.render(
        "replay/embed.html",
        replay=_made(ctx, place).payload,
        replay_src=_source(place, ctx.query_int("seat")),
        static=ctx.site.assets.url,
    )
    response.headers["content-security-policy"] = EMBED_CSP
    return response


def export(ctx: Ctx, match_id: int, pass_no: int, game_no: int) -> Response:
    """The game as one file that works offline. Files are handed on, so private notes are left
    out; `?notes=1` puts those of the viewer's own bots in, and nobody else's."""
    place = (match_id, pass_no, game_no)
    made = _made(ctx, place, only_own_notes=True, notes=ctx.query("notes") == "1")
    name = f"bullring-{match_id}-{pass_no}-{game_no}.html"
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return HTMLResponse(export_html(made.payload), headers=headers)


def routes() -> list[Route]:
    """Replays."""
    game = "/matches/{match_id:int}/games/{pass_no:int}/{game_no:int}"
    return [
        show(game, replay),
        show(f"{game}/data", replay_data),
        show(f"{game}/embed", embed),
        show(f"{game}/export", export),
    ]
