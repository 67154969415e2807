"""The core refuses a missing buffer like anything else that is wrong: null pointers, one by one."""

import ctypes
from ctypes import CDLL, c_float, c_int32, c_int64, c_uint8

import pytest

from nimmt import KeyedBoard, TurnOptions, get
from nimmt.core import CoreError, Policy
from nimmt.core.games import options_of
from nimmt.core.layout import (
    CSums,
    CTable,
    pack_choices,
    pack_policy,
    pack_position,
)
from nimmt.core.library import SIGNATURES, check, load
from nimmt.search import Memory
from tests.nimmt.core_support import needs_core
from tests.nimmt.support import KEY

pytestmark = needs_core
# Buffers that a call can do without: hints, what is expected of others, values in 11 nimmt!.
OPTIONAL = {
    ("nimmt_rollouts", 7),
    ("nimmt_rollouts", 9),
    ("nimmt_field", 4),
    ("nimmt_apply", 1),
    ("nimmt_step", 3),
}


def calls(library: CDLL) -> dict[str, list[object]]:
    """For every call from outside, arguments that it accepts: a first decision of 11 nimmt!."""
    rules = get("eleven-nimmt")
    state = rules.start(2, KeyedBoard(KEY))
    memory = Memory(rules, 2, 0)
    for event in state.opening:
        memory.see(event)
    memory.look()
    position = memory.position("turn")
    known, count = pack_position(position), len(position.unseen)
    unseen = (c_uint8 * count)(*position.unseen)
    takes = state.legal(0)
    assert isinstance(takes, TurnOptions)
    choice = pack_choices([next(iter(takes.sensible()))], position)
    policy = pack_policy(Policy.uniform())
    seen, masks, asked = (c_uint8 * 400)(), (c_uint8 * 2500)(), (c_uint8 * 2)()
    numbers, gains, actions = (c_int32 * 2)(), (c_float * 2)(), (c_int32 * 2)()
    sums = [(c_int64 * 1)() for _ in range(5)]
    tables = [CTable() for _ in range(7)]
    options = options_of(rules, 2, KEY, None)
    for table in tables:
        assert library.nimmt_start(options, table, 1, 0) == 0
    one = c_int32()
    return {
        "nimmt_random": [1, 2, 3, (c_uint8 * 1)(9), 1, (c_uint8 * 1)()],
        "nimmt_rollouts": [
            known, unseen, count, choice, 1, policy, policy, None, 0, None, 1, 1, 0, CSums(*sums),
        ],
        "nimmt_playouts": [known, unseen, count, choice, policy, policy, 1, 1, numbers],
        "nimmt_field": [
            known, 0, unseen, count, None, 0, choice, 1, policy, policy, 1, 1, 1, sums[0], sums[1],
        ],
        "nimmt_start": [options, tables[0], 1, 0],
        "nimmt_apply": [tables[1], (c_uint8 * 2)(), choice],
        "nimmt_legal": [tables[2], 0, (c_uint8 * 480)()],
        "nimmt_games": [options, (c_uint8 * 2)(), 1, 0, numbers, one],
        "nimmt_observe": [tables[3], 1, 2, seen, asked],
        "nimmt_step": [
            tables[4], 1, 2, (c_uint8 * 2)(), choice, seen, asked, numbers, (c_uint8 * 1)(), one,
        ],
        "nimmt_train_look": [tables[5], 1, 2, 0, seen, masks, asked],
        "nimmt_train_step": [
            tables[6], 1, 2, 0, actions, seen, masks, asked, gains, (c_int32 * 2)(),
            (c_uint8 * 1)(), one,
        ],
    }  # fmt: skip


def pointers(name: str) -> list[int]:
    """Where a call takes a buffer that it needs."""
    plain = (c_int32, c_int64, ctypes.c_uint64)
    places = [at for at, kind in enumerate(SIGNATURES[name]) if kind not in plain]
    return [at for at in places if (name, at) not in OPTIONAL]


@pytest.mark.parametrize("name", [name for name in SIGNATURES if name != "nimmt_sizes"])
def test_a_call_without_one_of_its_buffers_is_refused(name: str) -> None:
    library = load(False)
    assert library is not None
    call = getattr(library, name)
    refuses = name != "nimmt_random"  # The generator has no answer for that: it draws nothing.
    answer = call(*calls(library)[name])
    assert answer >= 0 or not refuses
    for missing in pointers(name):
        arguments = calls(library)[name]
        arguments[missing] = None
        answer = call(*arguments)
        assert -16 < answer < 0 or not refuses, missing


def test_games_of_values_need_values() -> None:
    library = load(False)
    assert library is not None
    table, choice = CTable(), calls(library)["nimmt_apply"][2]
    assert library.nimmt_start(options_of(get("six-nimmt"), 2, KEY, None), table, 1, 0) == 0
    with pytest.raises(CoreError, match="legal candidates"):
        check(library.nimmt_apply(table, None, choice), "a decision")


def test_the_refusal_says_what_is_missing() -> None:
    library = load(False)
    assert library is not None
    with pytest.raises(CoreError, match="a buffer for everything"):
        check(library.nimmt_start(calls(library)["nimmt_start"][0], None, 1, 0), "a start")
