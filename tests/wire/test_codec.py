"""Whatever goes over the wire comes out as it went in, for every rules and every decision kind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nimmt
from nimmt import choices as kinds
from nimmt.events import seen_by
from nimmt.house import house_choice
from wire import codec
from wire.v1 import bot_pb2 as pb

Game = tuple[str, dict[str, object], int]
GAMES: list[Game] = [
    ("six-nimmt", {"rounds": 2}, 5),
    ("six-nimmt", {"rounds": 1, "advanced": True, "opening_picks": 3}, 3),
    ("eleven-nimmt", {}, 4),
    ("x-nimmt", {}, 3),
]


@given(st.integers(0, 2**32), st.sampled_from(GAMES))
def test_views_legal_choices_and_events_survive_the_wire(seed: int, game: Game) -> None:
    name, options, players = game
    rules = nimmt.get(name, options)
    state = rules.start(players, nimmt.KeyedBoard(nimmt.key_from_seed(seed), 0))
    events = list(state.opening)
    steps = 0
    while state.pending and steps < 60:
        steps += 1
        chosen = {}
        for seat, asked in state.pending.items():
            view, legal = state.view(seat), state.legal(seat)
            ask = pb.Ask(kind=codec.KIND_TO_WIRE[asked.kind])
            codec.fill_view(ask, view)
            codec.fill_legal(ask, legal)
            ask = pb.Ask.FromString(ask.SerializeToString())
            assert codec.view_from_wire(ask) == view
            assert codec.legal_from_wire(ask) == legal
            choice = house_choice(asked.kind, view, legal)
            if isinstance(legal, nimmt.TurnOptions):
                options_ = list(legal.sensible())
                choice = options_[seed % len(options_)]
            answer = pb.Answer()
            codec.fill_choice(answer, asked.kind, choice)
            answer = pb.Answer.FromString(answer.SerializeToString())
            assert codec.choice_from_wire(asked.kind, answer) == choice
            chosen[seat] = choice
        events += state.apply(chosen)
    for event in events:
        shown = seen_by(event, 1)
        message = pb.Event.FromString(codec.event_to_wire(shown).SerializeToString())
        assert codec.event_from_wire(message) == shown


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game[0])
def test_options_survive_the_wire(game: Game) -> None:
    rules = nimmt.get(game[0], game[1])
    welcome = pb.Welcome(options=codec.options_to_wire(rules.options))
    welcome = pb.Welcome.FromString(welcome.SerializeToString())
    assert codec.options_from_wire(welcome.options) == dict(rules.options)


@pytest.mark.parametrize("kind", kinds.KINDS)
def test_an_answer_without_a_choice_of_its_kind_is_a_bad_choice(kind: str) -> None:
    with pytest.raises(codec.BadChoice, match="no choice"):
        codec.choice_from_wire(kind, pb.Answer(ask_id=1))
    other = pb.Answer(row=1) if kind != kinds.ROW else pb.Answer(take=1)
    with pytest.raises(codec.BadChoice, match=f"expected a {kind}"):
        codec.choice_from_wire(kind, other)


def test_a_pile_played_on_twice_is_a_bad_choice() -> None:
    answer = pb.Answer(play=pb.Play(piles=[pb.PileCards(pile=1), pb.PileCards(pile=1)]))
    with pytest.raises(codec.BadChoice, match="pile 1 is played on twice"):
        codec.choice_from_wire(kinds.TURN, answer)


def test_an_event_of_a_newer_contract_is_left_out() -> None:
    assert codec.event_from_wire(pb.Event()) is None
