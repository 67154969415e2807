"""A league as a queueing network: workers that play, a database, a broker, files and one clock.

Pure: costs go in, a simulated quarter of an hour comes out. `bench.scale` measures the costs.
"""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from random import Random


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """Seconds of work that each act costs at its station, measured alone."""

    claim: float
    """Database: take a match and read what is needed to play it."""
    beat: float
    """Database: renew a lease."""
    finish: float
    """Database: store a result."""
    sign: float
    """Database: a worker's heartbeat."""
    tick: float
    """Clock: one turn without a match to plan."""
    tick_database: float
    """Database: its part of that."""
    plan: float
    """Clock: each match that is planned and rung for."""
    plan_database: float
    """Database: its part of that."""
    bell: float
    """Redis: one bell, rung and heard."""
    file: float
    """File service: one replay taken in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is simulated."""

    workers: int
    match_seconds: float
    """The mean time a match takes; single ones vary by a third."""
    database_cores: int = 8
    seconds: float = 900.0
    lease_seconds: float = 60.0
    sign_seconds: float = 10.0
    tick_seconds: float = 2.0
    queue_ahead: int = 2
    seed: int = 1


@dataclass(slots=True)
class Station:
    """Servers with one line before them; time in seconds."""

    name: str
    servers: int
    busy: float = 0.0
    waits: list[float] = field(default_factory=list)
    _free: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._free = [0.0] * self.servers

    def serve(self, now: float, cost: float) -> float:
        """Take a piece of work in; returns when it is done."""
        begin = max(now, heapq.heappop(self._free))
        heapq.heappush(self._free, begin + cost)
        self.busy += cost
        self.waits.append(begin - now)
        return begin + cost

    def load(self, seconds: float) -> float:
        """The share of its time that it works; above 1 it falls behind."""
        return self.busy / (self.servers * seconds)

    def late(self, share: float = 0.99) -> float:
        """The waiting time that all but the worst share stay below."""
        ordered = sorted(self.waits)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it."""

    matches: int
    idle: float
    """The share of all slots' time in which they had nothing to play, after the first tenth."""
    stations: tuple[Station, ...]
    seconds: float

    @property
    def fullest(self) -> Station:
        """What saturates first."""
        return max(self.stations, key=lambda station: station.load(self.seconds))


class League:
    """One run; events in the order of time."""

    def __init__(self, plan: Plan, costs: Costs) -> None:
        self.plan, self.costs = plan, costs
        self.rng = Random(plan.seed)
        self.database = Station("database", plan.database_cores)
        self.redis = Station("Redis", 1)
        self.files = Station("file service", 1)
        self.clock = Station("clock", 1)
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._order = count()
        self.waiting = 0
        self.free = plan.workers
        self.done = 0
        self.idle = 0.0
        self._looked = self._warm = 0.1 * plan.seconds

    def at(self, moment: float, act: Callable[[float], None]) -> None:
        """Let something happen later."""
        heapq.heappush(self._events, (moment, next(self._order), act))

    def run(self) -> Outcome:
        """From a cold start to the end."""
        self.at(0.0, self.tick)
        for _ in range(self.plan.workers):
            self.at(self.rng.uniform(0, self.plan.sign_seconds), self.sign)
        while self._events and self._events[0][0] <= self.plan.seconds:
            moment, _, act = heapq.heappop(self._events)
            self._count_idle(moment)
            act(moment)
        self._count_idle(self.plan.seconds)
        slots = self.plan.workers * (self.plan.seconds - self._warm)
        parts = (self.database, self.redis, self.files, self.clock)
        return Outcome(
            matches=self.done, idle=self.idle / slots, stations=parts, seconds=self.plan.seconds
        )

    def _count_idle(self, now: float) -> None:
        if now > self._looked:
            self.idle += self.free * (now - self._looked)
            self._looked = now

    def sign(self, now: float) -> None:
        """A worker sends its heartbeat."""
        self.database.serve(now, self.costs.sign)
        self.at(now + self.plan.sign_seconds, self.sign)

    def tick(self, now: float) -> None:
        """The clock fills the queue up to what the slots can use; the next turn comes after."""
        room = max(0, self.plan.queue_ahead * self.plan.workers - self.waiting)
        asked = self.costs.tick_database + room * self.costs.plan_database
        answered = self.database.serve(now, asked)
        own = max(0.0, self.costs.tick + room * self.costs.plan - asked)
        over = self.clock.serve(answered, own)
        self.clock.busy += answered - now
        self.at(over, lambda moment: self.ring(moment, room))
        self.at(max(over, now + self.plan.tick_seconds), self.tick)

    def ring(self, now: float, bells: int) -> None:
        """Bells arrive one after another, and free slots take them."""
        for _ in range(bells):
            self.at(self.redis.serve(now, self.costs.bell), self.hear)

    def hear(self, now: float) -> None:
        """A match more is in the queue."""
        self.waiting += 1
        self.take(now)

    def take(self, now: float) -> None:
        """A free slot takes a waiting match."""
        if self.free and self.waiting:
            self.free -= 1
            self.waiting -= 1
            self.play(self.database.serve(now, self.costs.claim))

    def play(self, begin: float) -> None:
        """A match with its heartbeats, from the claim to the stored result."""
        mean = self.plan.match_seconds
        end = begin + max(0.2 * mean, self.rng.gauss(mean, mean / 3))
        beat = begin + self.plan.lease_seconds / 4
        while beat < end:
            self.at(beat, lambda moment: _ignore(self.database.serve(moment, self.costs.beat)))
            beat += self.plan.lease_seconds / 4
        self.at(end, self.store)

    def store(self, now: float) -> None:
        """Replay first, then the result; then the slot is free."""
        written = self.files.serve(now, self.costs.file)
        self.at(written, lambda moment: self.at(self._finish(moment), self.let_go))

    def _finish(self, now: float) -> float:
        return self.database.serve(now, self.costs.finish)

    def let_go(self, now: float) -> None:
        """The slot takes the next match."""
        self.done += 1
        self.free += 1
        self.take(now)


def _ignore(_: float) -> None:
    """A heartbeat does not wait for the play."""


def simulate(plan: Plan, costs: Costs) -> Outcome:
    """Run one league."""
    return League(plan, costs).run()
