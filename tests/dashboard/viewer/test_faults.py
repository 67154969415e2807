"""Faults and house choices: shown beside the move, without giving away what another seat held."""

from typing import Any

import nimmt
from dashboard.viewer import build_payload
from nimmt import KeyedBoard, house_choice
from nimmt.keys import commitment
from nimmt.replay import BY_FORCED, BY_HOUSE, Circumstances, Decision, Player, Recorder
from tests.dashboard.viewer.samples import KEY


def house_game() -> dict[str, Any]:
    """A game in which every ask failed, so that the house played for all."""
    rules = nimmt.get("six-nimmt", {"rounds": 1})
    state = rules.start(2, KeyedBoard(KEY, 0))
    recorder = Recorder(state)
    while state.pending:
        choices, decisions = {}, []
        for seat, ask in state.pending.items():
            forced = state.forced(seat)
            choice = (
                forced
                if forced is not None
                else house_choice(ask.kind, state.view(seat), state.legal(seat))
            )
            choices[seat] = choice
            fault = None if forced is not None else {"kind": "illegal_choice", "sent": 55}
            by = BY_HOUSE if forced is None else BY_FORCED
            decisions.append(Decision(seat, ask.kind, choice, by, fault=fault))
        recorder.record(decisions)
        state.apply(choices)
    about = Circumstances(
        match="m",
        board=0,
        started="2026-01-31T12:00:00Z",
        runner="process",
        players=[Player(bot="a/one"), Player(bot="b/two")],
        key=KEY,
        commitment=commitment(KEY),
    )
    return recorder.document(about)


def faults(payload: dict[str, Any], seat: int) -> list[dict[str, Any]]:
    return [
        decision["fault"]
        for step in payload["steps"]
        for decision in step["decisions"]
        if decision["seat"] == seat and decision["fault"]
    ]


def test_a_spectator_sees_what_a_failing_bot_sent() -> None:
    payload = build_payload(house_game())
    assert {fault["sent"] for fault in faults(payload, 0) + faults(payload, 1)} == {55}


def test_one_seat_sees_that_another_failed_but_not_what_it_sent() -> None:
    payload = build_payload(house_game(), seat=0)
    assert {fault["sent"] for fault in faults(payload, 0)} == {55}
    assert faults(payload, 1)
    assert all(fault == {"kind": "illegal_choice", "sent": None} for fault in faults(payload, 1))
