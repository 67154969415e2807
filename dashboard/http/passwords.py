"""Passwords by argon2id. Slow on purpose, so callers run these in a thread, never on the loop."""

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from dashboard.http.problems import Refused

MIN_LENGTH = 10
MAX_LENGTH = 200
_HASHER = PasswordHasher()
# Verified when there is no such account, so that the answer takes as long as for one there is.
_NOBODYS = _HASHER.hash("a password that nobody has")


def hash_password(password: str) -> str:
    """The hash to store; refuses what is too short to be safe or too long to be meant."""
    if not MIN_LENGTH <= len(password) <= MAX_LENGTH:
        raise Refused(
            422,
            f"got a password of {len(password)} characters, expected {MIN_LENGTH} to {MAX_LENGTH};"
            " a few unrelated words are easy to remember",
        )
    return _HASHER.hash(password)


def password_fits(stored: str | None, password: str) -> bool:
    """Whether the password is the one behind the hash; as slow without a hash as with one."""
    try:
        _HASHER.verify(stored or _NOBODYS, password[: MAX_LENGTH + 1])
    except (VerificationError, InvalidHashError):
        return False
    return stored is not None
