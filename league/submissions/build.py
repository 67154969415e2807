"""The workshop of a worker with Docker: intake for what was sent, the check for the image."""

from collections.abc import AsyncIterator, Callable

from league.matches import Slots
from league.submissions.check.play import check_bot
from league.submissions.check.report import CheckReport
from referee.plan import TimeControl
from sandbox.api import ImageProgram, Sandbox, SubmissionRejected
from sandbox.engine import Engine
from sandbox.intake import Accepted, Intake, Policy, keep, let_go, pinned, short_id
from sandbox.local_images import cached_name
from sandbox.owner import Owner
from sandbox.registry import REGISTRY_SECONDS, Registry
from store import SubmissionKind


class DockerWorkshop:
    """Makes images with the local engine and checks them in containers of the same kind."""

    def __init__(
        self,
        owner: Owner,
        make_engine: Callable[[], Engine],
        make_sandbox: Callable[[], Sandbox],
        slots: Slots,
        *,
        time: TimeControl,
        bases: tuple[str, ...],
        needed_bases: tuple[str, ...] | None = None,
        registries: tuple[str, ...] = (),
        shelf: str | None = None,
        shelf_seconds: float = REGISTRY_SECONDS,
    ) -> None:
        self._owner = owner
        self._make_engine = make_engine
        self._make_sandbox = make_sandbox
        self._slots = slots
        self._time = time
        self._bases, self._needed_bases = bases, needed_bases
        self._registries = registries
        self._shelf = shelf
        self._shelf_seconds = shelf_seconds

    async def take_in(
        self, kind: SubmissionKind, source: str, data: AsyncIterator[bytes] | None
    ) -> Accepted:
        """Turn what was sent into an image."""
        engine = self._make_engine()
        try:
            policy = Policy(
                bases=await pinned(engine, self._bases, self._needed_bases),
                registries=self._registries,
                # A build never runs on the cores of a match.
                cores=self._slots.for_others,
            )
            intake = Intake(engine, self._owner, policy)
            if kind is SubmissionKind.REFERENCE:
                return await intake.from_reference(source)
            assert data is not None
            if kind is SubmissionKind.IMAGE_ARCHIVE:
                return await intake.from_archive(data)
            if kind is SubmissionKind.BUILD_CONTEXT:
                return await intake.from_context(data)
        finally:
            engine.close()
        raise SubmissionRejected(
            "kind",
            f"A submission of kind {kind} cannot be contained.",
            "Send an image archive, a build context or a reference by digest.",
        )

    async def check(
        self, accepted: Accepted, rules: list[str], on_step: Callable[[str], None]
    ) -> CheckReport:
        """Play the check games: the image in a container, its partners as our own processes.

        The image stays in the engine only if the bot may play. The check has a slot of its own,
        and what failed for lack of time on an unfit host is played again in the next.
        """
        sandbox = self._make_sandbox()
        program = ImageProgram(image=accepted.image)
        engine = self._make_engine()
        try:
            report = await check_bot(
                program,
                sandbox,
                rules=rules,
                time=self._time,
                on_step=on_step,
                seat=lambda: self._slots.admit_check(on_step),
            )
            if report.ok:
                await self._keep(engine, accepted.image, on_step)
            return report
        finally:
            await let_go(engine, accepted)
            engine.close()

    async def _keep(self, engine: Engine, image: str, on_step: Callable[[str], None]) -> None:
        """In the registry, if there is one: then this machine need not have it for ever."""
        if self._shelf is None:
            await keep(engine, image)
            return
        await Registry(self._shelf, engine, self._shelf_seconds).keep(image)
        await engine.tag_image(image, cached_name(self._owner), short_id(image))
        on_step("The image is in the registry; every worker finds it there.")
