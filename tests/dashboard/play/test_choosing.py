"""The form of a table: what its fields do, and how often it may be sent."""

from typing import Any

import pytest

import store as data
from league import people
from league.people import TableRequest
from league.people.opening import options_of
from store import Rating
from tests.dashboard.play.conftest import House
from tests.dashboard.play.test_coming_and_going import table_of

pytestmark = pytest.mark.timeout(180)
TWO: dict[str, Any] = {"rules": "six-nimmt", "seats": 2, "length": "round"}
CLOSED = {"table_slots": 0, "tables_per_person": 100, "tables_per_address": 100}
"""Nobody plays, so that tables are opened in no time."""


def rate_one(house: House, name: str) -> None:
    """One bot has a rating at the game of the form."""
    request = TableRequest(seats=2, one_round=True)
    with house.store.write() as session:
        scale = data.scales.add_scale(session, request.rules, options_of(request), request.seats)
        bot = data.bots.find_bot(session, name)
        assert bot is not None
        [version] = data.bots.versions(session, bot.id)
        row = Rating(
            scale_id=scale.id,
            version_id=version.id,
            live=1500.0,
            official=1500.0,
            blocks=9,
            games=9,
        )
        data.ratings.save(session, scale.id, [row])


def opponents(house: House, code: str) -> list[str]:
    sitting, _ = table_of(house.store, code)
    with house.store.read() as session:
        seats = data.sittings.seats(session, sitting.match_id)
    return [one.name for one in seats if not one.for_person]


@pytest.mark.parametrize("house", [CLOSED], indirect=True)
def test_of_about_my_strength_draws_among_those_with_a_rating(house: House) -> None:
    rate_one(house, "house/lowest")
    visitor = house.visitor()
    near = [opponents(house, visitor.open(**TWO, near=1)) for _ in range(8)]
    assert near == [["house/lowest"]] * 8
    anybody = {opponents(house, visitor.open(**TWO))[0] for _ in range(12)}
    assert len(anybody) > 1


@pytest.mark.parametrize("house", [{**CLOSED, "write_limit": "2/minute"}], indirect=True)
def test_whoever_opens_too_many_tables_has_nothing_worked_out(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[TableRequest] = []

    def noted(_: object, __: object, request: TableRequest, *, contained: bool) -> TableRequest:
        asked.append(request)
        return request

    monkeypatch.setattr(people, "of_about_my_strength", noted)
    visitor = house.visitor()
    for _ in range(2):
        assert visitor.form("/play", **TWO, near=1)[0] == 303
    assert visitor.form("/play", **TWO, near=1)[0] == 429
    assert len(asked) == 2, "and one table is counted once"
