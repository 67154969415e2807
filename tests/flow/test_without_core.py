"""Without a compiler: search, reviews, hints, training, games and tournaments in pure Python.

A Python environment of its own has everything that this one has, but not the compiled core, and no
program to build it with: what starts there, and whatever that starts, is on its own.
"""

import json
import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from nimmt.core import engine
from tests.nimmt.recorded import record
from tests.nimmt.support import TABLES

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., str]

# The decisions of a seat in each of the rules: searched, searched by the clock, and as a hint.
SEARCH = """
from random import Random
import nimmt
from nimmt.search import Memory
from nimmt.timed import TimedSearch
from review.hint import advise
for name, options in (("six-nimmt", {"rounds": 1}), ("x-nimmt", {}), ("eleven-nimmt", {})):
    rules = nimmt.get(name, options)
    choices = []
    for board in range(20):
        state = rules.start(3, nimmt.KeyedBoard(nimmt.key_from_seed(7), board))
        seat, ask = min(state.pending.items())
        legal = state.legal(seat)
        choices = list(legal.sensible()) if ask.kind == "turn" else list(legal)
        if len(choices) > 1:
            break
    memory = Memory(rules, 3, seat)
    for event in state.opening:
        memory.see(event)
    found = memory.rollouts(ask.kind, choices, 60, 1, halving=True)
    seen = [nimmt.events.seen_by(event, seat) for event in state.opening]
    advice = advise(rules, 3, seat, seen, ask.kind, legal, seed=3, rollouts=64)
    print(name, found.counts, found.sums, advice)
    memory.look()
    timed = TimedSearch().search(memory.position(ask.kind), choices, 0.02, Random(1))
    assert timed.played >= 2 * len(choices)
"""
TRAINING = """
import numpy as np
from train import NimmtAEC, NimmtParallel, VecNimmt
for name in ("six-nimmt", "x-nimmt", "eleven-nimmt"):
    vec = VecNimmt(name, 3, 2, 5)
    for _ in range(60):
        vec.step(vec.look().masks.argmax(axis=-1))
    print(name, *(array.tobytes().hex() for array in vec.look()))
    alone = NimmtParallel(name, 3)
    seen, _ = alone.reset(seed=4)
    while alone.agents:
        chosen = {agent: int(one["action_mask"].argmax()) for agent, one in seen.items()}
        seen, *_ = alone.step(chosen)
    print(alone.render())
    turns = NimmtAEC(name, 3)
    turns.reset(seed=4)
    while not any(turns.terminations.values()):
        seen = turns.observe(turns.agent_selection)
        turns.step(int(seen["action_mask"].argmax()))
    print(turns.render())
"""
BOT = """
from botkit import run
from nimmt.core import engine
from sample_bots.{name}.bot import {kind}
assert not engine().compiled, engine().about
if __name__ == "__main__":
    run({kind})
"""


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs this Python with some arguments where there is no core and no compiler."""
    folder = tmp_path_factory.mktemp("without")
    prefix = folder / "python"
    venv.create(prefix, symlinks=True, with_pip=False)
    here = sysconfig.get_path("purelib", vars={"base": str(prefix), "platbase": str(prefix)})
    both = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"), str(ROOT))
    Path(here, "all-but-the-core.pth").write_text("\n".join(dict.fromkeys(both)) + "\n")
    program = str(prefix / "bin" / Path(sys.executable).name)
    environ = {"PATH": str(prefix / "bin"), "HOME": str(folder), "COLUMNS": "100"}
    return lambda *arguments: run(program, environ, *arguments)


def run(program: str, environ: dict[str, str], *arguments: object) -> str:
    """What a command prints; what it complains of, when it fails."""
    command = [program, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def here(*arguments: object) -> str:
    """The same with the Python of the tests, which has the core wherever there is a compiler."""
    return run(sys.executable, {**os.environ, "COLUMNS": "100"}, *arguments)


def test_nothing_there_finds_or_builds_the_core(without: Run) -> None:
    printed = without("-m", "cli", "--version")
    assert "pure Python; for the compiled core: install a C compiler" in printed
    assert engine().compiled == ("search: compiled core" in here("-m", "cli", "--version"))


@pytest.mark.parametrize("script", [SEARCH, TRAINING], ids=["search", "training"])
def test_it_finds_and_learns_the_same(without: Run, script: str) -> None:
    printed = without("-c", script)
    assert printed.count("nimmt") >= 3
    assert printed == here("-c", script)


@pytest.mark.parametrize("rules", ["six-nimmt", "x-nimmt", "eleven-nimmt"])
def test_it_simulates_the_same_games(without: Run, rules: str) -> None:
    command = ("-m", "cli", "simulate", rules, "-n", 3, "--games", 4, "--bots", "random", "--json")
    printed = without(*command)
    assert json.loads(printed)
    assert printed == here(*command)


def test_it_reviews_a_game_alike(without: Run, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(record(*TABLES[0])))
    command = ("-m", "cli", "review", file, "--seat", 1, "--budget", 64, "--json")
    printed = without(*command)
    assert json.loads(printed)["format"] == "bullring-review/1"
    assert printed == here(*command)


def test_search_bots_play_a_tournament(without: Run, tmp_path: Path) -> None:
    for name, kind in (("montecarlo", "MonteCarloBot"), ("sleuth", "SleuthBot")):
        (tmp_path / f"{name}_here.py").write_text(BOT.format(name=name, kind=kind))
    printed = without(
        "-m", "cli", "tournament", "six-nimmt", tmp_path / "montecarlo_here.py",
        tmp_path / "sleuth_here.py", "lowest", "-o", "rounds=1", "--table", 3, "-m", 1, "-b", 2,
        "--seed", 1, "--move-ms", 50, "--bank-ms", 60000, "--start-ms", 60000,
        "--results", tmp_path / "results", "--json",
    )  # fmt: skip
    outcome = json.loads(printed)
    assert outcome["complete"]
    assert outcome["crashed"] == []
    assert {row["bot"]: row["games"] for row in outcome["standings"]} == {
        "montecarlo_here": 6, "sleuth_here": 6, "lowest": 6,
    }  # fmt: skip
