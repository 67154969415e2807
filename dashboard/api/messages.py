"""The league's messages to you, and where it sends copies."""

from starlette.requests import Request
from starlette.responses import Response

from api_models.base import Page
from api_models.models import MessageOut, ReadUpTo, Webhook
from dashboard.api.common import (
    BEARER,
    CursorParam,
    Limit,
    api_router,
    begin,
    decode_cursor,
    errors,
    send,
    send_list,
)
from dashboard.http import signed_in_owner
from league import notices
from league.authors import Scope
from store import InboxMessage, inbox

router = api_router("account", "/me")


def public_message(message: InboxMessage) -> MessageOut:
    """A message as its reader sees it."""
    return MessageOut(
        id=message.id,
        kind=message.kind,
        title=message.title,
        body=message.body,
        link=message.link,
        at=message.created_at,
        is_read=message.read_at is not None,
    )


@router.get(
    "/messages",
    response_model=Page[MessageOut],
    responses=errors(401, 403),
    openapi_extra=BEARER,
)
def message_list(request: Request, limit: Limit = 50, cursor: CursorParam = None) -> Response:
    """Your messages, newest first: suspensions, verdicts of gates, gates that cannot begin."""
    site, viewer = begin(request)
    owner = signed_in_owner(viewer, Scope.READ)
    with site.store.read() as session:
        rows = inbox.messages(session, owner.id, before=decode_cursor(cursor), limit=limit)
    last = rows[-1].id if rows else None
    return send_list(request, [public_message(row) for row in rows], len(rows) == limit, last)


@router.post(
    "/messages/read",
    status_code=204,
    responses=errors(401, 403),
    openapi_extra=BEARER,
)
def message_read(request: Request, wanted: ReadUpTo) -> Response:
    """Mark your messages up to this one as read."""
    site, viewer = begin(request, write=True)
    owner = signed_in_owner(viewer, Scope.READ)
    with site.store.write() as session:
        inbox.mark_read(session, owner.id, wanted.up_to)
    return Response(status_code=204)


@router.get("/webhook", response_model=Webhook, responses=errors(401, 403), openapi_extra=BEARER)
def webhook_get(request: Request) -> Response:
    """Where copies of your messages are sent; null: nowhere."""
    _, viewer = begin(request)
    owner = signed_in_owner(viewer, Scope.MANAGE)
    return send(request, Webhook(url=owner.webhook))


@router.put(
    "/webhook", response_model=Webhook, responses=errors(401, 403, 409), openapi_extra=BEARER
)
def webhook_set(request: Request, wanted: Webhook) -> Response:
    """Have a copy of every new message sent to an address on the public internet by POST."""
    site, viewer = begin(request, write=True)
    owner = signed_in_owner(viewer, Scope.MANAGE)
    with site.store.write() as session:
        changed = notices.set_webhook(session, owner.id, wanted.url)
    return send(request, Webhook(url=changed.webhook))
