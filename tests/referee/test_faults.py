"""Every foreign error becomes one of our faults, every fault has a price."""

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nimmt.replay import FAULT_KINDS, places_with_out
from referee.faults import COSTS, FaultKind, process_end, stream_end


@pytest.mark.parametrize("code", list(grpc.StatusCode))
def test_every_status_of_grpc_is_a_protocol_fault_with_a_cause(code: grpc.StatusCode) -> None:
    fault = stream_end(code)
    assert fault.kind is FaultKind.PROTOCOL
    assert fault.lost
    assert fault.cause.startswith("it")


def test_an_orderly_end_before_goodbye_is_a_fault_too() -> None:
    assert stream_end(None).cause == stream_end(grpc.StatusCode.OK).cause


def test_every_fault_has_a_price_and_replays_know_it() -> None:
    assert set(COSTS) == set(FaultKind)
    assert {kind.value for kind in FaultKind} == set(FAULT_KINDS)
    assert all(cost.counts >= 1 for cost in COSTS.values())


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("exited", FaultKind.CRASHED),
        ("signalled", FaultKind.CRASHED),
        ("killed", FaultKind.CRASHED),
        ("out_of_memory", FaultKind.OUT_OF_MEMORY),
        ("output_flood", FaultKind.OUTPUT_FLOOD),
        ("something new", FaultKind.CRASHED),
    ],
)
def test_the_end_of_a_process_has_a_kind_and_puts_the_bot_out(how: str, kind: FaultKind) -> None:
    fault = process_end(how, 1, 9)
    assert fault.kind is kind
    assert COSTS[fault.kind].out
    assert fault.cause


@given(st.lists(st.tuples(st.integers(0, 80), st.booleans()), min_size=2, max_size=10), st.data())
def test_going_out_never_betters_a_place_and_never_costs_another_one(
    table: list[tuple[int, bool]], data: st.DataObject
) -> None:
    seat = data.draw(st.integers(0, len(table) - 1))
    points = [own for own, _ in table]
    outs = [out for _, out in table]
    playing_on = places_with_out(points, [*outs[:seat], False, *outs[seat + 1 :]])
    # Whatever the house scores for it, the bot that went out is not better off.
    other_points = [*points[:seat], data.draw(st.integers(0, 80)), *points[seat + 1 :]]
    gone = places_with_out(other_points, [*outs[:seat], True, *outs[seat + 1 :]])
    assert gone[seat] >= playing_on[seat] or all(outs[:seat] + outs[seat + 1 :])
    for other, place in enumerate(gone):
        if other != seat:
            assert place <= playing_on[other]
