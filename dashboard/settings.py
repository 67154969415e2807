"""Settings of the dashboard, from the environment (`BULLRING_…`), and its secret on disk."""

import os
import secrets
import tempfile
from contextlib import suppress
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from limits import parse
from pydantic import Field, field_validator

from league.settings import LeagueSettings

ROOT = Path(__file__).resolve().parent.parent
# The wheel has them inside this package.
DOCS = ROOT / "docs" if (ROOT / "docs").is_dir() else ROOT / "dashboard" / "docs"
SECRET_BYTES = 32
MEBIBYTE = 1024 * 1024


class SignUp(StrEnum):
    """Who may make an account."""

    OPEN = "open"
    """Anyone."""
    INVITATION = "invitation"
    """Whoever holds a link that an organiser made."""
    CLOSED = "closed"
    """No one; organisers give access by other means."""


class Settings(LeagueSettings):
    """The league's settings and the pages' own; each name is an environment variable."""

    base_url: str = "http://127.0.0.1:8000"
    """The address people type; links, the Origin check and the cookies follow it."""
    site_name: str = "Bullring"
    sign_up: SignUp = SignUp.INVITATION
    upload_max_bytes: int = Field(default=512 * MEBIBYTE, gt=0)
    submissions_per_day: int = Field(default=20, gt=0)
    """Submissions one owner may make in 24 hours."""
    friendlies_at_once: int = Field(default=2, ge=1, le=50)
    """Friendly matches of one owner that may wait or be played at the same time."""
    friendlies_per_hour: int = Field(default=10, ge=0)
    """Friendly matches one owner may ask for in an hour; 0: there are none in this league."""
    friendlies_per_day: int = Field(default=50, ge=0)
    """The same in 24 hours."""
    friendly_games: int = Field(default=400, ge=2)
    """The most games in one friendly match."""
    bots_per_owner: int = Field(default=20, gt=0, le=200)
    """Bots that one owner may have; versions are counted by the day."""
    sign_in_limit: str = "10/minute"
    """Tries to sign in and new accounts, by address."""
    submit_limit: str = "10/minute"
    """Submissions, by account."""
    write_limit: str = "60/minute"
    """Every other change, by account or address."""
    review_limit: str = "20/hour"
    """Reviews asked for, by account or address; those that exist already are free."""
    read_limit: str = "1200/minute"
    """Reads of the API, by token or address."""
    page_limit: str = "1200/minute"
    """Pages, by address."""
    token_limit: str = "60/minute"
    """Requests with a wrong token, by address."""
    trusted_proxies: int = Field(default=0, ge=0)
    """How many reverse proxies stand in front; their X-Forwarded-For entries are believed."""
    page_cache_seconds: float = Field(default=2.0, ge=0)
    """How old a page for people who are not signed in may be; the front page, seasons and
    replays are never old."""
    page_shelf_bytes: int = Field(default=64 * MEBIBYTE, ge=0)
    """Memory for pages that are kept while their data stay the same; 0 keeps none."""
    live_seconds: float = Field(default=1.0, gt=0)
    """How often live pages look at the store; once for all watchers of the same thing."""
    live_speed: float = Field(default=1.0, gt=0, le=100)
    """How fast games are shown that are followed live; 1 is the pace of a replay."""
    docs_dir: Path = DOCS

    @field_validator("base_url")
    @classmethod
    def _check_address(cls, address: str) -> str:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ValueError("an address such as https://bullring.example")
        return address

    @field_validator(
        "sign_in_limit", "submit_limit", "write_limit", "review_limit", "read_limit",
        "page_limit", "token_limit",
    )  # fmt: skip
    @classmethod
    def _check_limit(cls, limit: str) -> str:
        try:
            parse(limit)
        except ValueError:
            raise ValueError("a limit such as 60/minute") from None
        return limit

    @cached_property
    def origin(self) -> str:
        """Scheme, host and port of the public address."""
        parts = urlsplit(self.base_url)
        return f"{parts.scheme}://{parts.netloc}"

    @cached_property
    def secure(self) -> bool:
        """Whether people reach the site by https, so that cookies may insist on it."""
        return self.base_url.startswith("https:")

    @property
    def uploads(self) -> Path:
        """Where uploads lie until a worker takes them; `Submission.source` is a name in it."""
        return self.data_dir / "uploads"


def load_secret(data_dir: Path) -> bytes:
    """The site's secret, made at the first start; only this account can read its file."""
    path = data_dir / "secret"
    data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():
        # Whole before it has its name: a full disk must not leave a file that is no secret.
        descriptor, name = tempfile.mkstemp(prefix=".secret-", dir=data_dir)
        try:
            with os.fdopen(descriptor, "w") as file:
                file.write(secrets.token_hex(SECRET_BYTES))
                file.flush()
                os.fsync(file.fileno())
            # Of two processes that start together, one names its own and both read that.
            with suppress(FileExistsError):
                path.hardlink_to(name)
        finally:
            Path(name).unlink()
    return _read_secret(path)


def _read_secret(path: Path) -> bytes:
    mode = path.stat().st_mode & 0o777
    if mode & 0o077:
        raise PermissionError(
            f"{path} may be read by others (mode {mode:o}), expected 600; run `chmod 600 {path}`"
        )
    try:
        secret = bytes.fromhex(path.read_text().strip())
    except ValueError:
        secret = b""
    if len(secret) != SECRET_BYTES:
        raise ValueError(
            f"{path} does not hold {SECRET_BYTES} bytes in hexadecimal; remove it; all users"
            " then sign in again"
        )
    return secret
