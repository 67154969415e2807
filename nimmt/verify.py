"""Reading a replay: playing it again without any bot, and saying where it is wrong."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nimmt.board import Deal, GivenBoard
from nimmt.choices import choice_from_json, choice_to_json
from nimmt.errors import IllegalChoice, ReplayError, RulesError, shorten
from nimmt.events import Event
from nimmt.game import Rules, State
from nimmt.given import json_object
from nimmt.house import house_choice
from nimmt.replay import BY_BOT, BY_FORCED, BY_HOUSE, FAULT_KINDS, places_with_out
from nimmt.replay_form import check_form, same_json


class Step(NamedTuple):
    """Decisions that were carried out together, and what happened then."""

    round_no: int
    first: int
    """Where the first of the decisions stands in its round."""
    decisions: tuple[dict[str, Any], ...]
    events: list[Event]


@dataclass(slots=True)
class Replay:
    """A replay whose form is right. `steps()` plays it again, checking as it goes."""

    document: dict[str, Any]
    rules: Rules
    state: State
    deals: list[tuple[Deal, int]]
    outs: list[tuple[int, int] | None]
    _is_out: list[bool] = field(default_factory=list)

    def steps(self) -> Iterator[Step]:
        """Every step of the game; the deal's events are in `state.opening`. Once only."""
        self._is_out = [False] * self.state.players
        rounds = self.document["rounds"]
        for round_no, part in enumerate(rounds):
            if self.state.result is not None:
                raise ReplayError("the game was over before this round", round_no)
            self._check_start_seat(round_no)
            index = 0
            decisions = part["decisions"]
            while self.state.pending and self.state.round_no == round_no:
                step = self._step(round_no, index, decisions)
                index += len(step.decisions)
                yield step
            if index != len(decisions):
                raise ReplayError("the round was over before this decision", round_no, index)
            self._check_points(round_no, part["points"])
        self._check_end(len(rounds))

    def _check_start_seat(self, round_no: int) -> None:
        given, expected = self.deals[round_no][1], self.state.deals[round_no][1]
        if given != expected:
            raise ReplayError(f"start_seat is {given}, expected {expected}", round_no)

    def _step(self, round_no: int, index: int, decisions: list[Any]) -> Step:
        seats = sorted(self.state.pending)
        entries = decisions[index : index + len(seats)]
        choices = {}
        for at, seat in enumerate(seats, index):
            if at >= len(decisions):
                kind = self.state.pending[seat].kind
                raise ReplayError(f"seat {seat} had to choose a {kind} here", round_no, at)
            try:
                choices[seat] = self._checked(seat, decisions[at], round_no, at)
            except (RulesError, IllegalChoice, ValueError) as error:
                raise ReplayError(str(error), round_no, at) from None
        try:
            events = self.state.apply(choices)
        except RulesError as error:
            raise ReplayError(str(error), round_no, index) from None
        return Step(round_no, index, tuple(entries), events)

    def _checked(self, seat: int, entry: object, round_no: int, at: int) -> Any:
        keys = ("seat", "kind", "choice", "by", "ms", "batch", "fault")
        fields = json_object(entry, keys, "a decision")
        if fields["seat"] != seat or type(fields["seat"]) is not int:
            raise ValueError(f"seat {seat} had to decide, got seat {shorten(fields['seat'])}")
        kind = self.state.pending[seat].kind
        if fields["kind"] != kind:
            raise ValueError(f"this is a {kind}, got kind {shorten(fields['kind'])}")
        choice = self.state.canonical(seat, choice_from_json(kind, fields["choice"]))
        if fields["choice"] != choice_to_json(choice):
            raise ValueError(
                f"choice must be written {shorten(choice_to_json(choice))}, "
                f"got {shorten(fields['choice'])}"
            )
        if self.outs[seat] == (round_no, at):
            self._is_out[seat] = True
        self._check_maker(seat, fields, choice)
        _check_times(fields)
        return choice

    def _check_maker(self, seat: int, fields: dict[str, Any], choice: object) -> None:
        by, fault, out = fields["by"], fields["fault"], self._is_out[seat]
        forced = self.state.forced(seat) is not None
        if forced != (by == BY_FORCED) or by not in (BY_BOT, BY_HOUSE, BY_FORCED):
            expected = "forced" if forced else "bot or house"
            raise ValueError(f"by must be {expected} here, got {shorten(by)}")
        if by == BY_BOT and out:
            raise ValueError(f"seat {seat} was out, so the house had to choose")
        if by != BY_HOUSE or out:
            if fault is not None:
                raise ValueError(f"fault must be null here, got {shorten(fault)}")
        else:
            named = json_object(fault, ("kind", "sent"), "the fault behind a house choice")
            if named["kind"] not in FAULT_KINDS:
                raise ValueError(f"there is no fault {shorten(named['kind'])}")
        if by == BY_HOUSE:
            kind = self.state.pending[seat].kind
            house = house_choice(kind, self.state.view(seat), self.state.legal(seat))
            if self.state.canonical(seat, house) != choice:
                raise ValueError(f"the house would choose {choice_to_json(house)!r}")

    def _check_points(self, round_no: int, points: object) -> None:
        if len(self.state.scores) <= round_no:
            raise ReplayError("the round does not end here", round_no)
        played = list(self.state.scores[round_no])
        if not same_json(points, played):
            raise ReplayError(f"points are {played}, got {shorten(points)}", round_no)

    def _check_end(self, rounds: int) -> None:
        result = self.state.result
        if result is None:
            raise ReplayError(f"the game goes on after round {rounds - 1}")
        for seat, (out, seen) in enumerate(zip(self.outs, self._is_out, strict=True)):
            if out is not None and not seen:
                raise ReplayError(f"seat {seat} is out at a decision that is not its own", *out)
        given = self.document["result"]
        places = places_with_out(result.points, self._is_out)
        for name, expected in (("points", result.points), ("places", places)):
            if not same_json(given[name], list(expected)):
                raise ReplayError(f"{name} are {list(expected)}, got {shorten(given[name])}")


def read(document: object) -> Replay:
    """Check the form of a document, its deals and its key, and make it ready to play again."""
    try:
        form = check_form(document)
        board = GivenBoard(tuple(deal for deal, _ in form.deals))
        state = form.rules.start(form.players, board)
    except RulesError as error:
        raise ReplayError(str(error)) from None
    return Replay(form.fields, form.rules, state, form.deals, form.outs)


def verify(document: object) -> Replay:
    """Play a replay to its end, or raise ReplayError with the first difference."""
    replay = read(document)
    for _ in replay.steps():
        pass
    return replay


def _check_times(fields: dict[str, Any]) -> None:
    ms, batch = fields["ms"], fields["batch"]
    if fields["by"] == BY_FORCED and (ms is not None or batch is not None):
        raise ValueError("a forced decision is not asked, so ms and batch must be null")
    # NaN fails both comparisons.
    if ms is not None and not (type(ms) in (int, float) and 0 <= ms < float("inf")):
        raise ValueError(f"ms must be a time or null, got {shorten(ms)}")
    if batch is not None and (type(batch) is not int or batch < 1):
        raise ValueError(f"batch must be 1 or more or null, got {shorten(batch)}")
