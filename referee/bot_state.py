"""One bot's state in one pass: asks that wait, asks that are open, its bank, its faults. No I/O."""

import enum
import statistics
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from referee.clock import Bank, Credit
from referee.faults import FaultKind
from referee.game import Game
from referee.host import HostClock, Report
from referee.plan import TimeControl
from wire.codec import MAX_BATCH
from wire.v1 import bot_pb2 as pb


class BotStatus(enum.Enum):
    """What a bot is doing, as far as the referee can tell."""

    AWAITED = "awaited"
    """It has not said Hello yet."""
    IDLE = "idle"
    """It waits to be asked."""
    CALLED = "called"
    """Its turn to think has come; the message is about to be written."""
    ASKED = "asked"
    """It has asks to answer and its clock runs."""
    LATE = "late"
    """It has timed out and is not asked again until it answers what it was late with."""
    CLOSED = "closed"
    """Its stream has ended; the reason will be known in a moment."""
    OUT = "out"
    """It plays no more in this pass."""


@dataclass(slots=True, eq=False)
class OpenAsk:
    """One question that is not answered yet."""

    game: Game
    seat: int
    kind: str


@dataclass(frozen=True, slots=True)
class Parked:
    """Answers that came after the end of the clock, as far as we knew then."""

    answers: Sequence[pb.Answer]
    at: float
    lag: float


@dataclass(slots=True)
class Paid:
    """A message that was charged to the bank, perhaps too much."""

    began: float
    ended: float
    ms: float


MAX_PARKED = 64
PAID_KEPT = 16
"""Reports come a few times a second, and each covers the last moments only."""


@dataclass(slots=True)
class BotState:
    """Everything the referee keeps about one bot in one pass."""

    bot: int
    pass_no: int
    time: TimeControl
    new_id: Callable[[], int]
    host: HostClock = field(default_factory=HostClock)
    person: bool = False
    """Whether a person sits here, who is told everything at once."""
    status: BotStatus = BotStatus.AWAITED
    max_batch: int = 1
    wants_events: bool = False
    waiting: deque[OpenAsk] = field(default_factory=deque)
    open: dict[int, OpenAsk] = field(default_factory=dict)
    """Asks of the message that is out, by id."""
    batch: int = 0
    """How many asks that message had."""
    free_ms: float = 0.0
    sent_at: float = 0.0
    lag_then: float = 0.0
    charged_ms: float = 0.0
    """How much of the message's time has already been recorded with decisions."""
    deadline: float | None = None
    """When AWAITED, LATE or CLOSED ends; None: never."""
    waited_from: float = 0.0
    """When that began: what the host takes from then on postpones the end."""
    late_since: float | None = None
    """When the clock was first seen to have run out; a report of the host may still change that."""
    parked: deque[Parked] = field(default_factory=deque)
    paid: deque[Paid] = field(default_factory=lambda: deque(maxlen=PAID_KEPT))
    overdue: set[int] = field(default_factory=set)
    """Ids of timed-out asks whose answers are still dropped silently."""
    faults: int = 0
    out: FaultKind | None = None
    frozen: bool = False
    bank: Bank = field(init=False)
    key: tuple[int, int] = field(init=False)
    """Who this is among all bots of the match."""
    credit: Credit = field(default_factory=Credit)
    starts: list[pb.GameStart] = field(default_factory=list)
    events: dict[int, list[pb.Event]] = field(default_factory=dict)
    """News by game, kept until the next message."""
    overs: list[pb.GameOver] = field(default_factory=list)
    asks: int = 0
    timeouts: int = 0
    think_s: float = 0.0
    times_ms: "array[float]" = field(default_factory=lambda: array("d"))
    """The time of each decision."""

    def __post_init__(self) -> None:
        self.bank = Bank(float(self.time.bank_ms))
        self.key = (self.pass_no, self.bot)

    @property
    def has_news(self) -> bool:
        """Whether anything has happened that the bot has not been told yet."""
        return bool(self.starts or self.overs or self.events)

    def join(self, hello: pb.Hello) -> None:
        """The bot has introduced itself."""
        self.status = BotStatus.IDLE
        self.deadline = None
        self.late_since = None
        self.max_batch = min(max(hello.max_batch, 1), MAX_BATCH)
        self.wants_events = hello.events

    def next_batch(self) -> list[tuple[int, OpenAsk]]:
        """Take the asks of the next message from those that wait, and give them ids."""
        count = min(self.max_batch, len(self.waiting))
        batch = [(self.new_id(), self.waiting.popleft()) for _ in range(count)]
        self.open = dict(batch)
        self.batch = count
        self.asks += count
        self.free_ms = float(count * self.time.move_ms)
        self.status = BotStatus.ASKED
        return batch

    def start_clock(self, now: float, lag: float) -> None:
        """The message is about to be written."""
        self.sent_at = now
        self.lag_then = lag
        self.charged_ms = 0.0
        self.late_since = None
        self.parked.clear()

    def wait(self, now: float, seconds: float) -> None:
        """Something has to happen within this time."""
        self.waited_from = now
        self.deadline = now + seconds
        self.late_since = None

    def is_expired(self, now: float) -> bool:
        """Whether that time is over, not counting what the host took."""
        if self.deadline is None or now < self.deadline:
            return False
        return now - self.host.taken(self.waited_from, now) >= self.deadline

    def is_final(self, now: float, lag: float) -> bool:
        """The clock seems to have run out: whether no report still to come can change that."""
        then = self.late_since = now if self.late_since is None else self.late_since
        if not self.host.is_settled(then, now):
            return False
        if self.is_overdue(then, lag) or self.is_expired(then):
            return True
        # It had not, now that we know what the host took. What it takes now is reported later.
        self.late_since = now
        return False

    def park(self, answers: Sequence[pb.Answer], now: float, lag: float, elapsed_ms: float) -> bool:
        """Keep answers that look late until we know; returns whether they were kept."""
        late = self.is_too_long(elapsed_ms) and not self.host.is_settled(now, now)
        if not (late or self.parked) or len(self.parked) >= MAX_PARKED:
            return False
        self.parked.append(Parked(answers, now, lag))
        return True

    def give_back(self, report: Report) -> None:
        """The host took time from messages that have been paid for already."""
        for paid in self.paid:
            back = min(paid.ms, report.within(paid.began, paid.ended) * 1000.0)
            paid.ms -= back
            self.bank.left_ms += back

    def elapsed_ms(self, now: float, lag: float) -> float:
        """Time since the message was written, without our own lag and what the host took."""
        credited = self.host.taken(self.sent_at, now)
        if lag != self.lag_then:
            credited += self.credit.of(lag - self.lag_then)
        return max(0.0, now - self.sent_at - credited) * 1000.0

    def is_overdue(self, now: float, lag: float) -> bool:
        """Whether the message that is out has taken more than it may."""
        if self.status is not BotStatus.ASKED:
            return False
        return self.is_too_long(self.elapsed_ms(now, lag))

    def is_too_long(self, elapsed_ms: float) -> bool:
        """Whether this is more time than the message that is out may take."""
        # Nearly every answer comes within the free time, and the bank need not be looked at.
        return (
            elapsed_ms > self.free_ms
            and self.status is BotStatus.ASKED
            and elapsed_ms > self.bank.limit_ms(self.free_ms)
        )

    def complete(self, now: float, lag: float, elapsed_ms: float) -> None:
        """Every ask of the message has been answered, after this time as its clock has it."""
        if elapsed_ms > self.free_ms:
            self.bank.spend(elapsed_ms, self.free_ms)
            self.paid.append(Paid(self.sent_at, now, elapsed_ms - self.free_ms))
        if lag != self.lag_then:
            # Credit that only shortened the free time was not needed, and stays.
            over_s = now - self.sent_at - self.free_ms / 1000.0
            self.credit.use(min(max(0.0, over_s), self.credit.of(lag - self.lag_then)))
        self.think_s += elapsed_ms / 1000.0
        self.status = BotStatus.IDLE

    def time_out(self, now: float, elapsed_ms: float) -> list[OpenAsk]:
        """The open asks are lost; the bot gets its whole time once more to come back."""
        lost = list(self.open.values())
        self.overdue |= self.open.keys()
        self.open = {}
        self.timeouts += 1
        self.think_s += elapsed_ms / 1000.0
        self.bank.empty()
        self.paid.clear()
        self.status = BotStatus.LATE
        self.wait(now, (self.time.move_ms + self.time.bank_ms) / 1000.0)
        return lost

    def leave(self, fault: FaultKind) -> list[OpenAsk]:
        """The bot is out; returns every ask that it will not answer."""
        lost = [*self.open.values(), *self.waiting]
        self.open = {}
        self.waiting.clear()
        self.parked.clear()
        self.starts, self.events, self.overs = [], {}, []
        self.out = fault
        self.status = BotStatus.OUT
        self.deadline = None
        return lost

    def median_ms(self) -> float | None:
        """Median time of a decision."""
        return statistics.median(self.times_ms) if self.times_ms else None
