"""The fields of ladders in memory: read once, then only what has changed, by whatever process.

What is kept is what has been committed, in one snapshot; it can be forgotten at any time and is
read again as a whole. A ladder's memory belongs to whoever holds the lock of the ladder's row.
"""

from sqlmodel import Session

import store
from league.ladder import rows
from league.ladder.field import FieldView, read_state
from league.ladder.rows import IN_FLIGHT, MatchRow
from store import Ladder, MatchState, Store
from store.changes import News, Position, Topic

MANY_BOTS = 500
MANY_MATCHES = 5000
"""From so many changes on, everything is read: a long list of ids costs more."""


class LadderMemory:
    """The field of one ladder."""

    def __init__(self, database: Store) -> None:
        self._database = database
        self._view: FieldView | None = None
        self._position: Position | None = None

    def look(self, ladder: Ladder) -> FieldView:
        """The field as it is now."""
        view, position = self._view, self._position
        # Whatever fails on the way leaves no half of a change behind.
        self.forget()
        with self._database.read(snapshot=True) as session:
            news = None
            if position is not None:
                news = store.changes.since(session, position, ladder.id)
            if view is None or news is None:
                position = store.changes.here(session)
                view = FieldView(read_state(session, ladder))
            else:
                position = news.position
                _take_in(session, ladder, view, news)
        self._view, self._position = view, position
        return view

    def forget(self) -> None:
        """Read everything the next time."""
        self._view = self._position = None


class LadderFields:
    """The memories of all ladders of a database, for as long as a process is its clock."""

    def __init__(self, database: Store) -> None:
        self._database = database
        self._ladders: dict[int, LadderMemory] = {}

    def of(self, ladder_id: int) -> LadderMemory:
        """The memory of a ladder."""
        return self._ladders.setdefault(ladder_id, LadderMemory(self._database))


def _take_in(session: Session, ladder: Ladder, view: FieldView, news: News) -> None:
    """Read what has changed."""
    state = view.state
    changed = news.of(Topic.MATCH) | news.of(Topic.DONE) | news.of(Topic.UNDONE)
    if len(changed) > MANY_MATCHES:
        view.state = read_state(session, ladder)
        view.forget()
        return
    if news.of(Topic.RATINGS):
        state.ratings = rows.rating_rows(session, ladder.id)
        view.forget()
    _take_in_bots(session, ladder, view, news)
    found = rows.match_rows(session, ladder.id, changed) if changed else {}
    for match_id in changed:
        row = found.get(match_id)
        if row is not None and row.state in IN_FLIGHT:
            state.flying[match_id] = tuple(seat.bot_id for seat in row.seats)
        else:
            state.flying.pop(match_id, None)
    if news.of(Topic.UNDONE):
        state.ends = rows.last_ends(session, ladder.id)
        state.thinks = rows.think_sums(session, ladder.id)
        view.forget()
        return
    for match_id in news.of(Topic.DONE):
        if (row := found.get(match_id)) is not None:
            _take_in_result(view, row)


def _take_in_bots(session: Session, ladder: Ladder, view: FieldView, news: News) -> None:
    state = view.state
    owners = news.of(Topic.OWNER)
    wanted = news.of(Topic.BOT) | {
        one.id for one in (state.bots.values() if owners else ()) if one.owner_id in owners
    }
    if not wanted:
        return
    many = len(wanted) > MANY_BOTS
    found = rows.bot_rows(session, ladder.id, ladder.rules, None if many else wanted)
    for bot_id in wanted:
        state.bots.pop(bot_id, None)
    state.bots.update(found)
    view.forget(wanted)


def _take_in_result(view: FieldView, row: MatchRow) -> None:
    """A match that has a result since the last look; each is told once."""
    state = view.state
    if row.state is not MatchState.DONE:
        return
    for seat in row.seats:
        if row.finished_at is not None:
            ended = state.ends.get(seat.bot_id, row.finished_at)
            state.ends[seat.bot_id] = max(ended, row.finished_at)
        if seat.is_anchor and seat.games > 0:
            think, games = state.thinks.get(seat.version_id, (0, 0))
            state.thinks[seat.version_id] = think + seat.think_us, games + seat.games
            view.forget([seat.bot_id])
