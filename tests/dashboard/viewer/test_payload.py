"""The viewer's data: complete for those who may see all, and without a hidden card for one seat."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest

from dashboard.viewer import build_payload
from dashboard.viewer.words import names_of
from nimmt.errors import ReplayError
from nimmt.events import to_json
from nimmt.table import Table, fold
from nimmt.verify import read
from tests.dashboard.viewer.samples import KEY, SAMPLES, sample

pytestmark = pytest.mark.parametrize("name", SAMPLES)


def all_numbers(value: object) -> Iterator[int]:
    """Every number anywhere in a JSON value."""
    match value:
        case bool():
            return
        case int():
            yield value
        case dict():
            for inner in value.values():
                yield from all_numbers(inner)
        case list():
            for inner in value:
                yield from all_numbers(inner)


def test_the_steps_hold_every_event_of_the_game_in_order(name: str) -> None:
    document = sample(name)
    replay = read(document)
    expected = [*replay.state.opening]
    for step in replay.steps():
        expected += step.events
    shown = [event for step in build_payload(document)["steps"] for event in step["events"]]
    assert shown == [to_json(event) for event in expected]


def test_the_steps_hold_every_decision_with_its_time(name: str) -> None:
    document = sample(name)
    decisions = [d for step in build_payload(document)["steps"] for d in step["decisions"]]
    assert decisions == [entry for part in document["rounds"] for entry in part["decisions"]]


def test_moments_cover_all_events_of_a_step_and_say_something(name: str) -> None:
    for step in build_payload(sample(name))["steps"]:
        assert sum(moment["events"] for moment in step["moments"]) == len(step["events"])
        assert all(moment["text"].endswith(".") for moment in step["moments"])


def test_a_new_round_begins_with_a_step_of_its_own(name: str) -> None:
    payload = build_payload(sample(name))
    starts = [step for step in payload["steps"] if step["events"][0]["event"] == "round_start"]
    assert [step["round"] for step in starts] == list(range(len(payload["meta"]["rounds"])))
    assert all(step["decisions"] == [] and step["turn"] is None for step in starts)


def test_one_seat_never_gets_a_card_before_it_could_know_it(name: str) -> None:
    """Walk the whole payload: a hidden card's number is first seen when it is played or taken."""
    document = sample(name)
    for seat in range(len(document["players"])):
        payload = build_payload(document, seat=seat)
        full = build_payload(document)
        for shown, open_step in zip(payload["steps"], full["steps"], strict=True):
            for event, open_event in zip(shown["events"], open_step["events"], strict=True):
                secret = (
                    open_event["event"] == "move"
                    and open_event["why"] == "deal"
                    and (
                        open_event["dst"] == "draw"
                        or (
                            open_event["dst"].startswith("hand:")
                            and open_event["dst"] != f"hand:{seat}"
                        )
                    )
                )
                if secret:
                    assert event == {**open_event, "cards": [0] * len(open_event["cards"])}
            if shown["decisions"] == []:
                hidden = hidden_cards(open_step["events"], seat)
                moves = [event for event in shown["events"] if event["event"] == "move"]
                assert hidden.isdisjoint(all_numbers([move["cards"] for move in moves]))
                assert "key" not in shown


def hidden_cards(events: list[dict[str, Any]], seat: int) -> set[int]:
    """Cards that a deal puts where this seat cannot see them."""
    table = Table(10)
    for event in events:
        if event["event"] == "move" and event["why"] == "deal":
            table.zones[event["dst"]] = tuple(event["cards"])
    return {
        card
        for zone, cards in table.zones.items()
        if zone == "draw" or (zone.startswith("hand:") and zone != f"hand:{seat}")
        for card in cards
    }


def test_undealt_and_unplayed_cards_of_others_are_nowhere_in_one_seats_data(name: str) -> None:
    """Cards that never left a hidden place must not be found anywhere among the events."""
    document = sample(name)
    payload = build_payload(document, seat=0)
    full = build_payload(document)
    for round_no in range(len(full["meta"]["rounds"])):
        steps = [step for step in full["steps"] if step["round"] == round_no]
        hidden = hidden_cards(steps[0]["events"], 0)
        moved = {
            card
            for step in steps[1:]
            for event in step["events"]
            if event["event"] in ("move", "reveal")
            for card in event["cards"]
        }
        kept_secret = hidden - moved
        seen = {
            card
            for step in payload["steps"]
            if step["round"] == round_no
            for event in step["events"]
            if event["event"] in ("move", "reveal")
            for card in event["cards"]
        }
        assert kept_secret.isdisjoint(seen)


def test_points_do_not_tell_one_seat_what_the_others_hold(name: str) -> None:
    payload = build_payload(sample(name), seat=1)
    hand_counts = payload["meta"]["table"]["hand_counts"]
    shown = [e for step in payload["steps"] for e in step["events"] if e["event"] == "points"]
    assert shown
    for event in shown:
        hidden = [own is None for own in event["points"]]
        assert hidden == [hand_counts and seat != 1 for seat in range(len(hidden))]


def test_the_key_is_never_passed_on(name: str) -> None:
    document = sample(name)
    assert document["key"] == KEY.hex()
    for seat in (None, 0):
        assert KEY.hex() not in json.dumps(build_payload(document, seat=seat))


def test_the_data_stays_small(name: str) -> None:
    data = json.dumps(build_payload(sample(name)), separators=(",", ":")).encode()
    assert len(gzip.compress(data)) < 150_000


def test_notes_reach_only_the_eyes_of_their_seat(name: str) -> None:
    document = sample(name)
    first = document["rounds"][0]["decisions"][0]
    notes = {(0, 0): "I hold the 55"}
    own = build_payload(document, seat=first["seat"], notes=notes)
    other = build_payload(document, seat=1 - first["seat"], notes=notes)
    assert "I hold the 55" in json.dumps(own)
    assert "I hold the 55" in json.dumps(build_payload(document, notes=notes))
    assert "I hold the 55" not in json.dumps(other)


def test_a_damaged_replay_is_refused(name: str) -> None:
    document = sample(name)
    document["rounds"][0]["points"][0] += 1
    with pytest.raises(ReplayError, match="points are"):
        build_payload(document)


def test_a_seat_that_is_not_at_the_table_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="got seat 12, expected 0 to"):
        build_payload(sample(name), seat=12)


def test_folding_the_events_gives_the_points_of_the_result(name: str) -> None:
    document = sample(name)
    replay = read(document)
    table = fold(Table(replay.state.players), replay.state.opening)
    for step in replay.steps():
        fold(table, step.events)
    meta = build_payload(document)["meta"]
    assert list(table.totals) == meta["points"] == [p["points"] for p in meta["players"]]
    assert names_of([player["bot"] for player in meta["players"]]) == [
        player["name"] for player in meta["players"]
    ]
