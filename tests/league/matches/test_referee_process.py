"""The supervisor: early stops, dead referees, dead supervisors, bots that cannot start."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

import nimmt
from league.matches.bot_process import printable
from league.matches.referee_process import RefereeCrashed, play_match
from league.matches.referee_start import start_fresh
from league.matches.zygote import Zygote
from nimmt.verify import verify
from referee.plan import MatchPlan, PlannedBot, TimeControl, duplicate, one_pass
from sandbox.api import CommandProgram, PlatformFault
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox
from tests.ending import started

ROOT = Path(__file__).resolve().parents[3]
LOWEST = CommandProgram(argv=(sys.executable, "bot.py"), cwd=ROOT / "sample_bots" / "lowest")
needs_proc = pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")


def make_plan(boards: int, bots: int = 2, duplicated: bool = False, **more: Any) -> MatchPlan:
    return MatchPlan(
        match="supervised",
        rules="six-nimmt",
        options={"rounds": 1},
        bots=tuple(PlannedBot(name=f"bot/{n}") for n in range(bots)),
        passes=(duplicate if duplicated else one_pass)(bots, boards),
        key=nimmt.key_from_seed(1).hex(),
        time=TimeControl(move_ms=5000, bank_ms=60_000, start_ms=60_000),
        **more,
    )


@pytest.fixture
def short_folder() -> Iterator[str]:
    """A folder whose name leaves room for a socket; pytest's own are too long."""
    with tempfile.TemporaryDirectory(prefix="bs") as folder:
        yield folder


def named(token: str) -> list[int]:
    """Processes whose environment or command names this text."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            try:
                texts = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if token.encode() in texts:
                found.append(int(folder.name))
    return found


@pytest.mark.heavy(but="None")
@pytest.mark.anyio
@pytest.mark.parametrize("thinkers", [None, 1])
async def test_a_duplicate_match_plays_every_board_with_every_seating(
    thinkers: int | None,
) -> None:
    plan = make_plan(3, 2, duplicated=True, thinkers=thinkers, freeze=thinkers is not None)
    seen: list[dict[str, Any]] = []
    result = await play_match(plan, ProcessSandbox(), [LOWEST] * 2, seen.append)
    assert result.complete
    assert [(g.pass_no, g.game_no) for g in result.games] == [
        (p, n) for p in range(2) for n in range(3)
    ]
    for game in result.games:
        verify(game.document)
    assert {g.seats for g in result.games if g.board == 1} == {(0, 1), (1, 0)}
    assert all(bot.faults == () for bot in result.bots)
    assert all(bot.cpu_s and bot.asks and bot.median_ms is not None for bot in result.bots)
    assert seen[-1]["games"] == seen[-1]["of"] == 6


class Diary(ProcessSandbox):
    """Notes how many bots are there when one starts; runs them as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.there = 0
        self.met: list[int] = []

    @asynccontextmanager
    async def run(self, *args: Any, **more: Any) -> AsyncIterator[Any]:
        self.met.append(self.there)
        self.there += 1
        try:
            async with super().run(*args, **more) as bot:
                yield bot
        finally:
            self.there -= 1


@pytest.mark.heavy(but="True")
@pytest.mark.anyio
@pytest.mark.parametrize("rated", [True, False])
async def test_in_rated_play_a_pass_starts_when_nothing_is_left_of_the_last_one(
    rated: bool,
) -> None:
    plan = make_plan(2, 2, duplicated=True, thinkers=1 if rated else None, freeze=rated)
    diary = Diary()
    result = await play_match(plan, diary, [LOWEST] * 2)
    assert result.complete
    assert all(bot.faults == () for bot in result.bots)
    assert len(diary.met) == 4
    if rated:
        assert diary.met == [0, 1, 0, 1]
    else:
        assert max(diary.met) > 1, "a friendly match does not wait"


@pytest.mark.anyio
async def test_bots_that_cannot_dial_unix_sockets_play_over_loopback() -> None:
    result = await play_match(make_plan(2, tcp=True), ProcessSandbox(), [LOWEST] * 2)
    assert result.complete
    assert all(bot.faults == () for bot in result.bots)


@pytest.mark.anyio
async def test_stopping_early_gives_what_was_played() -> None:
    stop = asyncio.Event()

    def look(news: dict[str, Any]) -> None:
        if news["type"] == "progress" and news["games"] >= 3:
            stop.set()

    plan = make_plan(20_000, in_flight=1)
    result = await play_match(plan, ProcessSandbox(), [LOWEST] * 2, look, stop=stop)
    assert not result.complete
    assert 3 <= len(result.games) < 20_000
    assert all(bot.faults == () and bot.asks for bot in result.bots)


@pytest.mark.anyio
async def test_a_bot_that_cannot_start_is_out_and_the_match_goes_on(tmp_path: Path) -> None:
    missing = CommandProgram(argv=("bot",), cwd=tmp_path / "missing")
    result = await play_match(make_plan(2), ProcessSandbox(), [missing, LOWEST])
    [fault] = result.bots[0].faults
    assert fault.kind == "refused_start"
    assert "does not exist" in fault.cause
    assert all(game.places[game.seats.index(1)] == 1 for game in result.games)


@pytest.mark.anyio
async def test_a_broken_sandbox_is_nobodys_fault() -> None:
    class BrokenSandbox(ProcessSandbox):
        def run(self, *args: Any, **more: Any) -> Any:
            raise PlatformFault("the engine is down")

    with pytest.raises(PlatformFault, match="the engine is down"):
        await play_match(make_plan(2), BrokenSandbox(), [LOWEST] * 2)


@pytest.mark.heavy(but="True")
@needs_proc
@pytest.mark.anyio
@pytest.mark.parametrize("forked", [False, True])
async def test_a_referee_that_dies_is_a_bug_of_ours_and_leaves_no_bot(
    short_folder: str, forked: bool
) -> None:
    owner = Owner(Path(short_folder))
    zygote = Zygote()

    def kill_referee(news: dict[str, Any]) -> None:
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    parent = int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
                    words = (folder / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if parent == (zygote.pid or os.getpid()) and b"referee" in words:
                    os.kill(int(folder.name), signal.SIGKILL)

    try:
        plan = make_plan(20_000, in_flight=1)
        start = zygote.start if forked else start_fresh
        bots = [LOWEST] * 2
        with pytest.raises(RefereeCrashed, match="code -9"):
            await play_match(plan, ProcessSandbox(), bots, kill_referee, owner=owner, start=start)
        assert (zygote.pid is not None) == forked
        assert named(owner.token) == []
        assert list((owner.state_dir / owner.token).iterdir()) == []
    finally:
        zygote.close()
        owner.close()


def below(pid: int) -> list[int]:
    """Every process below one."""
    found = [pid]
    for one in found:
        tasks = Path(f"/proc/{one}/task/{one}/children")
        with contextlib.suppress(OSError):
            found += map(int, tasks.read_text().split())
    return found[1:]


@needs_proc
@pytest.mark.parametrize("start", ["start_fresh", "Zygote().start"])
def test_a_supervisor_that_is_killed_leaves_neither_bots_nor_referee(
    short_folder: str, start: str
) -> None:
    token = f"left-behind-{os.getpid()}-{time.monotonic_ns()}"
    code = f"""
import asyncio, sys
from dataclasses import replace
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from league.matches import Zygote, play_match
from league.matches.referee_start import start_fresh
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox
from tests.league.matches.test_referee_process import make_plan, LOWEST
program = replace(LOWEST, argv=(*LOWEST.argv, {token!r}))
def look(news):
    if news["type"] == "progress":
        print("playing", flush=True)
owner = Owner(Path({short_folder!r}))
plan = make_plan(20_000, in_flight=1)
start = {start}
asyncio.run(play_match(plan, ProcessSandbox(), [program] * 2, look, owner=owner, start=start))
"""
    command = [sys.executable, "-c", code]
    with started(command, cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"playing\n"
        children = below(process.pid)
        assert len(named(token)) >= 2
        process.kill()
        process.wait()
        deadline = time.monotonic() + 60
        while named(token) or any(Path(f"/proc/{child}").exists() for child in children):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_a_log_cannot_steer_a_terminal() -> None:
    text = printable("a\x1b[2J\u202eb\r\n\x00\x9f ok\tü\n".encode() + b"\xff\xfe")
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\x00" not in text
    assert "ü" in text
    assert text.count("\n") == 2
    json.dumps(text)
