"""Passwords from files: what `BULLRING_…_FILE` names is read once, when the settings are.

A password in a file is in no environment, so neither `docker inspect` nor a process's `/proc`
shows it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from league.errors import Malformed

MAX_BYTES = 4096
"""More than any password; a file that is longer is another file."""
PASSWORDS = ("worker_password", "files_password")
"""Settings that are a password themselves."""
ADDRESSES = {"database_password": "database_url", "redis_password": "redis_url"}
"""Passwords that belong into an address."""


def with_secrets(given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with what their files hold; Malformed names the setting and the file."""
    settings = dict(given)
    for name in PASSWORDS:
        path = settings.get(f"{name}_file")
        if not path:
            continue
        secret = read_secret(_env(name), Path(path))
        # The same is no conflict: settings are also made from settings.
        if settings.get(name) not in (None, secret):
            raise Malformed(f"got both {_env(name)} and {_env(name)}_FILE; set one of them")
        settings[name] = secret
    for name, address in ADDRESSES.items():
        path = settings.get(f"{name}_file")
        if not path:
            continue
        if settings.get(address) is None:
            raise Malformed(f"got {_env(name)}_FILE without {_env(address)}; set both")
        secret = read_secret(_env(name), Path(path))
        settings[address] = with_password(_env(address), str(settings[address]), secret)
    return settings


def read_secret(name: str, path: Path) -> str:
    """The one line of a file; `name` is the setting that the file is for."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise Malformed(
            f"{name}_FILE: cannot read {path} ({error.strerror}); expected a file with a password"
        ) from None
    try:
        text = raw.decode().strip("\r\n")
    except UnicodeDecodeError:
        text = ""
    if not text or len(raw) > MAX_BYTES or not text.isprintable():
        raise Malformed(
            f"{name}_FILE: {path} does not hold a password; expected one line of 1 to {MAX_BYTES}"
            " bytes"
        )
    return text


def with_password(name: str, address: str, password: str) -> str:
    """The address with a password in it; Malformed if it has another one already.

    >>> with_password("BULLRING_DATABASE_URL", "postgresql://league@db/bullring", "a/b")
    'postgresql://league:a%2Fb@db/bullring'
    >>> with_password("BULLRING_REDIS_URL", "redis://redis:6379/0", "secret")
    'redis://:secret@redis:6379/0'
    """
    parts = urlsplit(address)
    login, _, host = parts.netloc.rpartition("@")
    user, colon, held = login.partition(":")
    secret = quote(password, safe="")
    if colon and held != secret:
        raise Malformed(f"{name} has a password already; leave it out, or the file")
    return parts._replace(netloc=f"{user}:{secret}@{host}").geturl()


def _env(name: str) -> str:
    return f"BULLRING_{name.upper()}"
