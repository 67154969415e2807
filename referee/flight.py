"""The games of one pass that are in flight: which begin, which go on, what they ask and tell.

Knows the bots' states, and nothing of answers, clocks or faults. No I/O.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

import nimmt
from nimmt import Event, bot_seed
from nimmt.events import BullCard, Move, Reveal, seen_by
from nimmt.replay import Decision
from referee.bot_state import BotState, BotStatus, OpenAsk
from referee.faults import FaultKind
from referee.game import Game
from referee.plan import MatchPlan
from referee.result import GameRecord
from wire import codec
from wire.v1 import bot_pb2 as pb


class Audience(Protocol):
    """Hears what happens in the games."""

    def game_over(self, record: GameRecord) -> None:
        """A game is finished."""

    def decided(self, decision: Decision, out: FaultKind | None) -> None:
        """A seat has decided, or was played for because it is out."""

    def watched(self, game_no: int, events: Sequence[Event]) -> None:
        """What happened in the game that is watched, hidden cards left out."""


class Flight:
    """All games of one pass, side by side; each runs until it needs a bot."""

    def __init__(
        self,
        plan: MatchPlan,
        pass_no: int,
        rules: nimmt.Rules,
        states: Sequence[BotState],
        audience: Audience,
        utc: Callable[[], str],
    ) -> None:
        self.todo = deque(plan.passes[pass_no])
        """Games that have not begun."""
        self.games: set[Game] = set()
        """Games that have begun and are not finished."""
        self.ready: deque[Game] = deque()
        """Games in which something was decided; whoever decides puts them here."""
        self.line: deque[int] = deque()
        """Bots that have something to think about, in the order in which they may."""
        self.now = 0.0
        """When the last thing happened; updated by whoever reads the clock."""
        self._plan = plan
        self._pass_no = pass_no
        self._rules = rules
        self._states = states
        self._audience = audience
        self._utc = utc
        self._at_once = 0
        """How many games may be in flight: none before the pass begins."""
        self._resting: list[tuple[float, Game, list[int]]] = []
        """Games that pause for their spectators: until when, and the seats to ask then."""
        self._to_watch = plan.watch and pass_no == len(plan.passes) - 1
        """Spectators see the last pass only: what its boards show no longer helps any bot."""
        self._watched: Game | None = None

    def begin(self) -> None:
        """Start the first games."""
        self._at_once = self._plan.in_flight
        self.work()

    def work(self) -> None:
        """Run every game that can go on, and start new ones, until all wait for bots."""
        while True:
            while self.ready:
                self._run(self.ready.popleft())
            if not self.todo or len(self.games) >= self._at_once:
                return
            self._start()

    def wake_rested(self) -> None:
        """Ask in the games that have paused for long enough."""
        rested = [entry for entry in self._resting if entry[0] <= self.now]
        self._resting = [entry for entry in self._resting if entry[0] > self.now]
        for _, game, seats in rested:
            self._ask(game, seats)

    def _start(self) -> None:
        game = Game(self._rules, self._plan, self.todo.popleft(), self._pass_no, self._utc())
        if self._plan.has_people:
            game.on_decision = self._audience.decided
        self.games.add(game)
        no, players = game.planned.game_no, len(game.seats)
        for seat, bot in enumerate(game.seats):
            state = self._states[bot]
            if state.status is not BotStatus.OUT:
                seed = bot_seed(game.key, game.planned.board, seat)
                start = pb.GameStart(game_no=no, seat=seat, players=players, bot_seed=seed)
                state.starts.append(start)
        if self._to_watch and self._watched is None:
            self._watched = game
        self._tell(game, game.state.opening)
        self.ready.append(game)

    def _run(self, game: Game) -> None:
        if game.waits or game not in self.games:
            return
        outs = [self._states[bot].out for bot in game.seats]
        seats, events = game.advance(outs)
        if events:
            self._tell(game, events)
        if self._plan.pace_ms and seats:
            rest = self._plan.pace_ms / 1000.0 * max(1, sum(map(_is_movement, events)))
            self._resting.append((self.now + rest, game, seats))
        else:
            self._ask(game, seats)
        if game.over:
            self._finish(game)

    def _ask(self, game: Game, seats: Sequence[int]) -> None:
        for seat in seats:
            state = self._states[game.seats[seat]]
            if state.out is not None:
                # It went out while the game paused.
                game.house_for_out(seat, state.out)
                self.ready.append(game)
                continue
            state.waiting.append(OpenAsk(game, seat, game.state.pending[seat].kind))
            if state.status is BotStatus.IDLE and len(state.waiting) == 1 and not state.person:
                self.line.append(state.bot)

    def _tell(self, game: Game, events: Sequence[Event]) -> None:
        for seat, bot in enumerate(game.seats):
            state = self._states[bot]
            if state.wants_events and state.status is not BotStatus.OUT:
                news = state.events.setdefault(game.planned.game_no, [])
                news += [codec.event_to_wire(seen_by(event, seat)) for event in events]
        if game is self._watched:
            # What neither of two seats may see is hidden from all viewers.
            shown = [seen_by(seen_by(event, 0), 1) for event in events]
            self._audience.watched(game.planned.game_no, shown)

    def _finish(self, game: Game) -> None:
        result = game.state.result
        assert result is not None
        # Places follow from the points: the other bots are not told who was out.
        over = pb.GameOver(game_no=game.planned.game_no, points=result.points, places=result.places)
        for bot in game.seats:
            if self._states[bot].status is not BotStatus.OUT:
                self._states[bot].overs.append(over)
        self.games.remove(game)
        if game is self._watched:
            self._watched = None
        self._audience.game_over(game.record())


def _is_movement(event: Event) -> bool:
    """Whether spectators see a card move; a deal is one movement, however many cards it has."""
    return isinstance(event, Reveal | BullCard) or (isinstance(event, Move) and event.why != "deal")
