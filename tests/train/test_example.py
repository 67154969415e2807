"""The worked example of docs/training.md: every command, with the fixed steps and seed it has."""

import importlib.util
import json
import re
import shlex
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest

import bullring
import nimmt
from botkit import Bot
from botkit.local import LocalSeat
from cli.author.remote.parcel import make_parcel
from nimmt import actions
from nimmt.core.environment import observation
from train import CardPolicy, write_bot

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
PART = PAGE.split("## From nothing to a bot")[1].split("\n## ")[0]
SNIPPETS = [
    code
    for name, code in re.findall(r"```python ?(\S*)\n(.*?)```", PAGE, re.DOTALL)
    if not name and "bullring" not in code
]


def run(command: str, folder: Path) -> str:
    """A command of the page, with this Python and this checkout."""
    words = shlex.split(command)
    start = {"python": [sys.executable], "./bullring": [sys.executable, "-m", "cli"]}[words[0]]
    done = subprocess.run(
        [*start, *words[1:]], cwd=folder, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
    )  # fmt: skip
    assert done.returncode == 0, f"{command}: {done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder after the script of the page has run there."""
    folder = tmp_path_factory.mktemp("example")
    for name, code in re.findall(r"```python (\S+)\n(.*?)```", PART, re.DOTALL):
        (folder / name).write_text(code, encoding="utf-8")
    make, learn, *_ = commands()
    run(make, folder)
    said = run(learn, folder)
    points = [float(number) for number in re.findall(r"lap \d+: ([\d.]+) points", said)]
    assert points[-1] < points[0] - 1
    return folder


def commands() -> list[str]:
    [block] = re.findall(r"\n```\n((?:(?:python|\./bullring) .*\n)+)```", PART)
    return str(block).splitlines()


@pytest.mark.heavy
def test_the_trained_bot_beats_random_with_intervals_apart(trained: Path) -> None:
    play = next(line for line in commands() if " play " in line)
    rows = {row["bot"]: row for row in json.loads(run(f"{play} --json", trained))["bots"]}
    own, *others = [(row["points_per_round"], row["points_half"]) for row in rows.values()]
    assert not [fault for row in rows.values() for fault in row["faults"]]
    for points, half in others:
        assert own[0] + own[1] < points - half


@pytest.mark.heavy
def test_the_trained_bot_passes_the_other_commands(trained: Path) -> None:
    others = [line for line in commands()[2:] if " play " not in line]
    assert others
    for line in others:
        run(line, trained)


def test_the_folder_that_is_submitted_is_the_one_that_was_trained(tmp_path: Path) -> None:
    """`submit` wants a folder with a Dockerfile, and its own tests still fit the written bot."""
    make, *_ = commands()
    run(make, tmp_path)
    [written] = re.findall(r"write_bot\(policy, \"(\S+)\", name=\"(\w+)\"\)", PART)
    write_bot(CardPolicy(1), tmp_path / written[0], name=written[1])
    [sent] = re.findall(r"`\./bullring submit (\S+)`", PART)
    parcel = make_parcel(str(tmp_path / sent), tmp_path, build_here=False, tell=print)
    assert parcel.kind == "build_context"
    assert parcel.file is not None
    with tarfile.open(parcel.file) as tar:
        assert {"Dockerfile", "bot.py"} <= set(tar.getnames())
        packed = tar.extractfile("bot.py")
        assert packed is not None
        assert b"TRAINED" in packed.read()
    run("python my-bot/test_bot.py", tmp_path)


@pytest.mark.heavy
def test_the_arena_knows_it_as_the_better_bot(trained: Path) -> None:
    done = bullring.compare(
        trained / "my-bot", "random", against=["random"], options={"rounds": 1}, seed=2
    )
    assert done.better
    assert done.result.lower > 0


def load(path: Path) -> type[Bot]:
    spec = importlib.util.spec_from_file_location("trained_bot", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: type[Bot] = module.TrainedBot
    return found


@pytest.mark.parametrize("rules", ["six-nimmt", "x-nimmt"])
def test_the_bot_chooses_what_the_policy_would(rules: str, tmp_path: Path) -> None:
    policy = CardPolicy(3)
    rng = np.random.default_rng(1)
    for part in policy.weights():
        part += rng.normal(size=part.shape)
        part[...] = part.round(5)
    make = load(write_bot(policy, tmp_path / "bot.py"))
    chosen = nimmt.get(rules)
    state = chosen.start(3, nimmt.KeyedBoard(nimmt.key_from_seed(5)))
    seats = [LocalSeat(make, chosen, seat, 3, 1) for seat in range(3)]
    compared = 0
    while state.pending:
        choices = {}
        for seat, ask in state.pending.items():
            view, legal = state.view(seat), state.legal(seat)
            choice = choices[seat] = seats[seat].ask(ask.kind, view, legal)
            mask = np.frombuffer(actions.action_mask(view, ask.kind, legal), np.int8)
            seen = np.frombuffer(observation(state, seat), np.uint8)
            asked = seen[:1].reshape(1, 1)
            action, _ = policy.act(seen.reshape(1, 1, -1), mask.reshape(1, 1, -1), asked, best=True)
            assert actions.choice_of(int(action[0, 0]), view, ask.kind, legal) == choice
            compared += 1
        state.apply(choices)
    assert compared > 50


def test_the_bot_needs_neither_numpy_nor_the_kit(tmp_path: Path) -> None:
    """The base image of Python bots has botkit alone."""
    path = write_bot(CardPolicy(1), tmp_path / "bot.py")
    code = (
        "import runpy, sys\n"
        "sys.modules.update(dict.fromkeys(['numpy', 'train', 'gymnasium', 'pettingzoo']))\n"
        f"print(runpy.run_path({str(path)!r})['TrainedBot'].__name__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["TrainedBot"], done.stderr


@pytest.mark.parametrize("code", SNIPPETS)
def test_the_snippets_of_the_page_run(code: str) -> None:
    exec(compile(code, "docs/training.md", "exec"), {})


def test_a_bot_that_was_trained_on_another_layout_says_so(tmp_path: Path) -> None:
    path = write_bot(CardPolicy(1), tmp_path / "bot.py")
    path.write_text(path.read_text().replace('"observation":1', '"observation":0'))
    with pytest.raises(SystemExit, match="train it again"):
        load(path)
    with pytest.raises(ValueError, match="expected a name for a Python class"):
        write_bot(CardPolicy(1), tmp_path / "bot.py", "my bot")
