"""Where bots run: the sandboxes of a league and of an author at home, and their images."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sandbox import bubblewrap
from sandbox.api import Sandbox
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox

if TYPE_CHECKING:
    from league.settings import LeagueSettings
    from sandbox.docker import DockerSandbox
    from sandbox.engine import Engine

DAY_SECONDS = 86_400.0


def process_sandbox(*, pin: bool = False) -> Sandbox:
    """Bots as processes of this machine, behind bubblewrap where it works: trusted bots only.

    With `pin` they keep to the cores of their slot.
    """
    return ProcessSandbox(bubblewrap.find(), pin=pin)


def docker_engine(seconds: float = 60.0) -> Engine:
    """The Docker engine of this machine. Raises PlatformFault where there is none."""
    from sandbox.engine import Engine

    return Engine(seconds=seconds)


def docker_sandbox(engine: Engine, owner: Owner, runtime: str | None = None) -> DockerSandbox:
    """The Docker runner over an engine that is open already."""
    from sandbox.docker import DockerSandbox

    return DockerSandbox(engine, owner, runtime)


def local_sandbox(kind: str, owner: Owner, *, pin: bool = False) -> Sandbox:
    """The sandbox for a match or a check of one's own."""
    if kind == "docker":
        from sandbox.docker import DockerSandbox
        from sandbox.mixed import MixedSandbox

        runtime = os.environ.get("BULLRING_RUNTIME") or None
        docker = DockerSandbox(owner=owner, runtime=runtime)
        return MixedSandbox(docker, process_sandbox(pin=pin))
    return process_sandbox(pin=pin)


def league_sandbox(settings: LeagueSettings, owner: Owner) -> Sandbox:
    """The sandbox of a worker; its registry has images that are not on this machine."""
    if settings.sandbox != "docker":
        return process_sandbox(pin=settings.fair_host)
    from sandbox.docker import DockerSandbox
    from sandbox.mixed import MixedSandbox

    contained = DockerSandbox(
        owner=owner,
        runtime=settings.runtime,
        registry=settings.image_registry,
        # Bots of one table must have no file in common, not even one of a base image.
        apart=True,
        engine_seconds=settings.engine_seconds,
        registry_seconds=settings.registry_seconds,
    )
    return MixedSandbox(contained, process_sandbox(pin=settings.fair_host))


async def reap(owner: Owner, settings: LeagueSettings) -> None:
    """Remove what dead workers of this machine left (containers, images, folders), and images that
    no match has used for long."""
    from sandbox.docker import DockerSandbox

    sandbox = DockerSandbox(owner=owner, runtime=settings.runtime)
    await sandbox.reap()
    await sandbox.images.evict(settings.image_idle_days * DAY_SECONDS)


async def fetch_images(settings: LeagueSettings, owner: Owner, images: Sequence[str]) -> None:
    """Have images ready before a match is claimed that needs them, and make room for them."""
    from sandbox.docker import DockerSandbox
    from sandbox.engine import Engine

    engine = Engine(seconds=settings.engine_seconds)
    try:
        sandbox = DockerSandbox(
            engine,
            owner,
            registry=settings.image_registry,
            apart=True,
            registry_seconds=settings.registry_seconds,
        )
        for image in images:
            await sandbox.images.ready(image)
        await sandbox.images.evict(settings.image_idle_days * DAY_SECONDS)
    finally:
        engine.close()
