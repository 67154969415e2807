"""A worker whose machine is not ready yet waits for it, says why, and ends when it is told to."""

import errno
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.operate import processes
from sandbox.api import PlatformFault
from tests.deploy.alarms import ROOT, environment
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
    process = subprocess.Popen(
        [sys.executable, "-m", "cli", "worker", "--no-clock"],
        cwd=ROOT,
        env=chosen,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    heard = process.stderr.readline()
    while WAITS not in heard:
        assert heard, "it ended without a word"
        heard = process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    _, rest = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "Traceback" not in rest
