"""The field of a ladder as the store knows it: every bot with what matchmaking needs of it."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlmodel import Session, col, select

import store
from league.ladder.draw import feasible_wait, most_at_once
from league.ladder.entrants import BotStatus, LadderBot, LadderSettings
from store import (
    Bot,
    EntryState,
    Ladder,
    Match,
    MatchState,
    Owner,
    Rating,
    Seat,
    Submission,
    Version,
)
from store import VersionState as State
from store.ladders import LadderField

IN_FLIGHT = (MatchState.PLANNED, MatchState.QUEUED, MatchState.RUNNING)
USUAL_MATCH_SECONDS = 60.0
SHORTEST_PROMISE = 60.0
ELO_START = 1500.0


def matchmaking(session: Session, ladder: Ladder, bots: list[LadderBot]) -> LadderSettings:
    """The rules by which tables are drawn now: the organiser's choices and the fleet at hand."""
    workers = store.workers.alive(session)
    slots = sum(worker.slots for worker in workers)
    wait = ladder.longest_wait
    if wait is None:
        ready = [bot for bot in bots if bot.status is BotStatus.READY and not bot.anchor]
        usual = _match_seconds(session, ladder.id)
        owners = len({bot.owner for bot in ready})
        used = min(slots, most_at_once(owners, ladder.table_size, ladder.cap))
        wait = max(SHORTEST_PROMISE, feasible_wait(len(ready), ladder.table_size, usual, used))
    return LadderSettings(
        seats=ladder.table_size,
        longest_wait=wait,
        cap=ladder.cap,
        paused=not ladder.is_open,
        workers=len(workers),
    )


def _match_seconds(session: Session, ladder_id: int) -> float:
    done = (MatchState.DONE,)
    recent = store.match_lists.matches(session, scale_id=ladder_id, states=done, limit=20)
    # How long each held its slot: the play itself, its start and the storing.
    times = [
        (match.finished_at - match.started_at).total_seconds()
        for match in recent
        if match.finished_at is not None and match.started_at is not None
    ]
    return sum(times) / len(times) if times else USUAL_MATCH_SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A bot of a ladder's field with what the store and matchmaking know of it."""

    bot: Bot
    full_name: str
    entrant: LadderBot


def read_field(session: Session, ladder: Ladder) -> list[LadderBot]:
    """What matchmaking knows of every member."""
    return [one.entrant for one in members(session, ladder)]


def members(session: Session, ladder: Ladder) -> list[Member]:
    """Every bot that plays the ladder's rules, whatever its state, in order of creation."""
    decided = store.ladders.field_of(session, ladder.id)
    now = store.database_time(session)
    query = sa.select(Bot, Owner).join(Owner, col(Owner.id) == col(Bot.owner_id))
    people = [
        (bot, owner)
        for bot, owner in session.execute(query.order_by(col(Bot.id)))
        if ladder.rules in bot.rules
    ]
    versions = _versions(session, [bot.id for bot, _ in people])
    checking = _in_check(session)
    last, flying = _last_ends(session, ladder.id), _in_flight(session, ladder.id)
    ratings = {row.version_id: row for row in store.ratings.table(session, ladder.id)}
    thinks = _think_seconds(session, ladder)
    found = []
    for bot, owner in people:
        own = versions.get(bot.id, [])
        current = next((one for one in own if one.number == bot.current_version), None)
        if bot.is_anchor and current is None:
            continue
        elo, deviation, games = _strength(own, current, ratings)
        competes = decided.competes(bot)
        entrant = LadderBot(
            bot=str(current.id) if current else f"bot:{bot.id}",
            # Platform bots that compete may meet one another, as in seasons.
            owner=f"anchor {bot.id}" if bot.is_anchor else f"owner {owner.id}",
            fingerprint=(current.fingerprint or "") if current else "",
            elo=elo,
            deviation=deviation,
            games=games,
            idle_seconds=_idle(now, ladder, current, last.get(bot.id)),
            in_flight=flying.get(bot.id, 0),
            status=status(bot, owner, own, decided, in_check=bot.id in checking),
            submitted=_handed_in(own, current),
            anchor=not competes,
            think_seconds=thinks.get(current.id) if current and not competes else None,
        )
        found.append(Member(bot=bot, full_name=f"{owner.handle}/{bot.name}", entrant=entrant))
    return found


def status(
    bot: Bot, owner: Owner, versions: list[Version], decided: LadderField, *, in_check: bool
) -> BotStatus:
    """The state of a bot, as far as it matters to this ladder; `versions` are newest first."""
    state = decided.state(bot.id)
    if state is EntryState.DISQUALIFIED or owner.disabled_at is not None:
        return BotStatus.DISQUALIFIED
    if state is EntryState.WITHDRAWN:
        return BotStatus.WITHDRAWN
    current = next((one for one in versions if one.number == bot.current_version), None)
    if current is not None and current.state.is_playable:
        return BotStatus.READY if bot.suspended_at is None else BotStatus.SUSPENDED
    if in_check or any(one.state is State.CHECKING for one in versions[:1]):
        return BotStatus.CHECKING
    if any(one.state is State.REJECTED for one in versions[:1]):
        return BotStatus.REJECTED
    # With an accepted version that does not play, its author lets it rest.
    return BotStatus.WITHDRAWN if versions else BotStatus.NOT_ENTERED


def _strength(
    versions: list[Version], current: Version | None, ratings: dict[int, Rating]
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


def _handed_in(versions: list[Version], current: Version | None) -> float:
    """When the build that plays was first submitted: sending it again does not make it newer."""
    if current is None:
        return 0.0
    same = [
        one for one in versions if current.fingerprint and one.fingerprint == current.fingerprint
    ]
    return min(one.created_at for one in (*same, current)).timestamp()


def _idle(now: datetime, ladder: Ladder, current: Version | None, ended: datetime | None) -> float:
    if current is None:
        return 0.0
    joined = max(ladder.created_at, current.accepted_at or current.created_at)
    return max(0.0, (now - max(joined, ended or joined)).total_seconds())


def _think_seconds(session: Session, ladder: Ladder) -> dict[int, float]:
    """How long the versions of anchor bots think in a match of this ladder, as far as is known.

    Their own time only: a quick bot at a slow table stays quick.
    """
    query = (
        sa.select(
            col(Seat.version_id),
            sa.func.sum(col(Seat.think_ms)),
            sa.func.sum(col(Seat.games)),
        )
        .join(Match, col(Match.id) == col(Seat.match_id))
        .join(Bot, col(Bot.id) == col(Seat.bot_id))
        .where(
            col(Match.scale_id) == ladder.id,
            col(Match.state) == MatchState.DONE,
            col(Bot.is_anchor),
            col(Seat.games) > 0,
        )
        .group_by(col(Seat.version_id))
    )
    games = ladder.boards * ladder.passes
    return {
        version_id: float(think) / 1000 / int(played) * games
        for version_id, think, played in session.execute(query)
    }


def _versions(session: Session, bot_ids: list[int]) -> dict[int, list[Version]]:
    query = select(Version).where(col(Version.bot_id).in_(bot_ids))
    found: dict[int, list[Version]] = {}
    for version in session.exec(query.order_by(col(Version.number).desc())):
        found.setdefault(version.bot_id, []).append(version)
    return found


def _in_check(session: Session) -> set[int]:
    states = [one for one in store.SubmissionState if not one.is_final]
    query = select(Submission.bot_id).where(col(Submission.state).in_(states)).distinct()
    return set(session.exec(query).all())


def _last_ends(session: Session, ladder_id: int) -> dict[int, datetime]:
    query = (
        sa.select(col(Seat.bot_id), sa.func.max(col(Match.finished_at)))
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Match.scale_id) == ladder_id, col(Match.state) == MatchState.DONE)
        .group_by(col(Seat.bot_id))
    )
    return {bot_id: moment for bot_id, moment in session.execute(query) if moment is not None}


def _in_flight(session: Session, ladder_id: int) -> dict[int, int]:
    query = (
        sa.select(col(Seat.bot_id), sa.func.count())
        .join(Match, col(Match.id) == col(Seat.match_id))
        .where(col(Match.scale_id) == ladder_id, col(Match.state).in_(IN_FLIGHT))
        .group_by(col(Seat.bot_id))
    )
    return {bot_id: int(count) for bot_id, count in session.execute(query)}
