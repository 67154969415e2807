"""Reviews of whole games: the ledger adds up, the same everywhere, and what is refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nimmt
from nimmt.errors import ReplayError
from review import FORMAT, ReviewError, Settings, digest, review_game, to_json
from review.ledger import Entry, ledger, total
from tests.nimmt.core_support import needs_core
from tests.review.field_games import ONE_ROUND, field_game

GAMES = [
    ("six-nimmt", {"rounds": 2}, 3),
    ("six-nimmt", {"rounds": 1, "advanced": True, "opening_picks": 6}, 2),
    ("x-nimmt", {}, 2),
    ("eleven-nimmt", {}, 2),
]
QUICK = Settings(rollouts=64)
thousandths = st.integers(-50_000, 150_000)
entries = st.builds(
    Entry,
    v=thousandths,
    q=thousandths,
    by_bot=st.booleans(),
    error=st.floats(0, 2),
    q_error=st.floats(0, 2),
)


@given(thousandths, st.lists(entries, max_size=12), st.integers(0, 100))
def test_the_ledger_adds_up_to_the_points(hand: int, steps: list[Entry], points: int) -> None:
    booked = ledger(hand, 0.1, steps, points)
    assert booked.hand + booked.decisions + booked.faults + booked.luck == 1000 * points
    assert booked.decisions == sum(one.q - one.v for one in steps if one.by_bot)
    assert booked.faults == sum(one.q - one.v for one in steps if not one.by_bot)


def test_luck_is_what_happens_between_decisions() -> None:
    steps = [
        Entry(v=10_500, q=11_000, by_bot=True, error=0.1, q_error=0.1),
        Entry(v=12_250, q=12_000, by_bot=True, error=0.1, q_error=0.1),
    ]
    booked = ledger(10_000, 0.1, steps, 9)
    # 10 to 10.5 before the first decision, 11 to 12.25 after it, 12 to 9 at the end.
    assert booked.luck == 500 + 1250 - 3000
    assert booked.decisions == 500 - 250
    both = total([booked, booked])
    assert (both.points, both.luck) == (18_000, 2 * booked.luck)
    assert both.errors["hand"] == pytest.approx(0.1 * 2**0.5)


@pytest.mark.parametrize(("name", "options", "players"), GAMES)
def test_every_unforced_decision_is_judged_and_the_game_adds_up(
    name: str, options: dict[str, Any], players: int
) -> None:
    document = field_game(nimmt.get(name, options), players, 3, {0: "random"})
    made = to_json(review_game(document, QUICK))
    assert json.loads(json.dumps(made)) == made
    assert (made["format"], made["replay"]) == (FORMAT, digest(document))
    for number, part in enumerate(document["rounds"]):
        unforced = [
            (index, entry["seat"], entry["kind"], entry["choice"])
            for index, entry in enumerate(part["decisions"])
            if entry["by"] != "forced"
        ]
        steps = made["rounds"][number]["steps"]
        assert unforced == [(s["decision"], s["seat"], s["kind"], s["choice"]) for s in steps]
        for step in steps:
            assert step["choice"] in [other["choice"] for other in step["alternatives"]]
            assert step["ess"] >= 1
    for row in made["seats"]:
        assert row["points"] == document["result"]["points"][row["seat"]]
        assert sum(row["ledger"].values()) == pytest.approx(row["points"], abs=1e-6)
        rounds = [part["seats"][row["seat"]] for part in made["rounds"]]
        hands = sum(one["ledger"]["hand"] for one in rounds)
        assert hands == pytest.approx(row["ledger"]["hand"], abs=1e-6)


@pytest.mark.heavy(but="six-nimmt-options0")
@needs_core
@pytest.mark.parametrize(("name", "options", "players"), GAMES)
def test_a_review_is_the_same_with_and_without_the_core(
    name: str, options: dict[str, Any], players: int
) -> None:
    document = field_game(nimmt.get(name, options), players, 8, {0: "greedy"})
    pure, compiled = (
        to_json(review_game(document, Settings(rollouts=64, seats=(0,), pure=pure, hindsight=True)))
        for pure in (True, False)
    )
    assert pure == compiled


def test_a_seat_alone_gets_the_numbers_it_gets_among_all() -> None:
    document = field_game(ONE_ROUND, 3, 1)
    every, alone = (
        to_json(review_game(document, Settings(rollouts=64, seats=seats))) for seats in (None, (2,))
    )
    assert alone["seats"] == [every["seats"][2]]
    own = [step for step in every["rounds"][0]["steps"] if step["seat"] == 2]
    assert alone["rounds"][0]["steps"] == own


def test_another_seed_gives_other_numbers() -> None:
    document = field_game(ONE_ROUND, 2, 1)
    once, again = (
        to_json(review_game(document, Settings(rollouts=64, seed=seed))) for seed in (1, 2)
    )
    assert once["seats"] != again["seats"]


def test_what_the_platform_chose_is_booked_as_faults() -> None:
    document = json.loads(json.dumps(field_game(ONE_ROUND, 3, 6, {1: "house"})))
    entry = document["rounds"][0]["decisions"][1]
    entry |= {"by": "house", "fault": {"kind": "timeout", "sent": None}}
    made = to_json(review_game(document, QUICK))
    row = made["seats"][1]
    first = next(step for step in made["rounds"][0]["steps"] if step["seat"] == 1)
    assert row["ledger"]["faults"] == pytest.approx(first["q"] - first["v"])
    assert row["ledger"]["faults"] != 0
    assert made["seats"][0]["ledger"]["faults"] == 0


def test_hindsight_stands_apart_and_changes_nothing_else() -> None:
    document = field_game(nimmt.get("eleven-nimmt"), 2, 2)
    with_it = to_json(review_game(document, Settings(rollouts=64, hindsight=True)))
    without = to_json(review_game(document, QUICK))
    steps = [step for part in with_it["rounds"] for step in part["steps"]]
    assert all(set(step["hindsight"]) == {"best", "q", "loss", "error"} for step in steps)
    for step in steps:
        step["hindsight"] = None
    assert with_it["rounds"] == without["rounds"]
    assert with_it["seats"] == without["seats"]
    assert with_it["rollouts"] > without["rollouts"]


def test_progress_counts_every_decision() -> None:
    document = field_game(ONE_ROUND, 2, 1)
    seen: list[tuple[int, int]] = []
    review_game(document, QUICK, lambda done, of: seen.append((done, of)))
    count = len(document["rounds"][0]["decisions"])
    assert seen == [(done, count) for done in range(1, count + 1)]


def test_what_cannot_be_reviewed_is_refused() -> None:
    document = field_game(ONE_ROUND, 2, 1)
    with pytest.raises(ReviewError, match="got seat 2, expected 0 to 1"):
        review_game(document, Settings(seats=(2,)))
    with pytest.raises(ReviewError, match="budget of 10 rollouts"):
        Settings(rollouts=10)
    with pytest.raises(ReviewError, match="seed -1"):
        Settings(seed=-1)
    with pytest.raises(ReplayError, match="points"):
        review_game({**document, "result": {"points": [0, 0], "places": [1, 1]}})


@needs_core
def test_a_clear_blunder_is_a_mistake_and_a_clear_best_is_none() -> None:
    """Two seats with two cards each: the sixth card of a dear row against a safe one."""
    found = {True: 0, False: 0}
    for board in range(12):
        document = field_game(ONE_ROUND, 2, board, {0: "random"})
        for step in review_game(document, Settings(rollouts=2000)).rounds[0].steps:
            one = step.judgement
            if one.mistake:
                assert one.loss.value > 2 * one.loss.error
                assert one.best != step.choice
            if step.choice == one.best:
                assert not one.mistake
            found[one.mistake] += 1
    assert found[True] > 5
    assert found[False] > 50
