"""Bots, their versions and ratings."""

from typing import Annotated

from fastapi import Path, Query
from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import Response

from api_models.base import Page
from api_models.models import BotChange, BotOut, NewBot, RatingOut, RatingPointOut, VersionOut
from dashboard import reads
from dashboard.api.common import (
    BEARER,
    MAX_ID,
    OPTIONAL,
    BotPart,
    CursorParam,
    Handle,
    Limit,
    api_router,
    begin,
    decode_cursor,
    errors,
    send,
    send_all,
    send_list,
)
from dashboard.http import Refused, Viewer, signed_in_owner
from dashboard.reads import BotLine
from dashboard.render import bot_url
from league import authors
from league.authors import Scope
from store import Bot, Version, VersionState, bots, ratings

router = api_router("bots")
VersionNo = Annotated[
    int, Path(ge=0, le=1_000_000, description="The version, from 1.", examples=[3])
]


def public_bot(line: BotLine) -> BotOut:
    """A bot as the API shows it."""
    bot = line.bot
    return BotOut(
        bot=line.full_name,
        owner=line.owner.handle,
        name=bot.name,
        about=bot.about,
        rules=bot.rules,
        is_anchor=bot.is_anchor,
        current_version=bot.current_version,
        suspended=bot.suspended_why if bot.suspended_at else None,
        friendlies=bot.friendlies,
        created_at=bot.created_at,
        url=bot_url(line.full_name),
    )


def public_version(version: Version, bot: Bot, viewer: Viewer) -> VersionOut:
    """A version as this viewer may see it."""
    private = viewer.sees_private(bot.owner_id)
    # The files of a version that never played concern only its owner.
    named = private or version.state is not VersionState.REJECTED
    return VersionOut(
        number=version.number,
        state=version.state,
        image=version.image if named else None,
        fingerprint=version.fingerprint if named else None,
        created_at=version.created_at,
        accepted_at=version.accepted_at,
        is_current=version.number == bot.current_version,
        note=version.note if private else None,
        report=_report(version) if private else None,
        log=version.log if private else None,
    )


def _report(version: Version) -> dict[str, object] | None:
    """The report of the check; `gate_due` is in it while a required gate is still to be opened."""
    if not version.gate_due:
        return version.report
    return {**(version.report or {}), "gate_due": version.gate_wait or True}


def find(session: Session, owner: str, name: str) -> BotLine:
    """A bot that has to exist."""
    line = reads.find_bot(session, owner, name)
    if line is None:
        raise Refused(404, f"got bot {owner}/{name}, expected one that exists")
    return line


@router.get("/bots", response_model=Page[BotOut], responses=errors(), openapi_extra=OPTIONAL)
def bot_list(
    request: Request,
    owner: Annotated[
        str | None, Query(max_length=40, description="Only bots of this one.", examples=["ada"])
    ] = None,
    cursor: CursorParam = None,
    limit: Limit = 50,
) -> Response:
    """Bots, newest first."""
    site, _ = begin(request)
    with site.store.read() as session:
        lines = reads.bots_page(session, owner=owner, before=decode_cursor(cursor), limit=limit)
    last = lines[-1].bot.id if lines else None
    return send_list(request, [public_bot(line) for line in lines], len(lines) == limit, last)


@router.post(
    "/bots",
    response_model=BotOut,
    status_code=201,
    responses=errors(401, 403, 409),
    openapi_extra=BEARER,
)
def bot_create(request: Request, wanted: NewBot) -> Response:
    """Make a bot without a version."""
    site, viewer = begin(request, write=True)
    owner = signed_in_owner(viewer, Scope.MANAGE)
    most = site.settings.bots_per_owner
    with site.store.write() as session:
        bot = authors.create_bot(
            session, owner, wanted.name, wanted.rules, most=most, about=wanted.about
        )
    line = BotLine(bot=bot, owner=owner, full_name=f"{owner.handle}/{bot.name}")
    return send(request, public_bot(line), 201)


@router.get(
    "/bots/{owner}/{name}", response_model=BotOut, responses=errors(404), openapi_extra=OPTIONAL
)
def bot_get(request: Request, owner: Handle, name: BotPart) -> Response:
    """One bot."""
    site, _ = begin(request)
    with site.store.read() as session:
        return send(request, public_bot(find(session, owner, name)))


@router.patch(
    "/bots/{owner}/{name}",
    response_model=BotOut,
    responses=errors(401, 403, 404, 409),
    openapi_extra=BEARER,
)
def bot_change(request: Request, owner: Handle, name: BotPart, change: BotChange) -> Response:
    """Change a bot: description, rules, the version that plays, whether it takes friendlies."""
    site, viewer = begin(request, write=True)
    actor = signed_in_owner(viewer, Scope.MANAGE)
    with site.store.write() as session:
        line = find(session, owner, name)
        if not viewer.owns(line.bot) and not viewer.is_organiser:
            raise Refused(403, f"{line.full_name} is not your bot")
        as_organiser = viewer.is_organiser
        bot = authors.change_bot(
            session,
            line.bot.id,
            actor,
            about=change.about,
            rules=change.rules,
            friendlies=change.friendlies,
            as_organiser=as_organiser,
        )
        if change.rest or change.current_version is not None:
            bot = authors.choose_version(
                session, bot.id, change.current_version, actor, as_organiser=as_organiser
            )
    return send(request, public_bot(BotLine(bot=bot, owner=line.owner, full_name=line.full_name)))


@router.get(
    "/bots/{owner}/{name}/versions",
    response_model=list[VersionOut],
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def version_list(request: Request, owner: Handle, name: BotPart) -> Response:
    """All versions of a bot, newest first."""
    site, viewer = begin(request)
    with site.store.read() as session:
        bot = find(session, owner, name).bot
        found = bots.versions(session, bot.id)
    return send_all(request, [public_version(version, bot, viewer) for version in found])


@router.get(
    "/bots/{owner}/{name}/versions/{number}",
    response_model=VersionOut,
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def version_get(request: Request, owner: Handle, name: BotPart, number: VersionNo) -> Response:
    """One version."""
    site, viewer = begin(request)
    with site.store.read() as session:
        bot = find(session, owner, name).bot
        version = bots.version_of(session, bot.id, number)
    if version is None:
        raise Refused(404, f"got version {number}, expected one that {owner}/{name} has")
    return send(request, public_version(version, bot, viewer))


@router.get(
    "/bots/{owner}/{name}/ratings",
    response_model=list[RatingOut],
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def rating_list(request: Request, owner: Handle, name: BotPart) -> Response:
    """What every ladder says of every version of a bot."""
    site, _ = begin(request)
    with site.store.read() as session:
        bot = find(session, owner, name).bot
        numbers = {version.id: version.number for version in bots.versions(session, bot.id)}
        rows = reads.ratings_of(session, list(numbers))
    return send_all(
        request,
        [
            RatingOut(
                ladder=ladder.id,
                season=season.name if season else None,
                rules=ladder.rules,
                table_size=ladder.table_size,
                version=numbers[rating.version_id],
                live=rating.live,
                official=rating.official,
                low=rating.low,
                high=rating.high,
                blocks=rating.blocks,
                games=rating.games,
                provisional=rating.provisional,
                settled=rating.settled,
            )
            for rating, ladder, season, _ in rows
        ],
    )


@router.get(
    "/bots/{owner}/{name}/history",
    response_model=list[RatingPointOut],
    responses=errors(404),
    openapi_extra=OPTIONAL,
)
def rating_history(
    request: Request,
    owner: Handle,
    name: BotPart,
    ladder: Annotated[
        int, Query(ge=1, le=MAX_ID, description="From the list of ratings.", examples=[1])
    ],
) -> Response:
    """How the ratings of a bot moved on one ladder, oldest first."""
    site, _ = begin(request)
    with site.store.read() as session:
        bot = find(session, owner, name).bot
        numbers = {version.id: version.number for version in bots.versions(session, bot.id)}
        visible = {found.id for _, found, *_ in reads.ratings_of(session, list(numbers))}
        if ladder not in visible:
            raise Refused(404, f"{owner}/{name} has no rating on ladder {ladder}")
        points = ratings.history(session, ladder, list(numbers))
    return send_all(
        request,
        [
            RatingPointOut(
                version=numbers[point.version_id],
                at=point.at,
                match=point.match_id,
                blocks=point.blocks,
                live=point.live,
                official=point.official,
                low=point.low,
                high=point.high,
            )
            for point in points
        ],
    )
