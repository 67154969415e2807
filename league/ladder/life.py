"""The life of a ladder: opened, paused and closed, its settings, bots entered and taken out.

One ladder for each rules, options and table size. Its matches are made by `queue`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import replace as changed
from typing import Any

from sqlmodel import Session

import nimmt
import store
from league.audit import Actor
from league.errors import LeagueRefusal
from league.matches import DEFAULT_BOARDS, DEFAULT_TIME, DUPLICATE_BELOW
from store import EntryState, Ladder, LadderState
from store.ladders import DEFAULT_CAP


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderPlan:
    """What an organiser chooses when a ladder is opened."""

    rules: str
    options: Mapping[str, Any] = field(default_factory=dict)
    table_size: int = 4
    boards: int = DEFAULT_BOARDS
    time: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_TIME))
    longest_wait: float | None = None
    cap: int = DEFAULT_CAP


def open_ladder(session: Session, plan: LadderPlan, actor: Actor) -> Ladder:
    """Open the ladder of these rules, options and table size; made if it is not there yet.

    A ladder that exists keeps its results; boards and time are those of the matches to come.
    """
    try:
        rules = nimmt.get(plan.rules, plan.options)
        rules.check_players(plan.table_size)
    except nimmt.RulesError as error:
        raise LeagueRefusal(str(error)) from None
    ladder = store.ladders.ladder(
        session, rules.name, dict(rules.options), plan.table_size, boards=plan.boards
    )
    ladder = store.locked(session, Ladder, ladder.id)
    _take(session, ladder, plan)
    detail = {"key": store.scales.scale(session, ladder.id).key, "boards": ladder.boards}
    return _become(session, ladder.id, LadderState.OPEN, actor, "ladder.open", detail)


def plan_of(ladder: Ladder) -> LadderPlan:
    """What a ladder is played with now."""
    return LadderPlan(
        rules=ladder.rules,
        options=ladder.options,
        table_size=ladder.table_size,
        boards=ladder.boards,
        time={name: int(str(value)) for name, value in ladder.time.items()},
        longest_wait=ladder.longest_wait,
        cap=ladder.cap,
    )


def set_settings(
    session: Session,
    ladder_id: int,
    actor: Actor,
    *,
    boards: int | None = None,
    cap: int | None = None,
    longest_wait: float | None = None,
    move_ms: int | None = None,
    bank_ms: int | None = None,
) -> Ladder:
    """Change what the matches to come are played with; what is None stays.

    A longest wait of 0 leaves the promise to the league. Whether the ladder is open stays.
    """
    ladder = store.locked(session, Ladder, ladder_id)
    before = plan_of(ladder)
    given = {"move_ms": move_ms, "bank_ms": bank_ms}
    plan = changed(
        before,
        boards=before.boards if boards is None else boards,
        cap=before.cap if cap is None else cap,
        longest_wait=before.longest_wait if longest_wait is None else longest_wait or None,
        time={**before.time, **{name: ms for name, ms in given.items() if ms is not None}},
    )
    _take(session, ladder, plan)
    detail: store.JsonDict = {
        "boards": ladder.boards,
        "time": ladder.time,
        "longest_wait": plan.longest_wait,
        "cap": plan.cap,
    }
    _audit(session, actor, "ladder.settings", ladder_id, detail)
    return ladder


def _take(session: Session, ladder: Ladder, plan: LadderPlan) -> None:
    """What a plan says beside rules, options and table size: those are the ladder itself."""
    if plan.boards < 1 or plan.cap < 1:
        raise LeagueRefusal("a ladder needs at least one board a match and a cap of one match")
    if plan.longest_wait is not None and plan.longest_wait <= 0:
        raise LeagueRefusal(f"the longest wait must be above 0 seconds, got {plan.longest_wait!r}")
    if min(plan.time.values(), default=0) < 0:
        raise LeagueRefusal(f"times are 0 ms or more, got {dict(plan.time)}")
    size = ladder.table_size
    duplicated = size < DUPLICATE_BELOW
    ladder.boards = plan.boards if duplicated else -(-plan.boards // size) * size
    ladder.passes = size if duplicated else 1
    ladder.time = dict(plan.time)
    ladder.longest_wait, ladder.cap = plan.longest_wait, plan.cap
    session.flush()


def pause(session: Session, ladder_id: int, actor: Actor) -> Ladder:
    """Make no matches for now; those that are queued or running are still played and count."""
    at = (LadderState.OPEN,)
    return _become(session, ladder_id, LadderState.PAUSED, actor, "ladder.pause", at=at)


def resume(session: Session, ladder_id: int, actor: Actor) -> Ladder:
    """Make matches again, with the settings it has."""
    at = (LadderState.PAUSED, LadderState.CLOSED)
    return _become(session, ladder_id, LadderState.OPEN, actor, "ladder.resume", at=at)


def close(session: Session, ladder_id: int, actor: Actor) -> Ladder:
    """Make no more matches; those that are queued or running are still played and count."""
    at = (LadderState.OPEN, LadderState.PAUSED)
    return _become(session, ladder_id, LadderState.CLOSED, actor, "ladder.close", at=at)


def _become(
    session: Session,
    ladder_id: int,
    state: LadderState,
    actor: Actor,
    action: str,
    detail: store.JsonDict | None = None,
    *,
    at: tuple[LadderState, ...] = (),
) -> Ladder:
    try:
        ladder = store.ladders.set_state(session, ladder_id, state, at=at)
    except store.Conflict as error:
        raise LeagueRefusal(str(error)) from None
    _audit(session, actor, action, ladder_id, detail or {})
    return ladder


def enter(session: Session, ladder_id: int, full_name: str, actor: Actor) -> None:
    """Let a bot play that was taken out, or a platform bot compete for a place.

    Other bots need no entering: they play on every ladder of their rules.
    """
    ladder, bot = store.locked(session, Ladder, ladder_id), _bot(session, full_name)
    if ladder.rules not in bot.rules:
        raise LeagueRefusal(f"{full_name} plays {', '.join(bot.rules)}, not {ladder.rules}")
    store.ladders.enter(session, ladder_id, bot)
    _audit(session, actor, "ladder.enter", ladder_id, {"bot": full_name})


def take_out(
    session: Session,
    ladder_id: int,
    full_name: str,
    actor: Actor,
    reason: str,
    *,
    by_author: bool = False,
) -> None:
    """Withdraw a bot at its author's wish, or disqualify it; its results so far stay rated."""
    if not by_author and not reason.strip():
        raise LeagueRefusal("a disqualification needs a reason that everybody can read")
    state = EntryState.WITHDRAWN if by_author else EntryState.DISQUALIFIED
    try:
        store.ladders.take_out(session, ladder_id, _bot(session, full_name), state, reason)
    except store.Conflict as error:
        raise LeagueRefusal(str(error)) from None
    action = "ladder.withdraw" if by_author else "ladder.disqualify"
    _audit(session, actor, action, ladder_id, {"bot": full_name}, reason)


def _bot(session: Session, full_name: str) -> store.Bot:
    bot = store.bots.find_bot(session, full_name)
    if bot is None:
        raise LeagueRefusal(f"there is no bot {full_name!r}; bots are named OWNER/NAME")
    return bot


def _audit(
    session: Session,
    actor: Actor,
    action: str,
    ladder_id: int,
    detail: store.JsonDict,
    reason: str = "",
) -> None:
    store.audit.record(
        session, action, "ladder", ladder_id, actor=actor, reason=reason, detail=detail
    )
