"""The quick encoding is the same message as the plain one, and reads what protobuf may write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nimmt
from nimmt.house import house_choice
from nimmt.views import SixNimmtView
from wire import codec, fast
from wire.v1 import bot_pb2 as pb

GAMES = [
    ("six-nimmt", {"rounds": 3}, 10),
    ("six-nimmt", {"rounds": 1, "advanced": True}, 4),
    ("eleven-nimmt", {}, 3),
    ("x-nimmt", {}, 4),
]


def plain_message(ask: fast.PlainAsk) -> pb.Ask:
    message = pb.Ask(
        ask_id=ask.ask_id,
        game_no=ask.game_no,
        kind=codec.KIND_TO_WIRE[ask.kind],
        move_ms=ask.move_ms,
    )
    codec.fill_view(message, ask.view)
    codec.fill_legal(message, ask.legal)
    return message


@given(st.integers(0, 2**32), st.sampled_from(GAMES), st.integers(0, 2**64 - 1), st.integers(0, 60))
def test_both_encodings_are_the_same_message_and_are_read_back(
    seed: int,
    game: tuple[str, dict[str, object], int],
    ask_id: int,
    steps: int,
) -> None:
    name, options, players = game
    state = nimmt.get(name, options).start(players, nimmt.KeyedBoard(nimmt.key_from_seed(seed), 0))
    for _ in range(steps):
        if state.pending:
            pending = {
                s: (ask.kind, state.view(s), state.legal(s)) for s, ask in state.pending.items()
            }
            state.apply({seat: house_choice(*about) for seat, about in pending.items()})
    for seat, asked in state.pending.items():
        view = state.view(seat)
        ask = fast.PlainAsk(ask_id, seed % 1000, asked.kind, view, state.legal(seat), 100)
        if isinstance(view, SixNimmtView):
            entry = fast.six_ask(ask, fast.six_public(view))
        else:
            entry = fast.message_ask(ask)
        news = pb.ToBot(game_starts=[pb.GameStart(game_no=7, bot_seed=ask_id)])
        whole = fast.asks_message(news.SerializeToString(), [entry, entry], 250)
        parsed = pb.ToBot.FromString(whole)
        assert list(parsed.asks.asks) == [plain_message(ask)] * 2
        assert parsed.asks.bank_ms == 250
        rest, asks, bank_ms = fast.split_message(parsed.SerializeToString())
        assert rest == news
        assert bank_ms == 250
        assert [fast.read_ask(data) for data in asks] == [ask, ask]


def test_large_numbers_are_read_and_written_too() -> None:
    view = SixNimmtView(
        seat=3,
        players=10,
        round_no=500,
        turn=0,
        start_seat=0,
        hand=(1, 104),
        rows=((1,), (2,), (3,), (4,)),
        revealed=(),
        bull_piles=((), tuple(range(1, 105))),
        points=(171, 0, 128),
        totals=(70000, 300, 127),
        pool=(),
        hands=(),
    )
    ask = fast.PlainAsk(2**64 - 1, 70000, "card", view, (1, 104), 100_000)
    data = fast.six_ask(ask, fast.six_public(view))
    message = pb.Asks.FromString(data).asks[0]
    assert message == plain_message(ask)
    assert fast.read_ask(message.SerializeToString()) == ask


def test_fields_of_a_newer_contract_are_passed_over() -> None:
    known = pb.ToBot(asks=pb.Asks(bank_ms=5)).SerializeToString()
    unknown = fast.varint(99 << 3) + b"\x01" + fast.varint(98 << 3 | 2) + b"\x03abc"
    rest, asks, bank_ms = fast.split_message(unknown + known)
    assert (asks, bank_ms) == ([], 5)
    assert not rest.HasField("goodbye")


@given(st.lists(st.integers(0, 2**32 - 1)))
def test_packed_numbers_come_back(values: list[int]) -> None:
    assert fast.unpacked(fast.packed(values)) == tuple(values)


def test_a_wire_type_that_is_not_in_use_is_refused() -> None:
    with pytest.raises(ValueError, match="wire type 3"):
        list(fast.fields(b"\x0b"))
