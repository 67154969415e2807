"""`bullring review` without the compiled core: it says that it is slow, how long it takes, and
that it was stopped."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from cli.author.review_pace import ReviewPace, work_of
from tests.ending import started
from tests.nimmt.recorded import record
from tests.nimmt.support import TABLES

ROOT = Path(__file__).resolve().parents[3]


def test_ctrl_c_in_pure_python_is_one_line_after_the_progress(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(record(*TABLES[0])))
    command = [sys.executable, "-m", "cli", "review", str(file), "--budget", "10000000"]
    # However it ends: nothing is left that counts to ten million rollouts.
    with started(
        command,
        cwd=ROOT,
        env={**os.environ, "NIMMT_PURE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that starts the tests in the background has them ignore Ctrl-C, and children too.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        said = [process.stderr.readline() for _ in range(3)]
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read().splitlines()
        printed = process.stdout.read()
        process.wait()
    assert "Slow, minutes a round: pure Python" in said[0]
    assert "--budget" in said[1]
    assert "decisions reviewed, time left: known after the first decision" in said[2]
    assert rest == ["Stopped by Ctrl-C: 0 reviews finished; the unfinished one is not shown."]
    assert printed == ""
    assert process.returncode == 130


def test_the_time_left_goes_by_the_rollouts_that_are_left() -> None:
    document = {"rounds": [{"decisions": [{"seat": 0}, {"seat": 1}, {"seat": 0}, {"seat": 1}]}]}
    assert work_of(document, None) == [4, 3, 2, 1]
    assert work_of(document, (1,)) == [0, 3, 0, 1]
    now = [0.0]
    pace = ReviewPace(work_of(document, (1,)), lambda: now[0])
    pace.done, now[0] = 1, 5.0
    assert pace.left == "time left: known after the first decision"
    pace.done, now[0] = 2, 30.0
    assert pace.words == "2 of 4 decisions reviewed, 10 s left"


def test_what_is_no_replay_has_no_work() -> None:
    wrong: list[object] = [None, [], {}, {"rounds": 3}, {"rounds": [{"decisions": [1]}]}]
    for document in wrong:
        assert work_of(document, (0,)) == []
