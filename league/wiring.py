"""The one place that builds concrete parts: which sandbox stands behind the boundary, which
database, and the worker that uses them."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
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
    from league.worker import Check, Worker
    from referee.plan import MatchPlan
    from referee.result import MatchResult
    from sandbox.docker import DockerSandbox
    from sandbox.engine import Engine
    from store import Store
    from store.migrate import Running
    from store.remote import RemoteFiles


EMBEDDED_FILE = "bullring.db"
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


def docker_sandbox(engine: Engine, owner: Owner) -> DockerSandbox:
    """The Docker runner over an engine that is open already."""
    from sandbox.docker import DockerSandbox

    return DockerSandbox(engine, owner)


def local_sandbox(kind: str, owner: Owner, *, pin: bool = False) -> Sandbox:
    """The sandbox for a match or a check of one's own."""
    if kind == "docker":
        from sandbox.docker import DockerSandbox
        from sandbox.mixed import MixedSandbox

        runtime = os.environ.get("BULLRING_RUNTIME") or None
        docker = DockerSandbox(owner=owner, runtime=runtime)
        return MixedSandbox(docker, process_sandbox(pin=pin))
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


def open_store(settings: LeagueSettings, *, running: Running = "refuse") -> Store:
    """The database of these settings, brought up to date, with the platform bots in it.

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


def enter_store(settings: LeagueSettings) -> Store:
    """The database of these settings as it is, for a command that only wants to use it.

    Raises NotReady for one that is behind; an embedded league that has none yet gets one.
    """
    from store import Store

    if settings.database_url is None and not (settings.data_dir / EMBEDDED_FILE).exists():
        return open_store(settings)
    return _checked(Store(settings.database, settings.blobs, timeouts=settings.database_timeouts))


def start_store(settings: LeagueSettings) -> Store:
    """The database for pages and clock.

    An embedded league that is behind is copied and then upgraded, as its only process starts; any
    other waits for `bullring db upgrade`. Raises NotReady until then.
    """
    import structlog

    from store import NotReady, copy_sqlite

    try:
        return enter_store(settings)
    except NotReady:
        if settings.database_url is not None:
            raise
    file = settings.data_dir / EMBEDDED_FILE
    kept = copy_sqlite(file, settings.data_dir)
    structlog.get_logger("league").warning("upgrading the database", copy=str(kept))
    return open_store(settings)


def _checked(database: Store) -> Store:
    try:
        database.check_schema()
    except BaseException:
        # Whoever waits for the schema comes again and again, also when told to stop.
        database.close()
        raise
    return database


def remote_files(settings: LeagueSettings) -> RemoteFiles | None:
    """The file service of these settings; None: this machine has the data folder."""
    if settings.files_url is None:
        return None
    from store.remote import RemoteFiles

    return RemoteFiles(settings.files_url, settings.files_secret or "", settings.files_seconds)


def join_store(settings: LeagueSettings) -> Store:
    """The database of these settings as the clock or the pages have prepared it.

    For workers, which may not change its schema. Raises NotReady until the others are done.
    """
    from store import Store
    from store.remote import RemoteBlobs

    files = remote_files(settings)
    blobs = RemoteBlobs(settings.blobs, files) if files else settings.blobs
    return _checked(Store(settings.database, blobs, timeouts=settings.database_timeouts))


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
    """Only the clock: dates, queue, lost matches, ratings. It needs no sandbox."""
    from league.worker import Worker

    return Worker(settings, database, NoStage(), check=_not_here, clock=True, plays=False)


def make_worker(
    settings: LeagueSettings, database: Store, *, clock: bool = True, watch: Watch | None = None
) -> Worker:
    """A worker that plays in the sandbox of these settings."""
    from league.matches import HostGuard, SandboxStage, Zygote
    from league.worker import Admission, Worker, worker_name

    host = _machine(settings)
    owner = Owner(host=host)
    slots = make_slots(settings)

    def sandbox() -> Sandbox:
        # House bots are trusted programs of this checkout and play beside the containers.
        return league_sandbox(settings, owner)

    # Socket folders of processes that died are of no further use.
    found_dead = owner.sweep()
    guard = None
    if settings.sandbox == "docker":
        asyncio.run(_reap(owner, settings))
        guard = HostGuard(partial(docker_engine, settings.engine_seconds))
    zygote = Zygote()
    stage = SandboxStage(sandbox, owner, guard, settings.referee_uid, zygote.start)

    def let_go() -> None:
        zygote.close()
        owner.close()

    name = worker_name()
    check: Callable[[int], None] = _not_here
    if settings.sandbox == "docker":
        check = _processor(settings, database, owner, name, slots)
    return Worker(
        settings,
        database,
        stage,
        check=check,
        review=_review_maker(settings, database, name) if settings.reviews else None,
        clock=clock,
        watch=watch,
        name=name,
        host=host,
        owner=owner.token,
        found_dead=found_dead,
        slots=slots,
        admitted=partial(stage.admitted, slots),
        let_go=let_go,
        fetch=_fetcher(settings, owner),
        admission=Admission(worker_checks(settings, database)),
    )


def _fetcher(settings: LeagueSettings, owner: Owner) -> Callable[[Sequence[str]], object]:
    if settings.sandbox != "docker":
        return lambda _: None
    return lambda images: asyncio.run(fetch_images(settings, owner, images))


def _review_maker(
    settings: LeagueSettings, database: Store, name: str
) -> Callable[[threading.Event], bool]:
    """What makes reviews in this worker, away from the cores of its slots."""
    from league.matches import spare_cores, usable_cores
    from league.reviews import ReviewMaker

    cores = spare_cores(usable_cores(), settings.slots)
    maker = ReviewMaker(
        database=database, worker=name, cores=cores, rollouts=settings.review_rollouts
    )
    return maker.make_next


def worker_checks(settings: LeagueSettings, database: Store) -> list[Check]:
    """What a worker of these settings shows before it takes matches."""
    from league.worker import (
        broker_check,
        database_check,
        disk_check,
        engine_checks,
        files_check,
    )

    checks = [
        database_check(database),
        disk_check((settings.blobs,), settings.disk_min_bytes),
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
    the process with the pages; None where no process listens."""
    from league.live import Broadcast, Relay, to_pipe, to_redis

    broadcast = Broadcast()
    if settings.redis_url is not None:
        Relay(broadcast, to_redis(settings.redis_url, settings.redis_seconds))
    elif pipe is not None:
        Relay(broadcast, to_pipe(pipe))
    else:
        return None
    return broadcast


async def _reap(owner: Owner, settings: LeagueSettings) -> None:
    """Remove what dead workers of this machine left (containers, images, folders), and images that
    no match has used for long."""
    from sandbox.docker import DockerSandbox

    sandbox = DockerSandbox(owner=owner)
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
        partial(docker_engine, settings.engine_seconds),
        # The image in a container, its partners as our own processes.
        lambda: MixedSandbox(
            DockerSandbox(owner=owner, runtime=settings.runtime),
            ProcessSandbox(pin=settings.fair_host),
        ),
        make_slots(settings) if slots is None else slots,
        time=TimeControl(start_ms=settings.start_ms),
        bases=settings.bases,
        needed_bases=settings.needed_bases,
        registries=settings.registries,
        shelf=settings.image_registry,
        shelf_seconds=settings.registry_seconds,
    )
