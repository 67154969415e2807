"""Accounts: made and invited, their passwords and one-time links, who is let in and as what.

Passwords arrive hashed, and a link is a secret: hashing and addresses are the dashboard's.
"""

from enum import StrEnum

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import LeagueRefusal, Malformed, NotThere
from store import Invitation, InvitationKind, Owner, Role, Store, utc_now

FIRST_ORGANISER_DAYS = 1
RESET_DAYS = 2
NAME_LENGTH = 100
NOTE_LENGTH = 200
REASON_LENGTH = 500
_NO_LINK = "this link is unknown, used or expired; ask for a new one"


class Access(StrEnum):
    """What can be done to the access of an account."""

    DISABLE = "disable"
    """Disable it: no sign-in and no token works."""
    ENABLE = "enable"
    """Let it in again."""
    AUTHOR = "author"
    """It submits bots, and no more."""
    ORGANISER = "organiser"
    """It runs the league too."""


_WRITTEN = {
    Access.DISABLE: Action.ACCOUNT_DISABLE,
    Access.ENABLE: Action.ACCOUNT_ENABLE,
    Access.AUTHOR: Action.ACCOUNT_AUTHOR,
    Access.ORGANISER: Action.ACCOUNT_ORGANISER,
}


def find_account(session: Session, handle: str) -> Owner:
    """The account of this name."""
    found = store.accounts.owner_by_handle(session, handle)
    if found is None:
        raise NotThere(f"there is no account {handle[:60]!r}")
    return found


def make_account(
    session: Session,
    handle: str,
    *,
    role: Role = Role.AUTHOR,
    name: str = "",
    password_hash: str | None = None,
    actor: Actor | None = None,
) -> Owner:
    """Make an account; without an actor its owner has made it."""
    owner = store.accounts.add_owner(
        session, handle, password_hash=password_hash, role=role, name=name[:NAME_LENGTH]
    )
    store.audit.record(
        session,
        Action.ACCOUNT_MADE,
        "owner",
        owner.id,
        actor=actor or owner,
        detail={"role": role.value},
    )
    return owner


def open_account(session: Session, handle: str, role: Role, actor: Actor) -> str:
    """Make an account for another person; returns the secret of a link for its first password."""
    owner = make_account(session, handle, role=role, actor=actor)
    return store.accounts.invite(
        session,
        InvitationKind.PASSWORD_RESET,
        owner_id=owner.id,
        role=role,
        invited_by_id=_id_of(actor),
    )


def invite(session: Session, role: Role, actor: Actor, note: str = "") -> str:
    """The secret of a link with which a newcomer can make an account."""
    note = note[:NOTE_LENGTH]
    secret = store.accounts.invite(
        session, InvitationKind.SIGN_UP, role=role, invited_by_id=_id_of(actor), note=note
    )
    detail: store.JsonDict = {"role": role.value, "note": note}
    store.audit.record(session, Action.INVITATION_MADE, "invitation", actor=actor, detail=detail)
    return secret


def find_invitation(session: Session, secret: str) -> Invitation:
    """The invitation or reset behind a link that still works."""
    found = store.accounts.invitation(session, secret)
    if found is None:
        raise NotThere(_NO_LINK)
    return found


def accept_invitation(
    session: Session, secret: str, handle: str, password_hash: str, name: str = ""
) -> Owner:
    """Make the account that a link is for; the link works no more."""
    invitation = find_invitation(session, secret)
    if invitation.kind is InvitationKind.PASSWORD_RESET:
        raise LeagueRefusal("this link is for a new password, not for a new account")
    is_organiser = invitation.kind is InvitationKind.ORGANISER
    role = Role.ORGANISER if is_organiser else invitation.role
    owner = make_account(session, handle, role=role, name=name, password_hash=password_hash)
    store.accounts.use_invitation(session, secret, owner.id)
    return owner


def link_for_password(session: Session, owner_id: int, actor: Actor) -> str:
    """The secret of a link with which an owner sets a password."""
    owner = store.locked(session, Owner, owner_id)
    if owner.is_house:
        raise LeagueRefusal("the league's own account has no password")
    secret = store.accounts.invite(
        session,
        InvitationKind.PASSWORD_RESET,
        owner_id=owner_id,
        role=owner.role,
        invited_by_id=_id_of(actor),
        days=RESET_DAYS,
    )
    store.audit.record(session, Action.ACCOUNT_RESET, "owner", owner_id, actor=actor)
    return secret


def reset_password(session: Session, secret: str, password_hash: str) -> tuple[Owner, int]:
    """A new password by a link; returns how many tokens ended with the old one.

    Whoever had the old password may have made tokens, so they end too.
    """
    owner_id = find_invitation(session, secret).owner_id
    if owner_id is None:
        raise LeagueRefusal("this link is for a new account, not for a new password")
    store.accounts.use_invitation(session, secret, owner_id)
    # The first password of an account ends nothing.
    had_one = store.present(session, Owner, owner_id).password_hash is not None
    ended = store.accounts.revoke_tokens(session, owner_id) if had_one else 0
    return _set_password(session, owner_id, password_hash, {"tokens_ended": ended}), ended


def change_password(session: Session, owner_id: int, password_hash: str) -> Owner:
    """A new password for an owner who knows the old one; all sign-ins end, tokens stay valid."""
    return _set_password(session, owner_id, password_hash, {})


def _set_password(
    session: Session, owner_id: int, password_hash: str, detail: store.JsonDict
) -> Owner:
    store.accounts.set_password(session, owner_id, password_hash)
    owner = store.present(session, Owner, owner_id)
    store.audit.record(
        session, Action.ACCOUNT_PASSWORD, "owner", owner.id, actor=owner, detail=detail
    )
    return owner


def set_access(
    session: Session, owner_id: int, access: str, actor: Actor, reason: str = ""
) -> Owner:
    """Disable an account, enable it again, or change its role."""
    if access not in list(Access):
        raise Malformed(f"got {access[:40]!r}, expected disable, enable or a role")
    chosen = Access(access)
    owner = store.locked(session, Owner, owner_id)
    if owner.id == _id_of(actor):
        raise LeagueRefusal("you cannot change your own access; another organiser can")
    if owner.is_house:
        raise LeagueRefusal("the league's own account never signs in; its access cannot be changed")
    if chosen in (Access.DISABLE, Access.ENABLE):
        owner.disabled_at = utc_now() if chosen is Access.DISABLE else None
    else:
        owner.role = Role(chosen.value)
    store.audit.record(
        session, _WRITTEN[chosen], "owner", owner_id, actor=actor, reason=reason[:REASON_LENGTH]
    )
    return owner


def link_for_first_organiser(database: Store) -> str | None:
    """The secret of a fresh link for the first organiser; None: one can sign in.

    There is one as long as no organiser can sign in by a password: after that, organisers invite
    one another. It works once and for a day, and a new one ends those made before, so a link in an
    old log is worth nothing. It is made at every start and not written down until it is used.
    """
    with database.write() as session:
        able = [
            owner
            for owner in store.accounts.organisers(session)
            if owner.password_hash is not None and owner.disabled_at is None
        ]
        store.accounts.end_invitations(session, InvitationKind.ORGANISER)
        if able:
            return None
        return store.accounts.invite(
            session, InvitationKind.ORGANISER, role=Role.ORGANISER, days=FIRST_ORGANISER_DAYS
        )


def _id_of(actor: Actor) -> int | None:
    return actor.id if isinstance(actor, Owner) else None
