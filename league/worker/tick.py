"""What happens by itself: dates, the queue, lost matches, ratings, the end of seasons.

Every function may run at any time, twice, and in two processes at once.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import structlog

import store
from league import (
    friendlies,
    notices,
    people,
    ratings,
    reviews,
    seasons,
)
from league import (
    gate as gates,
)
from league import (
    ladder as ladders,
)
from league import (
    submissions as league_submissions,
)
from league.audit import LEAGUE, Action
from league.errors import LeagueRefusal
from league.ladder import LadderFields
from league.settings import LeagueSettings
from league.steps import Step
from store import Doorbell, Scale, Season, SeasonState, Store
from store.matches import LEAGUE_QUEUES

LOG = structlog.get_logger("league")
RESTS = 9
"""A table rests this many times as long as it took to compute."""
QUEUE_AHEAD = 2
"""Matches in the queue for every slot: enough that none waits, few enough that the broker never
holds more than seconds of work."""
DAY_SECONDS = 86_400.0
FAILED = {
    "opens_at": Action.SEASON_OPENS_AT_FAILED,
    "freezes_at": Action.SEASON_FREEZES_AT_FAILED,
    "starts_at": Action.SEASON_STARTS_AT_FAILED,
    "ends_at": Action.SEASON_ENDS_AT_FAILED,
}
"""What is written down when a date came and its step could not be taken."""


PARTS = (
    *FAILED,
    "dates",
    "lost matches",
    "submissions",
    "gates",
    "ends",
    "failing bots",
    "queue",
    "friendlies",
    "tables",
    "old tables",
    "changes",
    "webhooks",
    "matches of gates",
    "matches of ladders",
    "adaptive season",
    "ratings",
    "rehearsals",
)
"""The parts of the clockwork, by the names under which their failures are told and counted; a date
of a season that cannot be kept has the name of its column."""

on_failure: ContextVar[Callable[[str], object] | None] = ContextVar("on_failure", default=None)
"""Who hears the name of a part that failed, in this thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """What has to be published after a tick."""

    matches: tuple[Doorbell, ...]
    submissions: tuple[int, ...]
    reviews: tuple[int, ...] = ()


def tick(database: Store, settings: LeagueSettings, fields: LadderFields | None = None) -> Due:
    """One turn of the clockwork: everything but the ratings, which take longer.

    The parts do not hold each other up: one that fails is told, and tried again at the next turn.
    """
    bells: list[Doorbell] = []
    submissions: list[int] = []
    with _part("dates"):
        keep_dates(database)
    with _part("lost matches"), database.write() as session:
        reaped = store.attempts.reap(session, stale=settings.stale_seconds)
        bells += reaped.publish
        for match_id in reaped.stuck:
            LOG.error("match is stuck", match=match_id)
    with _part("submissions"), database.write() as session:
        submissions = store.bots.waiting_submissions(session, older_than=5.0)
    with _part("gates"):
        gates.open_due(database)
        gates.advance(database)
    # Before the queue: a season that goes on has new matches for it, a suspended bot has none.
    with _part("ends"):
        end_seasons(database)
    with _part("failing bots"):
        ladders.watch_failures(database)
    with _part("queue"):
        bells += fill(database, settings, fields)
    with _part("friendlies"):
        bells += friendlies.waiting_bells(database)
    with _part("tables"):
        people.close_abandoned(database, settings.table_idle_seconds)
    with _part("old tables"), database.write() as session:
        store.old_tables.clean(session, kept=DAY_SECONDS * settings.table_kept_days)
    with _part("changes"), database.write() as session:
        store.changes.prune(session)
    with _part("webhooks"):
        notices.send_soon(database, settings.webhook_seconds)
    return Due(matches=tuple(bells), submissions=tuple(submissions))


@contextmanager
def _part(name: str) -> Iterator[None]:
    try:
        yield
    except Exception:
        # The other parts must not wait for its mending.
        LOG.exception("a part of the clockwork failed", part=name)
        if (heard := on_failure.get()) is not None:
            heard(name)


def fill(
    database: Store, settings: LeagueSettings, fields: LadderFields | None = None
) -> list[Doorbell]:
    """Keep the queue as full as the workers can use; `fields` is the caller's memory of ladders."""
    with database.read() as session:
        running = store.seasons.seasons(session, SeasonState.RUNNING)
        slots = store.workers.fleet(session, able=True).slots or settings.slots
        waiting = sum(
            count
            for (queue, state), count in store.workers.queue_sizes(session).items()
            if state is store.MatchState.QUEUED and queue in LEAGUE_QUEUES
        )
    room = QUEUE_AHEAD * slots - waiting
    bells: list[Doorbell] = []
    for season in reversed(running):
        if room <= 0:
            break
        with database.write() as session:
            found = store.matches.enqueue(session, limit=room, season_id=season.id)
        room -= len(found)
        bells += found
    with _part("matches of gates"):
        bells += gates.queue_matches(database, room)
    with _part("matches of ladders"):
        room = QUEUE_AHEAD * slots - waiting - len(bells)
        bells += ladders.queue_matches(database, room, fields)
    return bells


def keep_dates(database: Store) -> None:
    """Take every step of a season whose date has come, each in a transaction of its own."""
    for step in seasons.SEASON_STEPS:
        with database.read() as session:
            now = store.database_time(session)
            due = [
                season.id
                for state in step.due
                for season in store.seasons.seasons(session, SeasonState(state))
                if (moment := getattr(season, step.date)) is not None and moment <= now
            ]
        for season_id in due:
            with _part(step.date):
                _step(database, season_id, step)


def _step(database: Store, season_id: int, step: Step[Season]) -> None:
    try:
        with database.write() as session:
            # Another clock may have been here first.
            if store.locked(session, Season, season_id).state in step.due:
                (step.early or step.take)(session, season_id, LEAGUE)
    except LeagueRefusal as error:
        with database.write() as session:
            # The organiser sees why; without a new date it would fail again at every tick.
            season = store.locked(session, Season, season_id)
            setattr(season, step.date, None)
            store.audit.record(
                session,
                FAILED[step.date],
                "season",
                season_id,
                actor=LEAGUE,
                reason=str(error)[:500],
            )
        LOG.warning("season step failed", season=season.name, date=step.date, reason=str(error))


def end_seasons(database: Store) -> None:
    """Finish running seasons in which nothing is left to play.

    One with stuck matches waits: whether they are played again, struck or left out is decided by
    its organiser, or by its end date.
    """
    with database.read() as session:
        running = store.seasons.seasons(session, SeasonState.RUNNING)
        stuck = {}
        for season in running:
            progress = store.seasons.progress(session, season.id)
            if season.is_rehearsal or not any(progress.counts.values()):
                continue
            if not progress.open:
                stuck[season.id] = progress.counts[store.MatchState.STUCK]
    adaptive = {season.id for season in running if seasons.is_adaptive(season)}
    for season_id in stuck:
        if season_id in adaptive:
            with _part("adaptive season"):
                seasons.advance_adaptive(database, season_id)
            continue
        with database.write() as session:
            season = store.locked(session, Season, season_id)
            if season.state is SeasonState.RUNNING and not stuck[season_id]:
                seasons.finish(session, season_id, LEAGUE)


def refresh_ratings(database: Store, rests: dict[int, float] | None = None) -> list[int]:
    """Bring every table up to date that has new results; says which.

    `rests` is the caller's memory of until when a ladder is left alone: a table that takes long
    is computed seldom, so that ratings never take more than a tenth of the time.
    """
    resting = {} if rests is None else rests
    with database.read() as session:
        stale = [one for one in ratings.stale(session) if resting.get(one, 0.0) <= time.monotonic()]
    for ladder_id in stale:
        with _part("ratings"):
            begun = time.monotonic()
            table = ratings.refresh(database, ladder_id)
            ended = time.monotonic()
            resting[ladder_id] = ended + RESTS * (ended - begun)
            with database.read() as session:
                season_id = store.present(session, Scale, ladder_id).season_id
            if table is not None and season_id is not None:
                seasons.end_if_settled(database, season_id, table)
                with database.write() as session:
                    seasons.recount(session, season_id)
                    reviews.want_final(session, store.seasons.season(session, season_id))
    return stale


def conclude_rehearsals(database: Store, stopping: threading.Event | None = None) -> None:
    """Keep what rehearsals found that are over, and remove them; may take minutes."""
    with _part("rehearsals"):
        seasons.conclude_rehearsals(database, stopping)


def sweep(database: Store, settings: LeagueSettings) -> list[str]:
    """Remove replay files that no result names, and uploads whose submissions are over."""
    removed = store.results.sweep(database) + league_submissions.sweep_uploads(
        database, settings.uploads
    )
    if removed:
        LOG.info("orphans removed", files=len(removed))
    return removed
