"""Statistical fixed points, found by two independent simulations before this engine existed.

A tolerance is five standard errors of the sample plus half a unit of the last given digit; the
samples are fixed by their seeds, so a test that passes keeps passing until the engine changes.
"""

from collections import Counter
from collections.abc import Callable
from math import sqrt
from random import Random

import pytest

from nimmt import KeyedBoard, State, TurnOptions, get, key_from_seed
from nimmt.choices import Choice
from nimmt.eleven import ElevenNimmtState
from nimmt.events import BullCard, Move, Reveal, RoundEnd, Turn
from nimmt.simple import SIMPLE, GreedyPlayer, Player, RandomPlayer, TakerPlayer
from tests.nimmt.support import AnyChoice, house, steps

KEY = key_from_seed(66)
SIZES = [pytest.param(1, id="short"), pytest.param(8, id="long", marks=pytest.mark.long)]
sizes = pytest.mark.parametrize("size", SIZES)


def close(got: float, point: float, spread: float, count: int, unit: float = 0.1) -> bool:
    """Whether a mean of `count` values lies where it should."""
    return abs(got - point) <= 5 * spread / sqrt(count) + unit / 2


class RandomCards:
    """Random cards; the low card takes the cheapest row."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def __call__(self, state: State, seat: int) -> Choice:
        if state.pending[seat].kind == "row":
            return house(state, seat)
        legal = state.legal(seat)
        assert not isinstance(legal, TurnOptions)
        return self.rng.choice(legal)


class Seated:
    """A simple player, asked as the drivers of the tests ask; others may sit at seats above 0."""

    def __init__(self, player: Player, others: RandomCards | None = None) -> None:
        self.player = player
        self.others = others

    def __call__(self, state: State, seat: int) -> Choice:
        kind = state.pending[seat].kind
        if self.others and (seat > 0 or kind == "row"):
            return self.others(state, seat)
        return self.player(kind, state.view(seat), state.legal(seat))


def mean_and_spread(values: list[int]) -> tuple[float, float]:
    mean = sum(values) / len(values)
    return mean, sqrt(sum((value - mean) ** 2 for value in values) / len(values))


@sizes
@pytest.mark.parametrize(
    ("players", "mean", "spread"), [(2, 8.2, 5.4), (4, 12.1, 8.0), (6, 13.6, 9.2), (10, 14.65, 10)]
)
def test_heads_of_random_players_in_a_round_of_six(
    players: int, mean: float, spread: float, size: int
) -> None:
    rules = get("six-nimmt", {"rounds": 100 * size})
    state = rules.start(players, KeyedBoard(KEY))
    for _ in steps(state, RandomCards(Random(players))):
        pass
    values = [points for scores in state.scores for points in scores]
    got, got_spread = mean_and_spread(values)
    assert close(got, mean, spread, len(values))
    # The spread of a spread is about spread / sqrt(2 count), widened for the long right tail.
    assert close(got_spread, spread, spread, len(values))


@sizes
@pytest.mark.parametrize(
    ("players", "mean", "spread"), [(2, 8.2, 5.4), (4, 12.1, 8.0), (6, 13.6, 9.2), (10, 14.65, 10)]
)
def test_playouts_score_like_full_play(players: int, mean: float, spread: float, size: int) -> None:
    rules = get("six-nimmt", {"rounds": 1})
    rng = Random(players)
    values = [
        points
        for board in range(400 * size)
        for points in rules.start(players, KeyedBoard(KEY, board)).playout(rng)
    ]
    assert close(mean_and_spread(values)[0], mean, spread, len(values))


@sizes
def test_a_random_row_for_the_low_card_costs_more(size: int) -> None:
    rules = get("six-nimmt", {"rounds": 120 * size})
    state = rules.start(4, KeyedBoard(KEY))
    for _ in steps(state, AnyChoice(Random(4))):
        pass
    values = [points for scores in state.scores for points in scores]
    assert close(mean_and_spread(values)[0], 13.4, 8.6, len(values))


@sizes
@pytest.mark.parametrize(
    ("players", "rounds", "spread", "shared"),
    [(2, 7.6, 1.8, 0.8), (4, 4.5, 0.9, 2.9), (6, 3.7, 0.7, 3.9), (10, 3.2, 0.6, 4.9)],
)
def test_rounds_and_shared_wins_of_a_game_to_66(
    players: int, rounds: float, spread: float, shared: float, size: int
) -> None:
    rules = get("six-nimmt")
    games = 120 * size
    lengths, ties = [], 0
    for board in range(games):
        state = rules.start(players, KeyedBoard(KEY, board))
        for _ in steps(state, RandomCards(Random(board))):
            pass
        assert state.result is not None
        lengths.append(len(state.scores))
        ties += state.result.places.count(1) > 1
    assert close(sum(lengths) / games, rounds, spread, games)
    share = shared / 100
    assert abs(ties / games - share) <= 0.004 + 5 * sqrt(share * (1 - share) / games)


def eleven_rounds(players: int, player: Callable[[Random], Player], games: int) -> Counter[str]:
    """What happens in rounds of 11 nimmt! between players of one kind."""
    found: Counter[str] = Counter()
    for board in range(games):
        state = get("eleven-nimmt").start(players, KeyedBoard(KEY, board))
        assert isinstance(state, ElevenNimmtState)
        for _, events in steps(state, Seated(player(Random(board)))):
            for before, event in zip([None, *events], events, strict=False):
                found["turns"] += isinstance(event, Turn)
                found["steals"] += isinstance(event, BullCard) and event.source is not None
                if isinstance(event, RoundEnd):
                    found["rounds"] += 1
                    found["deck out"] += isinstance(before, Move) and before.why == "open"
    return found


@sizes
@pytest.mark.parametrize(("players", "turns", "spread"), [(2, 31, 12), (4, 44, 16), (7, 66, 25)])
def test_turns_of_a_round_of_eleven_with_greedy_play(
    players: int, turns: float, spread: float, size: int
) -> None:
    found = eleven_rounds(players, GreedyPlayer, 60 * size // players + 10)
    # The greedy player of the fixed points is only like ours: two turns of leeway.
    assert close(found["turns"] / found["rounds"], turns, spread, found["rounds"], unit=4)
    assert found["deck out"] <= 0.01 * found["rounds"] + 1


@sizes
@pytest.mark.parametrize(("players", "low", "high"), [(2, 0.35, 0.7), (4, 0.85, 1), (7, 0.97, 1)])
def test_the_deck_runs_out_when_half_of_all_turns_take(
    players: int, low: float, high: float, size: int
) -> None:
    found = eleven_rounds(players, TakerPlayer, 60 * size // players + 10)
    assert low <= found["deck out"] / found["rounds"] <= high


def test_steals_are_rare_at_random_and_frequent_among_hoarders() -> None:
    found = eleven_rounds(2, RandomPlayer, 40)
    assert found["steals"] / found["rounds"] < 0.1
    steals = rounds = 0
    for board in range(15):
        state = get("eleven-nimmt").start(2, KeyedBoard(KEY, board))
        for _, events in steps(state, AnyChoice(Random(board), take=0.4, hoard=1.0)):
            steals += sum(isinstance(e, BullCard) and e.source is not None for e in events)
            rounds += sum(isinstance(e, RoundEnd) for e in events)
    assert steals / rounds > 1


@pytest.mark.parametrize("players", range(2, 8))
def test_piles_reach_their_bound_when_the_deck_runs_out(players: int) -> None:
    state = get("eleven-nimmt").start(players, KeyedBoard(KEY))
    assert isinstance(state, ElevenNimmtState)
    most = 0
    for _ in steps(state, AnyChoice(Random(players), take=1.0)):
        most = max(most, len(state.piles))
    assert most == len(state.piles) == 50 - 5 * players


@sizes
@pytest.mark.parametrize(
    ("players", "turns", "takes", "several"),
    [(2, 11.4, 9.3, 3.1), (3, 10.8, 13.1, 6.1), (4, 10.4, 16.7, 9.2)],
)
def test_turns_takes_and_empty_hands_of_a_round_of_x(
    players: int, turns: float, takes: float, several: float, size: int
) -> None:
    found: Counter[str] = Counter()
    for board in range(150 * size):
        state = get("x-nimmt").start(players, KeyedBoard(KEY, board))
        hands = [8] * players
        for _, events in steps(state, AnyChoice(Random(board))):
            for event in events:
                found["turns"] += isinstance(event, Reveal)
                found["rounds"] += isinstance(event, RoundEnd)
                if isinstance(event, RoundEnd):
                    found["several"] += hands.count(0) > 1
                    hands = [8] * players
                elif isinstance(event, Reveal):
                    hands = [size - 1 for size in hands]
                elif isinstance(event, Move) and event.why == "keep":
                    hands[int(event.dst.removeprefix("hand:"))] += len(event.cards)
                found["takes"] += isinstance(event, Move) and event.why == "take"
    rounds = found["rounds"]
    assert close(found["turns"] / rounds, turns, 1.6, rounds)
    assert close(found["takes"] / rounds, takes, 3.5, rounds)
    share = several / 100
    assert abs(found["several"] / rounds - share) <= 0.005 + 5 * sqrt(share / rounds)


@sizes
@pytest.mark.parametrize(("name", "share"), [("highest", 32), ("house", 21), ("random", 25)])
def test_share_of_round_wins_against_three_random_players(
    name: str, share: float, size: int
) -> None:
    rules = get("six-nimmt", {"rounds": 1})
    games = 400 * size
    wins = 0.0
    for board in range(games):
        rng = Random(board)
        choose = Seated(SIMPLE[name](rng), RandomCards(rng))
        state = rules.start(4, KeyedBoard(KEY, board))
        for _ in steps(state, choose):
            pass
        assert state.result is not None
        places = state.result.places
        wins += (places[0] == 1) / places.count(1)
    p = share / 100
    assert abs(wins / games - p) <= 0.01 + 5 * sqrt(p * (1 - p) / games)
