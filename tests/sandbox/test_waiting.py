"""How long a bot was ready to run and did not: of made-up threads, and of real ones."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox.cpu_time import ProcessTree
from sandbox.waiting import WaitMeter, threads
from tests.sandbox.busy import load

SECOND = 10**9


class Proc:
    """A folder like /proc, with the threads of process 7."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 100.0
        (folder / "self").mkdir()
        (folder / "self" / "schedstat").touch()
        self.meter = WaitMeter(lambda: [7], folder, lambda: self.now)

    def thread(self, number: int, state: str, ran: float, delay: float) -> None:
        task = self.folder / "7" / "task" / str(number)
        task.mkdir(parents=True, exist_ok=True)
        (task / "schedstat").write_text(f"{round(ran * SECOND)} {round(delay * SECOND)} 5\n")
        (task / "stat").write_text(f"{number} (a) R b) {state} 1 7 7\n")

    def gone(self, number: int) -> None:
        task = self.folder / "7" / "task" / str(number)
        for file in task.iterdir():
            file.unlink()
        task.rmdir()

    def after(self, seconds: float) -> float:
        self.now += seconds
        found = self.meter.seconds()
        assert found is not None
        return found


def test_waits_of_all_threads_count_and_stay_counted_after_their_end(tmp_path: Path) -> None:
    proc = Proc(tmp_path)
    proc.thread(7, "S", 1.0, 0.5)
    proc.thread(8, "S", 1.0, 0.25)
    assert proc.after(0.1) == pytest.approx(0.75)
    proc.gone(8)
    proc.thread(7, "S", 1.0, 1.0)
    assert proc.after(0.1) == pytest.approx(1.25)
    proc.thread(8, "S", 0.1, 0.5)
    assert proc.after(0.1) == pytest.approx(1.75)
    proc.thread(8, "S", 0.05, 0.125)
    assert proc.after(0.1) == pytest.approx(1.875), "another thread with the same number"


def test_a_wait_that_goes_on_counts_already_and_not_again_when_it_is_over(tmp_path: Path) -> None:
    proc = Proc(tmp_path)
    proc.thread(7, "R", 1.0, 0.0)
    assert proc.after(0.1) == pytest.approx(0.0)
    assert proc.after(0.1) == pytest.approx(0.1)
    assert proc.after(0.4) == pytest.approx(0.5)
    proc.thread(7, "R", 1.001, 0.5)
    assert proc.after(0.01) == pytest.approx(0.5)


def test_a_thread_that_sleeps_or_runs_does_not_wait(tmp_path: Path) -> None:
    proc = Proc(tmp_path)
    proc.thread(7, "S", 1.0, 0.0)
    assert proc.after(0.1) == 0.0
    assert proc.after(10.0) == 0.0
    proc.thread(7, "R", 1.0, 0.0)
    assert proc.after(0.1) == pytest.approx(0.1), "from when it was last seen to sleep"
    proc.thread(7, "R", 5.0, 0.0)
    assert proc.after(4.0) == pytest.approx(0.1)


def test_where_the_kernel_does_not_say_it_is_unknown(tmp_path: Path) -> None:
    assert WaitMeter(lambda: [7], tmp_path).seconds() is None


def test_a_process_that_vanishes_while_it_is_looked_at_has_no_threads(tmp_path: Path) -> None:
    proc = Proc(tmp_path)
    assert threads(tmp_path / "7") == []
    assert proc.after(0.1) == 0.0
    (tmp_path / "7" / "task" / "7").mkdir(parents=True)
    assert proc.after(0.1) == 0.0
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    tree = ProcessTree(ended.pid)
    assert tree.cpu_seconds() is None
    assert tree.waited_seconds() in (0.0, None)


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the kernel does not say")
@pytest.mark.timeout(120)
def test_real_processes_wait_for_a_core_that_others_have_and_not_while_they_sleep() -> None:
    core = max(os.sched_getaffinity(0))
    pin = f"import os, time; os.sched_setaffinity(0, [{core}])\n"
    codes = ("while True: pass", "time.sleep(1000)")
    busy, asleep = [subprocess.Popen([sys.executable, "-S", "-c", pin + code]) for code in codes]
    try:
        trees = [ProcessTree(busy.pid), ProcessTree(asleep.pid)]
        with load([core], 3):
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline:
                time.sleep(0.1)
                waited = [(tree.cpu_seconds(), tree.waited_seconds() or 0.0)[1] for tree in trees]
                if waited[0] > waited[1] + 1.0:
                    break
        assert waited[0] > waited[1] + 1.0
    finally:
        for one in (busy, asleep):
            one.kill()
            one.wait()
