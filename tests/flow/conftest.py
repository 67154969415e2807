"""The flow tests play in the images of the sandbox tests, and are patient with a busy machine."""

from functools import partial

import pytest

from league import workshop
from league.check import check_bot
from referee.plan import TimeControl
from tests.flow.contained import PATIENT
from tests.sandbox.conftest import base_image

__all__ = ["base_image"]


@pytest.fixture(autouse=True)
def patient_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server's check has the clock of a quiet machine."""
    monkeypatch.setattr(workshop, "check_bot", partial(check_bot, time=TimeControl(**PATIENT)))
