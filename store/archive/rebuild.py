"""One game out of an archive: played again by the engine, and written as it was written first."""

import json
from collections.abc import Mapping
from typing import Any

from nimmt.board import Board, GivenBoard, KeyedBoard
from nimmt.choices import Choice, TurnOptions, choice_to_json
from nimmt.game import Rules, State
from nimmt.house import house_choice
from nimmt.replay import BY_BOT, BY_FORCED, BY_HOUSE, FORMAT, places_with_out
from nimmt.replay_form import FIELDS
from store.archive.choices import Legal, take_choice
from store.archive.form import OWN, Columns
from store.archive.numbers import Numbers
from store.errors import BlobDamaged

TOP = FIELDS[FIELDS.index("format") + 1 : FIELDS.index("players")]
"""The fields between the format and the players, in the order of a replay."""
MOST_DECISIONS = 250_000
"""Of one game: its document would have more than 20 MB."""
UNTIMED = '"ms":null,"batch":null'
Odd = Mapping[tuple[int, int], tuple[Any, bool]]
"""By round and decision: the fault, or None, and whether the decision has a time."""


def compact(value: object) -> str:
    """JSON as replays are written."""
    return json.dumps(value, separators=(",", ":"))


def board_of(
    rules: Rules, players: int, shared: Mapping[str, Any], number: int, deals: bytes
) -> Board:
    """What chance decided: given, or by the key."""
    if shared["key"] is None:
        given = [rules.deal_from_json(players, deal)[0] for deal in json.loads(deals)]
        return GivenBoard(tuple(given))
    return KeyedBoard(bytes.fromhex(shared["key"]), number)


class Lane:
    """What one player decided in one game, and when."""

    __slots__ = ("_at", "_columns", "_end", "choices", "messages")

    def __init__(self, columns: Columns, player: int, game: int) -> None:
        self._columns = columns
        lane = player * columns.games + game
        self.choices = _cut(
            columns.choices, columns.choice_sizes.before(lane), columns.choice_sizes[lane]
        )
        self.messages = _cut(
            columns.messages, columns.message_sizes.before(lane), columns.message_sizes[lane]
        )
        self._at = sum(columns.message_counts[:player]) - 1
        self._end = self._at + columns.message_counts[player]

    def time(self) -> str:
        """Time and batch of the next asked decision, as a replay writes them."""
        self._at = at = self._at + 1 + self.messages.take()
        if at > self._end:
            raise BlobDamaged("a decision came in a message that it does not hold")
        columns = self._columns
        text = columns.written.get(at)
        if text is None:
            text = f'"ms":{columns.times[at] / 1000!r},"batch":{columns.batches[at]}'
            columns.written[at] = text
        return text

    def check_empty(self) -> None:
        """Raise BlobDamaged if more was decided than the game asked for."""
        if self.choices.left or self.messages.left:
            raise BlobDamaged("it holds decisions that its game does not ask for")


def _cut(column: bytes, start: int, size: int) -> Numbers:
    return Numbers(column[start : start + size])


class Rebuilt:
    """A game that is being written again."""

    def __init__(self, columns: Columns, rules: Rules, game: int) -> None:
        seats = columns.seats[game]
        rules.check_players(len(seats))
        self._shared = columns.shared
        self._own = {name: columns.own[name][game] for name in OWN}
        self._timed = columns.timed
        self._lanes = [Lane(columns, player, game) for player in seats]
        self._players = [columns.players[player] for player in seats]
        self._outs, self._odd = _out_of_the_ordinary(columns.faults[game], len(seats))
        self._out_at = [out and (out["round"], out["decision"]) for out in self._outs]
        self._is_out = [False] * len(seats)
        self._decisions: list[str] = []
        self._count = 0
        board = board_of(rules, len(seats), columns.shared, self._own["board"], columns.deals[game])
        self._state: State = rules.start(len(seats), board)

    def line(self) -> bytes:
        """The document, without a line feed."""
        state = self._state
        rounds: list[str] = []
        while state.pending:
            choices = {seat: self._decide(seat, ask.kind) for seat, ask in state.pending.items()}
            state.apply(choices)
            if len(state.scores) > len(rounds):
                rounds.append(self._round(len(rounds)))
        for lane in self._lanes:
            lane.check_empty()
        return f'{self._frame()},"rounds":[{",".join(rounds)}],{self._result()}}}'.encode()

    def _decide(self, seat: int, kind: str) -> Choice:
        self._count += 1
        if self._count > MOST_DECISIONS:
            raise BlobDamaged(f"a game of it has more than {MOST_DECISIONS} decisions")
        state = self._state
        where = (state.round_no, len(self._decisions))
        if self._out_at[seat] == where:
            self._is_out[seat] = True
        legal = state.legal(seat)
        fault, by, times = None, BY_BOT, UNTIMED
        choice = _only(legal)
        if choice is not None:
            by = BY_FORCED
        elif self._is_out[seat]:
            by, choice = BY_HOUSE, self._house(seat, kind, legal)
        else:
            timed = self._timed
            if self._odd and where in self._odd:
                fault, timed = self._odd[where]
            if timed:
                times = self._lanes[seat].time()
            if fault is not None:
                by, choice = BY_HOUSE, self._house(seat, kind, legal)
            else:
                choice = take_choice(legal, self._lanes[seat].choices)
        written = choice if type(choice) is int else compact(choice_to_json(choice))
        why = "null" if fault is None else compact(fault)
        self._decisions.append(
            f'{{"seat":{seat},"kind":"{kind}","choice":{written},"by":"{by}",{times},"fault":{why}}}'
        )
        return choice

    def _house(self, seat: int, kind: str, legal: Legal) -> Choice:
        return house_choice(kind, self._state.view(seat), legal)

    def _round(self, number: int) -> str:
        state = self._state
        deal = compact(state.rules.deal_to_json(*state.deals[number]))
        decisions, self._decisions = ",".join(self._decisions), []
        points = compact(state.scores[number])
        return f'{{"deal":{deal},"decisions":[{decisions}],"points":{points}}}'

    def _frame(self) -> str:
        fields = {**self._shared, **self._own}
        document = {"format": FORMAT, **{name: fields[name] for name in TOP}}
        document["players"] = [
            {"seat": seat, **player, "out": out}
            for seat, (player, out) in enumerate(zip(self._players, self._outs, strict=True))
        ]
        return compact(document)[:-1]

    def _result(self) -> str:
        result = self._state.result
        assert result is not None, "a game is over when nothing is pending"
        places = places_with_out(result.points, self._is_out)
        return f'"result":{{"points":{compact(result.points)},"places":{compact(places)}}}'


def _only(legal: Legal) -> Choice | None:
    """The choice that nobody was asked for."""
    if isinstance(legal, TurnOptions):
        return legal.only
    return legal[0] if len(legal) == 1 else None


def _out_of_the_ordinary(line: bytes, seats: int) -> tuple[list[dict[str, Any] | None], Odd]:
    """Who was out, by seat, and the decisions that are not a bot's in the usual time."""
    if not line:
        return [None] * seats, {}
    told = json.loads(line)
    outs = list(told["out"])
    if len(outs) != seats:
        raise BlobDamaged(f"it says who was out for {len(outs)} seats of {seats}")
    return outs, {(round_no, at): (fault, timed) for round_no, at, fault, timed in told["odd"]}
