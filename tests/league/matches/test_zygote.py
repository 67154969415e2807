"""The zygote: a forked referee has what a fresh one has, and no match depends on the zygote."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from league.matches import referee_start
from league.matches import zygote as zygotes
from league.matches.referee_process import play_match
from league.matches.referee_start import RefereeChild, start_fresh
from league.matches.zygote import TRIES, Zygote
from nimmt.verify import verify
from sandbox.process import ProcessSandbox
from tests.league.matches.test_referee_process import LOWEST, make_plan

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="there is a zygote on Linux alone"),
]
PROBE = "tests.league.probing_referee"


@pytest.fixture
def probing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referee_start, "REFEREE", PROBE)


@pytest.fixture
def zygote() -> Iterator[Zygote]:
    owned = Zygote(stamp=lambda: 0)
    yield owned
    owned.close()


@contextlib.asynccontextmanager
async def living(child: RefereeChild) -> AsyncIterator[dict[str, Any]]:
    """What a probe says of itself; it is gone after the block."""
    try:
        async with asyncio.timeout(60):
            yield json.loads(await child.stdout.readline())
    finally:
        child.stdin.close()
        await child.wait()
        child.let_go()


async def facts(child: RefereeChild) -> dict[str, Any]:
    async with living(child) as told:
        return told


def is_there(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


def own(told: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in told.items() if name not in ("pid", "parent", "chance")}


async def fresh_and_forked(zygote: Zygote) -> list[dict[str, Any]]:
    """What a fresh start tells, and two forks; the second is made while the first one plays, whose
    descriptors must not be there."""
    fresh = await facts(await start_fresh(None))
    async with living(await zygote.start(None)) as first:
        return [fresh, first, await facts(await zygote.start(None))]


def check_descriptors(told: list[dict[str, Any]]) -> None:
    """Nothing is open but what a program starts with."""
    for one in told:
        assert sorted(one["descriptors"]) == ["0", "1", "2"], one["descriptors"]


@pytest.mark.usefixtures("probing")
async def test_a_fork_has_what_a_fresh_start_has_and_nothing_else(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BULLRING_SECRET", "hush")
    fresh, first, second = await fresh_and_forked(zygote)
    assert fresh["parent"] == os.getpid()
    check_descriptors([fresh, first, second])
    for told in (first, second):
        assert told["parent"] == zygote.pid
        assert own(told) == own(fresh)
    assert "hush" not in json.dumps([fresh, first, second])


async def test_a_descriptor_that_an_import_opens_is_seen(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee_start, "REFEREE", "tests.league.leaking_referee")
    for told in await fresh_and_forked(zygote):
        with pytest.raises(AssertionError, match=r"leaking_referee\.py"):
            check_descriptors([told])


@pytest.mark.usefixtures("probing")
async def test_every_fork_has_chance_of_its_own(zygote: Zygote) -> None:
    first, second = [(await facts(await zygote.start(None)))["chance"] for _ in range(2)]
    assert first["random"] != second["random"]
    assert first["secret"] != second["secret"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.usefixtures("probing")
async def test_a_fork_drops_its_rights(zygote: Zygote) -> None:
    uid, groups = 64_321, os.getgroups()
    os.setgroups([*groups, 64_322])
    try:
        told = await facts(await zygote.start(uid))
    finally:
        os.setgroups(groups)
    assert told["Uid"].split() == told["Gid"].split() == [str(uid)] * 4
    assert told["Groups"].strip() == ""
    assert int(told["CapEff"], 16) == 0
    # The zygote itself is as it was.
    assert (await facts(await zygote.start(None)))["Uid"].split() == [str(os.getuid())] * 4


@pytest.mark.usefixtures("probing")
async def test_the_end_of_a_fork_is_told_as_it_was(zygote: Zygote) -> None:
    child = await zygote.start(None)
    await child.stdout.readline()
    child.stdin.write(b"3")
    child.stdin.close()
    assert await child.stderr.read() == b"probed\n"
    assert await child.wait() == 3
    child.let_go()
    child = await zygote.start(None)
    child.kill()
    assert await child.wait() == -signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        child.kill()
    child.let_go()


@pytest.mark.usefixtures("probing")
async def test_a_zygote_serves_so_many_matches_and_until_the_code_changes() -> None:
    code = ["old"]
    owned = Zygote(matches=2, stamp=lambda: code[0])
    try:
        parents = [(await facts(await owned.start(None)))["parent"] for _ in range(3)]
        assert parents[0] == parents[1] != parents[2]
        code[0] = "new"
        parents.append((await facts(await owned.start(None)))["parent"])
        assert len({*parents, os.getpid()}) == 4
    finally:
        owned.close()
    assert not any(is_there(pid) for pid in parents)


def test_a_change_of_the_code_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "referee" / "room.py"
    module.parent.mkdir()
    module.write_text("")
    monkeypatch.setattr(zygotes, "ROOT", tmp_path)
    before = zygotes.code_stamp()
    assert zygotes.code_stamp() == before
    os.utime(module, ns=(1, 1))
    touched = zygotes.code_stamp()
    (module.parent / "new.py").write_text("")
    assert len({before, touched, zygotes.code_stamp()}) == 3


@pytest.mark.usefixtures("probing")
async def test_a_zygote_that_died_costs_no_match(zygote: Zygote) -> None:
    async with living(await zygote.start(None)) as told:
        os.kill(told["parent"], signal.SIGKILL)
        fresh = await facts(await zygote.start(None))
        assert fresh["parent"] == os.getpid()
        # The next one is forked again, from another.
        forked = await facts(await zygote.start(None))
        assert forked["parent"] not in (os.getpid(), told["parent"])
        assert is_there(told["pid"])


@pytest.mark.usefixtures("probing")
async def test_many_callers_of_one_dead_process_count_it_once(zygote: Zygote) -> None:
    first = await facts(await zygote.start(None))
    callers = [zygote._ready() for _ in range(TRIES + 1)]
    for process in callers:
        assert process is not None
        zygote._failed(process, zygotes.NoFork("it has ended"))
    # One death is one failure, so the next referee is forked, from another process.
    forked = await facts(await zygote.start(None))
    assert forked["parent"] not in (os.getpid(), first["parent"])


async def test_a_match_whose_zygote_dies_is_played_to_its_end(zygote: Zygote) -> None:
    killed: list[int] = []

    def kill_zygote(news: dict[str, Any]) -> None:
        if not killed and zygote.pid is not None:
            killed.append(zygote.pid)
            os.kill(zygote.pid, signal.SIGKILL)

    plan = make_plan(4, in_flight=1)
    result = await play_match(plan, ProcessSandbox(), [LOWEST] * 2, kill_zygote, start=zygote.start)
    assert killed
    assert result.complete
    for game in result.games:
        verify(game.document)
    assert all(bot.faults == () for bot in result.bots)


async def test_a_zygote_with_threads_refuses_and_is_not_tried_for_ever(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(referee_start, "REFEREE", "tests.league.threaded_referee")
    started: list[object] = []
    process = zygotes._Process

    def count(stamp: object) -> zygotes._Process:
        started.append(stamp)
        return process(stamp)

    monkeypatch.setattr(zygotes, "_Process", count)
    with pytest.raises(zygotes.NoFork, match="2 threads run in the zygote, expected 1"):
        await zygotes._fork(zygote._ready().control, None)  # type: ignore[union-attr]
    for _ in range(TRIES + 1):
        assert (await facts(await zygote.start(None)))["parent"] == os.getpid()
    assert len(started) == TRIES


@pytest.mark.usefixtures("probing")
async def test_a_system_without_process_descriptors_starts_all_afresh(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    owned = Zygote()
    assert (await facts(await owned.start(None)))["parent"] == os.getpid()
    assert owned.pid is None
    owned.close()


@pytest.mark.usefixtures("probing")
def test_one_zygote_serves_many_threads_with_loops_of_their_own(zygote: Zygote) -> None:
    from concurrent.futures import ThreadPoolExecutor

    async def one() -> int:
        parent: int = (await facts(await zygote.start(None)))["parent"]
        return parent

    with ThreadPoolExecutor(4) as pool:
        parents = set(pool.map(lambda _: asyncio.run(one()), range(12)))
    assert parents == {zygote.pid}
