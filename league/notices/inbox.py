"""Telling owners: a message in the inbox, and its copy to the owner's webhook if there is one.

The inbox is what counts. A webhook gets each message at most once, and no part waits for it.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import structlog
from sqlmodel import Session

import store
from league.audit import Action
from league.errors import Malformed
from league.notices import webhooks
from store import Bot, InboxMessage, Owner, Store, utc_now

LOG = structlog.get_logger("league")
MARK = "webhooks"
"""The lasting setting that says up to which message webhooks have been called."""
AT_ONCE = 50
FRESH = timedelta(hours=1)
_sending = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """A message on its way to a webhook."""

    url: str
    body: store.JsonDict


def tell_owner(
    session: Session, bot: Bot, kind: str, title: str, body: str, link: str | None = None
) -> None:
    """Tell the owner of a bot; for a platform bot, whose inbox is not read, all organisers."""
    owner = store.present(session, Owner, bot.owner_id)
    readers = store.accounts.organisers(session) if owner.is_house else [owner]
    name = f"{owner.handle}/{bot.name}"
    for reader in readers:
        store.inbox.tell(session, reader.id, kind, title, body, link or f"/bots/{name}")


def set_webhook(
    session: Session,
    owner_id: int,
    url: str | None,
    *,
    allowed: Callable[[webhooks.Address], bool] = webhooks.is_public,
) -> Owner:
    """Send copies of an owner's new messages there; None: nowhere. LeagueRefusal for a bad address.

    The audit log gets the host alone: what follows it is often a secret.
    """
    try:
        host = None if url is None else webhooks.may_be_called(url, allowed).hostname
    except webhooks.WebhookFailed as error:
        raise Malformed(f"got a webhook that cannot be called: {error}") from None
    owner = store.locked(session, Owner, owner_id)
    owner.webhook = url
    store.audit.record(
        session, Action.OWNER_WEBHOOK, "owner", owner_id, actor=owner, detail={"host": host}
    )
    return owner


def pending(database: Store) -> bool:
    """Whether any owner has a webhook and there is a message that webhooks have not seen."""
    with database.read() as session:
        return store.accounts.any_webhook(session) and bool(_unsent(session))


def claim(database: Store) -> list[Letter]:
    """Take the messages that webhooks have not seen; whoever takes them has to send them."""
    with database.write() as session:
        found = _unsent(session)
        if found:
            last = max(message.id for message, _ in found)
            store.settings.write(session, MARK, {"after": last})
        return [_letter(message, owner) for message, owner in found if owner.webhook is not None]


def _unsent(session: Session) -> list[tuple[InboxMessage, Owner]]:
    after = int(str((store.settings.read(session, MARK) or {}).get("after", 0)))
    # A webhook that is set today does not get older messages.
    return store.inbox.messages_after(session, after, since=utc_now() - FRESH, limit=AT_ONCE)


def _letter(message: InboxMessage, owner: Owner) -> Letter:
    return Letter(
        url=owner.webhook or "",
        body={
            "id": message.id,
            "kind": message.kind,
            "title": message.title,
            "body": message.body,
            "link": message.link,
            "at": message.created_at.isoformat(),
        },
    )


def send_all(database: Store, send: Callable[[str, store.JsonDict], None] = webhooks.post) -> int:
    """Send what is unsent; returns how many arrived. A failure is logged and not tried again."""
    arrived = 0
    for letter in claim(database):
        try:
            send(letter.url, letter.body)
            arrived += 1
        except webhooks.WebhookFailed as error:
            LOG.warning("webhook failed", message=letter.body["id"], error=str(error)[:200])
    return arrived


def send_soon(database: Store, seconds: float = webhooks.SECONDS) -> None:
    """Send in a thread of its own, one at a time in this process: no caller waits for it."""
    if not pending(database) or not _sending.acquire(blocking=False):
        return

    def run() -> None:
        try:
            send_all(database, partial(webhooks.post, seconds=seconds))
        except Exception:
            # In a thread of its own it would otherwise go unnoticed.
            LOG.exception("webhooks not sent")
        finally:
            _sending.release()

    threading.Thread(target=run, name="webhooks", daemon=True).start()
