"""Replays: what is recorded can be read and played again, also with faults and outs."""

import json
from typing import Any

import pytest

from nimmt import Table, commitment, fold, key_from_seed
from nimmt.errors import ReplayError
from nimmt.replay import FORMAT, places_with_out, reveal
from nimmt.verify import read, verify
from tests.nimmt.recorded import record
from tests.nimmt.support import KEY, TABLES, VARIANTS, Variant, label

every_table = pytest.mark.parametrize(("variant", "players"), TABLES, ids=label)


@every_table
@pytest.mark.parametrize("keyed", [True, False], ids=["key", "no-key"])
def test_every_game_survives_the_round_trip(variant: Variant, players: int, keyed: bool) -> None:
    document = record(variant, players, board=3, keyed=keyed)
    replay = verify(document)
    assert replay.state.result is not None
    assert list(replay.state.result.points) == document["result"]["points"]
    assert json.loads(json.dumps(document, allow_nan=False)) == document


@every_table
def test_games_with_faults_and_outs_are_accepted(variant: Variant, players: int) -> None:
    document = record(variant, players, board=1, fail=0.15)
    verify(document)
    decisions = [d for part in document["rounds"] for d in part["decisions"]]
    assert any(decision["fault"] for decision in decisions)


def test_the_games_above_hold_outs_in_the_middle_and_whole_tables_that_are_out() -> None:
    seen = set()
    for variant, players in TABLES:
        outs = [player["out"] for player in record(variant, players, 1, 0.15)["players"]]
        seen |= {"some"} if any(outs) and not all(outs) else set()
        seen |= {"all"} if all(outs) else set()
        seen |= {"later round"} if any(out and out["round"] for out in outs) else set()
    assert seen == {"some", "all", "later round"}


def test_a_bot_that_is_out_from_the_start_never_decides() -> None:
    document = record(VARIANTS[2], 3, board=2, fail=1.0)
    for seat in range(3):
        first = next(
            at for at, d in enumerate(document["rounds"][0]["decisions"]) if d["seat"] == seat
        )
        document["players"][seat]["out"] = {"round": 0, "decision": first, "fault": "crashed"}
    for part in document["rounds"]:
        for decision in part["decisions"]:
            decision["fault"] = None
    verify(document)
    assert document["result"]["places"] == [1, 1, 1]


def test_out_bots_share_the_last_place_and_points_stay_as_played() -> None:
    assert places_with_out([5, 1, 9, 0], [False] * 4) == (3, 2, 4, 1)
    assert places_with_out([5, 1, 9, 0], [False, False, True, True]) == (2, 1, 3, 3)
    assert places_with_out([5, 5, 9, 0], [False, False, True, False]) == (2, 2, 4, 1)
    assert places_with_out([5, 1, 9], [True] * 3) == (1, 1, 1)


def test_a_document_has_the_fields_of_the_format() -> None:
    document = record(VARIANTS[2], 2)
    assert document["format"] == FORMAT == "bullring-replay/1"
    assert document["options"] == {"rounds": 2, "advanced": False, "opening_picks": 0}
    assert document["deal_method"] == "hmac-sha256/1"
    assert document["time"] == {"move_ms": 100, "bank_ms": 1000}
    assert set(document["rounds"][0]) == {"deal", "decisions", "points"}
    assert set(document["rounds"][0]["deal"]) == {"hands", "rows"}
    first = document["rounds"][0]["decisions"][0]
    assert list(first) == ["seat", "kind", "choice", "by", "ms", "batch", "fault"]


def deal_fields(variant: Variant) -> set[str]:
    return set(record(variant, 2)["rounds"][0]["deal"])


def test_each_deal_holds_what_chance_decided_and_nothing_else() -> None:
    for variant in VARIANTS:
        if variant.options.get("advanced"):
            assert deal_fields(variant) == {"start_seat", "opening"}
        elif variant.rules == "eleven-nimmt":
            assert deal_fields(variant) == {"hands", "piles", "draw", "start_seat"}
        else:
            assert deal_fields(variant) == {"hands", "rows"}


@every_table
def test_steps_of_a_replay_rebuild_the_table(variant: Variant, players: int) -> None:
    replay = read(record(variant, players, board=4))
    table = fold(Table(players), replay.state.opening)
    for step in replay.steps():
        fold(table, step.events)
        assert table == replay.state.view(None)
        first = replay.document["rounds"][step.round_no]["decisions"][step.first]
        assert step.decisions[0] == first


def test_a_forced_decision_is_recorded_too() -> None:
    decisions = [d for part in record(VARIANTS[-1], 3)["rounds"] for d in part["decisions"]]
    forced = [d for d in decisions if d["by"] == "forced"]
    assert {"card", "x_card"} >= {d["kind"] for d in forced} != set()
    assert all(d["ms"] is None and d["batch"] is None for d in forced)


def test_a_key_is_revealed_later_and_must_be_the_one_committed_to() -> None:
    hidden = record(VARIANTS[2], 2, keyed=False)
    assert hidden["key"] is None
    assert hidden["commitment"] == commitment(KEY)
    verify(reveal(hidden, KEY))
    with pytest.raises(ValueError, match="not the one behind sha256:"):
        reveal(hidden, key_from_seed(8))
    assert hidden["key"] is None


@pytest.mark.parametrize(
    "document", [None, 3, "replay", [], {}, [{}], {"format": FORMAT}, float("nan")], ids=repr
)
def test_what_is_no_replay_is_refused(document: Any) -> None:
    with pytest.raises(ReplayError, match="must have exactly format, rules"):
        verify(document)
