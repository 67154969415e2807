"""One board played twice: what the same seat chose in both games, and where the games part.

Pure: two replays go in. Two games of one board are the same until somebody at the table chooses
differently; after that the seat decides about different tables. Each round begins again with the
same cards.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from dashboard.viewer.words import choice_words
from nimmt.events import RoundEnd, RoundStart, Turn
from nimmt.replay import BY_FORCED, BY_HOUSE
from nimmt.table import Table, fold
from nimmt.verify import Step, read

_DETAILS = ("x_card", "steal")
"""Forced ones of these kinds are no choice that a reader would look for."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """A decision of the seat."""

    words: str
    cost: int
    """Heads until its next decision; in games where the hand counts, playing a card takes away."""
    by_platform: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One turn of both games; turn None: while the hands are drafted."""

    turn: int | None
    theirs: tuple[Chosen, ...]
    ours: tuple[Chosen, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SameRound:
    """One round of both games."""

    number: int
    lines: tuple[Line, ...]
    """Up to and with the turn in which the games part; all of them if they never do."""
    later: tuple[Line, ...]
    """What came after: each game for itself."""
    parted_by: tuple[int, ...]
    """The seats that chose differently where the games part."""
    same_start: bool
    """Whether it began alike; it does not when somebody else leads because of the round before."""
    theirs: int
    """Points of the seat in this round."""
    ours: int


@dataclass(slots=True)
class _Round:
    """One round of one game."""

    deal: Any
    points: int
    steps: list[tuple[int | None, dict[int, Any]]] = field(default_factory=list)
    """Turn, and what each seat chose together."""
    own: list[tuple[int | None, Chosen]] = field(default_factory=list)


def compare(theirs: object, ours: object, seat: int) -> tuple[SameRound, ...]:
    """The rounds that both games have, in order; raises ReplayError for a replay that is not sound.

    `theirs` and `ours` are replays of the same board.
    """
    pairs = zip(_rounds(theirs, seat), _rounds(ours, seat), strict=False)
    return tuple(_compared(number, *pair) for number, pair in enumerate(pairs))


def _compared(number: int, theirs: _Round, ours: _Round) -> SameRound:
    same_start = bool(theirs.deal == ours.deal)
    at, parted_by = _parting(theirs, ours) if same_start else (0, ())
    lines = _lines(theirs, ours)
    together = len(lines)
    if not same_start:
        together = 0
    elif parted_by:
        turn = theirs.steps[at][0]
        if all(line.turn != turn for line in lines):
            # Somebody else chose differently, while it was not this seat's turn.
            lines = sorted([*lines, Line(turn=turn, theirs=(), ours=())], key=_order)
        together = 1 + next(at for at, line in enumerate(lines) if line.turn == turn)
    return SameRound(
        number=number,
        lines=tuple(lines[:together]),
        later=tuple(lines[together:]),
        parted_by=parted_by,
        same_start=same_start,
        theirs=theirs.points,
        ours=ours.points,
    )


def _parting(theirs: _Round, ours: _Round) -> tuple[int, tuple[int, ...]]:
    """The first step that differs, and who chose differently there; nobody: none does."""
    for at, ((_, one), (_, other)) in enumerate(zip(theirs.steps, ours.steps, strict=False)):
        if one != other:
            return at, tuple(sorted(seat for seat in one if one[seat] != other.get(seat)))
    return 0, ()


def _lines(theirs: _Round, ours: _Round) -> list[Line]:
    turns = {turn for turn, _ in (*theirs.own, *ours.own)}
    found = [
        Line(
            turn=turn,
            theirs=tuple(chosen for at, chosen in theirs.own if at == turn),
            ours=tuple(chosen for at, chosen in ours.own if at == turn),
        )
        for turn in turns
    ]
    return sorted(found, key=_order)


def _order(line: Line) -> int:
    return -1 if line.turn is None else line.turn


def _rounds(document: object, seat: int) -> list[_Round]:
    """A game as its seat saw it, played again."""
    replay = read(document)
    parts: Sequence[Mapping[str, Any]] = replay.document["rounds"]
    found = [_Round(part["deal"], part["points"][seat]) for part in parts]
    held: list[list[tuple[int | None, dict[str, Any], int]]] = [[] for _ in parts]
    table = fold(Table(replay.state.players), replay.state.opening)
    turn = _turn_after(None, replay.state.opening)
    for step in replay.steps():
        found[step.round_no].steps.append((turn, _chosen(step)))
        for entry in step.decisions:
            if entry["seat"] == seat and not _is_detail(entry):
                held[step.round_no].append((turn, entry, table.points[seat]))
        fold(table, step.events)
        turn = _turn_after(turn, step.events)
    for one, decisions in zip(found, held, strict=True):
        points = [*(before for *_, before in decisions), one.points]
        for (at, entry, _), (before, after) in zip(decisions, pairwise(points), strict=True):
            words = choice_words(entry["kind"], entry["choice"])
            one.own.append((at, Chosen(words, after - before, entry["by"] == BY_HOUSE)))
    return found


def _chosen(step: Step) -> dict[int, Any]:
    return {entry["seat"]: (entry["kind"], entry["choice"]) for entry in step.decisions}


def _is_detail(entry: Mapping[str, Any]) -> bool:
    return entry["by"] == BY_FORCED and entry["kind"] in _DETAILS


def _turn_after(turn: int | None, events: Sequence[object]) -> int | None:
    for event in events:
        match event:
            case RoundStart() | RoundEnd():
                turn = None
            case Turn(number):
                turn = number
    return turn
