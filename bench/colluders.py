"""How much two bots at one table tell each other by when they answer: bits a second, real matches.

Run `python -m bench.colluders` (minutes; `--small` for less). It needs a Docker engine and the
base image. Time is cut into slots. In a slot that stands for a one the sender waits before each
answer; the receiver counts how often it is asked in each slot. Two honest bots sit beside them.
"""

import asyncio
import json
import math
import random
import statistics
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.options import described
from league.matches import Slot, play_match
from referee.plan import MatchPlan, PlannedBot, one_pass
from sandbox.api import ImageProgram
from sandbox.docker import DockerSandbox
from sandbox.engine import Engine
from sandbox.owner import Owner

WAIT_S = 0.03
SENDER = """
import time, zlib
from botkit import Bot, run
class Sender(Bot):
    @classmethod
    def choose_batch(cls, questions):
        if zlib.crc32(str(int(time.time() / {slot})).encode()) & 1:
            time.sleep({wait})
        return [min(each.legal) for each in questions]
run(Sender)
"""
RECEIVER = """
import json, time
from botkit import Bot, run
asked = {{}}
class Receiver(Bot):
    @classmethod
    def choose_batch(cls, questions):
        slot = int(time.time() / {slot})
        if slot not in asked:
            print(json.dumps(sorted(asked.items())[-1:]), flush=True)
        asked[slot] = asked.get(slot, 0) + 1
        return [min(each.legal) for each in questions]
run(Receiver)
"""
HONEST = "from botkit import Bot, run\nrun(Bot)\n"


@dataclass(frozen=True, slots=True)
class Case:
    """One way of playing a match."""

    name: str
    in_flight: int
    rated: bool
    """One bot thinks at a time, and the others are frozen."""


CASES = (
    Case("one game at a time, all think at once", 1, rated=False),
    Case("one game at a time, rated", 1, rated=True),
    Case("64 games in flight, rated", 64, rated=True),
)


def capacity(right: float) -> float:
    """Bits that one symbol carries when this share of symbols arrives right.

    >>> capacity(0.5), capacity(1.0)
    (0.0, 1.0)
    """
    wrong = 1 - right
    lost = sum(share * math.log2(share) for share in (right, wrong) if share)
    return 1 + lost if right > 0.5 else 0.0


def share_right(log: str, games_slots: int = 2) -> tuple[float, int]:
    """How many slots the receiver read correctly, and how many there were.

    A match that is over within so few slots tells nothing.

    >>> share_right("[]")
    (0.5, 0)
    """
    seen: dict[int, int] = {}
    for line in log.splitlines():
        if line.startswith("["):
            seen.update({int(slot): int(count) for slot, count in json.loads(line)})
    slots = range(min(seen, default=0) + games_slots, max(seen, default=0))
    if not slots:
        return 0.5, 0
    counts = [seen.get(slot, 0) for slot in slots]
    middle = statistics.median(counts)
    # A tie is a guess, as it would be for the receiver.
    guess = random.Random(1)
    read = [count < middle or (count == middle and guess.random() < 0.5) for count in counts]
    sent = [bool(zlib.crc32(str(slot).encode()) & 1) for slot in slots]
    return sum(a == b for a, b in zip(read, sent, strict=True)) / len(sent), len(sent)


async def play(box: DockerSandbox, image: str, case: Case, slot_s: float, boards: int) -> str:
    """One match; what the receiver has printed."""
    sources = [
        SENDER.format(slot=slot_s, wait=WAIT_S), RECEIVER.format(slot=slot_s), HONEST, HONEST,
    ]  # fmt: skip
    plan = MatchPlan(
        match="bench",
        rules="six-nimmt",
        options={"rounds": 1},
        bots=tuple(PlannedBot(name=f"bot{n}") for n in range(len(sources))),
        passes=one_pass(len(sources), boards),
        key="ab" * 32,
        in_flight=case.in_flight,
        thinkers=1 if case.rated else None,
        freeze=case.rated,
        runner=box.name,
    )
    programs = [ImageProgram(image=image, command=("python3", "-c", text)) for text in sources]
    slot = Slot(cores=(1,)) if case.rated else Slot()
    result = await play_match(plan, box, programs, owner=box.owner, slot=slot)
    return result.bots[1].log


async def measure(slots: list[float], boards: int) -> Table:
    """All cases, in turn."""
    table = Table("match", "slot", "right", "slots", "bits a second", title="timing of answers")
    with tempfile.TemporaryDirectory(prefix="br-") as state:
        engine = Engine()
        box = DockerSandbox(engine, Owner(Path(state)))
        try:
            image = str((await engine.image("bullring-base"))["Id"])
            for case in CASES:
                for slot_s in slots:
                    scale = 1 if case.in_flight == 1 else 20
                    right, count = share_right(await play(box, image, case, slot_s, boards * scale))
                    rate = capacity(right) / slot_s
                    table.add_row(
                        case.name, f"{slot_s:.2f} s", f"{right:.0%}", str(count), f"{rate:.1f}"
                    )
        finally:
            box.close()
    return table


def main() -> None:
    """Measure and print."""
    parser = described(__doc__)
    parser.add_argument("--small", action="store_true", help="fewer games and one length of slots")
    given = parser.parse_args()
    slots = [0.2] if given.small else [0.2, 0.1, 0.05]
    Console().print(asyncio.run(measure(slots, 50 if given.small else 200)))


if __name__ == "__main__":
    main()
