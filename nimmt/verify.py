"""Reading a replay: playing it again without any bot, and saying where it is wrong."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nimmt.board import Deal, GivenBoard, KeyedBoard
from nimmt.choices import choice_from_json, choice_to_json
from nimmt.errors import IllegalChoice, RulesError, shorten
from nimmt.events import Event
from nimmt.game import Rules, State, json_object
from nimmt.house import house_choice
from nimmt.keys import DEAL_METHOD, commitment
from nimmt.registry import get
from nimmt.replay import BY_BOT, BY_FORCED, BY_HOUSE, FAULT_KINDS, FORMAT, places_with_out

_TOP = [
    "format",
    "rules",
    "options",
    "rules_version",
    "deal_method",
    "match",
    "attempt",
    "pass",
    "game_no",
    "board",
    "started",
    "runner",
    "time",
    "commitment",
    "key",
    "players",
    "rounds",
    "result",
]
_COUNTS = {"attempt": 1, "pass": 0, "game_no": 0, "board": 0}
_STARTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z")
_SHA256 = re.compile(r"sha256:[0-9a-f]{64}")


class ReplayError(ValueError):
    """The first thing in a replay that is not as it must be."""

    def __init__(
        self, message: str, round_no: int | None = None, decision: int | None = None
    ) -> None:
        self.round_no = round_no
        self.decision = decision
        where = "" if round_no is None else f"round {round_no}"
        where += "" if decision is None else f", decision {decision}"
        super().__init__(f"{where}: {message}" if where else message)


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
        if not _same(points, played):
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
            if not _same(given[name], list(expected)):
                raise ReplayError(f"{name} are {list(expected)}, got {shorten(given[name])}")


def read(document: object) -> Replay:
    """Check the form of a document, its deals and its key, and make it ready to play again."""
    try:
        fields = json_object(document, _TOP, "a replay")
        if fields["format"] != FORMAT:
            raise ReplayError(f"format is {shorten(fields['format'])}, this reads {FORMAT}")
        rules = _rules(fields)
        players = _check_frame(fields)
        rules.check_players(players)
        outs = [_out(player, seat) for seat, player in enumerate(fields["players"])]
        deals = _deals(rules, players, fields)
        _check_key(rules, players, fields, deals)
        state = rules.start(players, GivenBoard(tuple(deal for deal, _ in deals)))
    except RulesError as error:
        raise ReplayError(str(error)) from None
    return Replay(fields, rules, state, deals, outs)


def verify(document: object) -> Replay:
    """Play a replay to its end, or raise ReplayError with the first difference."""
    replay = read(document)
    for _ in replay.steps():
        pass
    return replay


def _rules(fields: dict[str, Any]) -> Rules:
    if not isinstance(fields["rules"], str) or not isinstance(fields["options"], dict):
        raise ReplayError("rules must be a name and options an object")
    rules = get(fields["rules"], fields["options"])
    # Every option stands in the file, defaults too, so that a change of default changes no game.
    if not _same(fields["options"], dict(rules.options)):
        raise ReplayError(
            f"options must be written out in full as {dict(rules.options)}, "
            f"got {shorten(fields['options'])}"
        )
    for name, known in (("rules_version", rules.version), ("deal_method", DEAL_METHOD)):
        if not _same(fields[name], known):
            raise ReplayError(f"{name} is {shorten(fields[name])}, this verifies {known!r}")
    return rules


def _check_frame(fields: dict[str, Any]) -> int:
    for name, least in _COUNTS.items():
        if type(fields[name]) is not int or fields[name] < least:
            raise ReplayError(f"{name} must be {least} or more, got {shorten(fields[name])}")
    for name in ("match", "runner"):
        if not isinstance(fields[name], str):
            raise ReplayError(f"{name} must be a text, got {shorten(fields[name])}")
    if not isinstance(fields["started"], str) or not _STARTED.fullmatch(fields["started"]):
        raise ReplayError(f"started must be a UTC time, got {shorten(fields['started'])}")
    for name, value in json_object(fields["time"], ("move_ms", "bank_ms"), "time").items():
        if type(value) is not int or value < 0:
            raise ReplayError(f"{name} must be 0 or more, got {shorten(value)}")
    json_object(fields["result"], ("points", "places"), "result")
    if not isinstance(fields["players"], list) or not isinstance(fields["rounds"], list):
        raise ReplayError("players and rounds must be lists")
    return len(fields["players"])


def _out(player: object, seat: int) -> tuple[int, int] | None:
    fields = json_object(player, ("seat", "bot", "version", "image", "out"), "a player")
    if not _same(fields["seat"], seat):
        raise ReplayError(f"players stand by seat: expected {seat}, got {shorten(fields['seat'])}")
    for name, kind in (("bot", str), ("version", int | None), ("image", str | None)):
        if not isinstance(fields[name], kind) or isinstance(fields[name], bool):
            raise ReplayError(f"{name} of seat {seat} is {shorten(fields[name])}")
    if fields["out"] is None:
        return None
    out = json_object(fields["out"], ("round", "decision", "fault"), f"out of seat {seat}")
    if out["fault"] not in FAULT_KINDS:
        raise ReplayError(f"there is no fault {shorten(out['fault'])}")
    if type(out["round"]) is not int or type(out["decision"]) is not int:
        raise ReplayError(f"out of seat {seat} names round and decision by number")
    return out["round"], out["decision"]


def _deals(rules: Rules, players: int, fields: dict[str, Any]) -> list[tuple[Deal, int]]:
    deals = []
    for round_no, part in enumerate(fields["rounds"]):
        try:
            named = json_object(part, ("deal", "decisions", "points"), "a round")
            if not isinstance(named["decisions"], list):
                raise RulesError("decisions must be a list")
            deal, start_seat = rules.deal_from_json(players, named["deal"])
            rules.check_deal(players, deal)
        except RulesError as error:
            raise ReplayError(str(error), round_no) from None
        deals.append((deal, start_seat))
    if not deals:
        raise ReplayError("a game has at least one round")
    return deals


def _check_key(
    rules: Rules, players: int, fields: dict[str, Any], deals: list[tuple[Deal, int]]
) -> None:
    committed, key_hex = fields["commitment"], fields["key"]
    if not isinstance(committed, str) or not _SHA256.fullmatch(committed):
        raise ReplayError(f"commitment must be sha256:…, got {shorten(committed)}")
    if key_hex is None:
        return
    if not isinstance(key_hex, str) or not re.fullmatch(r"[0-9a-f]{64}", key_hex):
        raise ReplayError(f"key must be 64 hex digits or null, got {shorten(key_hex)}")
    key = bytes.fromhex(key_hex)
    if commitment(key) != committed:
        raise ReplayError(f"the key is not the one committed to: {committed}")
    board = KeyedBoard(key, fields["board"])
    for round_no, (deal, _) in enumerate(deals):
        if deal != board.deal(rules, players, round_no):
            raise ReplayError("the deal is not the one that the key gives", round_no)


def _check_times(fields: dict[str, Any]) -> None:
    ms, batch = fields["ms"], fields["batch"]
    if fields["by"] == BY_FORCED and (ms is not None or batch is not None):
        raise ValueError("a forced decision is not asked, so ms and batch must be null")
    # NaN fails both comparisons.
    if ms is not None and not (type(ms) in (int, float) and 0 <= ms < float("inf")):
        raise ValueError(f"ms must be a time or null, got {shorten(ms)}")
    if batch is not None and (type(batch) is not int or batch < 1):
        raise ValueError(f"batch must be 1 or more or null, got {shorten(batch)}")


def _same(got: object, expected: object) -> bool:
    """Equality that tells 1 from true and 1.0, as JSON does."""
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and got.keys() == expected.keys()
            and all(_same(got[key], expected[key]) for key in expected)
        )
    if isinstance(expected, list):
        return (
            isinstance(got, list) and len(got) == len(expected) and all(map(_same, got, expected))
        )
    return type(got) is type(expected) and got == expected
