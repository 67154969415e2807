"""Many games that step together, for learning: observations, what is asked, rewards.

`obs`, `asked`, `rewards`, `done` and `answers` are flat memory that `step` changes in place; with
numpy, `np.asarray(env.obs)` is an array without a copy. The reference engine runs the same
environment where there is no core.
"""

import ctypes
from collections.abc import Mapping
from ctypes import c_int32, c_uint8

from nimmt.choices import KINDS, Choice
from nimmt.core.games import options_of
from nimmt.core.layout import KIND_CODES, MOST_PLAYERS, CChoice, CTable, pack_choice
from nimmt.core.library import check, load
from nimmt.core.unpack import read_choice
from nimmt.errors import IllegalChoice
from nimmt.game import Rules, State
from nimmt.generator import SeededBoard
from nimmt.six import SixNimmtState
from nimmt.views import ElevenNimmtView, SixNimmtView, XNimmtView

OBSERVATION = 184
"""Bytes of an observation. Byte 0 is the kind that is asked for. By card, 1 to 104, where it lies:
0 unseen, 1 own hand, 2 + row, 6 the pool, 7 just taken by this seat, 16 + seat a bull pile
(X nimmt!: 16 the own X pile), 32 + seat an X row, 48 + seat laid in this turn, 64 + seat an open
hand, 128 + number the top of a pile. Then, from byte 105: seat, players, round, turn, start seat,
bull pool, draw deck; ten bytes each of hand sizes, and of bull cards or X piles' sizes; ten numbers
of two bytes each, low byte first, of points (6 nimmt!) and totals; the cards of this turn."""
AT_SEAT, AT_HANDS, AT_HELD, AT_POINTS, AT_TOTALS, AT_REVEALED = 105, 112, 122, 132, 152, 172


class Environment:
    """`games` games of these rules, all waiting for a choice; a finished one begins again."""

    def __init__(
        self, rules: Rules, players: int, games: int, seed: int, *, pure: bool | None = None
    ) -> None:
        rules.check_players(players)
        if games < 1:
            raise ValueError(f"got {games} games, expected 1 or more")
        self.rules = rules
        self.players = players
        self.games = games
        self.obs = memoryview(bytearray(games * players * OBSERVATION))
        self.asked = memoryview(bytearray(games * players))
        self.done = memoryview(bytearray(games))
        self.rewards = (c_int32 * (games * players))()
        self.answers = (c_int32 * games)()
        self.values = memoryview(bytearray(games * players))
        """For each seat of each game the card, row or seat it chooses; fill it, then `step()`."""
        self.turns = (CChoice * (games if rules.name == "eleven-nimmt" else 1))()
        """11 nimmt!: for each game the choice of the seat that is asked; see `set_choice`."""
        self._library = load(pure)
        self._seed = seed
        if self._library is None:
            self._boards = list(range(games))
            self._states = [self._start(board) for board in self._boards]
            for game in range(games):
                self._observe(game)
        else:
            self._tables = (CTable * games)()
            options = options_of(rules, players, None, seed)
            check(self._library.nimmt_start(options, self._tables, games, 0), "a start")
            self._pointers = tuple(
                (c_uint8 * len(part)).from_buffer(part)
                for part in (self.values, self.obs, self.asked, self.done)
            )
            _, obs, asked, _ = self._pointers
            check(self._library.nimmt_observe(self._tables, games, players, obs, asked), "a look")

    @property
    def compiled(self) -> bool:
        """Whether the core runs it."""
        return self._library is not None

    def set_choice(self, game: int, seat: int, choice: Choice) -> None:
        """Note what a seat chooses; any choice of the rules. Piles of 11 nimmt! by number."""
        if isinstance(choice, int):
            self.values[game * self.players + seat] = choice
            if self.rules.name != "eleven-nimmt":
                return
        ctypes.memset(ctypes.byref(self.turns[game]), 0, ctypes.sizeof(CChoice))
        pack_choice(choice, range(256), self.turns[game])

    def step(self) -> None:
        """Carry out what was noted, in all games. `answers` is 0 where it was legal, else it is
        -16 - seat and that game stands as before. The reward of a seat is what a finished round
        cost it, below zero."""
        if self._library is None:
            for game in range(self.games):
                self._step(game)
            return
        values, obs, asked, done = self._pointers
        answer = self._library.nimmt_step(
            self._tables, self.games, self.players, values, self.turns, obs, asked, self.rewards,
            done, self.answers,
        )  # fmt: skip
        check(answer, "a step")

    def _start(self, board: int) -> State:
        return self.rules.start(self.players, SeededBoard(self._seed, board))

    def _chosen(self, game: int, state: State) -> Mapping[int, Choice]:
        if self.rules.name == "eleven-nimmt":
            [(seat, ask)] = state.pending.items()
            return {seat: read_choice(self.turns[game], ask.kind)}
        at = game * self.players
        return {seat: self.values[at + seat] for seat in state.pending}

    def _step(self, game: int) -> None:
        state = self._states[game]
        before = state.totals
        first = game * self.players
        self.answers[game] = 0
        try:
            state.apply(self._chosen(game, state))
        except IllegalChoice as error:
            [asked, *_] = state.pending
            self.answers[game] = -16 - (asked if error.seat is None else error.seat)
        for seat in range(self.players):
            self.rewards[first + seat] = before[seat] - state.totals[seat]
        self.done[game] = not state.pending
        if not state.pending:
            self._boards[game] += self.games
            self._states[game] = self._start(self._boards[game])
        if not self.answers[game]:
            self._observe(game)

    def _observe(self, game: int) -> None:
        state = self._states[game]
        for seat in range(self.players):
            at = game * self.players + seat
            ask = state.pending.get(seat)
            self.asked[at] = KIND_CODES.index(ask.kind) if ask else 0
            if ask:
                observed = observation(state, seat)
                self.obs[at * OBSERVATION : (at + 1) * OBSERVATION] = observed


def observation(state: State, seat: int) -> bytes:
    """What a seat sees, in the form of the core, from a state of the reference engine."""
    view = state.view(seat)
    seen = bytearray(OBSERVATION)
    seen[0] = KIND_CODES.index(state.pending[seat].kind)
    assert state.pending[seat].kind in KINDS
    sizes = [len(hand) for hand in state.hands]  # type: ignore[attr-defined]  # all three have them
    if isinstance(view, ElevenNimmtView):
        for number, top in view.piles:
            seen[top] = 128 + number
        head = (view.start_seat, view.bull_pool, view.draw)
        held = view.bull_cards
        revealed: tuple[int, ...] = ()
    else:
        head, held = _observe_rows(seen, state, view)
        revealed = view.revealed
    for card in view.hand:
        seen[card] = 1
    capped = (min(view.round_no, 255), min(view.turn, 255))
    seen[AT_SEAT:AT_HANDS] = bytes((seat, view.players, *capped, *head))
    seen[AT_HANDS : AT_HANDS + len(sizes)] = bytes(sizes)
    seen[AT_HELD : AT_HELD + len(held)] = bytes(held)
    for at, numbers in ((AT_POINTS, _points(view)), (AT_TOTALS, view.totals)):
        packed = b"".join([(number & 0xFFFF).to_bytes(2, "little") for number in numbers])
        seen[at : at + len(packed)] = packed
    seen[AT_REVEALED : AT_REVEALED + len(revealed)] = bytes(revealed)
    assert len(seen) == OBSERVATION <= AT_REVEALED + MOST_PLAYERS + 2
    return bytes(seen)


def _points(view: SixNimmtView | XNimmtView | ElevenNimmtView) -> tuple[int, ...]:
    return view.points if isinstance(view, SixNimmtView) else ()


def _observe_rows(
    seen: bytearray, state: State, view: SixNimmtView | XNimmtView
) -> tuple[tuple[int, int, int], tuple[int, ...]]:
    """Rows and what lies around them; returns the head of the numbers, and what is held."""
    for index, row in enumerate(view.rows):
        for card in row:
            seen[card] = 2 + index
    for seat, card in enumerate(view.revealed):
        if card in state.to_place:  # type: ignore[attr-defined]  # games with rows have it
            seen[card] = 48 + seat
    if isinstance(view, XNimmtView):
        for seat, row in enumerate(view.x_rows):
            for card in row:
                seen[card] = 32 + seat
        for card in view.x_pile:
            seen[card] = 16
        for card in view.taken:
            seen[card] = 7
        return (0, 0, 0), view.x_pile_sizes
    assert isinstance(state, SixNimmtState)
    zones = [(6, view.pool)]
    zones += [(16 + seat, pile) for seat, pile in enumerate(view.bull_piles)]
    zones += [(64 + seat, hand) for seat, hand in enumerate(view.hands)]
    for code, cards in zones:
        for card in cards:
            seen[card] = code
    return (view.start_seat, 0, 0), ()
