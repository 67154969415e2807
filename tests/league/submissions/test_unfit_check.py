"""A check on an unfit host: what failed for lack of time is played again."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from league.bots import find_bot
from league.matches import HostUnfit, Slot, play_match
from league.submissions.check import play as check_play
from league.submissions.check.play import check_bot
from referee.plan import TimeControl
from sandbox.process import ProcessSandbox

pytestmark = [pytest.mark.anyio, pytest.mark.timeout(300)]
PATIENT = TimeControl(move_ms=60_000, bank_ms=600_000, start_ms=100_000)


class Unfit:
    """The host is unfit for some of the trials, whichever bot plays."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *trials: int) -> None:
        self.keys: list[str] = []
        self.seats = 0
        self._trials = trials
        self._real = play_match
        monkeypatch.setattr(check_play, "play_match", self._play)

    async def _play(self, plan: Any, *given: Any, **more: Any) -> Any:
        self.keys.append(plan.key)
        if len(self.keys) in self._trials:
            raise HostUnfit("others took 90% of core 1 during a timeout")
        return await self._real(plan, *given, **more)

    @asynccontextmanager
    async def seat(self) -> AsyncIterator[Slot]:
        self.seats += 1
        yield Slot()


@pytest.mark.heavy
async def test_a_trial_that_the_host_spoilt_is_played_again_in_another_slot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = Unfit(monkeypatch, 1, 2, 4)
    said: list[str] = []
    report = await check_bot(
        find_bot("lowest").program,
        ProcessSandbox(),
        rules=["six-nimmt"],
        boards=2,
        time=PATIENT,
        on_step=said.append,
        seat=host.seat,
    )
    assert report.ok, report.words()
    assert host.seats == 4, "after each of the three a new slot is waited for"
    assert host.keys[0] == host.keys[1] == host.keys[2] != host.keys[3] == host.keys[4]
    again = [line for line in said if "played again" in line]
    assert len(again) == 3
    assert "the host was unfit: others took 90% of core 1" in again[0]


async def test_at_home_a_check_ends_without_a_verdict_when_the_host_stays_unfit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = Unfit(monkeypatch, 1, 2, 3, 4, 5)
    with pytest.raises(HostUnfit):
        await check_bot(
            find_bot("lowest").program, ProcessSandbox(), rules=["six-nimmt"], boards=2, tries=3
        )
    assert len(host.keys) == 3


def test_the_command_says_that_there_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from typer.testing import CliRunner

    from cli.main import build_app

    Unfit(monkeypatch, 1, 2, 3)
    done = CliRunner().invoke(build_app(), ["check", "lowest", "--rules", "six-nimmt"])
    assert done.exit_code != 0
    assert "no verdict: the host was unfit" in done.output
