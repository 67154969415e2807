"""The core and the reference engine play the same games, decision for decision."""

from random import Random

import pytest

from nimmt import Choice, IllegalChoice, State, get, key_from_seed
from nimmt.core import play_many
from nimmt.core.unpack import asked_of
from nimmt.simple import SIMPLE
from tests.nimmt.core_support import (
    CoreGame,
    legal_of,
    needs_core,
    reference_seen,
    wrong_choices,
)
from tests.nimmt.support import KEY, TABLES, VARIANTS, AnyChoice, Variant, label

pytestmark = needs_core
LONG_GAMES = 10_000


def compare_game(variant: Variant, players: int, board: int) -> None:
    """Play one board on both engines with the same choices, some of them illegal."""
    rng = Random(board)
    state = variant.start(players, board)
    core = CoreGame(state.rules, players, board)
    # Takers and hoarders too: steals need bull cards to run out.
    choose = AnyChoice(rng, take=rng.random() / 2, hoard=rng.random())
    assert core.seen() == reference_seen(state)
    while state.pending:
        for seat in state.pending:
            assert core.legal(seat) == legal_of(state, seat)
        if rng.random() < 0.1:
            compare_illegal(core, state, wrong_choices(state, rng))
        choices = {seat: choose(state, seat) for seat in state.pending}
        state.apply(choices)
        assert core.apply(choices) == 0
        assert core.seen() == reference_seen(state)
    assert state.result is not None
    assert tuple(core.table.totals[:players]) == state.result.points


def compare_illegal(core: CoreGame, state: State, choices: dict[int, Choice]) -> None:
    """Both refuse the same choices and stand as before, unless they happen to be legal."""
    refused = None
    try:
        state.copy().apply(choices)
    except IllegalChoice as error:
        refused = error.seat
    if refused is not None:
        before = core.bytes()
        assert core.apply(choices) == -16 - refused
        assert core.bytes() == before


@pytest.mark.parametrize(("variant", "players"), TABLES, ids=label)
def test_scores_legality_and_public_states_agree(variant: Variant, players: int) -> None:
    for board in range(3):
        compare_game(variant, players, 7 * board + players)


@pytest.mark.long
@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_they_agree_over_ten_thousand_games(variant: Variant) -> None:
    for board in range(LONG_GAMES):
        compare_game(variant, variant.players[board % len(variant.players)], board)


@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_simple_players_reach_the_same_scores(variant: Variant) -> None:
    rules = get(variant.rules, variant.options)
    for players in variant.players:
        bots = [list(SIMPLE)[(players + seat) % len(SIMPLE)] for seat in range(players)]
        keyed = [list(play_many(rules, bots, range(3, 9), key=KEY, pure=p)) for p in (True, False)]
        assert keyed[0] == keyed[1]
        seeded = [list(play_many(rules, bots, range(6), seed=4, pure=p)) for p in (True, False)]
        assert seeded[0] == seeded[1]


def test_the_boards_are_those_of_the_key() -> None:
    rules = get("six-nimmt", {})
    other = list(play_many(rules, ["random"] * 4, range(20), key=key_from_seed(8)))
    assert other != list(play_many(rules, ["random"] * 4, range(20), key=key_from_seed(9)))
    assert other[5:] == list(play_many(rules, ["random"] * 4, range(5, 20), key=key_from_seed(8)))


def test_a_finished_game_takes_no_more_choices() -> None:
    core = CoreGame(get("six-nimmt", {"rounds": 1}), 2, 0)
    rng = Random(1)
    while asked := asked_of(core.table):
        legal = {seat: core.legal(seat) for seat in asked}
        assert core.apply({s: rng.choice(list(one)) for s, one in legal.items()}) == 0  # type: ignore[call-overload]
    before = core.bytes()
    assert core.apply({0: 1, 1: 2}) == -1
    assert core.bytes() == before


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"bots": ["nobody", "random"]}, "got the bot 'nobody'"),
        ({"bots": ["random"]}, "2 to 10 players, got 1"),
        ({"boards": range(0, 4, 2)}, "one after another"),
        ({"seed": 1}, "expected one of them"),
    ],
)
def test_it_says_what_it_expected(given: dict[str, object], complaint: str) -> None:
    whole: dict[str, object] = {"bots": ["random"] * 2, "boards": range(2), "key": KEY, **given}
    with pytest.raises(ValueError, match=complaint):
        list(play_many(get("six-nimmt"), **whole))  # type: ignore[arg-type]
