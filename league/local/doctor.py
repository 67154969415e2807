"""What this machine can do for a league, for `bullring doctor`; the checks are the sandbox's."""

import shutil
from dataclasses import dataclass

from league import wiring
from league.settings import LeagueSettings
from sandbox.api import PlatformFault
from sandbox.doctor import Finding, Level, examine
from sandbox.engine import Engine
from sandbox.host_facts import collect
from sandbox.owner import Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What was found, and what was removed."""

    findings: list[Finding]
    reaped: str | None = None


async def examine_machine(settings: LeagueSettings, *, reap: bool) -> Examined:
    """Examine this machine; with `reap`, remove what dead processes left behind first."""
    owner = Owner()
    engine: Engine | None = None
    error: str | None = None
    try:
        engine = wiring.docker_engine()
    except PlatformFault as fault:
        error = str(fault)
    try:
        reaped = None
        if reap and engine is not None:
            gone = await wiring.docker_sandbox(engine, owner).reap()
            reaped = (
                f"removed {len(gone.containers)} containers, {len(gone.images)} images and what "
                f"{len(gone.owners)} dead processes had left"
            )
        elif reap:
            reaped = f"removed what {len(owner.sweep())} dead processes had left"
        facts = await collect(engine, owner, error)
        return Examined(findings=[*examine(facts), *_services(settings)], reaped=reaped)
    finally:
        if engine is not None:
            engine.close()
        owner.close()


def _services(settings: LeagueSettings) -> list[Finding]:
    """The parts beside the sandbox: what is there, and what it would enable."""
    found = []
    for name, program, enables, package in (
        ("Redis", "redis-server", "workers on more than one machine", "redis-server"),
        ("PostgreSQL", "postgres", "a database for many workers", "postgresql"),
        ("Chromium", "chromium", "the tests of the pages", "chromium"),
    ):
        path = shutil.which(program) or shutil.which("psql" if name == "PostgreSQL" else program)
        found.append(
            Finding(
                name=name,
                level=Level.OK if path else Level.NOTE,
                found=path or "not on this machine",
                means=f"It enables {enables}; the embedded league does without.",
                do="" if path else f"If you want that: apt install {package}",
            )
        )
    where = settings.data_dir.resolve()
    found.append(
        Finding(
            name="data folder",
            level=Level.OK,
            found=str(where),
            means="Database, replays and secrets of the embedded league are here.",
        )
    )
    return found
