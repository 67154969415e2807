"""`bullring play` as a new user types it, with real bot processes over gRPC."""

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from nimmt.verify import verify
from tests.ending import started
from tests.ready import ROOT, bullring

pytestmark = pytest.mark.timeout(300)
SLOW = ("--move-ms", "5000", "--bank-ms", "60000")
"""So much time that a busy machine makes no bot late."""


def play(*arguments: object) -> dict[str, Any]:
    done = bullring("play", *arguments, *SLOW, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def replays(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]


@pytest.mark.parametrize(
    ("rules", "options", "players"),
    [
        ("six-nimmt", ["limit=30"], 4),
        ("six-nimmt", ["advanced=true", "rounds=1", "opening_picks=2"], 2),
        ("eleven-nimmt", [], 2),
        ("x-nimmt", [], 3),
    ],
)
def test_every_rules_can_be_played_and_every_replay_verifies(
    rules: str, options: list[str], players: int, tmp_path: Path
) -> None:
    bots = ["gap", "random", "lowest", "random"][:players]
    chosen = [word for option in options for word in ("--option", option)]
    result = play(rules, *bots, "--boards", 2, *chosen, "--seed", 5, "--replays", tmp_path)
    assert result["complete"]
    # Small tables play every board with every seating.
    assert result["games"] == (2 * players if players <= 3 else 2)
    assert all(bot["faults"] == [] for bot in result["bots"])
    documents = replays(tmp_path)
    assert len(documents) == result["games"]
    for document in documents:
        verify(document)
        assert document["key"] is not None


def test_the_table_is_for_people_and_says_who_ran_uncontained() -> None:
    done = bullring("play", "six-nimmt", "gap", "random", "-b", 2, "-o", "rounds=1", *SLOW)
    assert done.returncode == 0, done.stderr
    for word in ("gap", "random", "points", "wins", "faults", "median", "Uncontained"):
        assert word in done.stdout


def test_the_same_board_can_be_played_again(tmp_path: Path) -> None:
    play("six-nimmt", "gap", "lowest", "-b", 2, "-o", "rounds=1", "--replays", tmp_path / "one")
    first = sorted((tmp_path / "one").glob("*.json"))[1]
    once = json.loads(first.read_text())
    again = ["--again", first, "--replays", tmp_path / "two"]
    result = play("six-nimmt", "lowest", "lowest", *again)
    assert result["games"] == 1
    [document] = replays(tmp_path / "two")
    assert document["rounds"][0]["deal"] == once["rounds"][0]["deal"]
    once["key"] = None
    hidden = tmp_path / "hidden.json"
    hidden.write_text(json.dumps(once))
    play("six-nimmt", "gap", "gap", "--again", hidden, "--replays", tmp_path / "three")
    [document] = replays(tmp_path / "three")
    assert document["rounds"][0]["deal"] == once["rounds"][0]["deal"]
    verify(document)


def test_one_bot_can_be_watched_word_for_word() -> None:
    done = bullring(
        "play", "six-nimmt", "gap", "lowest", "-b", 1, "-o", "rounds=1", "--debug", 1, *SLOW
    )
    assert done.returncode == 0, done.stderr
    assert "<- bot" in done.stderr
    assert "-> bot" in done.stderr
    assert "ask_id" in done.stderr


def test_a_bot_can_be_a_file_a_folder_or_a_command(tmp_path: Path) -> None:
    code = "from botkit import Bot, run\nrun(Bot)\n"
    (tmp_path / "mine.py").write_text(code)
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "bot.py").write_text(code)
    command = shlex.join([sys.executable, str(tmp_path / "mine.py")])
    bots = [tmp_path / "mine.py", folder, command, "lowest"]
    result = play("six-nimmt", *bots, "-b", 1, "-o", "rounds=1")
    assert [bot["bot"] for bot in result["bots"]] == ["mine", "folder", "mine-2", "lowest"]
    assert all(bot["faults"] == [] for bot in result["bots"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["six-nimmt", "gap", "nobody"], "'nobody' is not a sample bot"),
        (["six-nimmt", "gap", "missing.py"], "there is no file 'missing.py'"),
        (["six-nimmt", "gap"], "2 to 10 players, got 1"),
        (["seven-nimmt", "gap", "gap"], "there are no rules 'seven-nimmt'"),
        (
            ["six-nimmt", "gap", "gap", "--debug", "3"],
            "got --debug 3, expected the number of a bot",
        ),
        (["six-nimmt", "gap", "gap", "--again", "missing.json"], "missing.json"),
        (["six-nimmt", "gap", "gap", "-o", "limit=0"], "option limit must be"),
    ],
)
def test_what_cannot_be_played_is_refused_with_a_reason(arguments: list[str], text: str) -> None:
    done = bullring("play", *arguments)
    assert done.returncode == 2
    assert text in done.stderr
    assert "Traceback" not in done.stderr


def test_the_first_interrupt_ends_the_match_with_what_was_played(tmp_path: Path) -> None:
    arguments = [
        "play",
        "six-nimmt",
        "gap",
        "random",
        "--one-pass",
        "-b",
        "20000",
        "-o",
        "rounds=1",
    ]
    command = [sys.executable, "-m", "cli", *arguments, "--replays", str(tmp_path), "--json"]
    with started(
        [*command, *SLOW], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        deadline = time.monotonic() + 60
        while not any(tmp_path.iterdir()):
            assert time.monotonic() < deadline
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    result = json.loads(output)
    assert not result["complete"]
    assert result["games"] == len(replays(tmp_path))
    assert all(bot["faults"] == [] for bot in result["bots"])


def test_a_log_gets_progress_at_once_and_while_no_game_is_over(tmp_path: Path) -> None:
    slow = "import time\nfrom botkit import Bot, run\n\n\nclass Slow(Bot):\n"
    slow += (
        "    def choose_card(self, view):\n        time.sleep(0.25)\n        return view.hand[0]\n"
    )
    (tmp_path / "slow.py").write_text(slow + "\n\nrun(Slow, max_batch=1)\n")
    bots = [tmp_path / "slow.py", "lowest"]
    done = bullring("play", "six-nimmt", *bots, "-b", 1, "-o", "rounds=1", *SLOW)
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("…")]
    assert said[0] == ("… 0 of 2 games, starting the bots, time left: known after the first game")
    assert any("0 of 2 games" in line and "decisions/s" in line for line in said)


def test_a_board_is_not_played_again_with_another_number_of_bots(tmp_path: Path) -> None:
    play("six-nimmt", "gap", "lowest", "-b", 1, "-o", "rounds=1", "--replays", tmp_path)
    file = tmp_path / "pass1-game00001.json"
    done = bullring("play", "six-nimmt", "gap", "gap", "gap", "--again", file)
    assert done.returncode == 2
    assert "a game of 2 players, and you named 3 bots; name 2" in done.stderr


def test_replays_go_only_where_files_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/games")):
        for typed in (["play", "six-nimmt", "gap", "gap"], ["simulate", "six-nimmt"]):
            done = bullring(*typed, "--replays", place)
            assert done.returncode == 2
            assert f"got --replays {place}" in done.stderr
            assert "Traceback" not in done.stderr


def test_the_time_to_start_can_be_set(tmp_path: Path) -> None:
    late = "import time\ntime.sleep(3)\nfrom botkit import Bot, run\nrun(Bot)\n"
    (tmp_path / "late.py").write_text(late)
    typed = ["six-nimmt", tmp_path / "late.py", "lowest", "-b", 1, "-o", "rounds=1", "--json"]
    done = bullring("play", *typed, "--start-ms", 1000)
    assert done.returncode == 3, done.stderr
    [first, _] = json.loads(done.stdout)["bots"]
    assert {fault["kind"] for fault in first["faults"]} == {"refused_start"}
