"""The review of a game at a table: offered on its replay, and for those who may see that."""

import json
from typing import Any

import pytest

from tests.dashboard.play.conftest import House
from tests.dashboard.play.test_coming_and_going import TERMS, table_of
from tests.dashboard.play.visitor import Visitor

pytestmark = pytest.mark.timeout(180)


def answer(visitor: Visitor, method: str, path: str) -> tuple[int, dict[str, Any]]:
    status, _, body = visitor.request(method, path)
    return status, json.loads(body)


def test_the_replay_of_ones_own_table_offers_its_review_and_nobody_elses(house: House) -> None:
    owner, stranger = house.visitor(), house.visitor()
    code = owner.open(**TERMS)
    review = f"/api/v1/tables/{code}/review"
    assert answer(owner, "GET", review)[0] == 404, "it is not over"
    owner.play(code)

    status, payload = answer(owner, "GET", f"/play/{code}/replay/data")
    assert (status, payload["meta"]["links"]["review"]) == (200, review)
    # Bots have versions, people have none.
    versions = {one["name"]: one["version"] for one in payload["meta"]["players"]}
    assert versions.pop("Guest") is None
    assert set(versions.values()) == {1}
    assert stranger.request("GET", f"/play/{code}/replay/data")[0] == 403
    for method in ("GET", "POST"):
        refused, told = answer(stranger, method, review)
        assert refused == 403
        assert "private to those who sat at the table" in told["detail"]
    status, told = answer(owner, "GET", review)
    assert (status, told["state"], told["review"]) == (200, "none", None)
    status, told = answer(owner, "POST", review)
    assert status == 202
    assert told["state"] in ("waiting", "working", "done")

    # The other address of the same game is nobody's, though its review is being made now.
    _, match = table_of(house.store, code)
    for visitor in (owner, stranger):
        path = f"/api/v1/matches/{match.id}/games/0/0/review"
        assert answer(visitor, "GET", path)[0] == 404
    assert answer(stranger, "GET", review)[0] == 403

    assert owner.form(f"/play/{code}/share", page=f"/play/{code}/replay")[0] == 303
    status, payload = answer(stranger, "GET", f"/play/{code}/replay/data")
    assert (status, payload["meta"]["links"]["review"]) == (200, review)
    assert answer(stranger, "GET", review)[0] == 200
