"""API tokens: what they may be used for, made and ended, and how a secret looks.

A secret is `br_`, 256 random bits, and a checksum that reveals a typing error at once.
"""

import secrets
import string
import zlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import Malformed, NotAllowed, NotThere
from store import Owner, Role, Token, utc_now

TOKEN_DAYS = 3650
"""The longest life of a token that expires at all."""
PREFIX = "br_"
_DIGITS = string.digits + string.ascii_letters
_RANDOM_LENGTH = 43
_CHECK_LENGTH = 6


class Scope(StrEnum):
    """What a token may be used for."""

    READ = "read"
    """Read what is private to its owner."""
    SUBMIT = "submit"
    """Submit bots."""
    MANAGE = "manage"
    """Make and change bots, enter seasons, make and end tokens."""
    ORGANISE = "organise"
    """What organisers may do; only theirs can have it."""


def make_token(
    session: Session,
    owner: Owner,
    name: str,
    scopes: Sequence[str],
    actor: Actor,
    *,
    days: int | None = None,
    own: frozenset[str] | None = None,
    until: datetime | None = None,
) -> tuple[Token, str]:
    """Make a token of this owner; returns its row and the secret, which is shown once.

    `own` and `until` are the scopes and the end of the token that asks for it: a token makes none
    that may do more or lives longer than itself. None: a browser, or the machine's operator.
    """
    if not name.strip() or not scopes:
        raise Malformed("a token needs a name and at least one scope")
    _check_scopes(owner.role, scopes, own)
    if days is not None and not 1 <= days <= TOKEN_DAYS:
        raise Malformed(f"got {days} days, expected 1 to {TOKEN_DAYS}, or nothing")
    asked = None if days is None else utc_now() + timedelta(days=days)
    expires = min((end for end in (asked, until) if end is not None), default=None)
    token, secret = issue_token(session, owner.id, name, scopes, expires_at=expires)
    store.audit.record(session, Action.TOKEN_MADE, "token", token.id, actor=actor)
    return token, secret


def end_token(session: Session, owner: Owner, token_id: int, actor: Actor) -> None:
    """End a token of this owner."""
    if not store.accounts.revoke_token(session, token_id, owner.id):
        raise NotThere(f"got token {token_id}, expected one of yours that still works")
    store.audit.record(session, Action.TOKEN_ENDED, "token", token_id, actor=actor)


def _check_scopes(role: Role, wanted: Sequence[str], own: frozenset[str] | None) -> None:
    """Refuse scopes that do not exist, or that the maker does not have."""
    known = [scope.value for scope in Scope]
    for name in wanted:
        if name not in known:
            raise Malformed(f"got scope {name[:40]!r}, expected some of {', '.join(known)}")
        if own is not None and name not in own:
            raise NotAllowed(f"a token without scope {name!r} cannot make one that has it")
    if Scope.ORGANISE in wanted and role is not Role.ORGANISER:
        raise NotAllowed("only organisers can have tokens with scope 'organise'")


def issue_token(
    session: Session,
    owner_id: int,
    name: str,
    scopes: Iterable[str],
    *,
    expires_at: datetime | None = None,
) -> tuple[Token, str]:
    """A token as it is stored, hashed, and its secret; `make_token` checks and audits it."""
    body = PREFIX + "".join(secrets.choice(_DIGITS) for _ in range(_RANDOM_LENGTH))
    secret = body + _checksum(body)
    token = store.accounts.add_token(session, owner_id, name, secret, scopes, expires_at=expires_at)
    return token, secret


def token_looks_right(secret: str) -> bool:
    """Whether the checksum fits; a wrong one needs no look at the store.

    >>> token_looks_right("br_nonsense")
    False
    """
    body, check = secret[:-_CHECK_LENGTH], secret[-_CHECK_LENGTH:]
    return (
        secret.startswith(PREFIX)
        and len(body) == len(PREFIX) + _RANDOM_LENGTH
        and secret.isascii()
        and check == _checksum(body)
    )


def _checksum(body: str) -> str:
    """The CRC-32 in base 62, six digits."""
    value = zlib.crc32(body.encode())
    digits = []
    for _ in range(_CHECK_LENGTH):
        value, rest = divmod(value, len(_DIGITS))
        digits.append(_DIGITS[rest])
    return "".join(reversed(digits))
