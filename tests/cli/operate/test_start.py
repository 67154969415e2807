"""A worker whose machine is not ready yet waits for it, says why, and ends when it is told to; and
what the processes of a league write from their first line on."""

import errno
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cli.operate import processes
from sandbox.api import PlatformFault
from tests.deploy.alarms import ROOT, environment
from tests.ending import started
from tests.factories import open_store
from tests.league.world import settings

WAITS = "This worker cannot start yet"


def test_a_worker_waits_for_its_machine_a_little_longer_each_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[str] = []
    slept: list[float] = []
    monkeypatch.setattr(processes, "_say", said.append)
    monkeypatch.setattr("time.sleep", slept.append)
    full = OSError(errno.ENOSPC, "No space left on device", "/run/bullring/0123")
    missing = [full, *[PlatformFault("no engine answers\nat its socket")] * 6]

    def make() -> Any:
        if missing:
            raise missing.pop()
        return "a worker"

    before = signal.getsignal(signal.SIGTERM)
    assert str(processes._prepared(make)) == "a worker"
    assert signal.getsignal(signal.SIGTERM) is before
    assert slept == [2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]
    assert said[0] == f"{WAITS}: no engine answers. It tries again in 2 s."
    assert "No space left on device: '/run/bullring/0123'" in said[-1]


def test_a_bug_is_no_reason_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> Any:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        processes._prepared(make)


def test_a_worker_without_docker_says_so_in_one_line_and_ends_at_a_signal(tmp_path: Path) -> None:
    open_store(settings(tmp_path)).close()
    chosen = environment(tmp_path, "redis://127.0.0.1:1/0", BULLRING_SANDBOX="docker")
    chosen["DOCKER_HOST"] = f"unix://{tmp_path}/no.sock"
    command = [sys.executable, "-m", "cli", "worker", "--no-clock"]
    with started(command, cwd=ROOT, env=chosen, stderr=subprocess.PIPE, text=True) as process:
        heard = process.stderr.readline()
        while WAITS not in heard:
            assert heard, "it ended without a word"
            heard = process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in rest


class Log:
    """What a process says, on both ways out, each line read as JSON."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def line(self) -> str:
        """What the next line is about."""
        assert self._process.stdout is not None
        return str(json.loads(self._process.stdout.readline())["event"])

    def until(self, words: str) -> list[str]:
        """The lines up to one with these words."""
        lines = [self.line()]
        while words not in lines[-1]:
            lines.append(self.line())
        return lines

    def rest(self) -> list[str]:
        """Tell the process to end; what it says until then."""
        self._process.terminate()
        said, _ = self._process.communicate(timeout=60)
        return [json.loads(line)["event"] for line in said.splitlines()]


@contextmanager
def log_of(folder: Path, *typed: str, **more: str) -> Iterator[Log]:
    chosen = environment(folder, "redis://127.0.0.1:1/0", **more)
    with started(
        [sys.executable, "-m", "cli", *typed],
        cwd=ROOT,
        env=chosen,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        yield Log(process)


@pytest.mark.heavy(but="worker")
@pytest.mark.parametrize("program", ["worker", "clock"])
def test_logs_are_json_from_the_first_line(tmp_path: Path, program: str) -> None:
    open_store(settings(tmp_path)).close()
    with log_of(tmp_path, program) as log:
        assert log.line()
        assert all(log.rest())


def test_the_pages_write_json_from_the_first_line_and_so_does_what_serves_them(
    tmp_path: Path,
) -> None:
    open_store(settings(tmp_path)).close()
    with log_of(tmp_path, "up", "--port", "0") as log:
        port = re.search(r":(\d+)$", log.until("Bullring is at")[-1])
        assert port is not None
        log.until("sign in once by this link: http")
        with socket.create_connection(("127.0.0.1", int(port[1])), timeout=60) as client:
            client.sendall(b"no request at all\r\n\r\n")
            while client.recv(65536):
                pass
        rest = log.rest()
    assert "Invalid HTTP request received." in rest, "uvicorn's own lines are in the log too"
    assert any(line.startswith("Ending;") for line in rest)


@pytest.mark.heavy
def test_the_file_service_writes_json_from_the_first_line(tmp_path: Path) -> None:
    with log_of(tmp_path, "files", "--port", "0", BULLRING_FILES_PASSWORD="a-long-password") as log:
        assert log.line().startswith("Files of ")
        log.until("Application startup complete")
        assert any("Shutting down" in line for line in log.rest()), "uvicorn's own lines are in it"
