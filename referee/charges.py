"""What a fault means in its pass: the house plays, the fault is written down, the bot may be out.

Whether something is a fault is decided in `play.py`; what each kind costs stands in `faults.py`.
"""

from collections import deque
from typing import Protocol

from referee.clock import Thinkers
from referee.desk import Desk, Mood, OpenAsk
from referee.faults import COSTS, BotFault, FaultKind
from referee.game import Game
from referee.plan import MatchPlan
from referee.result import FaultRecord


class Bailiff(Protocol):
    """Who hears of faults and acts on them."""

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
        bailiff: Bailiff,
        thinkers: Thinkers,
        ready: deque[Game],
    ) -> None:
        self._max_faults = plan.max_faults
        self._pass_no = pass_no
        self._bailiff = bailiff
        self._thinkers = thinkers
        self._ready = ready
        """Where games go in which the house has decided something."""

    def protocol(self, desk: Desk, cause: str) -> None:
        """A bot has broken the contract."""
        self.charge(desk, BotFault(kind=FaultKind.PROTOCOL, cause=cause))

    def illegal(self, desk: Desk, ask: OpenAsk, cause: str, sent: object, ms: float) -> None:
        """A bot has chosen what the rules do not allow: the house chooses instead."""
        kind = FaultKind.ILLEGAL_CHOICE
        where = ask.game.index_of(ask.seat)
        ask.game.house_for_fault(ask.seat, kind, _short(sent), ms, desk.batch)
        self.charge(desk, BotFault(kind=kind, cause=cause), ask.game, where)

    def timeout(self, desk: Desk, lost: list[OpenAsk], fault: BotFault, elapsed: float) -> None:
        """A bot has been too slow for these asks; together they are one fault."""
        kind = fault.kind
        first = (lost[0].game, lost[0].game.index_of(lost[0].seat))
        for ask in lost:
            ms = round(elapsed / desk.batch, 3)
            ask.game.house_for_fault(ask.seat, kind, None, ms, desk.batch)
            self._ready.append(ask.game)
        self.charge(desk, fault, *first)

    def charge(
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
        out = cost.out or fault.lost or desk.faults >= self._max_faults
        record = FaultRecord(
            bot=desk.bot,
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
        self._bailiff.fault(record)
        if out:
            self._put_out(desk, fault)

    def _put_out(self, desk: Desk, fault: BotFault) -> None:
        for ask in desk.leave(fault.kind):
            ask.game.house_for_out(ask.seat, fault.kind)
            self._ready.append(ask.game)
        self._thinkers.end((self._pass_no, desk.bot))
        self._bailiff.out(desk.bot, f"{fault.kind}: {fault.cause}")


def _short(sent: object) -> object:
    """What a bot sent, as it stands in a replay: whole when it is small."""
    text = repr(sent)
    return sent if len(text) <= 300 else text[:300] + "…"
