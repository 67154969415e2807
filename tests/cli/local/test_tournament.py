"""`bullring tournament` as an author types it, with real bot processes, interrupts and crashes."""

import csv
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from nimmt.verify import verify
from tests import ready
from tests.ending import started

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.timeout(300)
SLOW = ("--move-ms", "5000", "--bank-ms", "60000", "--start-ms", "60000")
"""So much time that a busy machine makes no bot late."""
COMMON = ("-o", "rounds=1", "--seed", "5", *SLOW)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "cli", "tournament", *[str(one) for one in arguments]]


def bullring(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return ready.bullring("tournament", *arguments, cwd=folder, env=env)


def outcome(done: subprocess.CompletedProcess[str], code: int = 0) -> dict[str, Any]:
    assert done.returncode == code, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_round_robin_leaves_standings_csv_and_replays(tmp_path: Path) -> None:
    bots = ["gap", "random", "lowest", "highest", "random"]
    files = ["--results", "r.jsonl", "--csv", "s.csv", "--games-csv", "g.csv", "--replays", "games"]
    done = bullring(
        tmp_path, "six-nimmt", *bots, "-m", 1, "-b", 4, "-j", 2, *files, *COMMON, "--json"
    )
    found = outcome(done)
    assert found["complete"]
    names = {row["bot"] for row in found["standings"]}
    assert names == {"gap", "random", "lowest", "highest", "random-2"}
    assert sum(sum(row["faults"].values()) for row in found["standings"]) == 0
    with (tmp_path / "s.csv").open() as file:
        assert {row["bot"] for row in csv.DictReader(file)} == names
    with (tmp_path / "g.csv").open() as file:
        assert len(list(csv.DictReader(file))) == 4 * found["games"]
    replays = sorted((tmp_path / "games").glob("*.json"))
    assert len(replays) == found["games"]
    assert replays[0].name == "match0001-pass1-game00001.json"
    verify(json.loads(replays[0].read_text()))
    # Progress begins before the first match is over, and says what is counted.
    assert f"0 of {found['matches']} matches, 0 of {found['games']} games" in done.stderr


def test_an_interrupted_tournament_goes_on_to_the_same_games(tmp_path: Path) -> None:
    program = f"{sys.executable} {ROOT}/sample_bots/lowest/bot.py"
    typed = ["six-nimmt", "gap", "random", program, "-m", "30", "-b", "20", "-j", "1"]
    files = ["--replays", "my games", "--csv", "s.csv", "--games-csv", "g.csv"]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with started(
        command(*typed, *COMMON, *files, "--results", "my r.jsonl", "--table", "2"),
        cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        wait_for_matches(process, tmp_path / "my r.jsonl")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    # The line that is printed can be pasted: paths are quoted, no option is lost, and a bot that is
    # a command is typed again, because it is never run on the word of a file.
    [told] = re.findall(r"Go on: \./bullring tournament (.*)", errors)
    again = ["--resume", "my r.jsonl", "--jobs", "1", *files, "six-nimmt", "gap", "random", program]
    assert shlex.split(told) == again
    kept = lines(tmp_path / "my r.jsonl")[1:]
    assert 1 <= len(kept) < 90
    # What a crash of the machine leaves behind does not stop it either.
    with (tmp_path / "my r.jsonl").open("ab") as file:
        file.write(b'{"number":77,"table":[0')
    with started(
        command(*shlex.split(told)),
        cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        wait_for_matches(process, tmp_path / "my r.jsonl", len(kept) + 1)
        process.kill()
        process.wait(timeout=60)
    after = lines_of_whole(tmp_path / "my r.jsonl")
    assert after[: len(kept)] == kept
    assert len({one["number"] for one in after}) == len(after)


def wait_for_matches(process: "subprocess.Popen[str]", file: Path, more: int = 1) -> None:
    deadline = time.monotonic() + 100
    while not file.exists() or len(lines_of_whole(file)) < more:
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


def lines_of_whole(file: Path) -> list[dict[str, Any]]:
    whole = file.read_bytes().split(b"\n")[1:-1]
    return [json.loads(line) for line in whole]


def test_a_killed_tournament_ends_with_what_an_undisturbed_one_has(tmp_path: Path) -> None:
    typed = ["six-nimmt", "gap", "lowest", "-m", 3, "-b", 4, "-j", 1, *COMMON]
    whole = outcome(bullring(tmp_path, *typed, "--results", "a.jsonl", "--json"))
    text = (tmp_path / "a.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "b.jsonl").write_bytes(b"".join(text[:2]) + text[2][:50])
    found = outcome(bullring(tmp_path, "--resume", "b.jsonl", "--json"))
    times = ("median_ms", "worst_ms")
    for one in (whole, found):
        for row in one["standings"]:
            for name in times:
                row.pop(name)
    assert found == whole
    # One that is over stays as it is.
    again = outcome(bullring(tmp_path, "--resume", "b.jsonl", "--json"))
    assert again["matches"] == 3


def test_resuming_refuses_what_differs_and_names_it(tmp_path: Path) -> None:
    code = "from botkit import Bot, run\nrun(Bot)\n"
    (tmp_path / "mine.py").write_text(code)
    typed = ["six-nimmt", "mine.py", "lowest", "-m", 1, "-b", 2, *COMMON]
    outcome(bullring(tmp_path, *typed, "--results", "r.jsonl", "--json"))
    before = (tmp_path / "r.jsonl").read_bytes()
    for more, words in (
        (["--seed", "6"], "seed was 5 and is now 6"),
        (["--boards", "3"], "boards was 2 and is now 3"),
        (["-o", "rounds=2"], "'rounds': 2"),
        (["six-nimmt", "gap", "lowest"], "the bots were mine, lowest and are now gap, lowest"),
    ):
        done = bullring(tmp_path, "--resume", "r.jsonl", *more)
        assert done.returncode == 2
        assert words in done.stderr
    (tmp_path / "mine.py").write_text(code + "# better\n")
    done = bullring(tmp_path, "--resume", "r.jsonl")
    assert done.returncode == 2
    assert "the files of mine have changed" in done.stderr
    assert (tmp_path / "r.jsonl").read_bytes() == before


@pytest.mark.heavy
def test_a_gauntlet_and_a_sequential_test_can_be_played(tmp_path: Path) -> None:
    bots = ["gap", "random", "lowest", "highest"]
    typed = ["six-nimmt", *bots, "-f", "gauntlet", "--table", 3, "-m", 1, "-b", 2]
    found = outcome(bullring(tmp_path, *typed, *COMMON, "--results", "g.jsonl", "--json"))
    assert all(one["table"][0] == 0 for one in lines(tmp_path / "g.jsonl")[1:])
    assert found["verdict"] is None
    typed = ["six-nimmt", "gap", "random", "-f", "sequential", "-b", 25, "-j", 1]
    done = bullring(tmp_path, *typed, *COMMON, "--results", "s.jsonl")
    assert done.returncode == 0, done.stderr
    assert "gap is better than random." in done.stdout
    typed[1:3] = ["random", "gap"]
    done = bullring(tmp_path, *typed, *COMMON, "--results", "t.jsonl")
    assert done.returncode == 1, done.stderr
    typed[-3:] = ["10", "--budget", "20"]
    typed[1:3] = ["gap", "gap"]
    done = bullring(tmp_path, *typed, *COMMON, "--results", "u.jsonl")
    assert done.returncode == 4, done.stderr


def test_a_crash_of_the_authors_bot_is_exit_code_3(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from botkit import Bot, run\n\n\nclass Mine(Bot):\n"
        "    def choose_card(self, view):\n        raise RuntimeError('on purpose')\n\n\n"
        "run(Mine)\n"
    )
    done = bullring(tmp_path, "six-nimmt", "mine.py", "lowest", "-m", 1, "-b", 2, *COMMON)
    assert done.returncode == 3, done.stderr
    assert "Crashed: mine." in done.stderr
    assert "on purpose" in done.stdout
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    typed = ["play", "six-nimmt", "mine.py", "lowest", "-b", "2"]
    played = ready.bullring(*typed, *COMMON, cwd=tmp_path, env=env)
    assert played.returncode == 3, played.stderr
    assert "Crashed: mine." in played.stderr
