"""The structures of `core.h` for ctypes, and how positions, choices and policies go into them."""

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, Array, Structure, c_int32, c_int64, c_uint8, c_uint16, c_uint32
from functools import lru_cache

from nimmt.choices import CARD, DRAFT, ROW, STEAL, TURN, X_CARD, Choice, Play, Take
from nimmt.core.policies import Expected, Policy
from nimmt.core.position import Position
from nimmt.game import Rules

MOST_PLAYERS = 10
HIGHEST = 104
PLACES = HIGHEST + 1
ROWS = 4
ROW_ROOM = 8
X_PLAYERS = 4
X_ROOM = 40
MOST_PILES = 48
MOST_CHOICES = 128
WINDOW = 10

RULES = ("six-nimmt", "x-nimmt", "eleven-nimmt")
KIND_CODES = ("", CARD, ROW, DRAFT, X_CARD, STEAL, TURN)
TAKE, PLAY = 1, 2
SEEDED, KEYED = 0, 1

_bytes = c_uint8


class CTable(Structure):
    """One game, or what a seat knows of one."""

    _fields_ = (
        ("seed", ctypes.c_uint64),
        ("board", ctypes.c_uint64),
        ("totals", c_int32 * MOST_PLAYERS),
        ("points", c_int32 * MOST_PLAYERS),
        ("limit", c_uint16),
        ("rounds", c_uint16),
        ("round_no", c_uint16),
        ("turn", c_uint16),
        ("key", _bytes * 32),
        ("deals", _bytes),
        ("rules", _bytes),
        ("players", _bytes),
        ("advanced", _bytes),
        ("opening_picks", _bytes),
        ("most_starts", _bytes),
        ("phase", _bytes),
        ("seat", _bytes),
        ("start_seat", _bytes),
        ("row_len", _bytes * ROWS),
        ("row", (_bytes * ROW_ROOM) * ROWS),
        ("hand_len", _bytes * MOST_PLAYERS),
        ("hand", (_bytes * HIGHEST) * MOST_PLAYERS),
        ("revealed", _bytes * MOST_PLAYERS),
        ("laid", _bytes * MOST_PLAYERS),
        ("pool_len", _bytes),
        ("pool", _bytes * HIGHEST),
        ("bull_len", _bytes * MOST_PLAYERS),
        ("bull", (_bytes * HIGHEST) * MOST_PLAYERS),
        ("taken_len", _bytes),
        ("taken", _bytes * ROW_ROOM),
        ("x_row_len", _bytes * X_PLAYERS),
        ("x_row", (_bytes * X_ROOM) * X_PLAYERS),
        ("x_pile_len", _bytes * X_PLAYERS),
        ("x_pile", (_bytes * X_ROOM) * X_PLAYERS),
        ("pile_count", _bytes),
        ("pile_no", _bytes * MOST_PILES),
        ("pile_len", _bytes * MOST_PILES),
        ("pile_top", _bytes * MOST_PILES),
        ("under", _bytes * PLACES),
        ("next_pile", _bytes),
        ("draw_len", _bytes),
        ("draw", _bytes * HIGHEST),
        ("bull_cards", _bytes * MOST_PLAYERS),
        ("bull_pool", _bytes),
        ("where", _bytes * PLACES),
    )


class CChoice(Structure):
    """An answer of 11 nimmt!, or a candidate of any game."""

    _fields_ = (("what", _bytes), ("value", _bytes), ("on", _bytes * PLACES))


class CPolicy(Structure):
    """How a seat plays in rollouts."""

    _fields_ = (
        ("kind", c_uint32),
        ("feature", c_uint32),
        ("epsilon", c_uint32),
        ("weight", c_uint32 * 128),
        ("risk", (_bytes * 64) * 8),
        ("shape", _bytes * 128),
        ("prior", _bytes * PLACES),
    )


class CSums(Structure):
    """Where rollouts are added up."""

    _fields_ = tuple(
        (name, POINTER(c_int64)) for name in ("count", "sum", "squares", "pair_sum", "pair_squares")
    )


class CEvidence(Structure):
    """A choice of another seat, and how the cards it may have held then bear on it."""

    _fields_ = (
        ("options", c_uint16),
        ("seat", _bytes),
        ("beaten", _bytes),
        ("full", _bytes),
        ("beats", _bytes * PLACES),
        ("counts", _bytes * PLACES),
        ("held", _bytes),
        ("pile_count", _bytes),
        ("tops", _bytes * MOST_PILES),
        ("known", _bytes * PLACES),
        ("choice", CChoice),
    )


class CHint(Structure):
    """A choice of another seat, and how likely it was by the cards it may have held then."""

    _fields_ = (("seat", c_uint32), ("base", c_uint32), ("weight", c_uint32 * PLACES))


class CExpected(Structure):
    """How likely a seat is to lay each card right now."""

    _fields_ = (("known", c_uint32), ("weight", c_uint32 * PLACES))


STRUCTURES = (CTable, CChoice, CPolicy, CSums, CEvidence, CHint, CExpected)
"""In the order of `nimmt_sizes`."""


def _fill(target: "Array[c_uint8]", cards: Sequence[int]) -> int:
    """Copy cards into an array, and say how many."""
    count = len(cards)
    if count > len(target):
        raise ValueError(f"got {count} cards for a place that holds {len(target)}")
    if count:
        target[:count] = list(cards)
    return count


def pack_rules(rules: Rules, players: int) -> CTable:
    """An empty table with these rules and options."""
    rules.check_players(players)
    table = CTable()
    options = rules.options
    table.rules = RULES.index(rules.name)
    table.players = players
    table.limit = options.get("limit") or 0
    table.rounds = options.get("rounds") or 0
    table.advanced = bool(options.get("advanced"))
    table.opening_picks = options.get("opening_picks", 0)
    table.most_starts = options.get("next_start") == "most"
    return table


def pack_position(position: Position) -> CTable:
    """What a seat knows, as the core reads it."""
    table = pack_rules(position.rules, position.players)
    table.phase = KIND_CODES.index(position.kind)
    table.seat = position.seat
    table.start_seat = position.start_seat
    for seat, hand in enumerate(position.hands):
        table.hand_len[seat] = _fill(table.hand[seat], hand)
        table.points[seat] = position.points[seat]
    for row, cards in enumerate(position.rows):
        table.row_len[row] = _fill(table.row[row], cards)
    _fill(table.laid, position.laid)
    table.pool_len = _fill(table.pool, position.pool)
    table.taken_len = _fill(table.taken, position.taken)
    for seat, cards in enumerate(position.x_rows):
        table.x_row_len[seat] = _fill(table.x_row[seat], cards)
    for seat, cards in enumerate(position.x_piles):
        table.x_pile_len[seat] = _fill(table.x_pile[seat], cards)
    for at, cards in enumerate(position.piles.values()):
        table.pile_no[at] = at
        table.pile_len[at] = len(cards)
        table.pile_top[at] = cards[-1]
        for lower, upper in zip([0, *cards], cards, strict=False):
            table.under[upper] = lower
    table.pile_count = table.next_pile = len(position.piles)
    table.draw_len = _fill(table.draw, position.draw)
    _fill(table.bull_cards, position.bull_cards)
    table.bull_pool = position.bull_pool
    return table


def pack_choice(choice: Choice, numbers: Sequence[int], target: CChoice) -> None:
    """A choice into a fresh structure; `numbers` are what the piles are called there, in order."""
    if isinstance(choice, Take):
        target.what = TAKE
        target.value = numbers.index(choice.pile)
    elif isinstance(choice, Play):
        target.what = PLAY
        for pile, cards in choice.cards.items():
            for card in cards:
                # A card that comes twice cannot be written down; nothing lies at 0, so that is
                # as illegal as the choice was.
                target.on[0 if target.on[card] else card] = numbers.index(pile) + 1
    else:
        target.value = choice


def pack_choices(choices: Sequence[Choice], position: Position) -> "Array[CChoice]":
    """The candidates of a position; they mean piles by where they stand."""
    packed = (CChoice * len(choices))()
    numbers = list(position.piles)
    for target, choice in zip(packed, choices, strict=True):
        pack_choice(choice, numbers, target)
    return packed


@lru_cache(maxsize=64)
def pack_policy(policy: Policy) -> CPolicy:
    """A policy as the core reads it; the core only ever reads it."""
    packed = CPolicy(policy.kind, policy.feature, policy.epsilon)
    packed.weight[:] = policy.weights
    for target, row in zip(packed.risk, policy.risks, strict=True):
        target[:] = row
    packed.shape[:] = policy.shape
    packed.prior[:] = policy.prior
    return packed


def pack_expected(expected: Expected, players: int) -> "Array[CExpected] | None":
    """What is expected of the seats; None for nothing."""
    if not expected:
        return None
    packed = (CExpected * players)()
    for seat, target in enumerate(packed):
        target.known = seat in expected
        target.weight[:] = list(expected.get(seat, (1,) * PLACES))
    return packed
