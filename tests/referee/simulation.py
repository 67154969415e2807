"""A pass with scripted bots and a clock that moves when told: no process, no socket, no sleep."""

import heapq
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

import nimmt
from nimmt.house import house_choice
from nimmt.replay import Decision
from nimmt.verify import verify
from referee.clock import BEAT_S, LagMeter, Thinkers
from referee.faults import BotFault, FaultKind, process_end
from referee.host import HostClock
from referee.plan import MatchPlan, PlannedBot, TimeControl, one_pass
from referee.play import PassPlay
from referee.result import FaultRecord, GameRecord
from wire import codec
from wire.v1 import bot_pb2 as pb

KEY = nimmt.key_from_seed(7).hex()


def make_plan(
    players: int = 3, boards: int = 4, rules: str = "six-nimmt", **more: object
) -> MatchPlan:
    options: Any = more.pop("options", {"rounds": 1} if rules == "six-nimmt" else {})
    settings: dict[str, Any] = {
        "time": TimeControl(move_ms=100, bank_ms=1000),
        "in_flight": 2,
        **more,
    }
    return MatchPlan(
        match="test",
        rules=rules,
        options=options,
        bots=tuple(PlannedBot(name=f"bot/{n}") for n in range(players)),
        passes=one_pass(players, boards),
        key=KEY,
        reveal_key=True,
        **settings,
    )


def house_answer(ask: pb.Ask) -> pb.Answer:
    """What an honest and dull bot says."""
    kind = codec.KIND_FROM_WIRE[ask.kind]
    answer = pb.Answer(ask_id=ask.ask_id)
    view, legal = codec.view_from_wire(ask), codec.legal_from_wire(ask)
    codec.fill_choice(answer, kind, house_choice(kind, view, legal))
    return answer


@dataclass
class Scripted:
    """A bot: how long it thinks, what it answers, when it dies."""

    think_s: float = 0.001
    max_batch: int = 64
    events: bool = False
    answer: Callable[[pb.Asks], Iterable[Sequence[pb.Answer]]] | None = None
    """The messages it sends for an Asks, each after `think_s` more."""
    dies_at_ask: int | None = None
    """It exits when this many asks have come."""
    asks: int = 0
    batches: list[int] = field(default_factory=list)
    received: list[pb.ToBot] = field(default_factory=list)

    def reply(self, asks: pb.Asks) -> Iterable[Sequence[pb.Answer]]:
        self.asks += len(asks.asks)
        self.batches.append(len(asks.asks))
        if self.answer is None:
            return [[house_answer(ask) for ask in asks.asks]]
        return self.answer(asks)

    @property
    def dead(self) -> bool:
        return self.dies_at_ask is not None and self.asks >= self.dies_at_ask


class Simulation:
    """Runs one pass to its end by events in the order of their time."""

    def __init__(self, plan: MatchPlan, bots: Sequence[Scripted], pass_no: int = 0) -> None:
        self.plan = plan
        self.bots = bots
        self.now = 0.0
        self.lag = LagMeter(0.0)
        self.host_clock = HostClock()
        self.thinkers = Thinkers(plan.thinkers)
        self.games: list[GameRecord] = []
        self.faults: list[FaultRecord] = []
        self.outs: list[tuple[int, str]] = []
        self.frozen: set[int] = set()
        self.thaws = 0
        self.most_thinking = 0
        self.decisions: list[tuple[Decision, FaultKind | None]] = []
        self.watched_events: list[tuple[int, list[nimmt.Event]]] = []
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._order = count()
        ids = count(1000)
        self.play = PassPlay(
            plan,
            pass_no,
            self,
            thinkers=self.thinkers,
            lag=self.lag,
            new_id=lambda: next(ids),
            utc=lambda: "2026-01-01T00:00:00Z",
            host_clock=self.host_clock,
        )

    # The host of the play.
    def game_over(self, record: GameRecord) -> None:
        self.games.append(record)

    def fault(self, record: FaultRecord) -> None:
        self.faults.append(record)

    def out(self, bot: int, cause: str) -> None:
        self.outs.append((bot, cause))

    def thaw(self, bot: int) -> None:
        self.thaws += 1
        self.frozen.discard(bot)
        self.at(self.now + 0.0002, lambda: self._thawed(bot))

    def freeze(self, bot: int) -> None:
        self.frozen.add(bot)

    def decided(self, decision: Decision, out: FaultKind | None) -> None:
        self.decisions.append((decision, out))

    def watched(self, game_no: int, events: Sequence[nimmt.Event]) -> None:
        self.watched_events.append((game_no, list(events)))

    # The world around it.
    def at(self, when: float, what: Callable[[], None]) -> None:
        heapq.heappush(self._heap, (when, next(self._order), what))

    def _thawed(self, bot: int) -> None:
        if self.play.thawed(bot):
            self._deliver(bot)

    def _deliver(self, bot: int) -> None:
        data = self.play.compose(bot)
        if data is None:
            return
        message = pb.ToBot.FromString(data)
        assert bot not in self.frozen
        self.play.sent(bot, self.now)
        self.most_thinking = max(self.most_thinking, len(self.thinkers))
        scripted = self.bots[bot]
        scripted.received.append(message)
        replies = scripted.reply(message.asks)
        if scripted.dead:
            self.at(self.now + scripted.think_s, lambda: self._die(bot))
            return
        for number, answers in enumerate(replies, 1):
            when = self.now + number * scripted.think_s
            self.at(when, partial(self._answer, bot, answers))

    def _answer(self, bot: int, answers: Sequence[pb.Answer]) -> None:
        self.play.answered(bot, answers, self.now)

    def _die(self, bot: int) -> None:
        self.play.stream_ended(bot, self.now)
        end = process_end("exited", 1, None)
        self.at(self.now + 0.005, lambda: self.play.lost(bot, end))

    def join(self) -> None:
        for bot, scripted in enumerate(self.bots):
            hello = pb.Hello(max_batch=scripted.max_batch, events=scripted.events)
            assert self.play.hello(bot, hello, self.now) is not None

    def lose(self, bot: int, fault: BotFault) -> None:
        self.play.lost(bot, fault)

    def run(self, join: bool = True) -> "Simulation":
        """Play to the end, with a beat of the referee's heart every BEAT_S."""
        if join:
            self.join()
        self.play.begin()
        beat = self.now + BEAT_S
        for _ in range(2_000_000):
            for bot in self.play.due():
                self._deliver(bot)
            if self.play.over:
                return self
            if self._heap and self._heap[0][0] <= beat:
                self.now, _, what = heapq.heappop(self._heap)
                what()
            else:
                self.now = beat
                beat += BEAT_S
                self.lag.beat(self.now)
                for bot in self.play.tick(self.now):
                    self.play.lost(bot, process_end("exited", 0, None))
        raise AssertionError("the pass does not end")

    def verify(self) -> None:
        """Every game of the pass was played, once, and its replay is right."""
        planned = sorted(game.game_no for game in self.plan.passes[0])
        assert sorted(game.game_no for game in self.games) == planned
        for game in self.games:
            verify(game.document)
            assert list(game.points) == game.document["result"]["points"]
            assert list(game.places) == game.document["result"]["places"]


def honest(players: int) -> list[Scripted]:
    return [Scripted() for _ in range(players)]
