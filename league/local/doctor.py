"""What this machine can do for a league, for `bullring doctor`; the checks are the sandbox's."""

import asyncio
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from league import wiring
from league.settings import LeagueSettings
from sandbox.api import PlatformFault
from sandbox.doctor import Finding, Level, examine
from sandbox.engine import Engine
from sandbox.host_facts import collect
from sandbox.owner import Owner

if TYPE_CHECKING:
    from league.worker import Check
    from store import Store, Worker


TO_DO = {
    "database": "Start PostgreSQL and look at BULLRING_DATABASE_URL; for another release's schema,"
    ' run bullring db upgrade (docs/runbook.md, "The database is slow").',
    "disk": 'Free space there, or move the folder: docs/runbook.md, "The disk is full".',
    "memory": "End what else runs here, or set fewer slots (BULLRING_SLOTS).",
    "files": "Start bullring files where the replays are, and give both ends the same"
    " BULLRING_FILES_PASSWORD.",
    "broker": "Start Redis and a clock, and give both the same BULLRING_REDIS_URL.",
    "engine": "Start Docker (systemctl start docker), and let this user reach its socket.",
    "base image": "Make it: python -m sandbox.base.make",
    "registry": "Start the registry, or unset BULLRING_IMAGE_REGISTRY on a league of one machine.",
}
"""What to do about a check that fails, by its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What was found, and what was removed."""

    findings: list[Finding]
    reaped: str | None = None


async def examine_machine(
    settings: LeagueSettings, *, reap: bool, league: bool = False
) -> Examined:
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
            gone = await wiring.docker_sandbox(engine, owner, settings.runtime).reap()
            reaped = (
                f"removed {len(gone.containers)} containers, {len(gone.images)} images and what "
                f"{len(gone.owners)} dead processes had left"
            )
        elif reap:
            reaped = f"removed what {len(owner.sweep())} dead processes had left"
        facts = await collect(engine, owner, error, settings.runtime)
        found = [*examine(facts), *_services(settings)]
        found += await asyncio.to_thread(_answers, settings, league)
        return Examined(findings=found, reaped=reaped)
    finally:
        if engine is not None:
            engine.close()
        owner.close()


def _answers(settings: LeagueSettings, league: bool) -> list[Finding]:
    """What the settings name, asked: does it answer, how fast, and does it fit?"""
    from store import Store

    if settings.database_url is None and not Path(settings.data_dir, "bullring.db").exists():
        return [
            Finding(
                name="league",
                level=Level.NOTE,
                found=f"none in {settings.data_dir.resolve()} yet",
                means="Nothing to ask.",
                do="Start one: bullring up",
            )
        ]
    database = Store(settings.database, settings.blobs, timeouts=settings.database_timeouts)
    try:
        found = [_asked(check) for check in wiring.worker_checks(settings, database)]
        if settings.image_registry is not None:
            found.append(_asked(wiring.registry_check(settings)))
        return found + (_workers(database) if league else [])
    finally:
        database.close()


def _asked(check: "Check") -> Finding:
    begun = time.perf_counter()
    try:
        reason = check.look()
    except Exception as error:
        # Whatever it is, in one line.
        reason = (str(error).splitlines() or [type(error).__name__])[0]
    took = 1000 * (time.perf_counter() - begun)
    if reason is None:
        means = "As a worker needs it."
        return Finding(name=check.name, level=Level.OK, found=f"fits, {took:.0f} ms", means=means)
    return Finding(
        name=check.name,
        level=Level.RISK if check.hint else Level.BROKEN,
        found=f"{reason} ({took:.0f} ms)",
        means="Matches are played without it." if check.hint else "A worker takes no matches here.",
        do=TO_DO.get(check.name, "Fix what it names."),
    )


def _workers(database: "Store") -> list[Finding]:
    import store
    from store.migrate import newest_revision

    try:
        with database.read() as session:
            alive = {worker.name for worker in store.workers.alive(session)}
            rows = store.workers.recent(session)
    except store.DATABASE_ERRORS:
        # Its own finding says so.
        return []
    found = []
    for row in rows:
        state = row.state.value if row.name in alive or row.state.value == "gone" else "silent"
        problems = row.detail.get("problems")
        words = (
            "; ".join(f"{k}: {v}" for k, v in problems.items())
            if isinstance(problems, dict)
            else ""
        )
        schema = row.detail.get("schema")
        if row.name in alive and schema not in (None, newest_revision()):
            other = f"its release has database revision {schema}, this one {newest_revision()}"
            words = f"{words}; {other}" if words else other
        fine = state in ("up", "gone", "draining") and not words
        found.append(
            Finding(
                name=f"worker {row.name}",
                level=Level.OK if fine else Level.RISK,
                found=f"{state}, {row.busy} of {row.slots} busy, on {row.host}",
                means=words or "It says that all is well.",
                do="" if fine else "docs/runbook.md has a section for it.",
            )
        )
        if row.name in alive:
            found += _host(row)
    return found


def _host(row: "Worker") -> list[Finding]:
    """Why matches wait on the machine of a worker, or are played without a look at it."""
    import store

    host = store.workers.host_of(row)
    if host is None:
        return []
    found = []
    name = f"host of {row.name}"
    if host.waits is not None:
        found.append(
            Finding(
                name=name,
                level=Level.RISK,
                found=f"{host.waiting} wait for a fit host: {host.waits}",
                means="Matches and checks begin there only when the machine is fit for them.",
                do="End what else runs on that machine, or give the worker fewer slots"
                " (BULLRING_SLOTS).",
            )
        )
    if host.not_measured is not None:
        found.append(
            Finding(
                name=name,
                level=Level.NOTE,
                found=host.not_measured,
                means="Matches there are played at once and marked; nobody can say what others"
                " took from the bots.",
                do="Give the worker a core for each slot and one more, on a machine with"
                " /proc/stat (docs/sandbox.md).",
            )
        )
    return found


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
