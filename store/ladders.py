"""Ladders, the competitions without an end: their terms, and what was decided on single bots."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlmodel import Session, col, select

from api_models.states import EntryState, LadderState
from store import bots, scales
from store.columns import JsonDict, utc_now
from store.engine import locked
from store.errors import Conflict
from store.tables import Bot, Ladder, LadderEntry

DEFAULT_CAP = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderField:
    """What was decided on single bots of a ladder, by the id of the bot."""

    entries: Mapping[int, LadderEntry] = field(default_factory=dict)

    def competes(self, bot: Bot) -> bool:
        """Whether a bot plays for a place; a platform bot has to be entered."""
        entry = self.entries.get(bot.id)
        return not bot.is_anchor or (entry is not None and not entry.is_anchor)

    def state(self, bot_id: int) -> EntryState:
        """Whether a bot was taken out, and by whom."""
        entry = self.entries.get(bot_id)
        return EntryState.ENTERED if entry is None else entry.state

    def is_out(self, bot_id: int) -> bool:
        """Whether the bot was taken out of this ladder."""
        return self.state(bot_id) is not EntryState.ENTERED

    def reason(self, bot_id: int) -> str:
        """Why it is out."""
        return self.entries[bot_id].reason if self.is_out(bot_id) else ""


def ladder(
    session: Session,
    rules: str,
    options: JsonDict,
    table_size: int,
    *,
    boards: int,
    passes: int = 1,
    time: JsonDict | None = None,
    state: LadderState = LadderState.CLOSED,
) -> Ladder:
    """The ladder of these rules, options and table size; made if it is not there yet."""
    scale = scales.by_key(session, scales.scale_key(rules, options, table_size))
    found = None if scale is None else session.get(Ladder, scale.id)
    if found is not None:
        return found
    scale = scale or scales.add_scale(session, rules, options, table_size)
    made = Ladder(
        id=scale.id,
        state=state,
        rules=rules,
        options=options,
        table_size=table_size,
        boards=boards,
        passes=passes,
        time=time or {},
        created_at=scale.created_at,
    )
    session.add(made)
    session.flush()
    return made


def ladders(session: Session, *, only_open: bool = False) -> list[Ladder]:
    """All ladders, the oldest first."""
    query = select(Ladder).order_by(col(Ladder.id))
    if only_open:
        query = query.where(Ladder.state == LadderState.OPEN)
    return list(session.exec(query).all())


def titled(session: Session, title: str) -> Ladder | None:
    """The ladder with this title, in whatever case it is written."""
    query = select(Ladder).where(Ladder.title != "")
    same = (one for one in session.exec(query) if one.title.casefold() == title.casefold())
    return next(same, None)


def set_state(session: Session, ladder_id: int, state: LadderState) -> Ladder:
    """Open, pause or close a ladder; which step may follow which is decided by the league."""
    found = locked(session, Ladder, ladder_id)
    found.state = state
    session.flush()
    return found


def field_of(session: Session, ladder_id: int) -> LadderField:
    """What was decided on single bots; bots that are not named play."""
    query = select(LadderEntry).where(LadderEntry.ladder_id == ladder_id)
    return LadderField(entries={one.bot_id: one for one in session.exec(query)})


def enter(session: Session, ladder_id: int, bot: Bot) -> LadderEntry:
    """Put a bot back that was taken out; a platform bot competes for a place from now on."""
    entry = _entry(session, ladder_id, bot)
    entry.state, entry.reason, entry.left_at, entry.is_anchor = EntryState.ENTERED, "", None, False
    session.flush()
    return entry


def take_out(
    session: Session, ladder_id: int, bot: Bot, state: EntryState, reason: str
) -> LadderEntry:
    """Withdraw or disqualify a bot. What an organiser has disqualified its author cannot withdraw:
    that would let the author enter it again."""
    entry = _entry(session, ladder_id, bot)
    if state is EntryState.WITHDRAWN and entry.state is EntryState.DISQUALIFIED:
        name = bots.full_names(session, [bot.id])[bot.id]
        raise Conflict(f"{name} is already disqualified: {entry.reason}")
    entry.state, entry.reason, entry.left_at = state, reason, utc_now()
    session.flush()
    return entry


def _entry(session: Session, ladder_id: int, bot: Bot) -> LadderEntry:
    """The entry of a bot, made if it has none. The ladder is the lock: two acts do not cross."""
    locked(session, Ladder, ladder_id)
    found = session.get(LadderEntry, (ladder_id, bot.id), populate_existing=True)
    if found is None:
        found = LadderEntry(ladder_id=ladder_id, bot_id=bot.id, is_anchor=bot.is_anchor)
        session.add(found)
    return found
