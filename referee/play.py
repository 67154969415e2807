"""One pass of a match as a machine without I/O: messages and times in, messages and news out.

The shell around it (`room.py`) reads the clock, moves the bytes and tells it what happened.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import nimmt
from nimmt import IllegalChoice
from nimmt.choices import choice_to_json
from referee.bot_state import BotState, BotStatus, OpenAsk
from referee.charges import Charges, FaultListener
from referee.clock import LagMeter, Thinkers
from referee.faults import BotFault, FaultKind
from referee.flight import Audience, Flight
from referee.host import HostClock, Report
from referee.messages import encoded_ask, goodbye, take_news, welcome
from referee.plan import MatchPlan
from wire import codec, fast
from wire.v1 import bot_pb2 as pb

CLOSED_S = 1.0
"""How long to wait, after a stream has ended, for news of its process that names the cause."""


class Host(Audience, FaultListener, Protocol):
    """What a pass reports to the shell around it."""

    def thaw(self, bot: int) -> None:
        """Let a frozen bot run; `thawed` must be called when it does."""

    def freeze(self, bot: int) -> None:
        """A bot has nothing to think about."""


class PassPlay:
    """One pass: who joins, who thinks, what answers and silence mean for the games in flight."""

    def __init__(
        self,
        plan: MatchPlan,
        pass_no: int,
        host: Host,
        *,
        thinkers: Thinkers,
        lag: LagMeter,
        new_id: Callable[[], int],
        utc: Callable[[], str],
        host_clock: HostClock | None = None,
    ) -> None:
        self.plan = plan
        self.pass_no = pass_no
        self.rules: nimmt.Rules = plan.check()
        self._clock = HostClock() if host_clock is None else host_clock
        self.states = [
            BotState(bot, pass_no, plan.time_of(bot), new_id, self._clock, planned.person)
            for bot, planned in enumerate(plan.bots)
        ]
        for bot, why in plan.outs().items():
            self.states[bot].leave(FaultKind(why))
        self.begun = False
        self._host = host
        self._thinkers = thinkers
        self._lag = lag
        self._people = [bot for bot, planned in enumerate(plan.bots) if planned.person]
        self._flight = Flight(plan, pass_no, self.rules, self.states, host, utc)
        self._charges = Charges(plan, pass_no, host, thinkers, self._flight.ready)

    @property
    def over(self) -> bool:
        """Whether every game has been played."""
        return not self._flight.todo and not self._flight.games

    @property
    def nearly_over(self) -> bool:
        """Whether no further game will begin, so that the next pass can be made ready."""
        return self.begun and not self._flight.todo

    def awaited(self, bot: int, now: float) -> None:
        """A bot's process runs; it must say Hello in time."""
        state = self.states[bot]
        state.wait(now, state.time.start_ms / 1000.0)

    def hello(self, bot: int, hello: pb.Hello, now: float) -> pb.ToBot | None:
        """A bot introduces itself; returns Welcome, or None when it cannot play."""
        self._flight.now = now
        state = self.states[bot]
        if state.status is not BotStatus.AWAITED:
            self._charges.protocol(state, "it said Hello twice")
            return None
        self._thinkers.end(state.key)
        if hello.rules and self.rules.name not in hello.rules:
            cause = f"it plays only {', '.join(hello.rules)[:80]}, this is {self.rules.name}"
            self._charges.charge(state, BotFault(kind=FaultKind.REFUSED_START, cause=cause))
            return None
        state.join(hello)
        return welcome(self.rules, state.time)

    def begin(self) -> None:
        """Start the first games; every bot has joined or is out."""
        self.begun = True
        self._flight.begin()

    @property
    def all_joined(self) -> bool:
        """Whether every bot has joined or is out."""
        return all(state.status is not BotStatus.AWAITED for state in self.states)

    def due(self) -> list[int]:
        """The bots to which a message must be written now, in order."""
        line = self._flight.line
        if not line and not self.plan.freeze and not self._people:
            return []
        ready = self._people_due() if self._people else []
        while line and self._thinkers.has_room() and not self._clock.held:
            state = self.states[line.popleft()]
            if state.status is not BotStatus.IDLE or not state.waiting:
                continue
            state.status = BotStatus.CALLED
            self._thinkers.begin(state.key)
            if state.frozen:
                self._host.thaw(state.bot)
            else:
                ready.append(state.bot)
        if self.plan.freeze:
            for state in self.states:
                if state.status is BotStatus.IDLE and not state.frozen and not state.person:
                    state.frozen = True
                    self._host.freeze(state.bot)
        return ready

    def _people_due(self) -> list[int]:
        """People take nobody's place, are asked on a busy host too, and hear news at once."""
        for bot in self._people:
            state = self.states[bot]
            if state.status is BotStatus.IDLE and state.waiting:
                state.status = BotStatus.CALLED
        return [bot for bot in self._people if self._has_something_for(self.states[bot])]

    @staticmethod
    def _has_something_for(state: BotState) -> bool:
        deaf = (BotStatus.AWAITED, BotStatus.CLOSED, BotStatus.OUT)
        return state.status is BotStatus.CALLED or (state.has_news and state.status not in deaf)

    def thawed(self, bot: int) -> bool:
        """A bot runs again; says whether its message can be written."""
        self.states[bot].frozen = False
        return self.states[bot].status is BotStatus.CALLED

    def news(self, bot: int) -> bytes | None:
        """What a person is told without being asked anything, or None."""
        state = self.states[bot]
        if not (state.person and state.has_news and self._has_something_for(state)):
            return None
        return take_news(state).SerializeToString()

    def compose(self, bot: int) -> bytes | None:
        """The next ToBot for a bot that is due, or None when it is no longer needed."""
        state = self.states[bot]
        if state.status is not BotStatus.CALLED:
            return None
        news = take_news(state).SerializeToString() if state.has_news else b""
        bank_ms = max(0, int(state.bank.left_ms))
        move_ms = state.time.move_ms
        asks = [encoded_ask(ask_id, ask, move_ms) for ask_id, ask in state.next_batch()]
        return fast.asks_message(news, asks, bank_ms)

    def sent(self, bot: int, now: float) -> None:
        """The composed message is written from this moment on: the clock starts."""
        state = self.states[bot]
        state.start_clock(now, self._lag.total(now, state.key))

    def farewell(self, bot: int, reason: pb.Goodbye.Reason, text: str) -> pb.ToBot:
        """The last message to a bot."""
        return goodbye(self.states[bot], reason, text)

    def answered(self, bot: int, answers: Sequence[pb.Answer], now: float) -> None:
        """A bot has sent answers."""
        self._flight.now = now
        state = self.states[bot]
        if state.status in (BotStatus.AWAITED, BotStatus.OUT):
            if state.status is BotStatus.AWAITED:
                self._charges.protocol(state, "it answered before Hello")
            return
        if not answers:
            self._charges.protocol(state, "it sent a message without any answer")
        lag = self._lag.total(now, state.key)
        elapsed = state.elapsed_ms(now, lag)
        if not state.park(answers, now, lag, elapsed):
            self._take(state, answers, now, lag, elapsed)
        self._flight.work()

    def _take(
        self, state: BotState, answers: Sequence[pb.Answer], now: float, lag: float, elapsed: float
    ) -> None:
        # The measured time decides, even when the timer has not noticed yet.
        if state.is_too_long(elapsed):
            self._time_out(state, now, lag)
            elapsed = state.elapsed_ms(now, lag)
        # When a batch is answered in parts, each part is charged for the time since the last one.
        ms = max(0.0, round((elapsed - state.charged_ms) / max(1, len(answers)), 3))
        state.charged_ms = elapsed
        for answer in answers:
            self._answer(state, answer, ms)
        if state.status is BotStatus.ASKED and not state.open:
            state.complete(now, lag, elapsed)
            self._rest(state)
        elif state.status is BotStatus.LATE and not state.overdue:
            state.status = BotStatus.IDLE
            state.deadline = None
            self._rest(state)

    def _answer(self, state: BotState, answer: pb.Answer, ms: float) -> None:
        if state.status is BotStatus.OUT:
            return
        ask_id = answer.ask_id
        if ask_id in state.overdue:
            state.overdue.discard(ask_id)
            return
        ask = state.open.pop(ask_id, None)
        if ask is None:
            cause = f"ask id {ask_id:#x} was never asked, or has been answered already"
            self._charges.protocol(state, cause)
            return
        state.times_ms.append(ms)
        if state.person:
            # Only who stays away is replaced; whoever is here may be slow now and then.
            state.faults = 0
        try:
            given = codec.choice_from_wire(ask.kind, answer)
            choice = ask.game.state.canonical(ask.seat, given)
        except codec.BadChoice as error:
            self._charges.illegal(state, ask, str(error), error.sent, ms)
        except IllegalChoice as error:
            self._charges.illegal(state, ask, str(error), choice_to_json(given), ms)
        else:
            if answer.note:
                self._note(ask, answer.note)
            ask.game.choose(ask.seat, ask.kind, choice, ms, state.batch)
        if not ask.game.waits:
            self._flight.ready.append(ask.game)

    def _note(self, ask: OpenAsk, text: str) -> None:
        cut = text.encode()[: codec.NOTE_BYTES].decode(errors="ignore")
        ask.game.note(ask.seat, cut)

    def failed(self, bot: int, error: str) -> None:
        """A bot says that its own code has failed and that it is about to exit."""
        cause = f"its code failed: {' '.join(error.split())[:300] or 'it did not say how'}"
        self.lost(bot, BotFault(kind=FaultKind.CRASHED, cause=cause))

    def misbehaved(self, bot: int, cause: str) -> None:
        """A bot has broken the protocol in a way that the shell noticed."""
        self._charges.protocol(self.states[bot], cause)
        self._flight.work()

    def stream_ended(self, bot: int, now: float) -> None:
        """A bot's stream is over. The end of its process tells why, or else the deadline."""
        state = self.states[bot]
        if state.status is not BotStatus.OUT and not self.over:
            state.status = BotStatus.CLOSED
            state.wait(now, CLOSED_S)
            self._thinkers.end(state.key)

    def lost(self, bot: int, fault: BotFault) -> None:
        """A bot is gone for good."""
        if not self.over:
            self._charges.charge(self.states[bot], fault)
            self._flight.work()

    def tick(self, now: float) -> list[int]:
        """Look at every clock; returns the bots whose stream ended and whose process lives on."""
        closed = []
        self._flight.now = now
        self._flight.wake_rested()
        for state in self.states:
            self._unpark(state, now)
            lag = self._lag.total(now, state.key)
            late = state.is_overdue(now, lag)
            if state.parked:
                continue
            if not late and not state.is_expired(now):
                state.late_since = None
            elif state.is_final(now, lag):
                if state.status is BotStatus.CLOSED:
                    closed.append(state.bot)
                if late:
                    self._time_out(state, now, lag)
                else:
                    self._expired(state, now)
        self._flight.work()
        return closed

    def _unpark(self, state: BotState, now: float) -> None:
        """Take the answers that looked late, now that we know whether they were."""
        while state.parked:
            kept = state.parked[0]
            if state.status is BotStatus.ASKED and not self._clock.is_settled(kept.at, now):
                return
            state.parked.popleft()
            if state.status is not BotStatus.CLOSED:
                elapsed = state.elapsed_ms(kept.at, kept.lag)
                self._take(state, kept.answers, kept.at, kept.lag, elapsed)

    def host_took(self, report: Report) -> None:
        """The host took time from the bots whose clocks were running."""
        for state in self.states:
            state.give_back(report)

    def _expired(self, state: BotState, now: float) -> None:
        state.deadline = None
        if state.status is BotStatus.AWAITED:
            cause = f"it did not say Hello within {state.time.start_ms / 1000:g} s"
            kind, began = FaultKind.REFUSED_START, state.waited_from
            fault = BotFault(kind=kind, cause=cause, began=began, ended=now)
            self._charges.charge(state, fault)
        elif state.status is BotStatus.LATE:
            self._still_late(state, now)

    def _time_out(self, state: BotState, now: float, lag: float) -> None:
        elapsed = state.elapsed_ms(now, lag)
        cause = (
            f"{len(state.open)} of {state.batch} asks unanswered after {elapsed:.0f} ms; it had "
            f"{state.free_ms:.0f} ms for these moves and {state.bank.left_ms:.0f} ms in its bank"
        )
        kind, began = FaultKind.TIMEOUT, state.sent_at
        fault = BotFault(kind=kind, cause=cause, began=began, ended=now)
        state.credit.use(state.credit.of(lag - state.lag_then))
        self._charges.timeout(state, state.time_out(now, elapsed), fault, elapsed)
        if state.person and state.status is BotStatus.LATE:
            # Somebody who missed one ask may be back for the next.
            state.status, state.deadline = BotStatus.IDLE, None
            self._rest(state)

    def _still_late(self, state: BotState, now: float) -> None:
        """A bot that timed out has used its whole time once more without coming back."""
        if not state.waiting:
            state.status = BotStatus.IDLE
            self._rest(state)
            return
        wait = state.time.move_ms + state.time.bank_ms
        lost = list(state.waiting)
        state.waiting.clear()
        state.asks += len(lost)
        state.batch = len(lost)
        kind, began = FaultKind.TIMEOUT, state.waited_from
        cause = f"still no answer {wait} ms after its last timeout"
        fault = BotFault(kind=kind, cause=cause, began=began, ended=now)
        state.time_out(now, float(wait))
        self._charges.timeout(state, lost, fault, float(wait))

    def _rest(self, state: BotState) -> None:
        """A bot has nothing to think about; it may be asked again."""
        self._thinkers.end(state.key)
        if state.waiting and not state.person:
            self._flight.line.append(state.bot)
