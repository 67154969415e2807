"""Seasons, standings and exports; what organisers do with seasons is in `organiser`."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

from fastapi import Path
from sqlmodel import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from api_models.seasons import EntryOut, SeasonOut
from dashboard import reads
from dashboard.api.common import (
    BEARER,
    EVENTS,
    MAX_LIMIT,
    NDJSON,
    OPTIONAL,
    CursorParam,
    Limit,
    SeasonPart,
    api_router,
    as_line,
    begin,
    decode_cursor,
    download,
    errors,
    ndjson,
    send,
    send_all,
    send_array,
    wants_ndjson,
)
from dashboard.api.season_models import NewEntry
from dashboard.http import Refused, Viewer, client_address, signed_in_owner
from dashboard.live import EventStream
from dashboard.reads import season_state
from league import authors, ratings
from league.authors import Scope
from league.ratings import Table
from store import Entry, Season, seasons

router = api_router("seasons")


class Format(StrEnum):
    """How an export is written."""

    CSV = "csv"
    """A header, then comma-separated lines."""
    NDJSON = "ndjson"
    """A JSON document a line."""


def public_season(season: Season, counts: dict[str, int]) -> SeasonOut:
    """A season as the API shows it."""
    fields = season.model_dump(include=set(SeasonOut.model_fields) - {"matches"})
    return SeasonOut.model_validate(fields | {"matches": counts, "budget": season.told_budget})


def find_season(session: Session, viewer: Viewer, name: str) -> Season:
    """A season that this viewer may see."""
    found = reads.season_named(session, name, organiser=viewer.is_organiser)
    if found is None:
        raise Refused(404, f"got season {name!r}, expected one that exists")
    return found


def state_counts(progress: seasons.Progress) -> dict[str, int]:
    """How many matches are in each state, by its name."""
    return {state.value: count for state, count in progress.counts.items()}


@router.get("/seasons", response_model=list[SeasonOut], responses=errors(), openapi_extra=OPTIONAL)
def season_list(request: Request, cursor: CursorParam = None, limit: Limit = MAX_LIMIT) -> Response:
    """Seasons, newest first."""
    site, viewer = begin(request)
    with site.store.read() as session:
        rows = reads.visible_seasons(
            session, organiser=viewer.is_organiser, before=decode_cursor(cursor), limit=limit
        )
        progress = seasons.kept_progress(session, [row.id for row in rows])
    items = [public_season(row, state_counts(progress[row.id])) for row in rows]
    return send_array(request, items, len(rows) == limit, rows[-1].id if rows else None)


@router.get(
    "/seasons/{name}", response_model=SeasonOut, responses=errors(404), openapi_extra=OPTIONAL
)
def season_get(request: Request, name: SeasonPart) -> Response:
    """One season and its progress."""
    site, viewer = begin(request)
    with site.store.read() as session:
        season = find_season(session, viewer, name)
        progress = seasons.progress(session, season.id)
    return send(request, public_season(season, state_counts(progress)))


@router.get(
    "/seasons/{name}/standings", response_model=Table, responses=errors(404), openapi_extra=OPTIONAL
)
def season_standings(request: Request, name: SeasonPart) -> Response:
    """The standings; as NDJSON, a bot a line."""
    site, viewer = begin(request)
    with site.store.read() as session:
        season = find_season(session, viewer, name)
    return send_table(request, ratings.read_table(season.standings))


def send_table(request: Request, table: Table | None) -> Response:
    """Standings; as NDJSON, a bot a line."""
    if table is None:
        raise Refused(404, "there are no standings yet; they follow the first results")
    if wants_ndjson(request):
        return ndjson(table.rows)
    return send(request, table)


@router.get(
    "/seasons/{name}/standings.csv",
    responses=errors(404) | download("text/csv"),
    response_class=StreamingResponse,
    openapi_extra=OPTIONAL,
)
def season_standings_csv(request: Request, name: SeasonPart) -> Response:
    """The standings as CSV."""
    site, viewer = begin(request)
    with site.store.read() as session:
        table = ratings.read_table(find_season(session, viewer, name).standings)
    rows = [row.model_dump(exclude={"faults"}) for row in table.rows] if table else []
    names = [field for field in ratings.Row.model_fields if field != "faults"]
    lines = reads.csv_lines(names, ([row[field] for field in names] for row in rows))
    return _file(lines, f"{name}-standings.csv", "text/csv")


@router.get(
    "/seasons/{name}/entries",
    response_model=list[EntryOut],
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def entry_list(request: Request, name: SeasonPart) -> Response:
    """Who takes part."""
    site, viewer = begin(request)
    with site.store.read() as session:
        rows = reads.entries(session, find_season(session, viewer, name).id)
    return send_all(request, public_entries(rows))


def public_entries(rows: list[tuple[Entry, str, int | None]]) -> list[EntryOut]:
    """Entries as the API shows them."""
    return [
        EntryOut(
            bot=bot,
            version=number,
            state=entry.state,
            is_anchor=entry.is_anchor,
            reason=entry.reason,
        )
        for entry, bot, number in rows
    ]


@router.post(
    "/seasons/{name}/entries",
    response_model=EntryOut,
    status_code=201,
    responses=errors(401, 403, 404, 409),
    openapi_extra=BEARER,
)
def entry_create(request: Request, name: SeasonPart, wanted: NewEntry) -> Response:
    """Enter one of your bots into a season that is open."""
    site, viewer = begin(request, write=True)
    owner = signed_in_owner(viewer, Scope.MANAGE)
    with site.store.write() as session:
        season = find_season(session, viewer, name)
        entry = authors.enter_season(session, season.id, wanted.bot, owner)
    [public] = public_entries([(entry, f"{owner.handle}/{wanted.bot}", None)])
    return send(request, public, 201)


@router.get(
    "/seasons/{name}/games.{form}",
    responses=errors(404) | download("text/csv", NDJSON),
    response_class=StreamingResponse,
    openapi_extra=OPTIONAL,
)
def season_games(
    request: Request,
    name: SeasonPart,
    form: Annotated[Format, Path(description="How it is written.", examples=["csv"])],
) -> Response:
    """Every game of every match that is done: one line a seat (CSV) or a game (NDJSON)."""
    site, viewer = begin(request)
    with site.store.read() as session:
        season = find_season(session, viewer, name)
    games = reads.season_games(site.store, season.id)
    if form is Format.NDJSON:
        return _file(map(as_line, games), f"{name}-games.ndjson", NDJSON)
    return _file(reads.games_csv(games), f"{name}-games.csv", "text/csv")


def _file(lines: Iterator[bytes], name: str, kind: str) -> Response:
    plain = "".join(letter if letter.isalnum() or letter in "-." else "_" for letter in name)
    ascii_name = plain.encode("ascii", "replace").decode().replace("?", "_")
    headers = {"content-disposition": f'attachment; filename="{ascii_name}"'}
    return StreamingResponse(lines, media_type=kind, headers=headers)


@router.get(
    "/seasons/{name}/events",
    response_class=StreamingResponse,
    responses=errors(404) | EVENTS,
    openapi_extra=OPTIONAL,
)
async def season_events(request: Request, name: SeasonPart) -> Response:
    """The progress of the season, as server-sent events; ends with the season."""
    site, viewer = await run_in_threadpool(begin, request)

    def find() -> int:
        with site.store.read() as session:
            return find_season(session, viewer, name).id

    season_id = await run_in_threadpool(find)

    def look() -> dict[str, object]:
        with site.store.read() as session:
            return season_state(session, season_id)

    address = client_address(request, site.settings)
    return EventStream(site.live.watch(f"season {season_id}", look, address))
