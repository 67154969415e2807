"""A desk in memory that speaks as the tables do: the rules in this process, frames for each person.

It stands for the worker, the referee and the store behind a table, so that pages can be tried with
any game, any board and any opponents in milliseconds.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import nimmt
from league.people.hints import FIRST, TOO_LATE
from nimmt.board import KeyedBoard
from nimmt.choices import Choice, TurnOptions, choice_from_json, choice_to_json
from nimmt.errors import IllegalChoice
from nimmt.events import Event, seen_by, to_json
from nimmt.game import State
from nimmt.house import house_choice
from nimmt.keys import key_from_seed
from nimmt.simple import SIMPLE, Player

Frame = dict[str, Any]
PERSON = "person"
MOVE_MS = 60_000
GAME_SECONDS = 3600


def legal_json(legal: Sequence[int] | TurnOptions) -> Any:
    """What may be chosen, as an ask frame has it."""
    if not isinstance(legal, TurnOptions):
        return list(legal)
    return {
        "plays": {str(pile): list(cards) for pile, cards in legal.plays.items()},
        "max_piles": legal.max_piles,
        "many": legal.many,
        "takes": list(legal.takes),
    }


@dataclass
class DeskTable:
    """One game with persons in some seats and simple players in the others."""

    code: str
    rules: str
    options: dict[str, Any]
    players: Sequence[str]
    """By seat: `person`, or the name of a simple player."""
    seed: int = 1
    move_ms: int = MOVE_MS
    pause: Callable[[], None] = lambda: None
    """Called before every apply, so that a test can hold the game."""
    frames: dict[int, list[Frame]] = field(default_factory=dict)
    state: str = "playing"
    joined: list[int] = field(default_factory=list)
    refusal: str = ""
    """Why there are no hints; empty: there are."""
    assisted: bool = False

    def __post_init__(self) -> None:
        self.bell = threading.Condition()
        self.answers: dict[tuple[int, int], Any] = {}
        self.asked = dict.fromkeys(range(len(self.players)), 0)
        self.legal: dict[tuple[int, int], tuple[State, str]] = {}
        self.persons = [seat for seat, who in enumerate(self.players) if who == PERSON]
        self.frames = {seat: [] for seat in self.persons}
        self.joined = self.joined or self.persons[:1]
        self.thread: threading.Thread | None = None

    @property
    def title(self) -> str:
        return nimmt.get(self.rules, self.options).title

    def begin(self) -> None:
        """Deal, and play in a thread of its own."""
        self.state = "playing"
        self.thread = threading.Thread(target=self.play, daemon=True)
        self.thread.start()

    def names(self) -> list[dict[str, Any]]:
        bots = [*("gap", "greedy", "slotrisk", "lowest", "leastcost"), *("random",) * 5]
        return [
            {
                "seat": seat,
                "name": f"Guest {seat + 1}" if who == PERSON else f"bullring/{bots[seat - 1]}",
                "kind": "person" if who == PERSON else "bot",
            }
            for seat, who in enumerate(self.players)
        ]

    def send(self, seat: int, frame: Frame) -> None:
        with self.bell:
            self.frames[seat].append(frame)
            self.bell.notify_all()

    def tell(self, events: Sequence[Event]) -> None:
        for seat in self.persons:
            seen = [to_json(seen_by(event, seat)) for event in events]
            self.send(seat, {"type": "events", "events": seen})

    def play(self) -> None:
        rules = nimmt.get(self.rules, self.options)
        bots: list[Player] = [
            SIMPLE["house" if who == PERSON else who](Random(self.seed + seat))
            for seat, who in enumerate(self.players)
        ]
        state = rules.start(len(bots), KeyedBoard(key_from_seed(self.seed), 0))
        for seat in self.persons:
            about = {"rules": self.rules, "options": dict(rules.options), "seat": seat}
            more = {"players": self.names(), "move_ms": self.move_ms, "resumed": False}
            self.send(seat, {"type": "start", **about, **more})
        self.tell(state.opening)
        while state.pending:
            self.pause()
            self.tell(state.apply(self.choose(state, bots)))
        assert state.result is not None
        self.state = "over"
        points, places = list(state.result.points), list(state.result.places)
        for seat in self.persons:
            replay = f"/play/{self.code}/replay"
            self.send(seat, {"type": "over", "points": points, "places": places, "replay": replay})

    def choose(self, state: State, bots: Sequence[Player]) -> dict[int, Choice]:
        asked = {seat: self.ask(state, seat) for seat in state.pending if seat in self.persons}
        chosen: dict[int, Choice] = {}
        for seat, ask in state.pending.items():
            number = asked.get(seat)
            forced = state.forced(seat)
            if forced is not None:
                chosen[seat] = forced
            elif number is None:
                chosen[seat] = bots[seat](ask.kind, state.view(seat), state.legal(seat))
            else:
                chosen[seat] = self.wait(state, seat, number, ask.kind)
        return chosen

    def ask(self, state: State, seat: int) -> int | None:
        if state.forced(seat) is not None:
            return None
        self.asked[seat] += 1
        number, kind = self.asked[seat], state.pending[seat].kind
        self.legal[seat, number] = (state.copy(), kind)
        now = datetime.now(UTC)
        frame = {
            "type": "ask",
            "ask": number,
            "kind": kind,
            "view": {},
            "legal": legal_json(state.legal(seat)),
            "move_ms": self.move_ms,
            "deadline": (now + timedelta(milliseconds=self.move_ms)).isoformat(),
            "ends": (now + timedelta(seconds=GAME_SECONDS)).isoformat(),
        }
        self.send(seat, frame)
        return number

    def wait(self, state: State, seat: int, number: int, kind: str) -> Choice:
        with self.bell:
            answered = self.bell.wait_for(
                lambda: (seat, number) in self.answers, self.move_ms / 1000
            )
        if answered:
            choice = choice_from_json(kind, self.answers[seat, number])
            choice, by, why = state.canonical(seat, choice), "person", ""
        else:
            choice = house_choice(kind, state.view(seat), state.legal(seat))
            by, why = "platform", "time"
        given = {"ask": number, "choice": choice_to_json(choice), "by": by, "why": why}
        self.send(seat, {"type": "answered", **given})
        return choice

    def answer(self, seat: int, number: int, choice: Any) -> tuple[int, str]:
        """What the choice endpoint answers: status and detail."""
        with self.bell:
            if (seat, number) in self.answers or number != self.asked[seat]:
                return 409, "this was answered already"
            state, kind = self.legal[seat, number]
            try:
                state.canonical(seat, choice_from_json(kind, choice))
            except (IllegalChoice, ValueError) as error:
                return 422, str(error)
            self.answers[seat, number] = choice
            self.bell.notify_all()
        return 204, ""

    def after(self, seat: int, number: int, seconds: float) -> list[Frame]:
        """Frames after this number, waiting for one if there is none."""
        with self.bell:
            self.bell.wait_for(lambda: len(self.frames[seat]) > number, seconds)
            return self.frames[seat][number:]

    @property
    def counts(self) -> bool:
        """As `people_games.may_count` has it, on a board that nobody knows."""
        return len(self.persons) == 1 and not self.assisted

    def hint(self, seat: int, number: int) -> tuple[int, dict[str, Any]]:
        """What the hint endpoint answers: the first is the best, each other one point more."""
        if self.refusal:
            return 409, {"detail": self.refusal}
        if self.counts and number != FIRST:
            return 409, {"detail": TOO_LATE}
        self.assisted = True
        state, _ = self.legal[seat, number]
        legal = state.legal(seat)
        assert not isinstance(legal, TurnOptions)
        choices = [
            {"choice": choice, "points": 5 + at, "error": 0.5, "more": at, "best": at == 0}
            for at, choice in enumerate(legal)
        ]
        return 200, {"ask": number, "complete": True, "choices": choices}

    def forget(self) -> None:
        """What remains of an old table: of each seat the first frame and the last."""
        self.frames = {seat: [kept[0], kept[-1]] for seat, kept in self.frames.items()}

    def status(self, seat: int) -> Mapping[str, Any]:
        """The `state` event of a seat."""
        free = [seat for seat in self.persons if self.state == "lobby" and seat not in self.joined]
        people = [
            {
                "seat": seat,
                "name": "" if seat in free else f"Guest {seat + 1}",
                "here": seat in self.joined,
            }
            for seat in self.persons
        ]
        awaited = [
            f"Guest {other + 1}"
            for other in self.persons
            if other != seat and self.frames[other] and self.frames[other][-1]["type"] == "ask"
        ]
        bots = [
            {**who, "memory": "up to 256.0 MiB"} for who in self.names() if who["kind"] == "bot"
        ]
        more = {"position": None, "people": people, "bots": bots}
        stand = {"assisted": self.assisted, "counts": self.counts}
        return {"state": self.state, "waiting_for": awaited, **more, **stand}
