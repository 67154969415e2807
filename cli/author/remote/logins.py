"""Addresses and tokens of leagues, kept in one file that only this user can read."""

import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from cli.options import refuse

PRIVATE = 0o600
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class Login:
    """A league and the token that speaks for us there."""

    url: str
    token: str


def file() -> Path:
    """Where logins are kept."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "bullring" / "logins.json"


def clean_url(text: str) -> str:
    """An address as it is kept: scheme and host, no slash at the end.

    >>> clean_url("localhost:8000/")
    'http://localhost:8000'
    >>> clean_url("bullring.example")
    'https://bullring.example'
    """
    if "://" not in text:
        bare = urlsplit(f"//{text}")
        text = f"{'http' if bare.hostname in LOOPBACK else 'https'}://{text}"
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        refuse(f"got the address {text!r}, expected one like https://bullring.example")
    if parts.username or parts.password:
        refuse(
            "got an address with a name or password in it; leave them out, the token is asked for"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path}".rstrip("/")


def is_loopback(url: str) -> bool:
    """Whether the league runs on this machine."""
    return urlsplit(url).hostname in LOOPBACK


def save(login: Login) -> Path:
    """Keep a login; it is the one that commands use from now on."""
    kept = _read()
    kept["current"] = login.url
    kept["tokens"] = {**_tokens(kept), login.url: login.token}
    return _write(kept)


def forget(url: str | None) -> str | None:
    """Drop the token of a league, the current one if none is named; returns whose."""
    kept = _read()
    url = url or _current(kept)
    tokens = _tokens(kept)
    if url is None or tokens.pop(url, None) is None:
        return None
    current = _current(kept)
    _write({"current": None if current == url else current, "tokens": tokens})
    return url


def chosen(server: str | None, token: str | None, *, public: bool = False) -> Login:
    """The league to talk to: as named, else the one of the last login.

    What is `public` is asked for without a token where there is none.
    """
    kept = _read()
    url = clean_url(server) if server else _current(kept)
    if url is None:
        instead = "name one with --server URL, or " if public else ""
        refuse(f"no league is known here; {instead}begin with: bullring login URL")
    found = token or _tokens(kept).get(url)
    if not found and not public:
        refuse(f"there is no token for {url}; begin with: bullring login {url}")
    return Login(url, found or "")


def _current(kept: dict[str, object]) -> str | None:
    current = kept.get("current")
    return current if isinstance(current, str) else None


def _tokens(kept: dict[str, object]) -> dict[str, str]:
    tokens = kept.get("tokens")
    if not isinstance(tokens, dict):
        return {}
    return {str(url): str(token) for url, token in tokens.items()}


def _read() -> dict[str, object]:
    path = file()
    try:
        mode = path.stat().st_mode & 0o777
        if mode & 0o077:
            refuse(f"{path} can be read by others (mode {mode:o}); run: chmod 600 {path}")
        kept = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        refuse(f"{path} cannot be read ({error}); remove it and log in again")
    if not isinstance(kept, dict):
        refuse(f"{path} does not hold logins; remove it and log in again")
    return kept


def _write(kept: dict[str, object]) -> Path:
    path = file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    # A new file, private from its first moment, takes the place of the old one in one step.
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        json.dump(kept, out, indent=1)
    Path(name).chmod(PRIVATE)
    Path(name).replace(path)
    return path
