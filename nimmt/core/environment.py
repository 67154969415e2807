"""Many games that step together, for learning: observations, what is asked, rewards.

`obs`, `asked`, `rewards`, `done` and `answers` are flat memory that `step` changes in place; with
numpy, `np.asarray(env.obs)` is an array without a copy. The reference engine runs the same
environment where there is no core. The bytes of `obs` are described in `nimmt/encoding.py`.
"""

import ctypes
from collections.abc import Mapping
from ctypes import c_int32, c_uint8

from nimmt.choices import Choice
from nimmt.core.games import options_of
from nimmt.core.layout import KIND_CODES, CChoice, CTable, pack_choice
from nimmt.core.library import check, load
from nimmt.core.unpack import read_choice
from nimmt.encoding import OBSERVATION, encode
from nimmt.errors import IllegalChoice
from nimmt.game import Rules, State
from nimmt.generator import SeededBoard


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
    ask = state.pending.get(seat)
    # Only games with rows have cards that wait to be placed.
    return encode(state.view(seat), ask.kind if ask else "", getattr(state, "to_place", ()))
