"""The field policy and its rollouts: the same compiled and pure, guesses by how likely they are."""

from collections import Counter
from dataclasses import replace
from itertools import combinations
from random import Random
from statistics import fmean, stdev

import pytest

from nimmt import ElevenNimmtView, Pile, Play, SixNimmtView, State, Take, TurnOptions, get
from nimmt.choices import KINDS
from nimmt.core import CoreError
from nimmt.core.field import Rows, field_choice, field_policy, likelihood, options_of, play
from nimmt.core.field_rollouts import (
    Evidence,
    FieldSums,
    Knowledge,
    field_rollouts,
    play_round,
)
from nimmt.generator import Generator, SeededBoard
from review.witness import Witness
from tests.nimmt.core_support import needs_core
from tests.nimmt.support import TABLES, AnyChoice, Variant, label

PHI = field_policy()


def next_step(state: State, witness: Witness, rng: Random, strange: float) -> None:
    """One step of a game: mostly the field policy, with a share of any legal choices."""
    numbers = Generator(rng.getrandbits(64))
    any_choice = AnyChoice(rng)
    choices = {}
    for seat, ask in state.pending.items():
        if rng.random() < strange:
            choices[seat] = state.canonical(seat, any_choice(state, seat))
        else:
            legal = state.legal(seat)
            choices[seat] = play(PHI, ask.kind, state.view(seat), legal, numbers)
    witness.note(state, choices)
    witness.see(state.apply(choices))


def both(knowledge: Knowledge, state: State, seed: int, asked: bool) -> list[FieldSums]:
    """A few rollouts, pure and compiled."""
    legal = state.legal(knowledge.position.seat)
    choices = options_of(legal)[-3:] if asked else []
    policy = field_policy(1) if seed % 4 == 0 else None
    return [
        field_rollouts(knowledge, choices, 2, 1, seed, policy=policy, pure=pure)
        for pure in (True, False)
    ]


@needs_core
@pytest.mark.parametrize(("variant", "players"), TABLES[::2], ids=label)
def test_the_same_seed_gives_the_same_numbers_compiled_and_pure(
    variant: Variant, players: int
) -> None:
    rng = Random(players)
    state = variant.start(players, rng.randrange(10**6))
    witness = Witness(state.rules, players)
    witness.see(state.opening)
    step = compared = 0
    while state.pending and compared < 6:
        step += 1
        if step % 6 == 3:
            seat = rng.choice(list(state.pending))
            pure, compiled = both(witness.knows(state, seat), state, rng.getrandbits(62), True)
            assert pure == compiled
            compared += 1
        next_step(state, witness, rng, 0.3)
    assert compared


@needs_core
def test_they_agree_on_every_kind_of_decision_and_for_seats_that_only_watch() -> None:
    rng = Random(3)
    compared: Counter[str] = Counter()
    variants = [one for one in TABLES if one[1] < 5]
    while len(compared) < len(KINDS):
        variant, players = rng.choice(variants)
        state = variant.start(players, rng.randrange(10**6))
        witness = Witness(state.rules, players)
        witness.see(state.opening)
        while state.pending and state.round_no == 0:
            seat, ask = next(iter(state.pending.items()))
            if not compared[ask.kind]:
                knowledge = witness.knows(state, seat)
                pure, compiled = both(knowledge, state, rng.getrandbits(62), True)
                assert pure == compiled
                compared[ask.kind] += 1
            if state.turn == 1 and ask.kind in ("draft", "turn"):
                knowledge = witness.knows(state, (seat + 1) % players)
                pure, compiled = both(knowledge, state, rng.getrandbits(62), False)
                assert pure == compiled
            next_step(state, witness, rng, 0.6)


def late_round(left: int, seed: int = 5) -> tuple[State, Witness]:
    """Two field players of 6 nimmt! with that many cards left in each hand."""
    state = get("six-nimmt", {"rounds": 1}).start(2, SeededBoard(seed))
    witness = Witness(state.rules, 2)
    witness.see(state.opening)
    rng = Random(seed)
    while len(state.view(0).hand) > left or len(state.pending) < 2:
        next_step(state, witness, rng, 0.0)
    return state, witness


def exact_values(knowledge: Knowledge, choice: int) -> tuple[float, float]:
    """The mean over every hand the other seat could have: by how likely its choices make each of
    them, and with all of them alike."""
    other = 1 - knowledge.position.seat
    own = knowledge.position.hands[knowledge.position.seat]
    weights = []
    points = []
    for number, hidden in enumerate(combinations(knowledge.position.unseen, 2)):
        weight = 1.0
        for one in knowledge.evidence:
            weight *= one.likelihood(PHI, hidden)
        hands = [own, own]
        hands[other] = list(hidden)
        numbers = Generator.stream(99, number)
        state = knowledge.resume(hands, [])
        weights.append(weight)
        points.append(play_round(state, PHI, numbers, knowledge.position.seat, choice))
    weighted = sum(weight * own for weight, own in zip(weights, points, strict=True))
    return weighted / sum(weights), fmean(points)


def test_guesses_come_by_how_likely_the_choices_of_others_make_them() -> None:
    blind_is_wrong = 0
    for seed in range(5):
        state, witness = late_round(2, seed)
        knowledge = witness.knows(state, 0)
        choice = state.view(0).hand[0]
        sums = field_rollouts(knowledge, [choice], 24, 50, seed)
        means = [row[0] / sums.worlds for row in sums.sums]
        # A single rollout of each hand leaves some noise in the exact value, too.
        allowed = 4 * stdev(means) / len(means) ** 0.5 + 0.05
        exact, blind = exact_values(knowledge, choice)
        assert abs(fmean(means) - exact) < allowed, seed
        blind_is_wrong += abs(blind - exact) > allowed
    # The test could not fail if the evidence said nothing.
    assert blind_is_wrong


def test_a_take_in_11_nimmt_says_that_little_fitted() -> None:
    state = get("eleven-nimmt").start(2, SeededBoard(1))
    witness = Witness(state.rules, 2)
    witness.see(state.opening)
    witness.note(state, {0: Take(0)})
    witness.see(state.apply({0: Take(0)}))
    [taken] = witness.knows(state, 1).evidence
    top = state.deals[0][0].rows[0]
    near, far = (top + 3) % 100 or 100, (top + 50) % 100 or 100
    fitting, nothing = taken.likelihood(PHI, [near]), taken.likelihood(PHI, [far])
    # With one pile and nothing to play there was no choice at all.
    assert nothing == 1.0
    assert fitting == likelihood(PHI, False, 2)


def test_a_turn_outside_the_sensible_ones_is_still_possible() -> None:
    assert likelihood(PHI, False, 9, inside=False) == pytest.approx(0.05 / 10)
    assert likelihood(PHI, False, 9) == pytest.approx(0.05 / 9)
    assert likelihood(PHI, True, 9) == pytest.approx(0.95 + 0.05 / 9)
    assert likelihood(field_policy(1), False, 9) == pytest.approx(1 / 9)


def test_the_policy_plays_f_but_for_its_share_of_uniform_play() -> None:
    state = get("six-nimmt").start(4, SeededBoard(3))
    view, legal = state.view(0), state.legal(0)
    rng = Generator(1)
    drawn = Counter([play(PHI, "card", view, legal, rng) for _ in range(4000)])
    chosen = field_choice("card", view, legal)
    assert isinstance(chosen, int)
    assert abs(drawn[chosen] / 4000 - 0.955) < 0.02
    assert set(drawn) == set(view.hand)
    assert all(8 <= drawn[card] <= 40 for card in view.hand if card != chosen)


def test_the_safest_card_is_the_one_with_few_unseen_cards_before_it() -> None:
    view = get("six-nimmt").start(4, SeededBoard(3)).view(0)
    assert isinstance(view, SixNimmtView)
    view = view._replace(
        hand=(3, 31, 36, 70, 99), rows=((30,), (35, 37, 38, 39, 40), (60,), (98,)), revealed=()
    )
    rows = Rows.of(view)
    # Next to its row with room: no risk. Sixth card and low card: all of the row, or the cheapest.
    assert rows.key(31) == rows.key(99) == 0
    assert field_choice("card", view, view.hand) == 31
    assert rows.key(41) > rows.key(70) > 0
    assert rows.key(3) == 255 * 128


def test_with_bull_cards_the_policy_lays_the_most_cards() -> None:
    state = get("eleven-nimmt").start(2, SeededBoard(1))
    view = state.view(0)
    assert isinstance(view, ElevenNimmtView)
    view = view._replace(piles=(Pile(0, 50), Pile(3, 51)))
    piles = {0: (51, 52), 3: (52, 55, 60)}
    alone = TurnOptions(piles, 1, False, (0, 3))
    assert field_choice("turn", view, alone) == Play({0: (51,)})
    several = TurnOptions(piles, 2, True, (0, 3))
    assert field_choice("turn", view, several) == Play({0: (51,), 3: (52, 55, 60)})
    nothing = TurnOptions({}, 1, False, (0, 3))
    # 50 has three heads, 51 one.
    assert field_choice("turn", view, nothing) == Take(3)


@needs_core
def test_the_core_refuses_evidence_that_is_none() -> None:
    state, witness = late_round(3)
    knowledge = witness.knows(state, 0)
    own = Evidence(seat=0)
    nobody = Evidence(seat=7)
    for wrong in (own, nobody):
        damaged = replace(knowledge, evidence=(wrong,))
        with pytest.raises(CoreError, match="evidence by seat"):
            field_rollouts(damaged, [], 1, 1, 1, pure=False)
    with pytest.raises(CoreError, match="legal candidates"):
        field_rollouts(knowledge, [104], 1, 1, 1, pure=False)
