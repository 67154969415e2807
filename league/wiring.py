"""The one place that builds concrete parts: which sandbox stands behind the boundary, which
database, and the worker that uses them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from sandbox import bubblewrap
from sandbox.api import Sandbox
from sandbox.canary import Canary, free_cores
from sandbox.host_sampler import HostSampler
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox

# Whoever plays at home needs a sandbox and nothing else. Database, broker and Docker take seconds
# to import, so the functions that need them import them.
if TYPE_CHECKING:
    from league.live import Watch
    from league.matches import Slot, Slots, TableBot
    from league.settings import LeagueSettings
    from league.submissions import DockerWorkshop
    from league.worker import Worker
    from referee.plan import MatchPlan
    from referee.result import MatchResult
    from sandbox.docker import DockerSandbox
    from sandbox.engine import Engine
    from store import Store
    from store.migrate import Running
    from store.remote import RemoteFiles


def process_sandbox(*, pin: bool = False) -> Sandbox:
    """Bots as processes of this machine, behind bubblewrap where it works: trusted bots only.

    With `pin` they keep to the cores of their slot.
    """
    return ProcessSandbox(bubblewrap.find(), pin=pin)


def docker_engine() -> Engine:
    """The Docker engine of this machine. Raises PlatformFault where there is none."""
    from sandbox.engine import Engine

    return Engine()


def docker_sandbox(engine: Engine, owner: Owner) -> DockerSandbox:
    """The Docker runner over an engine that is open already."""
    from sandbox.docker import DockerSandbox

    return DockerSandbox(engine, owner)


def local_sandbox(
    kind: str, owner: Owner, registry: str | None = None, *, pin: bool = False
) -> Sandbox:
    """The sandbox for a match or a check; `registry` has images that are not on this machine."""
    if kind == "docker":
        from sandbox.docker import DockerSandbox
        from sandbox.mixed import MixedSandbox

        return MixedSandbox(DockerSandbox(owner=owner, registry=registry), process_sandbox(pin=pin))
    return process_sandbox(pin=pin)


@contextmanager
def home_slot(*, void: bool) -> Iterator[Slot]:
    """The slot of a match or check at home: watched, but nobody waits for a calm machine.

    With `void`, lateness on an unfit host raises HostUnfit; otherwise it is told. Several
    commands at once share the cores, and each is foreign to the others.
    """
    from league.matches import Slot
    from league.settings import LeagueSettings

    [cores] = share_cores(1)
    if not cores or not LeagueSettings().fair_host:
        yield Slot(hold=False, void=void)
        return
    sampler, others = HostSampler(), free_cores(cores)
    sampler.start()
    try:
        with sampler.table(cores) as table:
            yield Slot(cores=cores, others=others, table=table, hold=False, void=void)
    finally:
        sampler.stop()


def share_cores(slots: int) -> list[tuple[int, ...]]:
    """The cores of this machine, by slot."""
    from league.matches import share_out, usable_cores

    return share_out(usable_cores(), slots)


def make_slots(settings: LeagueSettings) -> Slots:
    """The slots of a worker on this machine, and who watches them."""
    from league.matches import Slots

    shares = share_cores(settings.slots)
    others = free_cores(core for share in shares for core in share)
    sampler = None
    if settings.fair_host:
        canary = Canary(others) if others and any(shares) else None
        sampler = HostSampler(canary=canary)
    return Slots(shares, sampler, others=others, patience_s=settings.unfit_seconds)


def open_store(settings: LeagueSettings, *, running: Running = "refuse") -> Store:
    """The database of these settings, brought up to date, with the house bots in it.

    Raises StillPlaying where the upgrade must not meet a running attempt; see `store.migrate`.
    """
    from sqlalchemy.exc import IntegrityError

    from league.bots import ensure_house
    from store import Store

    # Before anything makes a folder inside it: no other account of the machine is to look in.
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = Store(settings.database, settings.blobs, timeouts=settings.database_timeouts)
    try:
        database.migrate(running=running)
    except BaseException:
        database.close()
        raise
    try:
        with database.write() as session:
            ensure_house(session)
    except IntegrityError:
        # Another process that starts at the same time was first; now everything is there.
        with database.write() as session:
            ensure_house(session)
    return database


def remote_files(settings: LeagueSettings) -> RemoteFiles | None:
    """The file service of these settings; None: this machine has the data folder."""
    if settings.files_url is None:
        return None
    from store.remote import RemoteFiles

    return RemoteFiles(settings.files_url, settings.worker_password or "", settings.files_seconds)


def join_store(settings: LeagueSettings) -> Store:
    """The database of these settings as the clock or the pages have prepared it.

    For workers, which may not change its schema. Raises NotReady until the others are done.
    """
    from store import Store
    from store.remote import RemoteBlobs

    files = remote_files(settings)
    blobs = RemoteBlobs(settings.blobs, files) if files else settings.blobs
    database = Store(settings.database, blobs, timeouts=settings.database_timeouts)
    try:
        database.check_schema()
    except BaseException:
        # Whoever waits for the schema comes again and again, also when told to stop.
        database.close()
        raise
    return database


class NoStage:
    """Where a lone clock would play, if it played."""

    runner = "none"

    async def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> MatchResult:
        """Never called: a lone clock consumes no queue of matches."""
        from league.matches import VoidMatch

        raise VoidMatch("this process keeps the clock and plays no matches")


def make_clock(settings: LeagueSettings, database: Store) -> Worker:
    """Only the clockwork: dates, queue, lost matches, ratings. It needs no sandbox."""
    from league.worker import Worker

    return Worker(settings, database, NoStage(), check=_not_here, clock=True, plays=False)


def make_worker(
    settings: LeagueSettings, database: Store, *, clock: bool = True, watch: Watch | None = None
) -> Worker:
    """A worker that plays in the sandbox of these settings."""
    from league.matches import HostGuard, SandboxStage
    from league.worker import Worker, worker_name

    host = _machine(settings)
    owner = Owner(host=host)
    slots = make_slots(settings)

    def sandbox() -> Sandbox:
        # House bots are trusted programs of this checkout and play beside the containers.
        return local_sandbox(
            settings.sandbox, owner, settings.image_registry, pin=settings.fair_host
        )

    # Socket folders of processes that died are of no use to anybody.
    found_dead = owner.sweep()
    guard = None
    if settings.sandbox == "docker":
        asyncio.run(_reap(owner))
        guard = HostGuard(docker_engine)
    stage = SandboxStage(sandbox, owner, guard, settings.referee_uid)
    name = worker_name()
    check: Callable[[int], None] = _not_here
    if settings.sandbox == "docker":
        check = _processor(settings, database, owner, name, slots)
    return Worker(
        settings,
        database,
        stage,
        check=check,
        clock=clock,
        watch=watch,
        name=name,
        host=host,
        owner=owner.token,
        found_dead=found_dead,
        slots=slots,
        admitted=partial(stage.admitted, slots),
    )


def _machine(settings: LeagueSettings) -> str:
    """The name of this machine: the engine's, because a worker in a container of its own has a
    name that no other has, and would not find what its predecessor left."""
    if settings.sandbox != "docker":
        return socket.gethostname()
    engine = docker_engine()
    try:
        return str(asyncio.run(engine.info())["Name"])
    finally:
        engine.close()


def spectators(settings: LeagueSettings, pipe: int | None = None) -> Watch | None:
    """Where a worker in a process of its own tells what is being played: to Redis, or by a pipe to
    the process with the pages; None where nobody can hear it."""
    from league.live import Broadcast, Relay, to_pipe, to_redis

    broadcast = Broadcast()
    if settings.redis_url is not None:
        Relay(broadcast, to_redis(settings.redis_url))
    elif pipe is not None:
        Relay(broadcast, to_pipe(pipe))
    else:
        return None
    return broadcast


async def _reap(owner: Owner) -> None:
    """Remove what dead workers of this machine left: containers, images, folders."""
    from sandbox.docker import DockerSandbox

    sandbox = DockerSandbox(owner=owner)
    await sandbox.reap()


def _not_here(submission_id: int) -> None:
    """Without containers nothing that was uploaded may run: it waits for a worker with Docker."""


def _processor(
    settings: LeagueSettings, database: Store, owner: Owner, name: str, slots: Slots
) -> Callable[[int], None]:
    from league.submissions import FolderUploads, RemoteUploads, SubmissionProcessor

    files = remote_files(settings)
    uploads = RemoteUploads(files) if files else FolderUploads(settings.uploads)
    workshop = make_workshop(settings, owner, slots)
    return SubmissionProcessor(database, uploads, workshop, name).process


def make_workshop(
    settings: LeagueSettings, owner: Owner, slots: Slots | None = None
) -> DockerWorkshop:
    """What turns submissions into images and checks them, with the engine of this machine."""
    from league.submissions import DockerWorkshop
    from referee.plan import TimeControl
    from sandbox.docker import DockerSandbox
    from sandbox.mixed import MixedSandbox

    return DockerWorkshop(
        owner,
        docker_engine,
        # The image in a container, its partners as our own processes.
        lambda: MixedSandbox(DockerSandbox(owner=owner), ProcessSandbox(pin=settings.fair_host)),
        make_slots(settings) if slots is None else slots,
        time=TimeControl(start_ms=settings.start_ms),
        bases=settings.bases,
        registries=settings.registries,
        shelf=settings.image_registry,
    )
