"""One-time links: the address of one, and the link for the first organiser."""

from sqlmodel import Session

from dashboard.settings import Settings
from store import InvitationKind, JsonDict, Owner, Role, Store, accounts, audit

ORGANISER_DAYS = 1


def link_address(settings: Settings, secret: str) -> str:
    """The address to hand on."""
    return f"{settings.base_url.rstrip('/')}/link/{secret}"


def invite(session: Session, role: Role, actor: Owner | str, note: str = "") -> str:
    """The secret of a link with which somebody can make an account; audited."""
    secret = accounts.invite(
        session,
        InvitationKind.SIGN_UP,
        role=role,
        invited_by_id=actor.id if isinstance(actor, Owner) else None,
        note=note,
    )
    detail: JsonDict = {"role": role.value, "note": note}
    audit.record(session, "invitation.made", "invitation", actor=actor, detail=detail)
    return secret


def organiser_link(settings: Settings, store: Store) -> str | None:
    """A fresh link for the first organiser; print it at every start.

    There is one as long as no organiser can sign in by a password: after that, organisers invite
    one another. It works once and for a day, and a new one ends those printed before, so a link
    in an old log is worth nothing.
    """
    with store.write() as session:
        able = [
            owner
            for owner in accounts.organisers(session)
            if owner.password_hash is not None and owner.disabled_at is None
        ]
        accounts.end_organiser_links(session)
        if able:
            return None
        secret = accounts.invite(
            session, InvitationKind.ORGANISER, role=Role.ORGANISER, days=ORGANISER_DAYS
        )
    return link_address(settings, secret)
