"""The flow tests play in the images of the sandbox tests, and are patient with a busy machine."""

from collections.abc import Callable

import pytest

from league.submissions import CheckReport, build, check_bot
from league.submissions.check.play import Seat
from referee.plan import TimeControl
from sandbox.api import Program, Sandbox
from tests.flow.contained import PATIENT
from tests.sandbox.conftest import base_image, state

__all__ = ["base_image", "state"]


@pytest.fixture(autouse=True)
def patient_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's check has the clock of a quiet machine."""

    async def patiently(
        program: Program,
        sandbox: Sandbox,
        *,
        rules: list[str],
        time: TimeControl,
        on_step: Callable[[str], None],
        seat: Seat,
    ) -> CheckReport:
        slow = TimeControl(**PATIENT)
        return await check_bot(program, sandbox, rules=rules, time=slow, on_step=on_step, seat=seat)

    monkeypatch.setattr(build, "check_bot", patiently)
