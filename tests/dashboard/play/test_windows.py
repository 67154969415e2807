"""Several windows at one table, and how fast choices may come."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from dashboard.pages import play_table
from tests.dashboard.play.conftest import House
from tests.dashboard.play.test_coming_and_going import TERMS
from tests.dashboard.play.visitor import Frame, Visitor

pytestmark = pytest.mark.timeout(180)


def watched(visitor: Visitor, code: str) -> list[tuple[int, Frame]]:
    return [(number, data) for name, number, data in visitor.stream(code) if name == "frame"]


def test_every_window_of_a_person_is_sent_the_same(house: House) -> None:
    visitor = house.visitor()
    code = visitor.open(**TERMS)
    with ThreadPoolExecutor(2) as pool:
        windows = []
        for _ in range(2):
            other = house.visitor()
            other.cookies = dict(visitor.cookies)
            windows.append(pool.submit(watched, other, code))
        played = visitor.play(code)
    assert played[-1][1]["type"] == "over"
    assert [window.result() for window in windows] == [played, played]


def test_too_many_choices_from_one_address_are_refused(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play_table, "CHOICE_LIMIT", "3/minute")
    visitor = house.visitor()
    code = visitor.open(**TERMS)
    token = visitor.token(f"/play/{code}")
    answers = [visitor.choose(code, token, 99, 1)[0] for _ in range(4)]
    assert answers[3] == 429
    assert 429 not in answers[:3]
