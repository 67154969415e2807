"""The check: what an author is told of a bot, good or bad."""

import sys
from pathlib import Path

import pytest

from league import wiring
from league.check import CheckReport, check_bot
from league.finding import find_bot
from sandbox.api import CommandProgram, Program
from sandbox.owner import Owner

HEAD = "from botkit import Bot, run\nclass B(Bot):\n"
FAULTY = {
    "illegal": ("    def choose_card(self, view): return 105\n", "stays legal", "got 105"),
    "crash": ("    def choose_card(self, view): raise KeyError('oops')\n", "stays up", "KeyError"),
    "slow": (
        "    def choose_card(self, view):\n        import time; time.sleep(30)\n",
        "keeps its time",
        "timeout",
    ),
}


async def check(program: Program, *rules: str) -> CheckReport:
    owner = Owner()
    try:
        sandbox = wiring.local_sandbox("process", owner)
        return await check_bot(program, sandbox, rules=rules, boards=3)
    finally:
        owner.close()


def program(folder: Path, body: str) -> CommandProgram:
    file = folder / "bot.py"
    file.write_text(HEAD + body + "run(B)\n", encoding="utf-8")
    return CommandProgram(argv=(sys.executable, str(file)), cwd=folder)


@pytest.mark.timeout(300)
async def test_a_good_bot_passes_every_step_and_answers_every_kind() -> None:
    report = await check(find_bot("gap").program, "six-nimmt", "x-nimmt")
    assert report.ok, report.words()
    assert report.rules == ("six-nimmt", "x-nimmt")
    [kinds] = [step for step in report.steps if step.name == "answers every kind of decision"]
    for kind in ("card", "row", "draft", "x_card"):
        assert kind in kinds.says
    assert report.to_json()["ok"] is True


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", FAULTY)
async def test_a_bad_bot_is_told_which_step_failed_and_why(tmp_path: Path, name: str) -> None:
    body, step, words = FAULTY[name]
    report = await check(program(tmp_path, body), "six-nimmt")
    assert not report.ok
    assert step in [one.name for one in report.steps if not one.ok], report.words()
    assert words in report.words()


@pytest.mark.timeout(300)
async def test_a_bot_that_never_starts_gets_its_own_output_back(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("import a_library_that_is_not_there\n", encoding="utf-8")
    report = await check(CommandProgram(argv=(sys.executable, str(file)), cwd=tmp_path), "x-nimmt")
    assert not report.ok
    assert [step.name for step in report.steps] == ["starts and connects"]
    assert "a_library_that_is_not_there" in report.words()


@pytest.mark.timeout(300)
async def test_rules_that_a_bot_declines_are_left_out() -> None:
    report = await check(find_bot("greedy").program, "six-nimmt", "eleven-nimmt")
    assert report.ok, report.words()
    assert report.rules == ("eleven-nimmt",)
