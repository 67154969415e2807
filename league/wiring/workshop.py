"""What turns submissions into images and checks them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from league.wiring.sandboxes import docker_engine
from league.wiring.slots import make_slots
from league.wiring.stores import remote_files
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox

if TYPE_CHECKING:
    from league.matches import Slots
    from league.settings import LeagueSettings
    from league.submissions import DockerWorkshop
    from store import Store


def make_processor(
    settings: LeagueSettings, database: Store, owner: Owner, name: str, slots: Slots
) -> Callable[[int], None]:
    """What a worker calls with the number of a submission that waits."""
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
