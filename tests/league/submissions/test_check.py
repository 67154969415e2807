"""The check: what an author is told of a bot, good or bad."""

import asyncio
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cli.main import build_app
from league import wiring
from league.bots import find_bot
from league.matches import TableBot
from league.matches.plan import plan_of
from league.settings import LeagueSettings
from league.submissions import build
from league.submissions.check.play import check_bot
from league.submissions.check.report import CheckReport, Step
from referee.plan import TimeControl
from sandbox.api import CommandProgram, Program
from sandbox.intake import Accepted
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox
from store import Match

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


async def check(program: Program, *rules: str, key: bytes | None = None) -> CheckReport:
    owner = Owner()
    try:
        sandbox = wiring.local_sandbox("process", owner)
        return await check_bot(program, sandbox, rules=rules, boards=3, key=key)
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
    where = report.to_json()["faults"][0]["where"]
    # People count from 1, and a crash has no decision of its own.
    assert re.fullmatch(r"six-nimmt(, game [1-9]\d*, round 1, decision [1-9]\d*)?", where)
    assert "exit when Goodbye comes" not in report.words(), "it was out before that"


@pytest.mark.timeout(300)
async def test_a_bot_that_never_starts_gets_its_own_output_back(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text("import a_library_that_is_not_there\n", encoding="utf-8")
    report = await check(CommandProgram(argv=(sys.executable, str(file)), cwd=tmp_path), "x-nimmt")
    assert not report.ok
    assert [step.name for step in report.steps] == ["starts and connects"]
    assert "a_library_that_is_not_there" in report.words()


ONLY_ONCE = """
import os, time
marker = os.path.join(os.path.dirname(os.path.abspath(__file__)), "started")
if os.path.exists(marker):
    time.sleep(60)
open(marker, "w").close()
from botkit import Bot, run
run(Bot)
"""


@pytest.mark.heavy
@pytest.mark.timeout(300)
async def test_a_bot_that_stops_starting_fails_and_is_told_which_trial(tmp_path: Path) -> None:
    file = tmp_path / "bot.py"
    file.write_text(ONLY_ONCE, encoding="utf-8")
    program = CommandProgram(argv=(sys.executable, str(file)), cwd=tmp_path)
    # Not behind bubblewrap, where it could not remember that it has been here before.
    report = await check_bot(
        program,
        ProcessSandbox(),
        rules=("six-nimmt", "x-nimmt"),
        boards=1,
        time=TimeControl(move_ms=5000, start_ms=5000),
    )
    assert not report.ok
    [step] = [one for one in report.steps if one.name == "plays every trial to its end"]
    assert not step.ok
    assert step.says.startswith("1 of 6; the next one was six-nimmt"), step.says
    assert "refused_start" in step.says
    assert report.rules == (), "none of them was tried to its end"


@pytest.mark.heavy
@pytest.mark.timeout(300)
async def test_no_two_checks_have_the_same_boards_unless_the_key_is_given() -> None:
    one, two = [await check(find_bot("lowest").program, "x-nimmt") for _ in range(2)]
    assert one.key != two.key
    again = await check(find_bot("lowest").program, "x-nimmt", key=bytes.fromhex(one.key))

    def answered(report: CheckReport) -> list[str]:
        return [step.says for step in report.steps if step.name.startswith("answers")]

    assert answered(again) == answered(one)
    assert again.key == one.key


@pytest.mark.heavy
@pytest.mark.timeout(300)
async def test_rules_that_a_bot_declines_are_left_out() -> None:
    report = await check(find_bot("greedy").program, "six-nimmt", "eleven-nimmt")
    assert report.ok, report.words()
    assert report.rules == ("eleven-nimmt",)
    assert "it refuses six-nimmt, as it says" in report.words()


@pytest.mark.docker
async def test_the_time_to_start_is_a_setting_of_the_check_and_of_matches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    given: list[TimeControl] = []

    async def note(*_: object, time: TimeControl, **__: object) -> CheckReport:
        given.append(time)
        failed = Step(name="none", ok=False, says="nothing was played")
        return CheckReport(runner="none", rules=(), steps=(failed,))

    monkeypatch.setattr(build, "check_bot", note)
    monkeypatch.setattr("league.submissions.check_bot", note)
    settings = LeagueSettings(data_dir=tmp_path, start_seconds=25)
    owner = Owner()
    taken = Accepted(image="an image", name="a-name", fingerprint="f", unpacked=1, files=1)
    shop = wiring.make_workshop(settings, owner)
    await shop.check(taken, ["six-nimmt"], lambda _: None)
    owner.close()
    # In a thread: the command runs an event loop of its own.
    command = ["check", "gap", "--start-ms", "30000", "--json"]
    await asyncio.to_thread(CliRunner().invoke, build_app(), command)
    assert [time.start_ms for time in given] == [25_000, 30_000]

    match = Match(
        rules="six-nimmt",
        table_size=2,
        boards=1,
        key=bytes(32),
        commitment="",
        queue="matches",
        time={"move_ms": 100},
    )
    bots = [TableBot(name=name, version=1, image=None, program=("x",)) for name in "ab"]
    made = plan_of(match, bots, attempt=1, runner="none", watch=False, start_ms=settings.start_ms)
    assert (made.time.start_ms, made.time.move_ms) == (25_000, 100)
