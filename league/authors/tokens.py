"""API tokens: `br_`, 256 random bits, and a checksum that tells a typing error at once."""

import secrets
import string
import zlib
from collections.abc import Iterable
from datetime import datetime

from sqlmodel import Session

from store import Token, accounts

PREFIX = "br_"
_DIGITS = string.digits + string.ascii_letters
_RANDOM_LENGTH = 43
_CHECK_LENGTH = 6


def issue_token(
    session: Session,
    owner_id: int,
    name: str,
    scopes: Iterable[str],
    *,
    expires_at: datetime | None = None,
) -> tuple[Token, str]:
    """Make a token; returns its row and the secret, which is shown once and stored hashed."""
    body = PREFIX + "".join(secrets.choice(_DIGITS) for _ in range(_RANDOM_LENGTH))
    secret = body + _checksum(body)
    token = accounts.add_token(session, owner_id, name, secret, scopes, expires_at=expires_at)
    return token, secret


def looks_right(secret: str) -> bool:
    """Whether the checksum fits; a wrong one needs no look at the store.

    >>> looks_right("br_nonsense")
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
