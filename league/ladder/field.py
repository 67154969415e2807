"""The field of a ladder: every bot with what matchmaking needs of it.

`FieldState` is what the store knows, whatever the time; `FieldView` is what follows from it.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain

import sqlalchemy as sa
from sqlmodel import Session, col

import store
from league.ladder import rows
from league.ladder.draw import Roster, feasible_wait, make_roster, most_at_once
from league.ladder.entrants import BotStatus, LadderBot, LadderSettings
from league.ladder.rows import BotRow, RatingRow, VersionRow
from store import EntryState, Ladder, Match, MatchState
from store import VersionState as State

USUAL_MATCH_SECONDS = 60.0
SHORTEST_PROMISE = 60.0
ELO_START = 1500.0


def matchmaking(session: Session, ladder: Ladder, bots: Iterable[LadderBot]) -> LadderSettings:
    """The rules by which tables are drawn now: the organiser's choices and the fleet at hand."""
    fleet = store.workers.fleet(session)
    wait = ladder.longest_wait
    if wait is None:
        ready = [bot for bot in bots if bot.status is BotStatus.READY and not bot.anchor]
        usual = _match_seconds(session, ladder.id)
        owners = len({bot.owner for bot in ready})
        used = min(fleet.slots, most_at_once(owners, ladder.table_size, ladder.cap))
        wait = max(SHORTEST_PROMISE, feasible_wait(len(ready), ladder.table_size, usual, used))
    return LadderSettings(
        seats=ladder.table_size,
        longest_wait=wait,
        cap=ladder.cap,
        paused=not ladder.is_open,
        workers=fleet.workers,
    )


def _match_seconds(session: Session, ladder_id: int) -> float:
    query = (
        sa.select(col(Match.started_at), col(Match.finished_at))
        .where(col(Match.scale_id) == ladder_id, col(Match.state) == MatchState.DONE)
        .order_by(col(Match.id).desc())
        .limit(20)
    )
    # How long each held its slot: the play itself, its start and the storing.
    times = [
        (finished - started).total_seconds()
        for started, finished in session.execute(query)
        if finished is not None and started is not None
    ]
    return sum(times) / len(times) if times else USUAL_MATCH_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A bot of a ladder's field with what the store and matchmaking know of it."""

    bot: BotRow
    entrant: LadderBot

    @property
    def full_name(self) -> str:
        """`owner/name`."""
        return self.bot.full_name


@dataclass(slots=True, kw_only=True)
class FieldState:
    """All that the store knows of a ladder's field, by the ids of bots, versions and matches."""

    bots: dict[int, BotRow]
    ratings: dict[int, RatingRow]
    flying: dict[int, tuple[int, ...]]
    """The tables of the matches that wait or run."""
    ends: dict[int, datetime]
    """When the last match of each bot ended."""
    thinks: dict[int, tuple[int, int]]
    """Of versions of anchor bots: microseconds and games."""


def read_state(session: Session, ladder: Ladder) -> FieldState:
    """Read everything."""
    return FieldState(
        bots=rows.bot_rows(session, ladder.id, ladder.rules),
        ratings=rows.rating_rows(session, ladder.id),
        flying=rows.tables_in_flight(session, ladder.id),
        ends=rows.last_ends(session, ladder.id),
        thinks=rows.think_sums(session, ladder.id),
    )


@dataclass(slots=True)
class FieldView:
    """What follows from a state; it is computed once and again only where something changed."""

    state: FieldState
    _terms: tuple[datetime, int] | None = None
    _entrants: dict[int, LadderBot] = field(default_factory=dict)
    """Without the time and the matches on their way, which change all the time."""
    _joined: dict[int, datetime] = field(default_factory=dict)
    _roster: Roster | None = None
    _players: list[int] = field(default_factory=list)

    def forget(self, bot_ids: Iterable[int] | None = None) -> None:
        """Something is new of these bots; None: of all."""
        self._roster = None
        if bot_ids is None:
            self._terms = None
            return
        for bot_id in bot_ids:
            self._entrants.pop(bot_id, None)

    def entrants(self, ladder: Ladder) -> dict[int, LadderBot]:
        """Every bot of the field by its id, as far as time and matches do not change it."""
        terms = ladder.created_at, ladder.boards * ladder.passes
        if terms != self._terms:
            self._terms, self._roster, self._entrants = terms, None, {}
        if self._roster is None:
            for bot_id in self._entrants.keys() - self.state.bots.keys():
                del self._entrants[bot_id]
            for bot_id in self.state.bots.keys() - self._entrants.keys():
                self._know(self.state.bots[bot_id], ladder)
        return self._entrants

    def _know(self, bot: BotRow, ladder: Ladder) -> None:
        current = bot.current
        if bot.is_anchor and current is None:
            return
        self._entrants[bot.id] = _entrant(bot, current, ladder, self.state)
        if current is not None:
            joined = current.accepted_at or current.created_at
            self._joined[bot.id] = max(ladder.created_at, joined)
        else:
            self._joined.pop(bot.id, None)

    def roster(self, ladder: Ladder) -> Roster:
        """Who can be drawn."""
        entrants = self.entrants(ladder)
        if self._roster is None:
            self._roster = make_roster(list(entrants.values()))
            by_name = {one.bot: bot_id for bot_id, one in entrants.items()}
            self._players = [by_name[one.bot] for one in self._roster.players]
        return self._roster

    def moment(self, ladder: Ladder, now: datetime) -> tuple[list[float], list[int]]:
        """For how long each player of the roster has been idle, and its matches on their way."""
        self.roster(ladder)
        flying = Counter(chain.from_iterable(self.state.flying.values()))
        idle = [self._idle(bot_id, now) for bot_id in self._players]
        return idle, [flying.get(bot_id, 0) for bot_id in self._players]

    def _idle(self, bot_id: int, now: datetime) -> float:
        joined = self._joined.get(bot_id)
        if joined is None:
            return 0.0
        ended = self.state.ends.get(bot_id, joined)
        return max(0.0, (now - max(joined, ended)).total_seconds())

    def members(self, ladder: Ladder, now: datetime) -> list[Member]:
        """Every bot with all that is known of it now, in order of creation."""
        flying = Counter(chain.from_iterable(self.state.flying.values()))
        return [
            Member(
                bot=self.state.bots[bot_id],
                entrant=replace(
                    entrant, idle_seconds=self._idle(bot_id, now), in_flight=flying[bot_id]
                ),
            )
            for bot_id, entrant in sorted(self.entrants(ladder).items())
        ]


def members(session: Session, ladder: Ladder) -> list[Member]:
    """Every bot that plays the ladder's rules, whatever its state, in order of creation."""
    now = store.database_time(session)
    return FieldView(read_state(session, ladder)).members(ladder, now)


def read_field(session: Session, ladder: Ladder) -> list[LadderBot]:
    """What matchmaking knows of every member."""
    return [one.entrant for one in members(session, ladder)]


def _entrant(
    bot: BotRow, current: VersionRow | None, ladder: Ladder, state: FieldState
) -> LadderBot:
    elo, deviation, games = _strength(bot.versions, current, state.ratings)
    thinks = state.thinks.get(current.id) if current and not bot.competes else None
    boards = ladder.boards * ladder.passes
    return LadderBot(
        bot=str(current.id) if current else f"bot:{bot.id}",
        # Platform bots that compete may meet one another, as in seasons.
        owner=f"anchor {bot.id}" if bot.is_anchor else f"owner {bot.owner_id}",
        fingerprint=(current.fingerprint or "") if current else "",
        elo=elo,
        deviation=deviation,
        games=games,
        status=status(bot),
        submitted=_submitted(bot.versions, current),
        anchor=not bot.competes,
        think_seconds=None if thinks is None else thinks[0] / 1e6 / thinks[1] * boards,
    )


def status(bot: BotRow) -> BotStatus:
    """The state of a bot, as far as it matters to this ladder."""
    if bot.entry is EntryState.DISQUALIFIED or bot.disabled:
        return BotStatus.DISQUALIFIED
    if bot.entry is EntryState.WITHDRAWN:
        return BotStatus.WITHDRAWN
    current = bot.current
    if current is not None and current.state.is_playable:
        return BotStatus.READY if bot.suspended_at is None else BotStatus.SUSPENDED
    newest = bot.versions[0].state if bot.versions else None
    if bot.in_check or newest is State.CHECKING:
        return BotStatus.CHECKING
    if newest is State.REJECTED:
        return BotStatus.REJECTED
    # With an accepted version that does not play, its author lets it rest.
    return BotStatus.WITHDRAWN if bot.versions else BotStatus.NOT_ENTERED


def _strength(
    versions: tuple[VersionRow, ...], current: VersionRow | None, ratings: dict[int, RatingRow]
) -> tuple[float, float | None, int]:
    """Rating, its error and games of the current version; a new one inherits a rating only."""
    row = ratings.get(current.id) if current else None
    if row is not None:
        low, high = row.low, row.high
        error = None if low is None or high is None else (high - low) / 3.92
        return row.official if row.official is not None else row.live, error, row.games
    for older in versions:
        before = ratings.get(older.id)
        if before is not None and current is not None and older.number < current.number:
            return before.live, None, 0
    return ELO_START, None, 0


def _submitted(versions: tuple[VersionRow, ...], current: VersionRow | None) -> float:
    """When the build that plays was first submitted: sending it again does not make it newer."""
    if current is None:
        return 0.0
    same = [
        one for one in versions if current.fingerprint and one.fingerprint == current.fingerprint
    ]
    return min(one.created_at for one in (*same, current)).timestamp()
