"""A sandbox that picks its runner by what is to be run: images in containers, own programs here."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Unpack

from sandbox.api import ImageProgram, Limits, Program, RunningBot, RunOptions, Sandbox


class MixedSandbox:
    """For matches of a stranger's image against trusted programs, such as the check."""

    def __init__(self, images: Sandbox, programs: Sandbox) -> None:
        self._images = images
        self._programs = programs
        self.name = images.name
        self.contained = images.contained

    def run(
        self,
        program: Program,
        limits: Limits,
        socket_dir: Path,
        **options: Unpack[RunOptions],
    ) -> AbstractAsyncContextManager[RunningBot]:
        """Start a bot in the sandbox that fits its program."""
        chosen = self._images if isinstance(program, ImageProgram) else self._programs
        return chosen.run(program, limits, socket_dir, **options)
