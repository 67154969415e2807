"""Simple players and whole games in this process: legal everywhere, the same for the same seed."""

import json
from random import Random

import pytest

from nimmt import Play, Take, get, key_from_seed
from nimmt.simple import SIMPLE, GreedyPlayer, HighestPlayer, HoarderPlayer, TakerPlayer
from nimmt.simulate import play_game
from nimmt.verify import verify
from tests.nimmt.support import VARIANTS, Variant, eleven_table, label, six_table

KEY = key_from_seed(3)


@pytest.mark.parametrize("name", SIMPLE)
@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_every_simple_player_can_play_every_game(variant: Variant, name: str) -> None:
    players = variant.players[1]
    bots = [name] * players
    rules = get(variant.rules, variant.options)
    game = play_game(rules, bots, KEY, 2)
    document = game.document(bots, KEY, 2)
    verify(json.loads(json.dumps(document)))
    assert game.result.points == tuple(document["result"]["points"])
    assert game.rounds == len(document["rounds"])


@pytest.mark.parametrize("variant", VARIANTS, ids=label)
def test_the_same_seed_gives_the_same_file(variant: Variant) -> None:
    bots = ["random", "taker", "hoarder", "house"][: variant.players[-1]]
    rules = get(variant.rules, variant.options)
    files = [
        json.dumps(play_game(rules, bots, KEY, board).document(bots, KEY, board))
        for board in (0, 0, 1)
    ]
    assert files[0] == files[1] != files[2]


def test_bots_move_on_one_seat_from_board_to_board() -> None:
    rules = get("six-nimmt", {"rounds": 1})
    bots = ["random", "house", "highest"]
    games = [play_game(rules, bots, KEY, board) for board in range(4)]
    assert [game.seats for game in games] == [(0, 1, 2), (1, 2, 0), (2, 0, 1), (0, 1, 2)]
    named = games[1].document(bots, KEY, 1)["players"]
    assert [player["bot"] for player in named] == [
        "simple/house",
        "simple/highest",
        "simple/random",
    ]


def test_each_simple_player_does_what_it_is_named_for() -> None:
    six = six_table([[10], [20], [30], [40]], [[11, 55, 99], [12, 13, 14]])
    assert HighestPlayer(Random(1))("card", six.view(0), six.legal(0)) == 99
    eleven = eleven_table(
        {0: [33], 2: [50], 5: [70]}, [(34, 35, 51, 71, 72), (1, 2)], bull_cards=[2, 0]
    )
    turn = eleven.view(0), eleven.legal(0)
    assert GreedyPlayer(Random(1))("turn", *turn) == Play({0: (34, 35), 5: (71, 72)})
    choices = [TakerPlayer(Random(seed))("turn", *turn) for seed in range(100)]
    assert 30 < sum(isinstance(choice, Take) for choice in choices) < 70
    hoards = [HoarderPlayer(Random(seed))("turn", *turn) for seed in range(100)]
    assert {choice.pile for choice in hoards if isinstance(choice, Take)} == {0}
