"""Owners, sign-ins, invitations and API tokens. Secrets are returned once and stored hashed."""

import re
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from functools import cache

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import InvitationKind, Role
from store.columns import digest, utc_now
from store.engine import locked
from store.errors import BadName, Conflict, NotFound
from store.tables import Invitation, Owner, SeenAddress, SignIn, Token

HANDLE = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
SIGN_IN_DAYS = 30
INVITATION_DAYS = 14
ADDRESS_DAYS = 180
"""For how long it is remembered from where an account has signed in."""
USED_RESOLUTION = timedelta(minutes=1)
"""Times of last use are kept this coarsely, so that reading does not mean writing."""


def add_owner(
    session: Session,
    handle: str,
    *,
    password_hash: str | None = None,
    role: Role = Role.AUTHOR,
    name: str = "",
    is_house: bool = False,
) -> Owner:
    """Make an account; its handle must be free and fit for addresses."""
    if not HANDLE.fullmatch(handle):
        raise BadName(
            f"got handle {handle!r}, expected 1 to 40 lower-case letters, digits and inner hyphens"
        )
    if owner_by_handle(session, handle) is not None:
        raise Conflict(f"got handle {handle!r}, which is taken; choose another")
    owner = Owner(
        handle=handle, password_hash=password_hash, role=role, name=name, is_house=is_house
    )
    session.add(owner)
    session.flush()
    return owner


def owner_by_handle(session: Session, handle: str) -> Owner | None:
    """The account of that handle."""
    return session.exec(select(Owner).where(Owner.handle == handle)).one_or_none()


def organisers(session: Session) -> list[Owner]:
    """All accounts that may run the league."""
    query = select(Owner).where(Owner.role == Role.ORGANISER).order_by(col(Owner.id))
    return list(session.exec(query).all())


def set_password(session: Session, owner_id: int, password_hash: str) -> None:
    """Change a password; all sign-ins of the owner end, and links that would change it again."""
    locked(session, Owner, owner_id).password_hash = password_hash
    session.exec(sa.delete(SignIn).where(col(SignIn.owner_id) == owner_id))
    now = utc_now()
    session.exec(
        sa.update(Invitation)
        .where(
            col(Invitation.kind) == InvitationKind.PASSWORD_RESET,
            col(Invitation.owner_id) == owner_id,
            col(Invitation.used_at).is_(None),
            col(Invitation.expires_at) > now,
        )
        .values(expires_at=now)
    )
    session.flush()


def sign_in(session: Session, owner_id: int, *, agent: str = "", days: int = SIGN_IN_DAYS) -> str:
    """Start a sign-in; returns the secret for the browser's cookie."""
    secret = secrets.token_urlsafe(32)
    session.add(
        SignIn(
            owner_id=owner_id,
            secret_hash=digest(secret),
            agent=agent[:200],
            expires_at=utc_now() + timedelta(days=days),
        )
    )
    session.flush()
    return secret


def note_address(session: Session, owner_id: int, address_mac: str) -> None:
    """Remember, as a keyed hash, from where an owner has signed in."""
    now = utc_now()
    seen = session.get(SeenAddress, (owner_id, address_mac))
    if seen is None:
        session.add(SeenAddress(owner_id=owner_id, address_mac=address_mac))
    else:
        seen.times, seen.last_at = seen.times + 1, now
    forgotten = sa.delete(SeenAddress).where(
        col(SeenAddress.owner_id) == owner_id,
        col(SeenAddress.last_at) < now - timedelta(days=ADDRESS_DAYS),
    )
    session.exec(forgotten)
    session.flush()


def shared_addresses(session: Session) -> list[list[tuple[Owner, SeenAddress]]]:
    """Per address from which more than one account has signed in: who, how often and when."""
    shared = (
        sa.select(col(SeenAddress.address_mac))
        .group_by(col(SeenAddress.address_mac))
        .having(sa.func.count() > 1)
    )
    query = (
        sa.select(Owner, SeenAddress)
        .join(SeenAddress, col(SeenAddress.owner_id) == col(Owner.id))
        .where(
            col(SeenAddress.address_mac).in_(shared),
            col(SeenAddress.last_at) > utc_now() - timedelta(days=ADDRESS_DAYS),
        )
        .order_by(col(SeenAddress.address_mac), col(Owner.handle))
    )
    found: dict[str, list[tuple[Owner, SeenAddress]]] = {}
    for owner, seen in session.execute(query):
        found.setdefault(seen.address_mac, []).append((owner, seen))
    return [rows for rows in found.values() if len(rows) > 1]


def signed_in(session: Session, secret: str) -> Owner | None:
    """Whose browser this is; None: unknown, expired, or the account is disabled."""
    wanted = {"secret": digest(secret), "now": utc_now()}
    return session.execute(_signed_in(), wanted).scalar_one_or_none()


@cache
def _signed_in() -> sa.Select[Owner]:
    """Put together once: every request of somebody who is signed in asks it."""
    return (
        sa.select(Owner)
        .join(SignIn, col(SignIn.owner_id) == col(Owner.id))
        .where(
            col(SignIn.secret_hash) == sa.bindparam("secret"),
            col(SignIn.expires_at) > sa.bindparam("now"),
            col(Owner.disabled_at).is_(None),
        )
    )


def sign_out(session: Session, secret: str) -> None:
    """End one sign-in, and clear away expired ones."""
    gone = sa.or_(col(SignIn.secret_hash) == digest(secret), col(SignIn.expires_at) < utc_now())
    session.exec(sa.delete(SignIn).where(gone))


def invite(
    session: Session,
    kind: InvitationKind,
    *,
    owner_id: int | None = None,
    role: Role = Role.AUTHOR,
    invited_by_id: int | None = None,
    note: str = "",
    days: int = INVITATION_DAYS,
) -> str:
    """Make a link that works once; returns its secret."""
    secret = secrets.token_urlsafe(24)
    session.add(
        Invitation(
            kind=kind,
            secret_hash=digest(secret),
            owner_id=owner_id,
            role=role,
            note=note,
            invited_by_id=invited_by_id,
            expires_at=utc_now() + timedelta(days=days),
        )
    )
    session.flush()
    return secret


def invitation(session: Session, secret: str) -> Invitation | None:
    """The invitation behind a secret; None: unknown, used, expired, or its owner is disabled."""
    query = (
        select(Invitation)
        .outerjoin(Owner, col(Owner.id) == col(Invitation.owner_id))
        .where(
            Invitation.secret_hash == digest(secret),
            col(Invitation.used_at).is_(None),
            Invitation.expires_at > utc_now(),
            col(Owner.disabled_at).is_(None),
        )
    )
    return session.exec(query).one_or_none()


def use_invitation(session: Session, secret: str, used_by_id: int | None = None) -> Invitation:
    """Take an invitation; of two who try at once one gets it."""
    change = (
        sa.update(Invitation)
        .where(
            col(Invitation.secret_hash) == digest(secret),
            col(Invitation.used_at).is_(None),
            col(Invitation.expires_at) > utc_now(),
        )
        .values(used_at=utc_now(), used_by_id=used_by_id)
        .returning(col(Invitation.id))
    )
    row = session.exec(change).one_or_none()
    if row is None:
        raise NotFound("got an invitation that is unknown, used or expired; ask for a new one")
    return locked(session, Invitation, row[0])


def end_invitations(session: Session, kind: InvitationKind) -> None:
    """End all links of a kind that were not used yet."""
    now = utc_now()
    session.exec(
        sa.update(Invitation)
        .where(
            col(Invitation.kind) == kind,
            col(Invitation.used_at).is_(None),
            col(Invitation.expires_at) > now,
        )
        .values(expires_at=now)
    )


def add_token(
    session: Session,
    owner_id: int,
    name: str,
    secret: str,
    scopes: Iterable[str] = (),
    *,
    expires_at: datetime | None = None,
) -> Token:
    """Keep an API token; of its secret only the hash and the beginning."""
    token = Token(
        owner_id=owner_id,
        name=name[:100],
        prefix=secret[:10],
        secret_hash=digest(secret),
        scopes=sorted(set(scopes)),
        expires_at=expires_at,
    )
    session.add(token)
    session.flush()
    return token


def token_owner(session: Session, secret: str) -> tuple[Token, Owner] | None:
    """Token and owner behind a secret; None: unknown, revoked, expired or disabled."""
    now = utc_now()
    query = (
        select(Token, Owner)
        .join(Owner, col(Owner.id) == col(Token.owner_id))
        .where(
            Token.secret_hash == digest(secret),
            col(Token.revoked_at).is_(None),
            sa.or_(col(Token.expires_at).is_(None), col(Token.expires_at) > now),
            col(Owner.disabled_at).is_(None),
        )
    )
    row = session.exec(query).one_or_none()
    return None if row is None else (row[0], row[1])


def needs_touch(token: Token) -> bool:
    """Whether the time of last use is old enough to be written again by `touch_token`."""
    return token.last_used_at is None or utc_now() - token.last_used_at > USED_RESOLUTION


def touch_token(session: Session, token_id: int) -> None:
    """Note that a token was used."""
    session.exec(sa.update(Token).where(col(Token.id) == token_id).values(last_used_at=utc_now()))


def tokens(session: Session, owner_id: int) -> list[Token]:
    """The tokens of an owner that still work, newest first."""
    query = select(Token).where(Token.owner_id == owner_id, col(Token.revoked_at).is_(None))
    return list(session.exec(query.order_by(col(Token.id).desc())).all())


def revoke_tokens(session: Session, owner_id: int) -> int:
    """End all tokens of an owner; returns how many worked until now."""
    change = (
        sa.update(Token)
        .where(col(Token.owner_id) == owner_id, col(Token.revoked_at).is_(None))
        .values(revoked_at=utc_now())
    )
    return int(session.exec(change).rowcount)


def revoke_token(session: Session, token_id: int, owner_id: int) -> bool:
    """End a token of this owner; False: it is not one of theirs, or ended already."""
    change = (
        sa.update(Token)
        .where(
            col(Token.id) == token_id,
            col(Token.owner_id) == owner_id,
            col(Token.revoked_at).is_(None),
        )
        .values(revoked_at=utc_now())
    )
    return bool(session.exec(change).rowcount)


def any_webhook(session: Session) -> bool:
    """Whether any owner wants to be called."""
    return session.exec(select(Owner.id).where(col(Owner.webhook).is_not(None))).first() is not None


def end_organiser_links(session: Session) -> int:
    """Let the unused links for a first organiser expire now; returns how many."""
    now = utc_now()
    change = (
        sa.update(Invitation)
        .where(
            col(Invitation.kind) == InvitationKind.ORGANISER,
            col(Invitation.used_at).is_(None),
            col(Invitation.expires_at) > now,
        )
        .values(expires_at=now)
    )
    return int(session.exec(change).rowcount)
