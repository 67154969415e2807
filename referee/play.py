"""One pass of a match as a machine without I/O: messages and times in, messages and news out.

The shell around it (`match.py`) reads the clock, moves the bytes and tells it what happened.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import nimmt
from nimmt import Event, IllegalChoice, SixNimmtView, bot_seed
from nimmt.choices import choice_to_json
from nimmt.events import BullCard, Move, Reveal, seen_by
from referee.clock import LagMeter, Thinkers
from referee.desk import Desk, Mood, OpenAsk
from referee.faults import COSTS, BotFault, FaultKind
from referee.game import Game
from referee.plan import MatchPlan
from referee.result import FaultRecord, GameRecord
from wire import codec, fast
from wire.v1 import bot_pb2 as pb

CLOSED_S = 1.0
"""How long after the end of a stream the news of its process is awaited, to name the cause."""


class Host(Protocol):
    """What a pass tells the shell around it."""

    def game_over(self, record: GameRecord) -> None:
        """A game is finished."""

    def fault(self, record: FaultRecord) -> None:
        """A bot has done something wrong."""

    def out(self, bot: int, cause: str) -> None:
        """A bot plays no more: say Goodbye to it and have its process ended."""

    def thaw(self, bot: int) -> None:
        """Let a frozen bot run; `thawed` must be called when it does."""

    def freeze(self, bot: int) -> None:
        """A bot has nothing to think about."""

    def watched(self, game_no: int, events: Sequence[Event]) -> None:
        """What happened in the game that is watched, hidden cards left out."""


class PassPlay:
    """All games of one pass, in flight side by side."""

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
    ) -> None:
        self.plan = plan
        self.pass_no = pass_no
        self.rules: nimmt.Rules = plan.check()
        self.desks = [Desk(bot, plan.time, new_id) for bot in range(len(plan.bots))]
        self.begun = False
        self._host = host
        self._thinkers = thinkers
        self._lag = lag
        self._utc = utc
        self._todo = deque(plan.passes[pass_no])
        self._games: set[Game] = set()
        self._ready: deque[Game] = deque()
        self._line: deque[int] = deque()
        self._resting: list[tuple[float, Game, list[int]]] = []
        """Games that rest for their spectators: until when, and the seats to ask then."""
        self._now = 0.0
        self._watched: Game | None = None

    @property
    def over(self) -> bool:
        """Whether every game has been played."""
        return not self._todo and not self._games

    @property
    def nearly_over(self) -> bool:
        """Whether no further game will begin, so that the next pass can be made ready."""
        return self.begun and not self._todo

    def awaited(self, bot: int, now: float) -> None:
        """A bot's process runs; it must say Hello in time."""
        self.desks[bot].deadline = now + self.plan.time.start_ms / 1000.0

    def hello(self, bot: int, hello: pb.Hello, now: float) -> pb.ToBot | None:
        """A bot introduces itself; returns Welcome, or None when it cannot play."""
        self._now = now
        desk = self.desks[bot]
        if desk.mood is not Mood.AWAITED:
            self._fault(desk, BotFault(kind=FaultKind.PROTOCOL, cause="it said Hello twice"))
            return None
        self._thinkers.end((self.pass_no, bot))
        if hello.rules and self.rules.name not in hello.rules:
            cause = f"it plays only {', '.join(hello.rules)[:80]}, this is {self.rules.name}"
            self._fault(desk, BotFault(kind=FaultKind.REFUSED_START, cause=cause))
            return None
        desk.join(hello)
        return self._welcome()

    def _welcome(self) -> pb.ToBot:
        time = self.plan.time
        welcome = pb.Welcome(
            protocol=codec.PROTOCOL,
            rules=self.rules.name,
            options=codec.options_to_wire(self.rules.options),
            rules_version=self.rules.version,
            time=pb.TimeControl(move_ms=time.move_ms, bank_ms=time.bank_ms),
        )
        return pb.ToBot(welcome=welcome)

    def begin(self) -> None:
        """Start the first games; every bot has joined or is out."""
        self.begun = True
        self._work()

    @property
    def all_joined(self) -> bool:
        """Whether nobody is awaited any more."""
        return all(desk.mood is not Mood.AWAITED for desk in self.desks)

    def due(self) -> list[int]:
        """The bots to which a message must be written now, in order."""
        ready = []
        while self._line and self._thinkers.has_room():
            desk = self.desks[self._line.popleft()]
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
        news = self._news(desk).SerializeToString()
        bank_ms = max(0, int(desk.bank.left_ms))
        asks = [self._encoded(ask_id, ask) for ask_id, ask in desk.next_batch()]
        return fast.asks_message(news, asks, bank_ms)

    def sent(self, bot: int, now: float) -> None:
        """The composed message is written from this moment on: the clock starts."""
        self.desks[bot].start_clock(now, self._lag.total(now))

    def farewell(self, bot: int, reason: pb.Goodbye.Reason, text: str) -> pb.ToBot:
        """The last message to a bot."""
        message = self._news(self.desks[bot])
        message.goodbye.reason = reason
        message.goodbye.text = text
        return message

    def _news(self, desk: Desk) -> pb.ToBot:
        events = [pb.Events(game_no=no, events=what) for no, what in desk.events.items()]
        message = pb.ToBot(game_starts=desk.starts, events=events, game_overs=desk.overs)
        desk.starts, desk.events, desk.overs = [], {}, []
        return message

    def _encoded(self, ask_id: int, ask: OpenAsk) -> bytes:
        game, state = ask.game, ask.game.state
        view = state.view(ask.seat)
        plain = fast.PlainAsk(
            ask_id,
            game.planned.game_no,
            ask.kind,
            view,
            state.legal(ask.seat),
            self.plan.time.move_ms,
        )
        if not isinstance(view, SixNimmtView):
            return fast.message_ask(plain)
        if game.public is None:
            game.public = fast.six_public(view)
        return fast.six_ask(plain, game.public)

    def answered(self, bot: int, answers: Sequence[pb.Answer], now: float) -> None:
        """A bot has sent answers."""
        self._now = now
        desk = self.desks[bot]
        if desk.mood in (Mood.AWAITED, Mood.OUT):
            if desk.mood is Mood.AWAITED:
                self._fault(
                    desk, BotFault(kind=FaultKind.PROTOCOL, cause="it answered before Hello")
                )
            return
        if not answers:
            cause = "it sent a message without any answer"
            self._fault(desk, BotFault(kind=FaultKind.PROTOCOL, cause=cause))
        # The measured time decides, even when the timer has not noticed yet.
        if desk.is_overdue(now, self._lag.total(now)):
            self._time_out(desk, now)
        elapsed = desk.elapsed_ms(now, self._lag.total(now))
        # When a batch is answered in parts, each part is charged for the time since the last one.
        ms = round((elapsed - desk.charged_ms) / max(1, len(answers)), 3)
        desk.charged_ms = elapsed
        for answer in answers:
            self._answer(desk, answer, max(0.0, ms))
        if desk.mood is Mood.ASKED and not desk.open:
            desk.complete(elapsed)
            self._rest(desk)
        elif desk.mood is Mood.LATE and not desk.overdue:
            desk.mood = Mood.IDLE
            desk.deadline = None
            self._rest(desk)
        self._work()

    def _answer(self, desk: Desk, answer: pb.Answer, ms: float) -> None:
        if desk.mood is Mood.OUT:
            return
        if answer.ask_id in desk.overdue:
            desk.overdue.discard(answer.ask_id)
            return
        ask = desk.open.pop(answer.ask_id, None)
        if ask is None:
            cause = f"ask id {answer.ask_id:#x} was never asked, or is answered already"
            self._fault(desk, BotFault(kind=FaultKind.PROTOCOL, cause=cause))
            return
        desk.times_ms.append(ms)
        try:
            given = codec.choice_from_wire(ask.kind, answer)
            choice = ask.game.state.canonical(ask.seat, given)
        except codec.BadChoice as error:
            self._illegal(desk, ask, str(error), error.sent, ms)
        except IllegalChoice as error:
            self._illegal(desk, ask, str(error), choice_to_json(given), ms)
        else:
            if answer.note:
                self._note(ask, answer.note)
            ask.game.choose(ask.seat, choice, ms, desk.batch)
        self._ready.append(ask.game)

    def _note(self, ask: OpenAsk, text: str) -> None:
        cut = text.encode()[: codec.NOTE_BYTES].decode(errors="ignore")
        ask.game.note(ask.seat, cut)

    def _illegal(self, desk: Desk, ask: OpenAsk, cause: str, sent: Any, ms: float) -> None:
        kind = FaultKind.ILLEGAL_CHOICE
        where = ask.game.index_of(ask.seat)
        ask.game.house_for_fault(ask.seat, kind, _short(sent), ms, desk.batch)
        self._fault(desk, BotFault(kind=kind, cause=cause), ask.game, where)

    def failed(self, bot: int, error: str) -> None:
        """A bot says that its own code has failed and that it is about to exit."""
        cause = f"its code failed: {' '.join(error.split())[:300] or 'it did not say how'}"
        self.lost(bot, BotFault(kind=FaultKind.CRASHED, cause=cause))

    def misbehaved(self, bot: int, cause: str) -> None:
        """A bot has broken the contract in a way that the shell has seen."""
        self._fault(self.desks[bot], BotFault(kind=FaultKind.PROTOCOL, cause=cause))
        self._work()

    def stream_ended(self, bot: int, now: float) -> None:
        """A bot's stream is over. Why will be told by its process, or else by the deadline."""
        desk = self.desks[bot]
        if desk.mood is not Mood.OUT and not self.over:
            desk.mood = Mood.CLOSED
            desk.deadline = now + CLOSED_S
            self._thinkers.end((self.pass_no, bot))

    def lost(self, bot: int, fault: BotFault) -> None:
        """A bot is gone for good."""
        if not self.over:
            self._fault(self.desks[bot], fault)
            self._work()

    def tick(self, now: float) -> list[int]:
        """Look at every clock; returns the bots whose stream ended and whose process lives on."""
        closed = []
        self._now = now
        self._wake_rested()
        for desk in self.desks:
            if desk.is_overdue(now, self._lag.total(now)):
                self._time_out(desk, now)
            elif desk.deadline is not None and now >= desk.deadline:
                if desk.mood is Mood.CLOSED:
                    closed.append(desk.bot)
                self._expired(desk, now)
        self._work()
        return closed

    def _expired(self, desk: Desk, now: float) -> None:
        desk.deadline = None
        if desk.mood is Mood.AWAITED:
            cause = f"it did not say Hello within {self.plan.time.start_ms / 1000:g} s"
            self._fault(desk, BotFault(kind=FaultKind.REFUSED_START, cause=cause))
        elif desk.mood is Mood.LATE:
            self._still_late(desk, now)

    def _time_out(self, desk: Desk, now: float) -> None:
        elapsed = desk.elapsed_ms(now, self._lag.total(now))
        cause = (
            f"{len(desk.open)} of {desk.batch} asks unanswered after {elapsed:.0f} ms: "
            f"{desk.free_ms:.0f} ms were free and its bank held {desk.bank.left_ms:.0f} ms"
        )
        self._lose(desk, desk.time_out(now, elapsed), cause, elapsed)

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
        desk.time_out(now, float(wait))
        self._lose(desk, lost, f"still no answer {wait} ms after its last timeout", float(wait))

    def _lose(self, desk: Desk, lost: list[OpenAsk], cause: str, elapsed: float) -> None:
        kind = FaultKind.TIMEOUT
        first = (lost[0].game, lost[0].game.index_of(lost[0].seat))
        for ask in lost:
            ms = round(elapsed / desk.batch, 3)
            ask.game.house_for_fault(ask.seat, kind, None, ms, desk.batch)
            self._ready.append(ask.game)
        self._fault(desk, BotFault(kind=kind, cause=cause), *first)

    def _fault(
        self,
        desk: Desk,
        fault: BotFault,
        game: Game | None = None,
        where: tuple[int, int] | None = None,
    ) -> None:
        """Charge a fault to a bot; one table says what it costs."""
        if desk.mood is Mood.OUT:
            return
        cost = COSTS[fault.kind]
        desk.faults += cost.counts
        out = cost.out or fault.lost or desk.faults >= self.plan.max_faults
        record = FaultRecord(
            bot=desk.bot,
            pass_no=self.pass_no,
            kind=fault.kind,
            cause=fault.cause,
            out=out,
            game_no=None if game is None else game.planned.game_no,
            round_no=None if where is None else where[0],
            decision=None if where is None else where[1],
        )
        self._host.fault(record)
        if out:
            self._put_out(desk, fault)

    def _put_out(self, desk: Desk, fault: BotFault) -> None:
        for ask in desk.leave(fault.kind):
            ask.game.house_for_out(ask.seat, fault.kind)
            self._ready.append(ask.game)
        self._thinkers.end((self.pass_no, desk.bot))
        self._host.out(desk.bot, f"{fault.kind}: {fault.cause}")

    def _rest(self, desk: Desk) -> None:
        """A bot has nothing to think about; it may be asked again."""
        self._thinkers.end((self.pass_no, desk.bot))
        if desk.waiting:
            self._line.append(desk.bot)

    def _work(self) -> None:
        """Run every game that can go on, and start new ones, until all wait for bots."""
        if not self.begun:
            return
        while True:
            while self._ready:
                self._run(self._ready.popleft())
            if not self._todo or len(self._games) >= self.plan.in_flight:
                return
            self._start()

    def _start(self) -> None:
        game = Game(self.rules, self.plan, self._todo.popleft(), self.pass_no, self._utc())
        self._games.add(game)
        no, players = game.planned.game_no, len(game.seats)
        for seat, bot in enumerate(game.seats):
            desk = self.desks[bot]
            if desk.mood is not Mood.OUT:
                seed = bot_seed(game.key, game.planned.board, seat)
                start = pb.GameStart(game_no=no, seat=seat, players=players, bot_seed=seed)
                desk.starts.append(start)
        if self.plan.watch and self._watched is None and self.pass_no == len(self.plan.passes) - 1:
            self._watched = game
        self._tell(game, game.state.opening)
        self._ready.append(game)

    def _run(self, game: Game) -> None:
        if game.waits or game not in self._games:
            return
        outs = [self.desks[bot].out for bot in game.seats]
        seats, events = game.advance(outs)
        if events:
            self._tell(game, events)
        if self.plan.pace_ms and seats:
            rest = self.plan.pace_ms / 1000.0 * max(1, sum(map(_is_movement, events)))
            self._resting.append((self._now + rest, game, seats))
        else:
            self._ask(game, seats)
        if game.over:
            self._finish(game)

    def _wake_rested(self) -> None:
        rested = [entry for entry in self._resting if entry[0] <= self._now]
        self._resting = [entry for entry in self._resting if entry[0] > self._now]
        for _, game, seats in rested:
            self._ask(game, seats)

    def _ask(self, game: Game, seats: Sequence[int]) -> None:
        for seat in seats:
            desk = self.desks[game.seats[seat]]
            if desk.out is not None:
                # It went out while the game rested.
                game.house_for_out(seat, desk.out)
                self._ready.append(game)
                continue
            desk.waiting.append(OpenAsk(game, seat, game.state.pending[seat].kind))
            if desk.mood is Mood.IDLE and len(desk.waiting) == 1:
                self._line.append(desk.bot)

    def _tell(self, game: Game, events: Sequence[Event]) -> None:
        for seat, bot in enumerate(game.seats):
            desk = self.desks[bot]
            if desk.wants_events and desk.mood is not Mood.OUT:
                news = desk.events.setdefault(game.planned.game_no, [])
                news += [codec.event_to_wire(seen_by(event, seat)) for event in events]
        if game is self._watched:
            # What neither of two seats may see is hidden from everybody.
            shown = [seen_by(seen_by(event, 0), 1) for event in events]
            self._host.watched(game.planned.game_no, shown)

    def _finish(self, game: Game) -> None:
        result = game.state.result
        assert result is not None
        # Places as the points have them: who was out is nobody's business at the table.
        over = pb.GameOver(game_no=game.planned.game_no, points=result.points, places=result.places)
        for bot in game.seats:
            if self.desks[bot].mood is not Mood.OUT:
                self.desks[bot].overs.append(over)
        self._games.remove(game)
        if game is self._watched:
            self._watched = None
        self._host.game_over(game.record())


def _is_movement(event: Event) -> bool:
    """Whether spectators see a card move; a deal is one movement, however many cards it has."""
    return isinstance(event, Reveal | BullCard) or (isinstance(event, Move) and event.why != "deal")


def _short(sent: Any) -> Any:
    """What a bot sent, as it stands in a replay: whole when it is small."""
    text = repr(sent)
    return sent if len(text) <= 300 else text[:300] + "…"
