"""The quick drawing has the law of the plain one: who is first, whom it meets, how it ends."""

import dataclasses
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.ladder.draw import TRIES, choose, weights
from league.ladder.entrants import BotStatus, LadderBot, LadderSettings, LadderTable, TableReason
from league.ladder.urns import Urn, WeightedUrn
from tests.league.ladder.plain_draw import plain_choose, plain_weights

RUNS = 1500
FAR = 4.0
"""In standard deviations: the seeds are fixed, so that this decides once and for all."""
Meetings = Mapping[frozenset[str], int]
Draw = Callable[..., tuple[LadderTable, ...]]


def bots(count: int, owners: int | None = None) -> list[LadderBot]:
    """Bots with doubtful and clear places, some of them new, some idle."""
    return [
        LadderBot(
            bot=f"b{i:02}",
            owner=f"o{i % (owners or count)}",
            elo=1500.0 - 12 * i + (9 if i % 3 == 0 else 0),
            deviation=None if i == 5 else 4.0 + i,
            games=25 * i,
            idle_seconds=float(90 * (i * 7 % 11)),
        )
        for i in range(count)
    ]


def anchors(count: int) -> list[LadderBot]:
    return [
        LadderBot(bot=f"z{i}", owner="house", anchor=True, think_seconds=None if i == 0 else 1.0)
        for i in range(count)
    ]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A field, and what is drawn from it."""

    name: str
    field: Sequence[LadderBot]
    settings: LadderSettings = dataclasses.field(default_factory=LadderSettings)
    meetings: Meetings = dataclasses.field(default_factory=dict)
    count: int = 2


MET = {frozenset((f"b{i:02}", f"b{j:02}")): (i * j) % 7 for i in range(12) for j in range(i)}
OFTEN = {frozenset(("b00", f"b{j:02}")): 10 * TRIES for j in range(1, 9)}
CASES = [
    Case(name="a field without history", field=bots(12)),
    Case(name="meetings", field=bots(12), meetings=MET, count=3),
    Case(name="pairs", field=bots(9), settings=LadderSettings(seats=2), meetings=MET),
    Case(
        name="opponents that have met too often for a few tries",
        field=[replace(one, idle_seconds=0.0) for one in bots(9)],
        settings=LadderSettings(seats=3, random_share=0.1),
        meetings=OFTEN,
    ),
    Case(name="owners with several bots", field=bots(14, 6), meetings=MET, count=3),
    Case(name="one owner with nearly all", field=[*bots(20, 1), *bots(25)[20:]], count=2),
    Case(
        name="several have waited too long",
        field=[replace(one, idle_seconds=2.0 * one.idle_seconds + 400) for one in bots(12)],
        settings=LadderSettings(longest_wait=2400.0),
        meetings=MET,
        count=3,
    ),
    Case(
        name="matches on their way",
        field=[replace(one, in_flight=i % 3) for i, one in enumerate(bots(14))],
        count=3,
    ),
    Case(name="anchor bots fill", field=[*bots(2), *anchors(4)], count=3),
    Case(name="an exhausted field", field=bots(8), settings=LadderSettings(cap=2), count=20),
    Case(
        name="an exhausted field of random tables",
        field=[*bots(9, 5), *anchors(1)],
        settings=LadderSettings(random_share=1.0, cap=3),
        count=20,
    ),
    Case(
        name="twins and bots that cannot play",
        field=[
            replace(
                one,
                fingerprint="same" if i in (2, 7, 8) else "",
                submitted=float(i % 5),
                status=BotStatus.SUSPENDED if i == 4 else BotStatus.READY,
            )
            for i, one in enumerate(bots(12))
        ],
        count=4,
    ),
]


def facts(case: Case, tables: tuple[LadderTable, ...]) -> Iterator[tuple[str, object]]:
    """What is counted of one drawing: kind and value."""
    rank = {one.bot: place for place, one in enumerate(sorted(case.field, key=lambda b: -b.elo))}
    yield "tables", len(tables)
    for number, table in enumerate(tables[:4]):
        first, *others = (bot for bot in table.bots if bot not in table.anchors)
        yield f"first of table {number}", first
        yield f"reason of table {number}", table.reason
        yield f"fillers of table {number}", table.anchors
        for bot in others:
            yield f"opponents at table {number}", bot
            yield "rank distance", rank[bot] - rank[first]
            yield "how often they had met", case.meetings.get(frozenset((first, bot)), 0)
        yield "order of opponents", tuple(others[:2])


def sample(draw: Draw, case: Case, offset: int) -> dict[str, Counter[object]]:
    found: dict[str, Counter[object]] = {}
    for seed in range(RUNS):
        tables = draw(
            case.field,
            count=case.count,
            seed=offset + seed,
            settings=case.settings,
            meetings=case.meetings,
        )
        for kind, value in facts(case, tables):
            found.setdefault(kind, Counter())[value] += 1
    return found


def difference(one: Counter[object], two: Counter[object]) -> float:
    """Chi-square of two samples, as a normal deviate (Wilson and Hilferty)."""
    totals = one.total(), two.total()
    scale = sqrt(totals[0] / totals[1])
    # Values seen a few times only are taken together, or chi-square is not what it should be.
    rare = {value for value in one | two if one[value] + two[value] < 10}
    cells = [(one[value], two[value]) for value in (one | two).keys() - rare]
    cells.append((sum(one[value] for value in rare), sum(two[value] for value in rare)))
    cells = [pair for pair in cells if sum(pair)]
    freedom = len(cells) - 1
    if not freedom:
        return 0.0
    chi = sum((a / scale - b * scale) ** 2 / (a + b) for a, b in cells)
    spread = 2 / (9 * freedom)
    return float(((chi / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread))


def differences(case: Case, other: Draw) -> dict[str, float]:
    plain, quick = sample(plain_choose, case, 0), sample(other, case, 10**6)
    assert plain.keys() == quick.keys()
    return {kind: difference(plain[kind], quick[kind]) for kind in plain}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_quick_drawing_has_the_law_of_the_plain_one(case: Case) -> None:
    found = differences(case, choose)
    assert max(found.values()) < FAR, found


def without_meetings(field: Sequence[LadderBot], **given: object) -> tuple[LadderTable, ...]:
    return choose(field, **(given | {"meetings": {}}))  # type: ignore[arg-type]


def without_newness(field: Sequence[LadderBot], **given: object) -> tuple[LadderTable, ...]:
    return choose([replace(one, games=5000) for one in field], **given)  # type: ignore[arg-type]


def without_doubt(field: Sequence[LadderBot], **given: object) -> tuple[LadderTable, ...]:
    return choose([replace(one, deviation=0.001) for one in field], **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("other", [without_meetings, without_newness, without_doubt])
def test_the_comparison_notices_when_a_part_of_the_policy_is_left_out(other: Draw) -> None:
    case = next(case for case in CASES if case.name == "meetings")
    assert max(differences(case, other).values()) > FAR


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_weights_are_those_of_the_plain_drawing(case: Case) -> None:
    plain = plain_weights(case.field, case.settings)
    assert weights(case.field, case.settings) == pytest.approx(plain, abs=1e-12)


def test_a_table_that_fails_with_one_first_bot_fails_with_all() -> None:
    """Why no other first bot is tried: in the plain drawing, which tries all, it never helps."""
    rng = Random(1)
    for seed in range(300):
        count = rng.randrange(1, 9)
        field = [
            replace(one, in_flight=rng.randrange(3), idle_seconds=rng.choice((0.0, 9999.0)))
            for one in bots(count, rng.randrange(1, count + 1))
        ]
        given = {
            "count": 12,
            "settings": LadderSettings(seats=rng.randrange(2, 6), cap=rng.randrange(1, 4)),
        }
        everybody = [*field, *anchors(rng.randrange(3))]
        plain = plain_choose(everybody, seed=seed, **given)  # type: ignore[arg-type]
        quick = choose(everybody, seed=seed, **given)  # type: ignore[arg-type]
        assert bool(plain) == bool(quick)
        if plain and TableReason.WAITED not in {table.reason for table in (*plain, *quick)}:
            # Who was drawn decides how many tables follow, but not how the first one is filled.
            assert len(plain[0].anchors) == len(quick[0].anchors)


@given(st.lists(st.integers(0, 30), unique=True, min_size=1), st.randoms(use_true_random=False))
def test_an_urn_gives_what_is_in_it_and_nothing_else(numbers: list[int], rng: Random) -> None:
    urn, left = Urn(numbers), set(numbers)
    while left:
        assert set(urn.numbers) == left
        assert urn.draw(rng) in left
        gone = rng.choice(sorted(left))
        urn.remove(gone)
        urn.remove(gone)
        left.remove(gone)
        assert (len(urn), gone in urn) == (len(left), False)


@given(st.lists(st.floats(0, 5), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_a_weighted_urn_draws_by_the_weights_it_has_now(given: list[float], rng: Random) -> None:
    urn, weight = WeightedUrn(given), list(given)
    for _ in range(30):
        number = rng.randrange(len(weight))
        weight[number] = rng.choice((0.0, 1.0, 2.5))
        urn.set(number, weight[number])
        assert urn.total() == pytest.approx(sum(weight), abs=1e-9)
        if any(weight):
            assert weight[urn.draw(rng)] > 0


def test_a_weighted_urn_draws_in_proportion() -> None:
    weight = [3.0, 0.0, 1.0, 2.0, 0.0, 4.0]
    urn, rng = WeightedUrn([1.0] * 6), Random(1)
    for number, one in enumerate(weight):
        urn.set(number, one)
    drawn = Counter(urn.draw(rng) for _ in range(10_000))
    assert drawn.keys() == {0, 2, 3, 5}
    for number, count in drawn.items():
        expected = 1000 * weight[number]
        assert abs(count - expected) < 4 * sqrt(expected)
