"""The Monte Carlo sample: what it does by habit, and when it leaves its habit."""

from random import Random

from botkit import Play, Take
from nimmt import KeyedBoard, SixNimmtView, TurnOptions, get, key_from_seed
from nimmt.eleven import ElevenNimmtState
from nimmt.search import Memory
from sample_bots.montecarlo.bot import Candidate, MonteCarloBot
from tests.nimmt.support import eleven_table

EARLY = [card for card in range(30, 90) if card not in (34, 35, 36, 50)]
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
    known, noisy, better = Candidate(0), Candidate(1), Candidate(2)
    known.points = [5.0, 1.0, 4.0, 2.0]
    noisy.points = [1.0, 5.0, 1.0, 4.0]
    better.points = [3.0, 0.0, 2.0, 1.0]
    assert noisy.mean() < known.mean()
    assert not noisy.is_clearly_better(known)
    assert better.is_clearly_better(known)


def test_it_drafts_from_the_middle() -> None:
    rules = get("six-nimmt", {"advanced": True, "rounds": 1})
    state = rules.start(3, KeyedBoard(key_from_seed(1)))
    view = state.view(0)
    assert isinstance(view, SixNimmtView)
    assert MonteCarloBot().choose_draft(view) == 18
