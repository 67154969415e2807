"""What a worker shows before it takes matches, and what `bullring doctor` asks besides."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from league.wiring.sandboxes import docker_engine
from league.wiring.stores import remote_files
from sandbox.owner import default_state_dir

if TYPE_CHECKING:
    from league.settings import LeagueSettings
    from league.worker import Check
    from store import Store


def worker_checks(settings: LeagueSettings, database: Store) -> list[Check]:
    """What a worker of these settings shows before it takes matches."""
    from league.worker import (
        broker_check,
        database_check,
        disk_check,
        engine_checks,
        files_check,
        memory_check,
    )

    checks = [
        database_check(database),
        disk_check((settings.blobs,), settings.disk_min_bytes, _scratch),
        memory_check(settings.memory_min_bytes),
    ]
    files = remote_files(settings)
    if files is not None:
        checks.append(files_check(files))
    if settings.redis_url is not None:
        checks.append(broker_check(settings))
    if settings.sandbox == "docker":
        seconds = settings.engine_seconds
        checks += engine_checks(
            partial(docker_engine, seconds), settings.needed_bases, seconds, settings.runtime
        )
    return checks


def _scratch() -> tuple[Path, ...]:
    """Where every match has its sockets, and where what is built or copied lies for a while."""
    return default_state_dir(), Path(tempfile.gettempdir())


def registry_check(settings: LeagueSettings) -> Check:
    """Whether the image registry answers, for `bullring doctor`; engines ask it for themselves."""
    from league.worker import Check

    def look() -> str | None:
        import urllib.request

        url = f"http://{settings.image_registry}/v2/"
        try:
            with urllib.request.urlopen(url, timeout=min(10.0, settings.registry_seconds)):
                return None
        except OSError as error:
            return f"{url} does not answer: {error}; start the registry"

    return Check(name="registry", look=look)
