"""The life of a ladder: opened, paused and closed, its settings, bots entered and taken out.

One ladder for each rules, options and table size. Its matches are made by `queue`.
"""

from typing import Any

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import LeagueRefusal, Malformed, NotThere
from league.given import take
from league.ladder.plan import LadderPlan, LadderSettings
from league.ladder.steps import begin
from league.matches import DUPLICATE_BELOW, whole_laps
from league.plans import check_game
from store import EntryState, Ladder, LadderState


def open_ladder(session: Session, plan: LadderPlan, actor: Actor) -> Ladder:
    """Open the ladder of these rules, options and table size; made if it is not there yet.

    A ladder that exists keeps its results, and its title unless the plan has one; boards and time
    are those of the matches to come.
    """
    rules = check_game(plan.rules, plan.options, plan.table)
    ladder = store.ladders.ladder(
        session, rules.name, dict(rules.options), plan.table, boards=plan.boards
    )
    ladder = store.locked(session, Ladder, ladder.id)
    _settle(session, ladder, plan.model_copy(update={"title": plan.title or ladder.title}))
    detail = {"key": store.scales.scale(session, ladder.id).key, "boards": ladder.boards}
    return _become(session, ladder, LadderState.OPEN, actor, Action.LADDER_OPEN, detail)


def plan_of(ladder: Ladder) -> LadderPlan:
    """What a ladder is played with now."""
    # It was checked when it was opened, and its boards may have been rounded up since.
    time: dict[str, Any] = {name: int(str(ms)) for name, ms in ladder.time.items()}
    return LadderPlan.model_construct(
        title=ladder.title,
        rules=ladder.rules,
        options=ladder.options,
        table=ladder.table_size,
        boards=ladder.boards,
        longest_wait=ladder.longest_wait,
        cap=ladder.cap,
        **time,
    )


def set_settings(
    session: Session,
    ladder_id: int,
    actor: Actor,
    *,
    title: str | None = None,
    boards: int | None = None,
    cap: int | None = None,
    longest_wait: float | None = None,
    move_ms: int | None = None,
    bank_ms: int | None = None,
) -> Ladder:
    """Change what the matches to come are played with; what is None stays.

    An empty title leaves the name to the rules. A longest wait of 0 leaves the promise to the
    league. Whether the ladder is open stays.
    """
    given = {
        "title": title,
        "boards": boards,
        "cap": cap,
        "longest_wait": longest_wait,
        "move_ms": move_ms,
        "bank_ms": bank_ms,
    }
    chosen = take(LadderSettings, given).model_dump(exclude_none=True)
    if chosen.get("longest_wait") == 0:
        chosen["longest_wait"] = None
    ladder = store.locked(session, Ladder, ladder_id)
    plan = plan_of(ladder).model_copy(update=chosen)
    _settle(session, ladder, plan)
    detail: store.JsonDict = {
        "title": ladder.title,
        "boards": ladder.boards,
        "time": ladder.time,
        "longest_wait": plan.longest_wait,
        "cap": plan.cap,
    }
    _audit(session, actor, Action.LADDER_SETTINGS, ladder_id, detail)
    return ladder


def _settle(session: Session, ladder: Ladder, plan: LadderPlan) -> None:
    """What a plan says beside rules, options and table size: those are the ladder itself."""
    size = ladder.table_size
    ladder.title = _free_title(session, ladder, plan.title)
    ladder.passes = size if size < DUPLICATE_BELOW else 1
    ladder.boards = whole_laps(plan.boards, size, ladder.passes)
    ladder.time = dict(plan.time)
    ladder.longest_wait, ladder.cap = plan.longest_wait, plan.cap
    session.flush()


def _free_title(session: Session, ladder: Ladder, given: str) -> str:
    """The title on one line; LeagueRefusal if another ladder has it."""
    title = " ".join(given.split())
    other = store.ladders.titled(session, title) if title else None
    if other is not None and other.id != ladder.id:
        raise LeagueRefusal(f"got the title {title!r}, which ladder {other.id} has; choose another")
    return title


def pause(session: Session, ladder_id: int, actor: Actor) -> Ladder:
    """Make no matches for now; those that are queued or running are still played and count."""
    return _become(session, *begin(session, "pause", ladder_id, actor), actor, Action.LADDER_PAUSE)


def resume(session: Session, ladder_id: int, actor: Actor) -> Ladder:
    """Make matches again, with the settings it has."""
    return _become(
        session, *begin(session, "resume", ladder_id, actor), actor, Action.LADDER_RESUME
    )


def close(session: Session, ladder_id: int, actor: Actor) -> Ladder:
    """Make no more matches; those that are queued or running are still played and count."""
    return _become(session, *begin(session, "close", ladder_id, actor), actor, Action.LADDER_CLOSE)


def _become(
    session: Session,
    ladder: Ladder,
    state: LadderState,
    actor: Actor,
    action: Action,
    detail: store.JsonDict | None = None,
) -> Ladder:
    changed = store.ladders.set_state(session, ladder.id, state)
    _audit(session, actor, action, ladder.id, detail or {})
    return changed


def enter(
    session: Session, ladder_id: int, full_name: str, actor: Actor, *, by_author: bool = False
) -> None:
    """Let a bot play that was taken out, or a platform bot compete for a place.

    Other bots need no entering: they play on every ladder of their rules. An author cannot undo a
    disqualification.
    """
    ladder, bot = store.locked(session, Ladder, ladder_id), _bot(session, full_name)
    if ladder.rules not in bot.rules:
        raise LeagueRefusal(f"{full_name} plays {', '.join(bot.rules)}, not {ladder.rules}")
    decided = store.ladders.field_of(session, ladder_id)
    if by_author and decided.state(bot.id) is EntryState.DISQUALIFIED:
        why = decided.reason(bot.id)
        raise LeagueRefusal(
            f"{full_name} is disqualified: {why}; only an organiser can put it back"
        )
    store.ladders.enter(session, ladder_id, bot)
    _audit(session, actor, Action.LADDER_ENTER, ladder_id, {"bot": full_name})


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
        raise Malformed("a disqualification needs a reason; it is public")
    state = EntryState.WITHDRAWN if by_author else EntryState.DISQUALIFIED
    try:
        store.ladders.take_out(session, ladder_id, _bot(session, full_name), state, reason)
    except store.Conflict as error:
        raise LeagueRefusal(str(error)) from None
    action = Action.LADDER_WITHDRAW if by_author else Action.LADDER_DISQUALIFY
    _audit(session, actor, action, ladder_id, {"bot": full_name}, reason)


def _bot(session: Session, full_name: str) -> store.Bot:
    bot = store.bots.find_bot(session, full_name)
    if bot is None:
        raise NotThere(f"there is no bot {full_name!r}; bots are named OWNER/NAME")
    return bot


def _audit(
    session: Session,
    actor: Actor,
    action: Action,
    ladder_id: int,
    detail: store.JsonDict,
    reason: str = "",
) -> None:
    store.audit.record(
        session, action, "ladder", ladder_id, actor=actor, reason=reason, detail=detail
    )
