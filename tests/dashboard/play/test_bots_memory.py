"""What a table says of the memory of its bots: the bound of each, and what it has used."""

import re

import pytest

from dashboard.reads import find_table, state_of
from sandbox.limits import bot_limits
from store import Seat, Sitting, SittingState, Store, Version, present, sittings
from tests.dashboard.play.conftest import House
from tests.dashboard.play.test_coming_and_going import TERMS, table_of
from tests.store.test_sittings import opened

pytestmark = pytest.mark.timeout(180)
MIB = 1 << 20


def told(store: Store, match_id: int) -> dict[int, str]:
    """The words on each bot, by seat."""
    with store.read() as session:
        code = present(session, Sitting, match_id).code
        state = state_of(session, find_table(session, code, None))
    bots = state["bots"]
    assert isinstance(bots, list)
    return {one["seat"]: one["memory"] for one in bots}


def test_a_submitted_bot_has_a_bound_and_a_program_of_the_platform_has_none(store: Store) -> None:
    match_id, _ = opened(store, handle="zed")
    bound = bot_limits().memory
    with store.write() as session:
        seats = [present(session, Seat, (match_id, number)) for number in range(4)]
        for seat in (seats[1], seats[3]):
            submitted = present(session, Version, seat.version_id)
            submitted.program, submitted.image = None, "sha256:" + "0" * 64
    most, free = f"up to {bound / MIB:.1f} MiB", "no limit: a program of the platform"
    # Seat 0 is a person's.
    assert told(store, match_id) == {1: most, 2: free, 3: most}
    with store.write() as session:
        present(session, Sitting, match_id).state = SittingState.OVER
        for number, peak in ((0, 5), (1, 14 * MIB), (2, 9 * MIB)):
            present(session, Seat, (match_id, number)).stats = {"memory_peak": peak}
    assert told(store, match_id) == {
        1: f"14.0 MiB of {bound / MIB:.1f} MiB",
        2: f"9.0 MiB; {free}",
        3: f"not measured; {most}",
    }


def test_people_at_the_table_are_saidwhile_they_play_and_afterwards(house: House) -> None:
    visitor = house.visitor()
    code = visitor.open(**TERMS)
    before = next(data["bots"] for name, _, data in visitor.stream(code) if name == "state")
    visitor.play(code)
    [after] = [data["bots"] for name, _, data in visitor.stream(code) if name == "state"][-1:]
    _, match = table_of(house.store, code)
    with house.store.read() as session:
        rows = [one for one in sittings.seats(session, match.id) if not one.for_person]
        peaks = {
            one.seat: int(str(present(session, Seat, (match.id, one.seat)).stats["memory_peak"]))
            for one in rows
        }
    for said in (before, after):
        assert [(one["seat"], one["name"]) for one in said] == [
            (one.seat, one.name) for one in rows
        ]
    assert {one["memory"] for one in before} == {"no limit: a program of the platform"}
    for one in after:
        used = re.match(r"([\d.]+) MiB; ", one["memory"])
        assert used is not None, one
        assert float(used[1]) == pytest.approx(peaks[one["seat"]] / MIB, abs=0.06)
