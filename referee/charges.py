"""What a fault means in its pass: a house choice, a record of the fault, perhaps the bot is out.

Whether something is a fault is decided in `play.py`; what each kind costs is in `faults.py`.
"""

from collections import deque
from typing import Protocol

from referee.bot_state import BotState, BotStatus, OpenAsk
from referee.clock import Thinkers
from referee.faults import COSTS, BotFault, FaultKind
from referee.game import Game
from referee.plan import MatchPlan
from referee.result import FaultRecord


class FaultListener(Protocol):
    """Hears of faults and acts on them."""

    def fault(self, record: FaultRecord) -> None:
        """A bot has done something wrong."""

    def out(self, bot: int, cause: str) -> None:
        """A bot plays no more: say Goodbye to it and have its process ended."""


class Charges:
    """Charges the faults of one pass to its bots."""

    def __init__(
        self,
        plan: MatchPlan,
        pass_no: int,
        listener: FaultListener,
        thinkers: Thinkers,
        ready: deque[Game],
    ) -> None:
        self._max_faults = plan.max_faults
        self._pass_no = pass_no
        self._listener = listener
        self._thinkers = thinkers
        self._ready = ready
        """Games in which a house choice was made go here."""

    def protocol(self, state: BotState, cause: str) -> None:
        """A bot has broken the protocol."""
        self.charge(state, BotFault(kind=FaultKind.PROTOCOL, cause=cause))

    def illegal(self, state: BotState, ask: OpenAsk, cause: str, sent: object, ms: float) -> None:
        """A bot has made an illegal choice: a house choice replaces it."""
        kind = FaultKind.ILLEGAL_CHOICE
        where = ask.game.index_of(ask.seat)
        ask.game.house_for_fault(ask.seat, kind, _short(sent), ms, state.batch)
        self.charge(state, BotFault(kind=kind, cause=cause), ask.game, where)

    def timeout(
        self, state: BotState, lost: list[OpenAsk], fault: BotFault, elapsed: float
    ) -> None:
        """A bot has been too slow for these asks; together they are one fault."""
        kind = fault.kind
        first = (lost[0].game, lost[0].game.index_of(lost[0].seat))
        for ask in lost:
            ms = round(elapsed / state.batch, 3)
            ask.game.house_for_fault(ask.seat, kind, None, ms, state.batch)
            self._ready.append(ask.game)
        self.charge(state, fault, *first)

    def charge(
        self,
        state: BotState,
        fault: BotFault,
        game: Game | None = None,
        where: tuple[int, int] | None = None,
    ) -> None:
        """Charge a fault to a bot; one table says what it costs."""
        if state.status is BotStatus.OUT:
            return
        cost = COSTS[fault.kind]
        state.faults += cost.counts
        out = cost.out or fault.lost or state.faults >= self._max_faults
        record = FaultRecord(
            bot=state.bot,
            pass_no=self._pass_no,
            kind=fault.kind,
            cause=fault.cause,
            out=out,
            game_no=None if game is None else game.planned.game_no,
            round_no=None if where is None else where[0],
            decision=None if where is None else where[1],
            began=fault.began,
            ended=fault.ended,
        )
        self._listener.fault(record)
        if out:
            self._put_out(state, fault)

    def _put_out(self, state: BotState, fault: BotFault) -> None:
        for ask in state.leave(fault.kind):
            ask.game.house_for_out(ask.seat, fault.kind)
            self._ready.append(ask.game)
        self._thinkers.end(state.key)
        self._listener.out(state.bot, f"{fault.kind}: {fault.cause}")


def _short(sent: object) -> object:
    """What a bot sent, as it stands in a replay: whole when it is small."""
    text = repr(sent)
    return sent if len(text) <= 300 else text[:300] + "…"
