"""Asks to bytes and back without a message object for every row: most of the traffic is this.

Same bytes on the wire as `wire.codec` makes, several times faster in Python, because cards fit into
single bytes. Only 6 nimmt! has its own path; the other rules go through their messages.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from nimmt.choices import TurnOptions
from nimmt.views import SixNimmtView, View
from wire import codec
from wire.v1 import bot_pb2 as pb

Cards = tuple[int, ...]
ASKS_FIELD = 5
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_ID = struct.Struct("<Q")
_BYTE = [bytes((number,)) for number in range(128)]
_KIND = {kind: b"\x18" + _BYTE[number] + b"\x22" for kind, number in codec.KIND_TO_WIRE.items()}
"""The field of the kind, and the tag of the view that follows it."""


class PlainAsk(NamedTuple):
    """One ask as both sides think of it."""

    ask_id: int
    game_no: int
    kind: str
    view: View
    legal: tuple[int, ...] | TurnOptions
    move_ms: int


def varint(value: int) -> bytes:
    """A number as the wire has it.

    >>> varint(300)
    b'\\xac\\x02'
    """
    if 0 <= value < 128:
        return _BYTE[value]
    parts = bytearray()
    while value > 127:
        parts.append(value & 127 | 128)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def packed(values: Sequence[int]) -> bytes:
    """Numbers one after the other; small ones are their own bytes."""
    try:
        data = bytes(values)
    except ValueError:
        return b"".join([varint(value) for value in values])
    return data if data.isascii() else b"".join([varint(value) for value in values])


def _numbers(tag: bytes, values: Sequence[int]) -> bytes:
    if not values:
        return b""
    data = packed(values)
    return tag + varint(len(data)) + data


def _piles(tag: bytes, piles: Sequence[Cards]) -> bytes:
    parts = []
    for pile in piles:
        # No pile of 6 nimmt! has more than 104 cards, so both lengths fit into one byte.
        size = len(pile)
        parts.append(tag + (bytes((size + 2, 10, size, *pile)) if size else b"\x00"))
    return b"".join(parts)


def six_public(view: SixNimmtView) -> bytes:
    """The part of a view that every seat sees, to be made once for all of them."""
    return b"".join(
        [
            b"\x10" + varint(view.players),
            b"\x18" + varint(view.round_no),
            b"\x20" + varint(view.turn),
            b"\x28" + varint(view.start_seat),
            _piles(b"\x3a", view.rows),
            _numbers(b"\x42", view.revealed),
            _piles(b"\x4a", view.bull_piles),
            _numbers(b"\x52", view.points),
            _numbers(b"\x5a", view.totals),
            _numbers(b"\x62", view.pool),
            _piles(b"\x6a", view.hands),
        ]
    )


def six_ask(ask: PlainAsk, public: bytes) -> bytes:
    """One ask of 6 nimmt!, as it stands in Asks; `public` is `six_public` of its view."""
    ask_id, game_no, kind, view, legal, move_ms = ask
    assert isinstance(view, SixNimmtView)
    assert not isinstance(legal, TurnOptions)
    hand = _numbers(b"\x32", view.hand)
    # Cards to choose from are the hand itself, under another tag.
    choices = b"\x3a" + hand[1:] if legal is view.hand and hand else _numbers(b"\x3a", legal)
    seen = b"\x08" + _BYTE[view.seat] + hand + public
    data = b"".join(
        [
            b"\x09",
            _ID.pack(ask_id),
            b"\x10",
            varint(game_no),
            _KIND[kind],
            varint(len(seen)),
            seen,
            choices,
            b"\x48",
            varint(move_ms),
        ]
    )
    return b"\x0a" + varint(len(data)) + data


def message_ask(ask: PlainAsk) -> bytes:
    """Any other ask, as it stands in Asks."""
    message = pb.Ask(
        ask_id=ask.ask_id,
        game_no=ask.game_no,
        kind=codec.KIND_TO_WIRE[ask.kind],
        move_ms=ask.move_ms,
    )
    codec.fill_view(message, ask.view)
    codec.fill_legal(message, ask.legal)
    data = message.SerializeToString()
    return b"\x0a" + varint(len(data)) + data


def asks_message(news: bytes, asks: Sequence[bytes], bank_ms: int) -> bytes:
    """A whole ToBot: the news first, then the asks."""
    inner = b"".join(asks) + b"\x10" + varint(bank_ms)
    return news + b"\x2a" + varint(len(inner)) + inner


def fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Field numbers with their values, known or not; ValueError for what is no message."""
    at, end = 0, len(data)
    while at < end:
        tag = data[at]
        at += 1
        if tag > 127:
            tag, at = _read_varint(data, at - 1)
        kind = tag & 7
        if kind == _VARINT:
            value = data[at]
            at += 1
            if value > 127:
                value, at = _read_varint(data, at - 1)
            yield tag >> 3, value
        elif kind == _BYTES:
            size = data[at]
            at += 1
            if size > 127:
                size, at = _read_varint(data, at - 1)
            yield tag >> 3, data[at : at + size]
            at += size
        elif kind in (_FIXED64, _FIXED32):
            size = 8 if kind == _FIXED64 else 4
            yield tag >> 3, int.from_bytes(data[at : at + size], "little")
            at += size
        else:
            raise ValueError(f"wire type {kind} is not in use")


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


def unpacked(data: bytes) -> Cards:
    """The numbers in a packed field."""
    if data.isascii():
        return tuple(data)
    found = []
    at = 0
    while at < len(data):
        value, at = _read_varint(data, at)
        found.append(value)
    return tuple(found)


def _pile(data: bytes) -> Cards:
    # The one field of Cards, as we write it; whoever writes it otherwise is read with care.
    if len(data) >= 2 and data[0] == 10 and data[1] == len(data) - 2:
        return unpacked(data[2:])
    return tuple(pb.Cards.FromString(data).cards)


def read_six(data: bytes) -> SixNimmtView:
    """A view of 6 nimmt! from its bytes."""
    numbers = [0] * 6
    lists: list[Cards] = [()] * 16
    rows, bull_piles, hands = [], [], []
    for number, value in fields(data):
        if isinstance(value, int):
            if number < 6:
                numbers[number] = value
        elif number == 7:
            rows.append(_pile(value))
        elif number == 9:
            bull_piles.append(_pile(value))
        elif number == 13:
            hands.append(_pile(value))
        elif number < 16:
            lists[number] = unpacked(value)
    _, seat, players, round_no, turn, start_seat = numbers
    return SixNimmtView(
        seat,
        lists[6],
        players,
        round_no,
        turn,
        start_seat,
        tuple(rows),
        lists[8],
        tuple(bull_piles),
        lists[10],
        lists[11],
        lists[12],
        tuple(hands),
    )


def read_ask(data: bytes) -> PlainAsk:
    """One ask from its bytes."""
    ask_id = game_no = kind = move_ms = 0
    legal: Cards = ()
    for number, value in fields(data):
        if number == 4 and isinstance(value, bytes):
            view: View = read_six(value)
        elif number == 7 and isinstance(value, bytes):
            legal = unpacked(value)
        elif number in (5, 6, 8):
            ask = pb.Ask.FromString(data)
            name = codec.KIND_FROM_WIRE[ask.kind]
            seen, options = codec.view_from_wire(ask), codec.legal_from_wire(ask)
            return PlainAsk(ask.ask_id, ask.game_no, name, seen, options, ask.move_ms)
        elif isinstance(value, int):
            if number == 1:
                ask_id = value
            elif number == 2:
                game_no = value
            elif number == 3:
                kind = value
            elif number == 9:
                move_ms = value
    return PlainAsk(ask_id, game_no, codec.KIND_FROM_WIRE[kind], view, legal, move_ms)


def split_message(data: bytes) -> tuple[pb.ToBot, list[bytes], int]:
    """A ToBot without its asks, the asks as bytes, and the bank."""
    asks: list[bytes] = []
    bank_ms = 0
    rest = []
    for number, value in fields(data):
        if number == ASKS_FIELD and isinstance(value, bytes):
            for inner, part in fields(value):
                if inner == 1 and isinstance(part, bytes):
                    asks.append(part)
                elif inner == 2 and isinstance(part, int):
                    bank_ms = part
        elif isinstance(value, bytes):
            rest.append(varint(number << 3 | _BYTES) + varint(len(value)) + value)
    return pb.ToBot.FromString(b"".join(rest)), asks, bank_ms
