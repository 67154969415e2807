"""A season of samples alone is a real one: eight under every rules that play differently."""

from random import Random

import pytest

import nimmt
from arena.bots import find_classes
from botkit.local import LocalSeat
from league.bots import SAMPLES, sample_names, sample_rules
from nimmt import KeyedBoard, key_from_seed
from nimmt.simple import SIMPLE

GAMES: tuple[tuple[str, dict[str, object], int], ...] = (
    ("six-nimmt", {"rounds": 2}, 4),
    ("six-nimmt", {"rounds": 2, "advanced": True, "opening_picks": 3}, 3),
    ("eleven-nimmt", {}, 3),
    ("x-nimmt", {}, 3),
)
FEWEST = 8
BOARDS = 4


def choices_of(name: str, rules: nimmt.Rules, players: int, board: int) -> list[nimmt.Choice]:
    """What a sample would choose in seat 0 of a game that is played on at random."""
    [found] = find_classes([name], rules.name)
    seat = LocalSeat(found.make, rules, 0, players, seed=1)
    seat.move_ms = 5
    at_random = SIMPLE["random"](Random(3))
    state = rules.start(players, KeyedBoard(key_from_seed(2), board))
    seat.see(state.opening)
    made = []
    while state.pending:
        chosen = {}
        for asked, ask in state.pending.items():
            view, legal = state.view(asked), state.legal(asked)
            if asked == 0 and state.forced(0) is None:
                made.append(state.canonical(0, seat.ask(ask.kind, view, legal)))
            chosen[asked] = at_random(ask.kind, view, legal)
        seat.see(state.apply(chosen))
    return made


@pytest.mark.heavy(but="six-nimmt-options1")
@pytest.mark.parametrize(("name", "options", "players"), GAMES)
def test_eight_samples_play_differently(
    name: str, options: dict[str, object], players: int
) -> None:
    rules = nimmt.get(name, options)
    samples = [bot for bot in sample_names() if name in sample_rules(SAMPLES / bot)]
    played = {
        bot: [choices_of(bot, rules, players, board) for board in range(BOARDS)] for bot in samples
    }
    different: list[str] = []
    for bot in samples:
        if all(played[bot] != played[other] for other in different):
            different.append(bot)
    assert len(different) >= FEWEST, different
