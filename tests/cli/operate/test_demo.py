"""`bullring demo`, whole: every rules, real bot processes over gRPC, every replay verified."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from cli.operate.demo import FOLDER, make_room

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.heavy
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


def test_a_demo_empties_the_folder_of_a_demo_and_no_other(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    league, earlier = tmp_path / "league", tmp_path / "demo"
    league.mkdir()
    (league / "bullring.db").touch()
    with pytest.raises(typer.Exit):
        make_room(league)
    assert "holds other things" in capsys.readouterr().err
    assert (league / "bullring.db").exists()
    make_room(earlier)
    (earlier / "bullring.db").touch()
    make_room(earlier)
    assert not (earlier / "bullring.db").exists()


def test_a_demo_leaves_a_private_folder_for_a_league_that_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_room(FOLDER)
    modes = [folder.stat().st_mode & 0o777 for folder in (FOLDER.parent, FOLDER)]
    assert modes == [0o700, 0o700]
