"""Sitting down: choosing a game, opening a table, and who comes to it.

The game itself, once a table is there, is in `play_table`.
"""

from collections.abc import Callable
from typing import Any

from sqlmodel import Session
from starlette.responses import Response
from starlette.routing import Route

import nimmt
from api_models.words import whole_number
from dashboard.http import Rank, Refused, address_hash, find_person, keep_person, take_person
from dashboard.pages.page import Ctx, act, show
from dashboard.reads import (
    SeatedTable,
    find_table,
    games_on_offer,
    has_containers,
    listed,
    table_page,
)
from dashboard.render import rules_title
from league import people
from league.errors import LeagueRefusal
from league.people import Asker, Opened, TableRequest
from store import Bot, Doorbell, Match, Person, present, sittings

QUICK = TableRequest(rules="six-nimmt", seats=4, one_round=True)
DEFAULTS: dict[str, Any] = {
    "rules": QUICK.rules,
    "seats": QUICK.seats,
    "opponents": [],
    "near": False,
    "length": "round",
    "advanced": False,
    "people": 1,
}


def choose(ctx: Ctx) -> Response:
    """What to play, and against whom; the address may name a game and an opponent."""
    rules, opponent = ctx.query("rules"), ctx.query("opponent")
    chosen = dict(DEFAULTS)
    if rules in nimmt.GAMES:
        chosen["rules"] = rules
    if opponent:
        chosen["opponents"] = [opponent]
    return _choose(ctx, chosen)


def _choose(ctx: Ctx, chosen: dict[str, Any], problem: str = "", status: int = 200) -> Response:
    site = ctx.site
    with site.store.read() as session:
        person = find_person(session, site, ctx.request, ctx.viewer)
        offered = _bots_on_offer(session)
        tables = [] if person is None else _open_tables(session, person)
    return ctx.render(
        "play/choose.html",
        status,
        games=games_on_offer(),
        bots=offered,
        chosen=chosen,
        problem=problem,
        open_tables=tables,
    )


def _open_tables(session: Session, person: Person) -> list[dict[str, Any]]:
    """The tables at which this person still sits, with what tells them apart."""
    found = []
    for one in sittings.open_of(session, person.id):
        others = [
            seat.name.rsplit("/", 1)[-1]
            for seat in sittings.seats(session, one.match_id)
            # Nobody sits yet where a person is awaited.
            if seat.person_id != person.id and (seat.person_id or not seat.for_person)
        ]
        found.append(
            {
                "code": one.code,
                "title": rules_title(present(session, Match, one.match_id).rules),
                "others": listed(others) if others else "",
                "opened": one.created_at,
            }
        )
    return found


def _bots_on_offer(session: Session) -> list[dict[str, Any]]:
    """Every bot that may sit at some table here, with the rules that it plays."""
    contained = has_containers(session)
    found: dict[str, dict[str, Any]] = {}
    for game in games_on_offer():
        for name, version in people.may_play(session, game["rules"], contained=contained):
            about = present(session, Bot, version.bot_id).about
            line: dict[str, Any] = {"name": name, "rules": [], "rating": None, "about": about}
            found.setdefault(name, line)["rules"].append(game["rules"])
    return list(found.values())


def open_table(ctx: Ctx) -> Response:
    """Open a table as the form says; a refusal shows the form again."""
    seats, guests = whole_number(ctx.text("seats")), whole_number(ctx.text("people") or "1")
    request = TableRequest(
        rules=ctx.text("rules"),
        seats=seats or 0,
        opponents=tuple(name for name in ctx.form.get("opponent", []) if name),
        people=guests or 0,
        one_round=ctx.text("length") == "round",
        advanced=ctx.text("advanced") == "1",
    )
    near = ctx.text("near") == "1"
    try:
        return _open(ctx, request, near=near)
    except LeagueRefusal as error:
        chosen = {
            "rules": request.rules,
            "seats": request.seats,
            "opponents": list(request.opponents),
            "near": near,
            "length": ctx.text("length"),
            "advanced": request.advanced,
            "people": request.people,
        }
        return _choose(ctx, chosen, str(error), 422)


def quick(ctx: Ctx) -> Response:
    """One click: 6 nimmt!, one round, three platform bots."""
    return _open(ctx, QUICK)


def _open(ctx: Ctx, request: TableRequest, *, near: bool = False) -> Response:
    # Before anything is worked out for it.
    _limit(ctx)
    wanted = _with_equals(ctx, request) if near else request

    def opening(session: Session, asker: Asker) -> Opened:
        contained = has_containers(session)
        return people.open_table(session, ctx.site.settings, asker, wanted, contained=contained)

    return _sit_down(ctx, opening)


def _limit(ctx: Ctx) -> None:
    ctx.limit("tables opened", ctx.site.settings.write_limit)


def _with_equals(ctx: Ctx, request: TableRequest) -> TableRequest:
    # Ratings may have to be worked out, and no other writer is to wait for that.
    with ctx.site.store.read() as session:
        person = find_person(session, ctx.site, ctx.request, ctx.viewer)
        own_id = None if person is None else person.id
        contained = has_containers(session)
        return people.of_about_my_strength(session, own_id, request, contained=contained)


Opening = Callable[[Session, Asker], Opened]


def sit_down(ctx: Ctx, opening: Opening) -> Response:
    """Open a table for whoever asks, and go there."""
    _limit(ctx)
    return _sit_down(ctx, opening)


def _sit_down(ctx: Ctx, opening: Opening) -> Response:
    site = ctx.site
    with site.store.write() as session:
        person = take_person(session, site, ctx.request, ctx.viewer)
        asker = Asker(
            person=person, address_hash=address_hash(site, ctx.request), name=shown_name(person)
        )
        sitting, bell = opening(session, asker)
        address = f"/play/{sitting.code}"
    if bell is not None:
        site.services.match_queued(bell)
    response = ctx.go(address)
    keep_person(site, response, person)
    return response


def shown_name(person: Person) -> str:
    """What the others at a table read."""
    return person.name if person.name and person.name_shown else people.GUEST


def table(ctx: Ctx, code: str) -> Response:
    """A table: its lobby, the game, or what became of it."""
    site = ctx.site
    with site.store.read() as session:
        person = find_person(session, site, ctx.request, ctx.viewer)
        found = find_table(session, code, person)
    if found.own is None and not _awaits(found):
        raise Refused(
            403, "this table belongs to others, and nobody is awaited there; open your own at /play"
        )
    return ctx.render("play/table.html", sitting=table_page(found, site.settings.origin))


def _awaits(found: SeatedTable) -> bool:
    free = [one for one in found.seats if one.for_person and one.person_id is None]
    return found.sitting.state.value == "lobby" and bool(free)


def join(ctx: Ctx, code: str) -> Response:
    """Sit down at a table that waits for people; the last one to come begins the game."""
    site = ctx.site
    ctx.limit("tables joined", site.settings.write_limit)
    bell: Doorbell | None = None
    with site.store.write() as session:
        person = take_person(session, site, ctx.request, ctx.viewer)
        found = find_table(session, code, person)
        name = _numbered(found, shown_name(person))
        sittings.join(session, found.sitting.match_id, person.id, name)
        found = find_table(session, code, person)
        if found.sitting.state.value == "lobby" and not _awaits(found):
            bell = people.begin(session, found.sitting)
    if bell is not None:
        site.services.match_queued(bell)
    response = ctx.go(f"/play/{code}")
    keep_person(site, response, person)
    return response


def _numbered(found: SeatedTable, name: str) -> str:
    """A name that nobody else has at this table."""
    taken = {one.name for one in found.seats if one.person_id is not None}
    number, wanted = 2, name
    while wanted in taken:
        wanted, number = f"{name} {number}", number + 1
    return wanted


def begin(ctx: Ctx, code: str) -> Response:
    """Begin without those who have not come."""
    site = ctx.site
    with site.store.write() as session:
        person = find_person(session, site, ctx.request, ctx.viewer)
        found = find_table(session, code, person)
        # Only who sits here may begin.
        _ = found.seat
        bell = people.begin(session, found.sitting)
    site.services.match_queued(bell)
    return ctx.go(f"/play/{code}")


def routes() -> list[Route]:
    """Choosing, opening, coming."""
    anyone = Rank.SPECTATOR
    return [
        show("/play", choose),
        act("/play", open_table, rank=anyone),
        act("/play/quick", quick, rank=anyone),
        show("/play/{code}", table),
        act("/play/{code}/join", join, rank=anyone),
        act("/play/{code}/begin", begin, rank=anyone),
    ]
