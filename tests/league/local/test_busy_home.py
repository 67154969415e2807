"""At home nobody waits for a calm machine; what it spoilt is told, or played again."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from league import wiring
from league.bots import LocalBot, find_bot
from league.local import gate as home_gate
from league.local.gate import HomeGate, run_gate
from league.local.match import UNFIT_TRIES, LocalMatch, play_local
from league.matches import HostUnfit, Slot
from referee.plan import TimeControl
from referee.result import MatchResult
from sandbox.api import CommandProgram
from sandbox.host_sampler import HostSampler
from sandbox.limits import fair_limits
from tests.sandbox.busy import CORE, MadeUpHost, UnknowingSandbox

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc"),
]
ROOT = Path(__file__).resolve().parents[3]
SLEEPER = """
import time
from botkit import Bot, run

class Sleeper(Bot):
    def choose_card(self, view):
        time.sleep(30)

    def choose_row(self, view):
        return min(self.legal)

run(Sleeper, max_batch=1)
"""


def sleeper() -> LocalBot:
    program = CommandProgram(argv=(sys.executable, "-c", SLEEPER), cwd=ROOT)
    return replace(find_bot("lowest"), program=program)


def short_match(bot: LocalBot) -> LocalMatch:
    clock = TimeControl(move_ms=200, bank_ms=0, start_ms=60_000)
    options = {"rounds": 1}
    bots = (bot, find_bot("lowest"))
    return LocalMatch(
        rules="six-nimmt", bots=bots, options=options, boards=1, duplicate=False, time=clock
    )


def busy_home(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    """This machine has one core for bots, of which others take so much."""

    @contextmanager
    def slot(*, void: bool) -> Iterator[Slot]:
        host = MadeUpHost(share)
        sampler = HostSampler(cores=host.read, limits=replace(fair_limits(), fit_seconds=0.3))
        sampler.start()
        try:
            with sampler.table([CORE]) as table:
                # Bots of this test cannot be kept to a core that does not exist.
                yield Slot(cores=(CORE,), table=table, hold=False, void=void)
        finally:
            sampler.stop()

    monkeypatch.setattr(wiring, "home_slot", slot)
    monkeypatch.setattr(wiring, "local_sandbox", lambda *_, **__: UnknowingSandbox())


async def news_of(match: LocalMatch, **more: Any) -> tuple[list[dict[str, Any]], MatchResult]:
    seen: list[dict[str, Any]] = []
    async for news in play_local(match, **more):
        if isinstance(news, MatchResult):
            return seen, news
        seen.append(news)
    raise AssertionError("a match ends with its result")


async def test_a_match_at_home_is_never_held_and_says_which_faults_are_the_machines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    busy_home(monkeypatch, 0.85)
    seen, result = await news_of(short_match(sleeper()))
    assert result.complete
    assert result.held_s == 0
    told = [news for news in seen if news["type"] == "unfit"]
    assert told
    assert told[0]["bot"] == 0
    assert told[0]["reason"].startswith("others took")
    assert not [news for news in seen if news["type"] == "hold"]


async def test_a_slow_bot_on_a_calm_machine_has_no_excuse_at_home(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    busy_home(monkeypatch, 0.0)
    seen, result = await news_of(short_match(sleeper()), void=True)
    assert result.bots[0].faults
    assert not [news for news in seen if news["type"] == "unfit"]


@pytest.mark.heavy
async def test_a_gate_at_home_plays_again_what_the_machine_spoilt_and_then_gives_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    busy_home(monkeypatch, 0.85)
    played: list[LocalMatch] = []

    def counted(match: LocalMatch, **more: Any) -> Any:
        played.append(match)
        return play_local(match, **more)

    monkeypatch.setattr(home_gate, "play_local", counted)
    gate = HomeGate(
        new=sleeper(),
        old=find_bot("lowest"),
        panel=(find_bot("gap"),),
        rules="six-nimmt",
        seats=2,
        options={"rounds": 1},
        boards=1,
        time=TimeControl(move_ms=200, bank_ms=0, start_ms=60_000),
    )
    with pytest.raises(HostUnfit):
        await anext(run_gate(gate))
    assert len(played) == UNFIT_TRIES
    assert len({match.seed for match in played}) == 1, "the same match each time"


@pytest.mark.parametrize("wanted", ["0", "1"])
def test_the_slot_at_home_is_watched_unless_the_operator_says_otherwise(
    wanted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BULLRING_FAIR_HOST", wanted)
    monkeypatch.setattr("league.wiring.slots.share_cores", lambda _: [(1,)])
    with wiring.home_slot(void=True) as slot:
        assert slot.is_measured == (wanted == "1")
        assert not slot.hold
        assert slot.cores == ((1,) if wanted == "1" else ())
