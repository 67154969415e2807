"""One game at the table: who must be asked, what was decided, what is written down.

Knows the rules and the replay, and nothing of bots, clocks or messages.
"""

import json
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import nimmt
from nimmt import Choice, Event, KeyedBoard, house_choice
from nimmt.board import GivenBoard
from nimmt.choices import choice_from_json
from nimmt.keys import commitment
from nimmt.replay import (
    BY_BOT,
    BY_FORCED,
    BY_HOUSE,
    Circumstances,
    Decision,
    Player,
    Recorder,
    places_with_out,
)
from referee.faults import FaultKind
from referee.plan import GivenDecision, MatchPlan, PlannedGame
from referee.result import GameRecord, Note

NOTES_BYTES = 65536
"""All notes of one seat in one game; what comes after is dropped."""


class Game:
    """One game in progress. `advance` runs it until a bot is needed."""

    def __init__(
        self, rules: nimmt.Rules, plan: MatchPlan, planned: PlannedGame, pass_no: int, started: str
    ) -> None:
        self.planned = planned
        self.seats = planned.seats
        self._plan = plan
        self._pass_no = pass_no
        self._started = started
        self.key = bytes.fromhex(plan.key)
        players = len(planned.seats)
        board: nimmt.Board = KeyedBoard(self.key, planned.board)
        if plan.given_deals:
            deals = [rules.deal_from_json(players, deal)[0] for deal in plan.given_deals]
            board = GivenBoard(tuple(deals))
        self.state = rules.start(players, board)
        self._recorder = Recorder(self.state)
        self._decided: dict[int, Decision] = {}
        self._asked: set[int] = set()
        self._played_for: dict[int, FaultKind] = {}
        self._outs: list[dict[str, Any] | None] = [None] * players
        self._notes: dict[int, list[Note]] = {}
        self._notes_left = [NOTES_BYTES] * players
        self._given: list[deque[GivenDecision]] = [deque() for _ in range(players)]
        for given in plan.given_decisions:
            self._given[given.seat].append(given)
        self.on_decision: Callable[[Decision, FaultKind | None], None] | None = None
        """Hears of every decision that was neither forced nor given, as soon as it is made."""
        self.public: bytes | None = None
        """What all seats see, encoded once for each state; whoever encodes it puts it here."""

    @property
    def over(self) -> bool:
        """Whether the last decision has been made."""
        return self.state.result is not None

    @property
    def waits(self) -> bool:
        """Whether a seat that was asked has not answered yet."""
        return bool(self._asked)

    def advance(self, outs: Sequence[FaultKind | None]) -> tuple[list[int], list[Event]]:
        """Decide all that needs no bot; returns the seats to ask now, and what happened.

        `outs` says by seat why its bot is out, or None. While seats are still to answer, nothing
        happens.
        """
        events: list[Event] = []
        state = self.state
        while state.pending and not self._asked:
            for seat, ask in state.pending.items():
                if seat in self._decided:
                    continue
                choice = state.forced(seat)
                given = self._given[seat]
                # While decisions are given that the seat made itself, it was not out.
                out = None if given and given[0].out is None else outs[seat]
                if choice is None and given:
                    self._decided[seat] = self._take_given(seat, ask.kind)
                    continue
                if out is not None:
                    self._played_for[seat] = out
                if choice is not None:
                    self._decided[seat] = Decision(seat, ask.kind, choice, BY_FORCED)
                elif out is not None:
                    self._decided[seat] = self._house(seat)
                    self._report(self._decided[seat], out)
                else:
                    self._asked.add(seat)
            if self._asked:
                return sorted(self._asked), events
            events += self._apply()
        return [], events

    def index_of(self, seat: int) -> tuple[int, int]:
        """Round and index at which the pending decision of a seat will stand."""
        round_no, first = self._recorder.next_index()
        return round_no, first + sorted(self.state.pending).index(seat)

    def choose(self, seat: int, kind: str, choice: Choice, ms: float, batch: int) -> None:
        """A bot's legal choice of the kind that was asked."""
        self._settle(Decision(seat, kind, choice, BY_BOT, ms, batch))

    def house_for_fault(
        self, seat: int, fault: FaultKind, sent: Any, ms: float | None, batch: int | None
    ) -> None:
        """A house choice, because this ask failed."""
        named = {"kind": fault.value, "sent": sent}
        self._settle(self._house(seat)._replace(ms=ms, batch=batch, fault=named))

    def house_for_out(self, seat: int, fault: FaultKind) -> None:
        """A house choice, because the bot that was asked is out by now."""
        self._played_for[seat] = fault
        self._settle(self._house(seat), fault)

    def note(self, seat: int, text: str) -> None:
        """Keep a bot's note on the decision it is about to make."""
        size = len(text.encode())
        if size <= self._notes_left[seat]:
            self._notes_left[seat] -= size
            round_no, decision = self.index_of(seat)
            note = Note(round_no=round_no, decision=decision, text=text)
            self._notes.setdefault(seat, []).append(note)

    def _settle(self, decision: Decision, out: FaultKind | None = None) -> None:
        self._asked.remove(decision.seat)
        self._decided[decision.seat] = decision
        self._report(decision, out)

    def _report(self, decision: Decision, out: FaultKind | None) -> None:
        if self.on_decision is not None:
            self.on_decision(decision, out)

    def _take_given(self, seat: int, kind: str) -> Decision:
        """The next decision of a seat as an earlier attempt recorded it."""
        given = self._given[seat].popleft()
        if given.kind != kind:
            raise ValueError(
                f"seat {seat} was given a {given.kind}, where the game asks for a {kind}: these "
                "decisions are of another game"
            )
        choice = self.state.canonical(seat, choice_from_json(kind, given.choice))
        if given.out is not None:
            self._played_for[seat] = FaultKind(given.out)
        return Decision(seat, kind, choice, given.by, given.ms, given.batch, given.fault)

    def _house(self, seat: int) -> Decision:
        kind = self.state.pending[seat].kind
        choice = house_choice(kind, self.state.view(seat), self.state.legal(seat))
        return Decision(seat, kind, choice, BY_HOUSE)

    def _apply(self) -> list[Event]:
        decisions = [self._decided[seat] for seat in sorted(self._decided)]
        if self._played_for:
            self._mark_outs(decisions)
        self._recorder.record(decisions)
        self._decided = {}
        self.public = None
        return self.state.apply({decision.seat: decision.choice for decision in decisions})

    def _mark_outs(self, decisions: Sequence[Decision]) -> None:
        """Write down the first decision that each out bot no longer made in this game."""
        round_no, first = self._recorder.next_index()
        for offset, decision in enumerate(decisions):
            fault = self._played_for.get(decision.seat)
            if fault is not None and self._outs[decision.seat] is None:
                index = first + offset
                out = {"round": round_no, "decision": index, "fault": fault.value}
                self._outs[decision.seat] = out
        self._played_for = {}

    def record(self) -> GameRecord:
        """The finished game."""
        assert self.state.result is not None
        points = self.state.result.points
        out = tuple([what is not None for what in self._outs])
        return GameRecord(
            pass_no=self._pass_no,
            game_no=self.planned.game_no,
            board=self.planned.board,
            seats=self.seats,
            points=points,
            places=places_with_out(points, out),
            out=out,
            rounds=len(self.state.scores),
            replay=json.dumps(self._recorder.document(self._about()), separators=(",", ":")),
            notes={seat: tuple(notes) for seat, notes in self._notes.items()},
        )

    def _about(self) -> Circumstances:
        plan = self._plan
        bots = [plan.bots[bot] for bot in self.seats]
        # A board that was given does not follow from the key, so the key would prove nothing.
        revealed = plan.reveal_key and not plan.given_deals
        return Circumstances(
            match=plan.match,
            attempt=plan.attempt,
            pass_no=self._pass_no,
            game_no=self.planned.game_no,
            board=self.planned.board,
            started=self._started,
            runner=plan.runner,
            players=[
                Player(bot=bot.name, version=bot.version, image=bot.image, out=out)
                for bot, out in zip(bots, self._outs, strict=True)
            ],
            key=self.key if revealed else None,
            commitment=commitment(self.key),
            move_ms=plan.time.move_ms,
            bank_ms=plan.time.bank_ms,
        )
