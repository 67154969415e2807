"""Playouts: they leave the state alone, respect the first choice, and score like full play."""

from collections.abc import Mapping
from random import Random

import pytest

from nimmt import KeyedBoard, State, TurnOptions, get, heads, key_from_seed
from nimmt.choices import Choice, Play, Take
from nimmt.eleven import ElevenNimmtState
from nimmt.six import SixNimmtState
from nimmt.x import XNimmtState
from tests.nimmt.support import (
    TABLES,
    AnyChoice,
    Variant,
    choices_for,
    eleven_table,
    house,
    label,
    six_table,
    snapshot,
    x_table,
)

KEY = key_from_seed(11)


class PlaysLikeAPlayout:
    """The full engine, choosing as `nimmt.playouts` says it does."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def __call__(self, state: State, seat: int) -> Choice:
        legal = state.legal(seat)
        if isinstance(legal, TurnOptions):
            return self._turn(legal)
        kind = state.pending[seat].kind
        if kind == "row":
            # Among rows that cost the same a playout takes the one with the lowest end.
            assert isinstance(state, SixNimmtState | XNimmtState)
            rows = state.rows
            return min(legal, key=lambda index: (heads(rows[index]), rows[index][-1]))
        if kind == "x_card":
            assert isinstance(state, XNimmtState)
            last = (0, *state.x_rows[seat])[-1]
            return min([card for card in legal if card > last] or legal)
        if kind == "steal":
            return min(legal)
        return self.rng.choice(legal)

    def _turn(self, legal: TurnOptions) -> Choice:
        if not legal.plays:
            return Take(self.rng.choice(legal.takes))
        piles = self.rng.sample(list(legal.plays), len(legal.plays))
        if not legal.many:
            return Play({piles[0]: [self.rng.choice(legal.plays[piles[0]])]})
        played: dict[int, list[int]] = {}
        used: set[int] = set()
        for pile in piles:
            free = [card for card in legal.plays[pile] if card not in used]
            if free and len(played) < legal.max_piles:
                played[pile] = free
                used.update(free)
        return Play(played)


def full_round(state: State, choose: PlaysLikeAPlayout, first: Mapping[int, Choice]) -> list[int]:
    """The points of the round under way, by the full engine."""
    state = state.copy()
    round_no = len(state.scores)
    choices = choices_for(state, choose)
    state.apply({**choices, **first})
    while len(state.scores) == round_no:
        state.apply(choices_for(state, choose))
    return list(state.scores[round_no])


def compare(state: State, first: Mapping[int, Choice], count: int) -> None:
    """Means by seat agree within five standard errors."""
    rng = Random(5)
    quick = [state.playout(rng, first) for _ in range(count)]
    full = [full_round(state, PlaysLikeAPlayout(rng), first) for _ in range(count)]
    for seat in range(state.players):
        a, b = [points[seat] for points in quick], [points[seat] for points in full]
        mean_a, mean_b = sum(a) / count, sum(b) / count
        spread = sum((x - mean_a) ** 2 for x in a) + sum((x - mean_b) ** 2 for x in b)
        assert abs(mean_a - mean_b) <= 5 * (spread / count / count) ** 0.5 + 1e-9


def reached(variant: Variant, players: int, kind: str, seed: int) -> State:
    """The first state of a game in which this kind is asked, after some play."""
    choose = AnyChoice(Random(seed), take=0.5, hoard=1.0)
    state = variant.start(players, seed, KEY)
    for _ in range(4):
        state.apply(choices_for(state, choose))
    while next(iter(state.pending.values())).kind != kind:
        state.apply(choices_for(state, choose))
    return state


START = [
    ("six-nimmt", {"rounds": 1}, 4, "card"),
    ("six-nimmt", {"rounds": 9}, 4, "row"),
    ("six-nimmt", {"advanced": True, "rounds": 2}, 3, "draft"),
    ("eleven-nimmt", {}, 3, "turn"),
    ("eleven-nimmt", {}, 2, "steal"),
    ("x-nimmt", {}, 3, "card"),
    ("x-nimmt", {}, 3, "row"),
    ("x-nimmt", {}, 3, "x_card"),
]


@pytest.mark.parametrize(("rules", "options", "players", "kind"), START)
def test_a_playout_scores_like_the_full_engine_from_every_kind_of_decision(
    rules: str, options: dict[str, object], players: int, kind: str
) -> None:
    variant = Variant(rules, options, range(players, players + 1))
    state = reached(variant, players, kind, 3)
    compare(state, {}, 250)
    seat = min(state.pending)
    compare(state, {seat: house(state, seat)}, 250)


@pytest.mark.long
@pytest.mark.parametrize(("rules", "options", "players", "kind"), START)
def test_a_playout_scores_like_the_full_engine_over_many_states(
    rules: str, options: dict[str, object], players: int, kind: str
) -> None:
    variant = Variant(rules, options, range(players, players + 1))
    for seed in range(20):
        state = reached(variant, players, kind, seed)
        compare(state, {}, 400)
        choose = AnyChoice(Random(seed))
        compare(
            state,
            {seat: state.canonical(seat, choose(state, seat)) for seat in state.pending},
            400,
        )


@pytest.mark.parametrize(("variant", "players"), TABLES, ids=label)
def test_a_playout_leaves_the_state_alone(variant: Variant, players: int) -> None:
    rng = Random(1)
    choose = AnyChoice(rng, take=0.5)
    state = variant.start(players, 1, KEY)
    for _ in range(30):
        if not state.pending:
            break
        before = snapshot(state)
        first = {seat: state.canonical(seat, choose(state, seat)) for seat in state.pending}
        for fixed in ({}, first, dict(list(first.items())[:1])):
            points = state.playout(rng, fixed)
            assert len(points) == players
            assert all(type(own) is int and own >= 0 for own in points)
        assert snapshot(state) == before
        state.apply(choices_for(state, choose))


def test_a_playout_of_six_lays_the_first_card_first() -> None:
    state = six_table([[2, 3, 4, 5, 6], [60], [70], [80]], [[7], [99]])
    assert state.playout(Random(1), {0: 7}) == [heads([2, 3, 4, 5, 6]), 0]
    state = six_table([[10], [20], [30, 33], [40]], [[7, 50], [99, 98]])
    state.apply({0: 7, 1: 99})
    assert state.playout(Random(1), {0: 2}) == [heads([30, 33]), 0]


def test_a_playout_of_six_takes_the_cheapest_row_for_a_low_card() -> None:
    state = six_table([[55], [60], [71], [80]], [[7], [99]])
    assert state.playout(Random(1)) == [1, 0]


def test_a_playout_of_eleven_makes_the_first_take_or_play() -> None:
    state = eleven_table({0: [33], 4: [50, 55]}, [(34,), (60,)], draw=(99,))
    assert state.playout(Random(1), {0: Play({0: (34,)})}) == [0, 3]
    assert state.playout(Random(1), {0: Take(4)}) == [heads([34, 50, 55]), 3]


def test_a_playout_of_x_keeps_the_first_x_card() -> None:
    state = x_table([[55, 60], [95], [96]], [(70,), (97,)], [(57,), ()])
    state.apply({0: 70, 1: 97})
    # Both ways the round ends after this turn, as seat 1 has no card left.
    assert state.playout(Random(1), {0: 55}) == [2 * 1 + 3, 0]
    assert state.playout(Random(1), {0: 60}) == [7, 0]


def test_the_same_random_numbers_give_the_same_playout() -> None:
    for rules in ("six-nimmt", "eleven-nimmt", "x-nimmt"):
        state = get(rules).start(4, KeyedBoard(KEY))
        first = [state.playout(Random(3)) for _ in range(3)]
        assert first[0] == first[1] == first[2]


def test_a_playout_steals_where_it_must() -> None:
    state = eleven_table({0: [31, 32, 33]}, [(50,), (52,), (54,)], bull_cards=[2, 4, 4])
    assert isinstance(state, ElevenNimmtState)
    state.apply({0: Take(0)})
    assert len(state.playout(Random(1), {0: 2})) == 3
