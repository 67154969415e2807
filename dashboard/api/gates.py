"""Version gates and who has to pass one; named like the commands of `bullring ladder`."""

from sqlmodel import Session
from starlette.requests import Request
from starlette.responses import Response

from api_models.organiser import GateOut
from dashboard.api.common import (
    BEARER,
    BotPart,
    CursorParam,
    Handle,
    Id,
    LadderId,
    Limit,
    api_router,
    begin,
    decode_cursor,
    errors,
    send,
    send_array,
)
from dashboard.api.ladders import find_ladder, private_bot
from dashboard.api.organiser.acts import REFUSALS, organised
from dashboard.api.organiser_models import GateRule, NewGate
from dashboard.api.season_models import WithReason
from dashboard.http import Refused, acting_for, signed_in_owner
from dashboard.reads import GateLine, all_gates, gates_of
from league import gate as gates
from league.authors import Scope
from league.gate import GateSettings
from store import Owner
from store.bots import find_bot

router = api_router("ladders")


def public_gate(line: GateLine) -> GateOut:
    """A gate as the API shows it."""
    gate = line.gate
    return GateOut(
        gate=gate.id,
        bot=line.bot,
        new=line.new,
        old=line.old,
        state=gate.state,
        rules=gate.rules,
        table_size=gate.table_size,
        report=gate.report,
        created_at=gate.created_at,
        finished_at=gate.finished_at,
    )


@router.post(
    "/ladders/{ladder_id}/gate",
    response_model=GateOut,
    status_code=201,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def ladder_gate(request: Request, ladder_id: LadderId, wanted: NewGate) -> Response:
    """Compare a new version with the old one in matches of their own; for owner and organisers."""
    site, viewer = begin(request, write=True)
    actor = acting_for(viewer, wanted.bot)
    with site.store.write() as session:
        ladder = find_ladder(session, ladder_id)
        gate = gates.open_gate(
            session,
            ladder.id,
            wanted.bot,
            wanted.new,
            actor,
            old=wanted.old,
            replace=wanted.replace,
            asked=GateSettings(gain=wanted.gain),
            as_organiser=viewer.is_organiser,
        )
        [line] = all_gates(session, only=gate.id)
    return send(request, public_gate(line), 201)


@router.get(
    "/gates",
    response_model=list[GateOut],
    responses=errors(401, 403),
    openapi_extra=BEARER,
)
def ladder_gates(request: Request, cursor: CursorParam = None, limit: Limit = 50) -> Response:
    """Gates, newest first: all of them for organisers, else your own."""
    site, viewer = begin(request)
    owner = signed_in_owner(viewer, Scope.READ)
    with site.store.read() as session:
        found = all_gates(
            session,
            owner_id=None if viewer.is_organiser else owner.id,
            before=decode_cursor(cursor),
            limit=limit,
        )
    return _send_gates(request, found, limit)


def _send_gates(request: Request, found: list[GateLine], limit: int) -> Response:
    last = found[-1].gate.id if found else None
    return send_array(request, [public_gate(line) for line in found], len(found) == limit, last)


@router.post(
    "/gates/{gate_id}/cancel",
    response_model=GateOut,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def ladder_gate_cancel(request: Request, gate_id: Id, wanted: WithReason) -> Response:
    """Stop a gate that is being played; for owner and organisers. The attempt counts."""
    site, viewer = begin(request, write=True)
    own = None if viewer.is_organiser else signed_in_owner(viewer, Scope.MANAGE).id
    with site.store.write() as session:
        line = next(iter(all_gates(session, owner_id=own, only=gate_id)), None)
        if line is None:
            raise Refused(404, f"there is no gate {gate_id} of yours; GET /gates lists them")
        gates.cancel(session, gate_id, acting_for(viewer, line.bot), wanted.reason)
        [line] = all_gates(session, only=gate_id)
    return send(request, public_gate(line))


@router.post(
    "/gate-rule",
    status_code=204,
    responses=REFUSALS,
    openapi_extra=BEARER,
)
def ladder_gate_rule(request: Request, wanted: GateRule) -> Response:
    """Set whether new versions have to pass a gate: in the whole league, or for one bot.

    For one bot null clears its own rule: the league's applies again.
    """

    def act(session: Session, actor: Owner) -> None:
        bot = None if wanted.bot is None else find_bot(session, wanted.bot)
        if wanted.bot is not None and bot is None:
            raise Refused(404, f"there is no bot {wanted.bot!r}; bots are named OWNER/NAME")
        gates.set_rule(session, wanted.required, actor, bot)

    organised(request, act)
    return Response(status_code=204)


@router.get(
    "/bots/{owner}/{name}/gates",
    response_model=list[GateOut],
    responses=errors(401, 403, 404),
    openapi_extra=BEARER,
)
def bot_gates(
    request: Request, owner: Handle, name: BotPart, cursor: CursorParam = None, limit: Limit = 50
) -> Response:
    """The gates of a bot, newest first; for its owner and organisers."""
    site, viewer = begin(request)
    with site.store.read() as session:
        line = private_bot(session, viewer, owner, name)
        found = gates_of(session, line.bot.id, before=decode_cursor(cursor), limit=limit)
    return _send_gates(request, found, limit)
