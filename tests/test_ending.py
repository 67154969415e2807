"""What a test starts ends with it, and so does what that has started."""

import subprocess
import sys
import time

import pytest

from tests.ending import started
from tests.sandbox.test_canary import is_alive

FAMILY = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(child.pid, flush=True)
child.wait()
"""


def failing(children: list[int]) -> None:
    with started([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE, text=True) as parent:
        children += [parent.pid, int(parent.stdout.readline())]
        raise RuntimeError("the test fails")


def test_nothing_that_a_failing_test_started_is_left() -> None:
    children: list[int] = []
    with pytest.raises(RuntimeError, match="the test fails"):
        failing(children)
    assert len(children) == 2
    deadline = time.monotonic() + 60
    while any(map(is_alive, children)):
        assert time.monotonic() < deadline, "it lives on"
        time.sleep(0.02)
