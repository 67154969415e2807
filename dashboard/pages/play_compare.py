"""One board, two games: what those before chose in a seat, beside what the person chose there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response
from starlette.routing import Route

from dashboard.http import Refused, find_person
from dashboard.pages.page import Ctx, show
from dashboard.reads import SourceGame, require_replay, source_game
from dashboard.render import rules_title
from dashboard.viewer import compare, load_document, names_of
from nimmt.errors import ReplayError
from store import SittingSeat

Document = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatResult:
    """How one seat ended in one game."""

    name: str
    points: int
    place: int


def compared(ctx: Ctx, code: str) -> Response:
    """The game of a table beside the game whose board it had."""
    site = ctx.site
    with site.store.read() as session:
        person = find_person(session, site, ctx.request, ctx.viewer)
        table = require_replay(session, code, person)
        source = source_game(session, ctx.viewer, person, table)
        ours = load_document(site, session, table.sitting.match_id, 0, 0)
        theirs = load_document(site, session, source.match_id, source.pass_no, source.game_no)
    seat = (table.own or _first_person(table.seats)).seat
    try:
        rounds = compare(theirs, ours, seat)
    except ReplayError as error:
        raise Refused(422, f"these games cannot be compared: {error}") from None
    own_names = names_of(["You" if one is table.own else one.name for one in table.seats])
    return ctx.render(
        "play/compare.html",
        title=rules_title(table.match.rules),
        code=code,
        source=source,
        seat=seat,
        is_own=table.own is not None,
        theirs=_results(theirs, _names(theirs, source)),
        ours=_results(ours, own_names),
        rounds=rounds,
        lengths=(len(theirs["rounds"]), len(ours["rounds"])),
    )


def _first_person(seats: Sequence[SittingSeat]) -> SittingSeat:
    return next(one for one in seats if one.for_person)


def _names(document: Document, source: SourceGame) -> Sequence[str]:
    return names_of(source.names or [str(player["bot"]) for player in document["players"]])


def _results(document: Document, names: Sequence[str]) -> list[SeatResult]:
    result = document["result"]
    return [
        SeatResult(name=name, points=points, place=place)
        for name, points, place in zip(names, result["points"], result["places"], strict=True)
    ]


def routes() -> list[Route]:
    """The comparison."""
    return [show("/play/{code}/compare", compared)]
