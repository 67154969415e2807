"""`bullring demo`, whole: every rules, real bot processes over gRPC, every replay verified."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.timeout(600)
def test_demo_runs_a_season_of_each_rules_and_ends_with_standings(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "cli",
        "demo",
        "--boards",
        "4",
        "--folder",
        str(tmp_path / "d"),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^Bullring is at http://localhost:\d+$", done.stdout, re.MULTILINE)
    assert "/link/" in done.stdout
    for title in ("6 nimmt!:", "6 nimmt!, advanced game:", "11 nimmt!:", "X nimmt!:"):
        assert title in done.stdout
    verified = re.search(r"Replays: (\d+) verified, 0 wrong", done.stdout)
    assert verified is not None
    assert int(verified[1]) > 10
