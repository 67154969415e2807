"""The report on how a ladder mixes: counted, against chance, for the latest matches."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from league.ratings.blocks import Block, BlockGame
from league.ratings.mixing import BACK, LOOKED_AT, count_meetings, measure_mixing, tables_of

BOTS = "abcdef"


def test_a_ladder_that_has_locked_in_is_told_apart_from_chance() -> None:
    stuck = [tuple("abcd"), tuple("cdef"), tuple("abef")] * 40
    found = measure_mixing(stuck)
    assert found is not None
    assert (found.matches, found.tables, found.possible, found.bots) == (120, 3, 15, 6)
    assert found.repeats == 117
    assert found.by_chance < 40
    assert (found.meetings_min, found.meetings_max) == (40, 80)
    assert "117 of them" in found.words
    assert "more bots would mix better" in found.words


def test_meetings_are_counted_by_pair_and_by_number() -> None:
    tables = [tuple("abcd"), tuple("cdef"), tuple("abef")] * 2 + [tuple("abcd")]
    found = measure_mixing(tables)
    assert found is not None
    met = {(one.bot, one.beside): one.meetings for one in count_meetings(tables)}
    assert len(met) == 15
    assert (met["a", "b"], met["c", "d"], met["a", "c"], met["e", "f"]) == (5, 5, 3, 4)
    assert list(met.values()) == sorted(met.values(), reverse=True)
    by_number = Counter(met.values())
    assert {one.meetings: one.pairs for one in found.spread} == by_number
    assert [one.meetings for one in found.spread] == sorted(by_number)


def test_pairs_that_never_met_count_and_a_long_list_keeps_both_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = [tuple("abc"), tuple("def"), tuple("abc")]
    found = measure_mixing(tables)
    assert found is not None
    assert (found.meetings_min, found.spread[0].pairs) == (0, 9)
    monkeypatch.setattr("league.ratings.mixing.MOST_PAIRS", 4)
    assert [one.meetings for one in count_meetings(tables)] == [2, 2, 0, 0]


def test_even_tables_repeat_as_chance_says() -> None:
    rng = Random(1)
    every = list(combinations(BOTS, 4))
    found = measure_mixing([rng.choice(every) for _ in range(LOOKED_AT)])
    assert found is not None
    assert found.repeats == pytest.approx(found.by_chance, abs=25)
    assert found.by_chance == pytest.approx(LOOKED_AT * (1 - (14 / 15) ** BACK), rel=0.03)


def test_only_the_latest_matches_count_and_one_says_nothing() -> None:
    assert measure_mixing([tuple("abcd")]) is None
    old = [tuple("abcd")] * 50
    found = measure_mixing(old + [tuple("cdef"), tuple("abef")] * (LOOKED_AT // 2))
    assert found is not None
    assert found.tables == 2


def test_a_match_is_one_table_however_many_blocks_it_has() -> None:
    game = BlockGame(places=(1, 2), points=(0, 1))
    rows = [Block(order=i, table=("a", "bc"[i // 3]), games=(game,)) for i in range(6)]
    assert tables_of(rows, {i: i // 3 for i in range(6)}) == [("a", "b"), ("a", "c")]
