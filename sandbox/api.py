"""The boundary of the sandbox: what a runner takes and gives back, and whose fault an error is.

Nothing here starts anything; `docker.py` and `process.py` are the runners behind `Sandbox`.

    SandboxError
      SubmissionRejected   the author's: what was sent breaks a rule of intake
      StartRefused         the bot's: its image cannot be started (the fault `refused_start`)
      PlatformFault        ours: engine, disk or host; the attempt is void and costs no bot
"""

import enum
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypedDict, Unpack

SOCKET_DIR = "/run/bullring"
"""Where a contained bot finds the directory with the referee's socket, mounted read-only."""

SOCKET_NAME = "referee.sock"
REFEREE_ADDRESS = f"unix://{SOCKET_DIR}/{SOCKET_NAME}"
"""The value of `BULLRING_REFEREE` inside a container."""


class SandboxError(Exception):
    """Base of everything the sandbox raises on purpose."""


class SubmissionRejected(SandboxError):
    """What an author sent breaks a rule; the text says which, how much, and how to fix it."""

    def __init__(self, rule: str, problem: str, fix: str) -> None:
        super().__init__(f"{problem} {fix}".strip())
        self.rule = rule
        """A short stable name of the rule, for pages and tests (`too_large`, `volume`)."""
        self.problem = problem
        self.fix = fix


class StartRefused(SandboxError):
    """The engine works but this image cannot start: no such command, not executable, a volume."""


class PlatformFault(SandboxError):
    """The engine, the disk or the host failed: never a bot's fault, the attempt is void."""


class HowEnded(enum.StrEnum):
    """How a bot's main process ended, seen from outside."""

    EXITED = "exited"
    """It ended by itself with an exit code."""
    SIGNALLED = "signalled"
    """A signal ended it, and the signal was not ours."""
    OUT_OF_MEMORY = "out_of_memory"
    """The kernel killed its main process because the container reached its memory limit."""
    OUTPUT_FLOOD = "output_flood"
    """The sandbox killed it because it wrote more than its output budget."""
    LEFT = "left"
    """No bot at all: the person whose seat it was got up."""
    KILLED = "killed"
    """We killed it: the pass was over, or the referee asked for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """The end of one bot."""

    how: HowEnded
    code: int | None = None
    """Exit code when it exited by itself, else None."""
    signal: int | None = None
    """Signal number when a signal ended it, else None."""
    oom: bool = False
    """The kernel killed something in the container for memory: perhaps only a child process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a bot has used so far; None where this machine cannot tell."""

    cpu_s: float | None = None
    memory: int | None = None
    memory_peak: int | None = None
    throttled_s: float | None = None
    """Time its CPU quota made it wait; always 0 when it owns whole cores."""
    oom_kills: int | None = None
    pids: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one running bot may use; the numbers live in `limits.toml`, section `bot`."""

    memory: int
    pids: int
    tmp_bytes: int
    tmp_inodes: int
    shm_bytes: int
    open_files: int
    disk_rate: int
    log_tail: int
    log_rate: int
    log_burst: int
    log_budget: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageProgram:
    """An image, named by digest: `sha256:…` or `name@sha256:…`, never by a tag that can move."""

    image: str
    command: tuple[str, ...] = ()
    """Run instead of the image's own command; empty means the image's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandProgram:
    """A command on this machine, for trusted bots only; the Docker runner refuses it."""

    argv: tuple[str, ...]
    cwd: Path


Program = ImageProgram | CommandProgram


class RunningBot(Protocol):
    """One started bot. Every method may be called after its end."""

    @property
    def started(self) -> float:
        """`time.monotonic()` of the moment its first process was running."""

    @property
    def output_flooded(self) -> bool:
        """True once it has written more than `Limits.log_budget`; it is then being killed."""

    async def wait(self) -> Exit:
        """Wait for the end of its main process; any number of callers, any number of times."""

    async def usage(self) -> Usage:
        """What it has used; after its end, the last that was seen."""

    def cpu_seconds(self) -> float | None:
        """Its CPU time so far, read at once and from any thread, so that it can be told apart from
        the time of others; after its end, the last value. None where this machine cannot tell.
        """

    def waited_seconds(self) -> float | None:
        """How long its threads were ready to run and did not, read like its CPU time; a thread that
        waits counts by itself. None where this machine cannot tell.
        """

    def log_tail(self) -> bytes:
        """The last `Limits.log_tail` bytes of its output, raw: escape them before display."""

    async def freeze(self) -> None:
        """Stop all its processes; they use no CPU until `thaw`. Safe to repeat."""

    async def thaw(self) -> None:
        """Let a frozen bot go on. Safe to repeat."""

    async def kill(self) -> None:
        """Kill all its processes, frozen or not. Safe to repeat."""


class RunOptions(TypedDict, total=False):
    """What `Sandbox.run` takes by name; all of it may be left out."""

    labels: Mapping[str, str] | None
    """For the container, so that its owner is known."""
    cores: Sequence[int] | None
    """The cores that the bot may use; None: any."""
    env: Mapping[str, str] | None
    """Added to the bot's environment."""


class Sandbox(Protocol):
    """A way to run bots."""

    @property
    def name(self) -> str:
        """What replays and pages call this runner: `docker`, `docker+runsc`, `process`."""

    @property
    def contained(self) -> bool:
        """Whether it may run a stranger's code. False is shown as "uncontained" on every page."""

    def run(
        self,
        program: Program,
        limits: Limits,
        socket_dir: Path,
        **options: Unpack[RunOptions],
    ) -> AbstractAsyncContextManager[RunningBot]:
        """Start a bot and, when the block ends, remove every trace of it.

        `socket_dir` holds `SOCKET_NAME`, may be made before the socket exists, and is seen by the
        bot at `SOCKET_DIR`, read-only. Raises `StartRefused` or `PlatformFault`.
        """
