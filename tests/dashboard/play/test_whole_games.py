"""A person plays whole games through the pages, and gets nothing but what that seat may see."""

import json
import re
from typing import Any

import pytest

import nimmt
from dashboard.viewer import SeatFrames
from nimmt.choices import choice_from_json
from nimmt.events import seen_by
from nimmt.events import to_json as event_to_json
from nimmt.verify import verify
from referee.bridge import legal_to_json, plain
from store import Match, MatchKind, MatchState, SittingState, present, results, sittings
from tests.dashboard.play.conftest import House
from tests.dashboard.play.visitor import Frame, Visitor

pytestmark = pytest.mark.timeout(300)
FIELDS = {
    "start": {"type", "rules", "options", "seat", "players", "move_ms", "resumed"},
    "events": {"type", "events"},
    "ask": {"type", "ask", "kind", "view", "legal", "move_ms", "deadline", "ends"},
    "answered": {"type", "ask", "choice", "by", "why"},
    "over": {"type", "points", "places", "replay"},
}
GAMES = [
    pytest.param({"rules": "six-nimmt", "seats": 4, "length": "round"}, id="six-nimmt"),
    pytest.param(
        {"rules": "six-nimmt", "seats": 3, "length": "round", "advanced": "1"}, id="advanced"
    ),
    pytest.param({"rules": "x-nimmt", "seats": 3, "length": "game"}, id="x-nimmt"),
    pytest.param({"rules": "eleven-nimmt", "seats": 3, "length": "game"}, id="eleven-nimmt"),
]


def stored(house: House, code: str) -> tuple[Match, int, list[Frame], dict[str, Any]]:
    """The match, the person's seat, what was kept for it, and the replay."""
    with house.store.read() as session:
        sitting = sittings.by_code(session, code)
        assert sitting is not None
        assert sitting.state is SittingState.OVER
        match = present(session, Match, sitting.match_id)
        [seat] = [one.seat for one in sittings.seats(session, match.id) if one.for_person]
        frames = [frame for _, frame in sittings.frames(session, match.id, seat)]
        sha256, line = results.replay_line(session, match.id, 0, 0)
        return match, seat, frames, json.loads(house.store.blobs.line(sha256, line))


def what_the_seat_may_see(document: dict[str, Any], seat: int) -> tuple[list[Any], list[Any]]:
    """The events and the asks of one seat, made from the replay without any of our own code."""
    rules = nimmt.get(document["rules"], document["options"])
    players = len(document["players"])
    board = nimmt.KeyedBoard(bytes.fromhex(document["key"]), document["board"])
    state = rules.start(players, board)
    events, asks = list(state.opening), []
    decisions = [one for part in document["rounds"] for one in part["decisions"]]
    while state.pending:
        now, decisions = decisions[: len(state.pending)], decisions[len(state.pending) :]
        if seat in state.pending and state.forced(seat) is None:
            asks.append((plain(state.view(seat)), legal_to_json(state.legal(seat))))
        chosen = {one["seat"]: choice_from_json(one["kind"], one["choice"]) for one in now}
        events += state.apply(chosen)
    return [event_to_json(seen_by(event, seat)) for event in events], asks


@pytest.mark.heavy(but="six-nimmt")
@pytest.mark.parametrize("fields", GAMES)
def test_every_byte_that_reaches_the_browser_is_the_seats_own(
    house: House, fields: dict[str, Any]
) -> None:
    visitor = house.visitor()
    code = visitor.open(**fields)
    shown = visitor.play(code)
    match, seat, kept, document = stored(house, code)

    # What was kept is what the contract names, and what the rules let this seat see.
    assert all(set(frame) == FIELDS[frame["type"]] for frame in kept)
    events, asks = what_the_seat_may_see(document, seat)
    assert [one for frame in kept if frame["type"] == "events" for one in frame["events"]] == events
    asked = [(one["view"], one["legal"]) for one in kept if one["type"] == "ask"]
    assert asked == asks
    # What was sent is made of that and of nothing else.
    dresser = SeatFrames()
    dressed = json.loads(json.dumps([dresser.dress(frame) for frame in kept]))
    assert [frame for _, frame in shown] == dressed
    assert [number for number, _ in shown] == list(range(1, len(kept) + 1))
    # And no secret of the match is anywhere in it.
    seeds = [nimmt.bot_seed(match.key, 0, other) for other in range(match.table_size)]
    for secret in (match.key.hex(), match.commitment, *map(str, seeds)):
        assert secret.encode() not in visitor.received
    assert not {"fault", "bot_seed", "token"} & set(re.findall(r"\w+", json.dumps(shown)))


@pytest.mark.heavy
@pytest.mark.parametrize("fields", GAMES[:1])
def test_the_replay_verifies_and_belongs_to_those_who_sat_there(
    house: House, fields: dict[str, Any]
) -> None:
    visitor = house.visitor()
    code = visitor.open(**fields)
    shown = visitor.play(code)
    match, seat, _, document = stored(house, code)
    assert match.kind is MatchKind.PEOPLE
    assert match.state is MatchState.DONE
    assert not match.rated
    verify(document)
    own = [one for part in document["rounds"] for one in part["decisions"] if one["seat"] == seat]
    chosen = [frame["choice"] for _, frame in shown if frame["type"] == "answered"]
    assert [one["choice"] for one in own if one["by"] == "bot"] == chosen
    assert document["time"] == {"move_ms": 100, "bank_ms": 1000}, "the bots' clock, not a person's"
    assert shown[-1][1]["points"] == document["result"]["points"]

    stranger = house.visitor()
    assert visitor.request("GET", f"/play/{code}/replay")[0] == 200
    assert stranger.request("GET", f"/play/{code}/replay")[0] == 403
    assert stranger.request("GET", f"/matches/{match.id}")[0] == 404
    assert visitor.form(f"/play/{code}/share", page=f"/play/{code}/replay")[0] == 303
    status, _, body = stranger.request("GET", f"/play/{code}/replay/data")
    assert status == 200
    assert json.loads(body)["meta"]["players"][seat]["bot"] == "Guest"


def test_a_reload_brings_what_was_missed_and_nothing_twice(house: House) -> None:
    visitor = house.visitor()
    code = visitor.open(rules="six-nimmt", seats=2, length="round")
    token = visitor.token(f"/play/{code}")
    seen: list[int] = []
    turns, over = 0, False
    while not over:
        turns += 1
        for name, number, data in visitor.stream(code, last=seen[-1] if seen else 0):
            if name == "end":
                over = True
            if name != "frame":
                continue
            seen.append(number)
            if data["type"] == "ask":
                # Answer, and hang up: every turn is on a connection of its own.
                visitor.choose(code, token, data["ask"], data["legal"][0])
                break
    assert turns > 5
    assert seen == list(range(1, len(seen) + 1))


def test_a_choice_counts_once_and_only_a_legal_one(house: House) -> None:
    visitor: Visitor = house.visitor()
    code = visitor.open(rules="six-nimmt", seats=2, length="round")
    token = visitor.token(f"/play/{code}")
    stream = visitor.stream(code)
    ask = next(data for name, _, data in stream if name == "frame" and data["type"] == "ask")
    legal = ask["legal"]
    wrong = next(card for card in range(1, 105) if card not in legal)
    status, body = visitor.choose(code, token, 1, wrong)
    assert status == 422
    assert f"got card {wrong}" in json.loads(body)["detail"]
    for nonsense in ("41", None, [41], {"take": 1}, 1.5, True, 10**30):
        assert visitor.choose(code, token, 1, nonsense)[0] == 422
    assert visitor.choose(code, token, 99, legal[0])[0] == 404
    assert visitor.choose(code, "", 1, legal[0])[0] == 403
    stranger = house.visitor()
    assert stranger.choose(code, stranger.token(), 1, legal[0])[0] == 403
    assert visitor.choose(code, token, 1, legal[0])[0] == 204
    again = visitor.choose(code, token, 1, legal[1])
    assert again[0] == 409
    answered = next(d for name, _, d in stream if name == "frame" and d["type"] == "answered")
    assert answered["choice"] == legal[0]
    stream.close()
