"""What a worker looks at before it takes matches: one function a thing, each within its timeout."""

import asyncio
import errno
import shutil
import tempfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import redis
import sqlalchemy as sa

from league.matches import NO_ROOM
from league.settings import LeagueSettings
from league.worker.admission import Check, Elsewhere
from league.worker.broker import MARK
from sandbox.health import free_memory
from store import BlobError, BlobsAway, NoRoom, NotReady, Store, StoreError

if TYPE_CHECKING:
    from sandbox.engine import Engine
    from store.remote import RemoteFiles

CLOCK_SECONDS = 60.0
"""How far the clock of a machine may be from the database's; logs and replays carry it."""
PROBE_BYTES = 2**16
REFUSED_STATES = ("28", "42501", "3D000")
"""SQLSTATEs of a database that answers and refuses: sign-in, rights, no such database."""


def database_check(database: Store) -> Check:
    """The database answers, has the schema of this program, and its clock is near ours."""

    def look() -> str | None:
        try:
            database.check_schema()
            away = abs((database.now() - datetime.now(UTC)).total_seconds())
        except NotReady as error:
            raise Elsewhere(str(error)) from None
        except StoreError as error:
            return str(error)
        except sa.exc.OperationalError as error:
            state = str(getattr(error.orig, "sqlstate", None) or "")
            text = str(error.orig).strip().splitlines()[0] if str(error.orig) else "no answer"
            if state.startswith(REFUSED_STATES) or "authentication failed" in text:
                return f"{text}; check BULLRING_DATABASE_URL"
            raise Elsewhere(text) from None
        except sa.exc.TimeoutError as error:
            raise Elsewhere(str(error)) from None
        if away > CLOCK_SECONDS:
            return (
                f"this machine's clock is {away:.0f} seconds from the database's; expected less"
                f" than {CLOCK_SECONDS:.0f}: start a time service here"
            )
        return None

    return Check(name="database", look=look)


def broker_check(settings: LeagueSettings) -> Check:
    """Redis answers, and the league's clock rings there. Matches are played without it too."""

    def look() -> str | None:
        assert settings.redis_url is not None
        client = redis.Redis.from_url(
            settings.redis_url,
            socket_timeout=settings.redis_seconds,
            socket_connect_timeout=settings.redis_seconds,
        )
        try:
            with client:
                found = client.exists(MARK)
        except redis.RedisError as error:
            return f"{error}; check BULLRING_REDIS_URL, or start Redis"[:300]
        if not found:
            return (
                "no clock of this league has rung in this Redis database in the last minute;"
                " check BULLRING_REDIS_URL (its database number too), or start a clock"
            )
        return None

    return Check(name="broker", look=look, hint=True)


def files_check(files: "RemoteFiles") -> Check:
    """The file service takes replays from this worker."""

    def look() -> str | None:
        try:
            files.check()
        except (BlobsAway, NoRoom) as error:
            raise Elsewhere(str(error)) from None
        except BlobError as error:
            return f"{error}; check BULLRING_FILES_PASSWORD and BULLRING_FILES_URL"
        return None

    return Check(name="files", look=look)


def disk_check(
    folders: Sequence[Path], least: int, scratch: Callable[[], Sequence[Path]] = tuple
) -> Check:
    """A replay can be written in each of these folders, and there is room for the next ones.

    In the `scratch` folders, which hold sockets and what is only short-lived, anything can be
    written at all: they may be small.
    """

    def look() -> str | None:
        for folder in folders:
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                _probe(folder)
                free = shutil.disk_usage(folder).free
            except OSError as error:
                return _unwritable(folder, error)
            if free < least:
                return (
                    f"{free / 2**20:.0f} MiB are free in {folder}, expected {least / 2**20:.0f};"
                    " free some, or lower BULLRING_DISK_MIN_BYTES"
                )
        for folder in scratch():
            try:
                # As the sandbox makes it: referees may enter, and list nothing.
                folder.mkdir(mode=0o711, parents=True, exist_ok=True)
                _probe(folder)
            except OSError as error:
                return _unwritable(folder, error)
        return None

    return Check(name="disk", look=look)


def _probe(folder: Path) -> None:
    with tempfile.NamedTemporaryFile(prefix=".probe-", dir=folder) as probe:
        probe.write(bytes(PROBE_BYTES))
        probe.flush()


def _unwritable(folder: Path, error: OSError) -> str:
    full = error.errno in (*NO_ROOM, errno.EFBIG)
    return f"{folder} cannot be written: {'no room' if full else error.strerror}"


def memory_check(least: int, available: Callable[[], int] = free_memory) -> Check:
    """The machine has memory for the bots of the next match."""

    def look() -> str | None:
        free = available()
        if free < least:
            return (
                f"{free / 2**20:.0f} MiB of memory are available, expected {least / 2**20:.0f};"
                " stop what else runs here, take fewer slots (BULLRING_SLOTS), or lower"
                " BULLRING_MEMORY_MIN_BYTES"
            )
        return None

    return Check(name="memory", look=look)


def engine_checks(
    make_engine: Callable[[], "Engine"],
    bases: Sequence[str],
    seconds: float,
    runtime: str | None = None,
) -> list[Check]:
    """The Docker engine of this machine answers, has the images that bots are built on, and the
    runtime that they are to have."""
    from sandbox.api import PlatformFault

    async def ask(images: Sequence[str]) -> list[str]:
        """The images that are missing."""
        engine = make_engine()
        missing = []
        try:
            async with asyncio.timeout(seconds):
                known = (await engine.info()).get("Runtimes") or {}
                if runtime is not None and runtime not in known:
                    raise PlatformFault(
                        f"the engine has no runtime {runtime!r}, only {', '.join(sorted(known))};"
                        " register it there, or change BULLRING_RUNTIME"
                    )
                for image in images:
                    try:
                        await engine.image(image)
                    except PlatformFault:
                        missing.append(image)
        finally:
            engine.close()
        return missing

    def engine() -> str | None:
        try:
            asyncio.run(ask(()))
        except PlatformFault as error:
            return str(error)
        except TimeoutError:
            return f"the Docker engine did not answer within {seconds:.0f} seconds; restart it"
        return None

    def base_images() -> str | None:
        try:
            missing = asyncio.run(ask(bases))
        except (PlatformFault, TimeoutError):
            # The other check says so.
            return None
        if missing:
            return (
                f"there is no image {', '.join(missing)} on this machine; make it with"
                " `python -m sandbox.base.make`, or change BULLRING_BASES"
            )
        return None

    return [Check(name="engine", look=engine), Check(name="base image", look=base_images)]
