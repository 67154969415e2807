"""Hints at a table: noted before they are shown, made of what the seat was sent, and of no more."""

import json
import re
from typing import Any

import pytest

import nimmt
from dashboard.pages import play_hint
from dashboard.pages.hint_desk import HintDesk
from league.people import Asked, make_hint
from store import sittings
from tests.dashboard.play.conftest import House
from tests.dashboard.play.test_whole_games import GAMES, stored
from tests.dashboard.play.visitor import Frame, Visitor, lowest

pytestmark = [pytest.mark.heavy, pytest.mark.timeout(300)]
FIELDS = {"choice", "points", "error", "more", "best"}


def ask_hint(visitor: Visitor, code: str, token: str, ask: Any) -> tuple[int, dict[str, Any]]:
    kind = "application/json"
    status, _, body = visitor.request(
        *("POST", f"/play/{code}/hint", json.dumps({"ask": ask})),
        x_csrf_token=token, content_type=kind,
    )  # fmt: skip
    return status, json.loads(body)


def is_assisted(house: House, code: str) -> bool:
    with house.store.read() as session:
        sitting = sittings.by_code(session, code)
        assert sitting is not None
        return sitting.assisted


@pytest.mark.parametrize("fields", GAMES)
def test_a_hint_prices_every_choice_and_holds_no_secret(
    house: House, fields: dict[str, Any]
) -> None:
    visitor = house.visitor()
    code = visitor.open(**fields)
    token = visitor.token(f"/play/{code}")
    hints: list[dict[str, Any]] = []

    def hinted(frame: Frame) -> Any:
        assert is_assisted(house, code) is bool(hints)
        status, hint = ask_hint(visitor, code, token, frame["ask"])
        assert status == 200, hint
        assert is_assisted(house, code)
        hints.append(hint)
        priced = [one["choice"] for one in hint["choices"]]
        if isinstance(frame["legal"], list):
            assert sorted(priced) == sorted(frame["legal"])
        assert hint["choices"][0]["best"]
        return lowest(frame)

    visitor.play(code, hinted)
    match, _, kept, _ = stored(house, code)
    assert hints
    for hint in hints:
        assert set(hint) == {"ask", "complete", "choices"}
        assert all(set(one) == FIELDS for one in hint["choices"])
    # The frames of this seat alone give the same hint: nothing else went into it.
    frames = list(enumerate(kept, 1))
    assert make_hint(Asked(ask=hints[-1]["ask"], frames=frames)) == hints[-1]
    seeds = [nimmt.bot_seed(match.key, 0, other) for other in range(match.table_size)]
    for secret in (match.key.hex(), match.commitment, *map(str, seeds)):
        assert secret.encode() not in visitor.received
    assert not {"hand", "hands", "draw", "seed"} & set(re.findall(r"\w+", json.dumps(hints)))


def test_only_who_is_asked_gets_a_hint_and_only_then_is_it_noted(house: House) -> None:
    visitor, stranger = house.visitor(), house.visitor()
    code = visitor.open(rules="six-nimmt", seats=2, length="round")
    token = visitor.token(f"/play/{code}")
    for name, _, frame in visitor.stream(code):
        if name == "frame" and frame["type"] == "ask":
            break
    assert ask_hint(stranger, code, stranger.token(), frame["ask"])[0] == 403
    assert ask_hint(visitor, code, "wrong", frame["ask"])[0] == 403
    assert ask_hint(visitor, code, token, frame["ask"] + 1)[0] == 404
    assert ask_hint(visitor, code, token, "one")[0] == 422
    assert visitor.choose(code, token, frame["ask"], lowest(frame))[0] == 204
    assert ask_hint(visitor, code, token, frame["ask"])[0] == 409
    assert not is_assisted(house, code)


def test_a_hint_that_is_refused_for_lack_of_room_is_not_noted(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = house.visitor()
    code = visitor.open(rules="six-nimmt", seats=2, length="round")
    token = visitor.token(f"/play/{code}")
    for name, _, frame in visitor.stream(code):
        if name == "frame" and frame["type"] == "ask":
            break
    monkeypatch.setattr(play_hint, "DESK", HintDesk(make_hint, most=-1))
    status, problem = ask_hint(visitor, code, token, frame["ask"])
    assert status == 503
    assert "wait for a hint" in problem["detail"]
    assert not is_assisted(house, code)
