"""Whole matches in containers: the referee over the sandbox, honest bots beside hostile ones."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from league.matches import Slot, play_match
from nimmt.verify import verify
from referee.plan import MatchPlan, PlannedBot, duplicate, one_pass
from referee.result import MatchResult
from sandbox.api import ImageProgram
from sandbox.engine import Engine
from tests.sandbox.harness import build_image, sandbox_at

pytestmark = [pytest.mark.docker, pytest.mark.anyio]

SAMPLES = Path(__file__).resolve().parents[2] / "sample_bots"

HOSTILE = {
    "crasher": ("import sys; sys.exit(3)", "crashed"),
    "hog": ("x = [b'x' * 1000000 for _ in range(1000)]", "out_of_memory"),
    "flooder": ("import os\nwhile True: os.write(1, b'x' * 65536)", "output_flood"),
}


async def bot_image(engine: Engine, base: str, source: bytes) -> str:
    dockerfile = f"FROM {base}\nCOPY bot.py /bot/\n"
    return await asyncio.to_thread(build_image, engine, dockerfile, {"bot.py": source})


def sample(name: str) -> bytes:
    return (SAMPLES / name / "bot.py").read_bytes()


async def play(state: Path, images: Sequence[str], *, games: int) -> MatchResult:
    count = len(images)
    passes = duplicate(count, games) if count == 2 else one_pass(count, games)
    plan = MatchPlan(
        match="test",
        rules="six-nimmt",
        options={"rounds": 1},
        bots=tuple(PlannedBot(name=f"bot{n}", image=image) for n, image in enumerate(images)),
        passes=passes,
        key="ab" * 32,
        reveal_key=True,
        runner="docker",
        freeze=True,
        thinkers=1,
    )
    async with sandbox_at(state) as box:
        programs = [ImageProgram(image=image) for image in images]
        return await asyncio.wait_for(
            play_match(plan, box, programs, owner=box.owner, slot=Slot(cores=(1,))), 100
        )


def check_replays(result: MatchResult) -> None:
    for game in result.games:
        verify(game.document)


async def test_sample_bots_play_in_containers(state: Path, engine: Engine, base_image: str) -> None:
    images = [await bot_image(engine, base_image, sample(name)) for name in ("lowest", "random")]
    result = await play(state, images, games=3)
    assert result.complete
    assert len(result.games) == 6
    check_replays(result)
    for bot in result.bots:
        assert bot.faults == (), bot.log
        assert bot.cpu_s
        assert bot.memory_peak


@pytest.mark.parametrize("enemy", HOSTILE)
async def test_honest_bots_finish_their_match_beside_a_hostile_one(
    state: Path, engine: Engine, base_image: str, enemy: str
) -> None:
    source, fault = HOSTILE[enemy]
    honest = await bot_image(engine, base_image, sample("lowest"))
    hostile = await bot_image(engine, base_image, source.encode())
    result = await play(state, [honest, honest, hostile, honest], games=4)
    assert result.complete
    assert len(result.games) == 4
    check_replays(result)
    assert [len(bot.faults) for bot in result.bots[:2]] == [0, 0]
    assert fault in {str(each.kind) for each in result.bots[2].faults}, result.bots[2]
