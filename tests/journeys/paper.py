"""A page of the documentation as a newcomer follows it: read block by block, typed line by line."""

import os
import re
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.ending import kill_group
from tests.services import free_port

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
PORT = "8000"
"""What the pages say; on a machine with other work a free one is taken."""
SECONDS = 900
NOT_LINKED = {".git", ".bullring", ".pytest_cache", ".mypy_cache", ".ruff_cache"}


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, and its text."""

    language: str
    text: str

    @property
    def commands(self) -> list[str]:
        """The lines to be typed; a block with a language is not for typing."""
        return [] if self.language else self.text.strip().splitlines()


def blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page, in order."""
    return [Block(*found) for found in BLOCK.findall(page.read_text(encoding="utf-8"))]


def checkout(folder: Path) -> Path:
    """An empty folder made to look like a fresh clone, where new files do no harm."""
    for entry in ROOT.iterdir():
        if entry.name not in NOT_LINKED:
            (folder / entry.name).symlink_to(entry)
    return folder


@dataclass(slots=True)
class Terminal:
    """A newcomer's terminal in a fresh checkout, with a home of its own; servers get another."""

    folder: Path
    port: int = field(default_factory=free_port)
    said: dict[str, str] = field(default_factory=dict)
    """What each command printed."""
    servers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def type(self, command: str) -> str:
        """Type a command and wait for its end; one that serves is left running."""
        command = command.replace(PORT, str(self.port))
        if re.search(r"\./bullring (up|worker)\b", command):
            return self._serve(command)
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=self.folder, env=self.environment(),
            capture_output=True, text=True, check=False, timeout=SECONDS, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        self.said[command] = done.stdout
        return done.stdout

    def environment(self) -> dict[str, str]:
        """The user's own, without what would lead to another league."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("BULLRING_")}
        # Other tests share this machine; a match must not wait for them.
        own = {"XDG_CONFIG_HOME": str(self.folder / "config"), "BULLRING_FAIR_HOST": "0"}
        return {**kept, **own}

    def _serve(self, command: str) -> str:
        file = self.folder / "server.log"
        with file.open("w") as log:
            server = subprocess.Popen(
                ["/bin/sh", "-c", f"exec env {command}"], cwd=self.folder, env=self.environment(),
                stdout=log, stderr=log, process_group=0,
            )  # fmt: skip
        self.servers.append(server)
        while "Bullring is at" not in (said := file.read_text()):
            assert server.poll() is None, said[-3000:]
            time.sleep(0.1)
        return said

    def close(self) -> None:
        """Ctrl-C in the other terminals."""
        try:
            for server in self.servers:
                server.send_signal(signal.SIGINT)
            for server in self.servers:
                server.wait(timeout=120)
        finally:
            for server in self.servers:
                kill_group(server)
