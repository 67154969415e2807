"""One pass of a match as a machine without I/O: messages and times in, messages and news out.

The shell around it (`room.py`) reads the clock, moves the bytes and tells it what happened.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

import nimmt
from nimmt import IllegalChoice
from nimmt.choices import choice_to_json
from referee.charges import Bailiff, Charges
from referee.clock import LagMeter, Thinkers
from referee.desk import Desk, Mood, OpenAsk
from referee.faults import BotFault, FaultKind
from referee.flight import Audience, Flight
from referee.host import HostClock, Report
from referee.messages import encoded_ask, goodbye, take_news, welcome
from referee.plan import MatchPlan
from wire import codec, fast
from wire.v1 import bot_pb2 as pb

CLOSED_S = 1.0
"""How long after the end of a stream the news of its process is awaited, to name the cause."""


class Host(Audience, Bailiff, Protocol):
    """What a pass tells the shell around it."""

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
        self.desks = [Desk(bot, plan.time, new_id, self._clock) for bot in range(len(plan.bots))]
        self.begun = False
        self._host = host
        self._thinkers = thinkers
        self._lag = lag
        self._flight = Flight(plan, pass_no, self.rules, self.desks, host, utc)
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
        self.desks[bot].wait(now, self.plan.time.start_ms / 1000.0)

    def hello(self, bot: int, hello: pb.Hello, now: float) -> pb.ToBot | None:
        """A bot introduces itself; returns Welcome, or None when it cannot play."""
        self._flight.now = now
        desk = self.desks[bot]
        if desk.mood is not Mood.AWAITED:
            self._charges.protocol(desk, "it said Hello twice")
            return None
        self._thinkers.end((self.pass_no, bot))
        if hello.rules and self.rules.name not in hello.rules:
            cause = f"it plays only {', '.join(hello.rules)[:80]}, this is {self.rules.name}"
            self._charges.charge(desk, BotFault(kind=FaultKind.REFUSED_START, cause=cause))
            return None
        desk.join(hello)
        return welcome(self.rules, self.plan.time)

    def begin(self) -> None:
        """Start the first games; every bot has joined or is out."""
        self.begun = True
        self._flight.begin()

    @property
    def all_joined(self) -> bool:
        """Whether nobody is awaited any more."""
        return all(desk.mood is not Mood.AWAITED for desk in self.desks)

    def due(self) -> list[int]:
        """The bots to which a message must be written now, in order."""
        ready = []
        while self._flight.line and self._thinkers.has_room() and not self._clock.held:
            desk = self.desks[self._flight.line.popleft()]
            if desk.mood is not Mood.IDLE or not desk.waiting:
                continue
            desk.mood = Mood.CALLED
            self._thinkers.begin((self.pass_no, desk.bot))
            if desk.frozen:
                self._host.thaw(desk.bot)
            else:
                ready.append(desk.bot)
        if self.plan.freeze:
            for desk in self.desks:
                if desk.mood is Mood.IDLE and not desk.frozen:
                    desk.frozen = True
                    self._host.freeze(desk.bot)
        return ready

    def thawed(self, bot: int) -> bool:
        """A bot runs again; says whether its message can be written."""
        self.desks[bot].frozen = False
        return self.desks[bot].mood is Mood.CALLED

    def compose(self, bot: int) -> bytes | None:
        """The next ToBot for a bot that is due, or None when there is none any more."""
        desk = self.desks[bot]
        if desk.mood is not Mood.CALLED:
            return None
        news = take_news(desk).SerializeToString()
        bank_ms = max(0, int(desk.bank.left_ms))
        move_ms = desk.time.move_ms
        asks = [encoded_ask(ask_id, ask, move_ms) for ask_id, ask in desk.next_batch()]
        return fast.asks_message(news, asks, bank_ms)

    def sent(self, bot: int, now: float) -> None:
        """The composed message is written from this moment on: the clock starts."""
        self.desks[bot].start_clock(now, self._lag_of(bot, now))

    def farewell(self, bot: int, reason: pb.Goodbye.Reason, text: str) -> pb.ToBot:
        """The last message to a bot."""
        return goodbye(self.desks[bot], reason, text)

    def answered(self, bot: int, answers: Sequence[pb.Answer], now: float) -> None:
        """A bot has sent answers."""
        self._flight.now = now
        desk = self.desks[bot]
        if desk.mood in (Mood.AWAITED, Mood.OUT):
            if desk.mood is Mood.AWAITED:
                self._charges.protocol(desk, "it answered before Hello")
            return
        if not answers:
            self._charges.protocol(desk, "it sent a message without any answer")
        lag = self._lag_of(bot, now)
        if not desk.park(answers, now, lag):
            self._take(desk, answers, now, lag)
        self._flight.work()

    def _take(self, desk: Desk, answers: Sequence[pb.Answer], now: float, lag: float) -> None:
        # The measured time decides, even when the timer has not noticed yet.
        if desk.is_overdue(now, lag):
            self._time_out(desk, now, lag)
        elapsed = desk.elapsed_ms(now, lag)
        # When a batch is answered in parts, each part is charged for the time since the last one.
        ms = round((elapsed - desk.charged_ms) / max(1, len(answers)), 3)
        desk.charged_ms = elapsed
        for answer in answers:
            self._answer(desk, answer, max(0.0, ms))
        if desk.mood is Mood.ASKED and not desk.open:
            desk.complete(now, lag)
            self._rest(desk)
        elif desk.mood is Mood.LATE and not desk.overdue:
            desk.mood = Mood.IDLE
            desk.deadline = None
            self._rest(desk)

    def _answer(self, desk: Desk, answer: pb.Answer, ms: float) -> None:
        if desk.mood is Mood.OUT:
            return
        if answer.ask_id in desk.overdue:
            desk.overdue.discard(answer.ask_id)
            return
        ask = desk.open.pop(answer.ask_id, None)
        if ask is None:
            cause = f"ask id {answer.ask_id:#x} was never asked, or is answered already"
            self._charges.protocol(desk, cause)
            return
        desk.times_ms.append(ms)
        try:
            given = codec.choice_from_wire(ask.kind, answer)
            choice = ask.game.state.canonical(ask.seat, given)
        except codec.BadChoice as error:
            self._charges.illegal(desk, ask, str(error), error.sent, ms)
        except IllegalChoice as error:
            self._charges.illegal(desk, ask, str(error), choice_to_json(given), ms)
        else:
            if answer.note:
                self._note(ask, answer.note)
            ask.game.choose(ask.seat, choice, ms, desk.batch)
        self._flight.ready.append(ask.game)

    def _note(self, ask: OpenAsk, text: str) -> None:
        cut = text.encode()[: codec.NOTE_BYTES].decode(errors="ignore")
        ask.game.note(ask.seat, cut)

    def failed(self, bot: int, error: str) -> None:
        """A bot says that its own code has failed and that it is about to exit."""
        cause = f"its code failed: {' '.join(error.split())[:300] or 'it did not say how'}"
        self.lost(bot, BotFault(kind=FaultKind.CRASHED, cause=cause))

    def misbehaved(self, bot: int, cause: str) -> None:
        """A bot has broken the contract in a way that the shell has seen."""
        self._charges.protocol(self.desks[bot], cause)
        self._flight.work()

    def stream_ended(self, bot: int, now: float) -> None:
        """A bot's stream is over. Why will be told by its process, or else by the deadline."""
        desk = self.desks[bot]
        if desk.mood is not Mood.OUT and not self.over:
            desk.mood = Mood.CLOSED
            desk.wait(now, CLOSED_S)
            self._thinkers.end((self.pass_no, bot))

    def lost(self, bot: int, fault: BotFault) -> None:
        """A bot is gone for good."""
        if not self.over:
            self._charges.charge(self.desks[bot], fault)
            self._flight.work()

    def tick(self, now: float) -> list[int]:
        """Look at every clock; returns the bots whose stream ended and whose process lives on."""
        closed = []
        self._flight.now = now
        self._flight.wake_rested()
        for desk in self.desks:
            self._unpark(desk, now)
            lag = self._lag_of(desk.bot, now)
            late = desk.is_overdue(now, lag)
            if desk.parked:
                continue
            if not late and not desk.is_expired(now):
                desk.late_since = None
            elif desk.is_final(now, lag):
                if desk.mood is Mood.CLOSED:
                    closed.append(desk.bot)
                if late:
                    self._time_out(desk, now, lag)
                else:
                    self._expired(desk, now)
        self._flight.work()
        return closed

    def _unpark(self, desk: Desk, now: float) -> None:
        """Take the answers that looked late, now that we know whether they were."""
        while desk.parked:
            kept = desk.parked[0]
            if desk.mood is Mood.ASKED and not self._clock.is_settled(kept.at, now):
                return
            desk.parked.popleft()
            if desk.mood is not Mood.CLOSED:
                self._take(desk, kept.answers, kept.at, kept.lag)

    def host_took(self, report: Report) -> None:
        """The host took time from whoever was on the clock."""
        for desk in self.desks:
            desk.give_back(report)

    def _expired(self, desk: Desk, now: float) -> None:
        desk.deadline = None
        if desk.mood is Mood.AWAITED:
            cause = f"it did not say Hello within {self.plan.time.start_ms / 1000:g} s"
            kind, began = FaultKind.REFUSED_START, desk.waited_from
            fault = BotFault(kind=kind, cause=cause, began=began, ended=now)
            self._charges.charge(desk, fault)
        elif desk.mood is Mood.LATE:
            self._still_late(desk, now)

    def _time_out(self, desk: Desk, now: float, lag: float) -> None:
        elapsed = desk.elapsed_ms(now, lag)
        cause = (
            f"{len(desk.open)} of {desk.batch} asks unanswered after {elapsed:.0f} ms: "
            f"{desk.free_ms:.0f} ms were free and its bank held {desk.bank.left_ms:.0f} ms"
        )
        kind, began = FaultKind.TIMEOUT, desk.sent_at
        fault = BotFault(kind=kind, cause=cause, began=began, ended=now)
        desk.credit.use(desk.credit.of(lag - desk.lag_then))
        self._charges.timeout(desk, desk.time_out(now, elapsed), fault, elapsed)

    def _still_late(self, desk: Desk, now: float) -> None:
        """A bot that timed out has not come back in as long as its whole time again."""
        if not desk.waiting:
            desk.mood = Mood.IDLE
            self._rest(desk)
            return
        wait = self.plan.time.move_ms + self.plan.time.bank_ms
        lost = list(desk.waiting)
        desk.waiting.clear()
        desk.asks += len(lost)
        desk.batch = len(lost)
        kind, began = FaultKind.TIMEOUT, desk.waited_from
        cause = f"still no answer {wait} ms after its last timeout"
        fault = BotFault(kind=kind, cause=cause, began=began, ended=now)
        desk.time_out(now, float(wait))
        self._charges.timeout(desk, lost, fault, float(wait))

    def _lag_of(self, bot: int, now: float) -> float:
        """What our own lag has given this bot so far."""
        return self._lag.total(now, (self.pass_no, bot))

    def _rest(self, desk: Desk) -> None:
        """A bot has nothing to think about; it may be asked again."""
        self._thinkers.end((self.pass_no, desk.bot))
        if desk.waiting:
            self._flight.line.append(desk.bot)
