"""The Monte Carlo sample: what it does by habit, and when it leaves its habit."""

from random import Random

from botkit import Play, Take
from nimmt import KeyedBoard, SixNimmtView, TurnOptions, get, key_from_seed
from nimmt.core import Rollouts
from nimmt.eleven import ElevenNimmtState
from nimmt.search import Memory
from sample_bots.montecarlo.bot import MonteCarloBot, is_clearly_better
from tests.nimmt.support import eleven_table

EARLY = [card for card in range(30, 90) if card not in (34, 35, 36, 50, 66, 77, 88)]
LATE = EARLY[:9]


def seated(state: ElevenNimmtState, playouts: int = 20) -> MonteCarloBot:
    """The bot in seat 0 of this table, which it has watched from the beginning."""
    bot = MonteCarloBot()
    bot.rules, bot.players, bot.seat, bot.rng = state.rules, state.players, 0, Random(1)
    bot.memory = Memory(state.rules, state.players, 0)
    bot.memory.table = state.view(None)
    legal = state.legal(0)
    assert isinstance(legal, TurnOptions)
    bot.turns = legal
    bot.playouts = playouts
    return bot


def habit(state: ElevenNimmtState) -> Take | Play:
    return seated(state)._habit(state.view(0))


def test_it_takes_a_cheap_pile_of_three_for_its_bull_card_while_it_is_early() -> None:
    piles, hands = {0: [34, 35, 36], 1: [1]}, [[2, 50], [95], [96]]
    assert habit(eleven_table(piles, hands, EARLY)) == Take(0)
    assert habit(eleven_table(piles, hands, LATE)) == Play({1: (2,)})
    assert habit(eleven_table(piles, hands, EARLY, bull_cards=[2, 0, 0])) == Play({1: (2,)})


def test_it_takes_no_dear_pile_for_a_bull_card() -> None:
    dear = {0: [33, 44, 55], 1: [1]}
    assert habit(eleven_table(dear, [[2, 50], [95], [96]], EARLY)) == Play({1: (2,)})


def test_it_lays_as_many_cards_as_it_can() -> None:
    state = eleven_table({0: [1]}, [[2, 5, 50], [95], [96]], LATE, bull_cards=[1, 0, 0])
    assert habit(state) == Play({0: (2, 5)})


def test_it_leaves_its_habit_where_playouts_are_clear() -> None:
    # A bull card is worth nothing now: playing the last card wins the round at once.
    state = eleven_table({0: [34, 35, 36], 1: [1]}, [[2], [77, 88], [66, 99]], EARLY)
    assert habit(state) == Take(0)
    assert seated(state).choose_turn(state.view(0)) == Play({1: (2,)})


def test_a_gain_within_the_noise_is_not_clear() -> None:
    known = [5, 1, 4, 2]
    noisy, better = compared(known, [1, 5, 1, 4]), compared(known, [3, 0, 2, 1])
    assert noisy.mean(1) < noisy.mean(0)
    assert not is_clearly_better(noisy, 1, 0)
    assert is_clearly_better(better, 1, 0)
    assert not is_clearly_better(better, 0, 1)


def compared(first: list[int], second: list[int]) -> Rollouts:
    """Rollouts of two candidates of a game for two, with these values."""
    made = Rollouts.empty([0, 1], players=2)
    for values in zip(first, second, strict=True):
        for i, own in enumerate(values):
            made.counts[i] += 1
            made.sums[i] += own
            made.squares[i] += own**2
            for j, other in enumerate(values):
                made.pair_sums[i][j] += own - other
                made.pair_squares[i][j] += (own - other) ** 2
    return made


def test_with_more_time_it_plays_out_more() -> None:
    rules = get("six-nimmt", {"rounds": 1})
    state = rules.start(3, KeyedBoard(key_from_seed(1)))
    played = []
    for milliseconds in (2, 60):
        bot = MonteCarloBot()
        bot.rules, bot.players, bot.seat, bot.rng = rules, 3, 0, Random(1)
        bot.on_game_start()
        for event in state.opening:
            bot.on_event(event)
        notes: list[str] = []
        bot.note = notes.append  # type: ignore[method-assign,assignment]
        bot.seconds = lambda given=milliseconds: given / 1000  # type: ignore[method-assign,misc]
        assert bot.best("card", state.view(0).hand) in state.view(0).hand
        played.append(int(notes[0].split()[0]))
    # Ten, five, three and two candidates with two playouts each at least.
    assert 40 <= played[0] < played[1]


def test_it_drafts_from_the_middle() -> None:
    rules = get("six-nimmt", {"advanced": True, "rounds": 1})
    state = rules.start(3, KeyedBoard(key_from_seed(1)))
    view = state.view(0)
    assert isinstance(view, SixNimmtView)
    assert MonteCarloBot().choose_draft(view) == 18
