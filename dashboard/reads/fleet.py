"""What an organiser sees of a season and of the fleet, read in one go."""

from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import Session, col, select

from dashboard.reads import access
from dashboard.reads.audit import AuditLine, audit_lines
from league import seasons as league_seasons
from league.seasons import TimeLeft, time_left
from store import (
    PUBLIC_KINDS,
    Attempt,
    Bot,
    Entry,
    EntryState,
    JsonDict,
    Match,
    MatchKind,
    MatchState,
    Owner,
    Season,
    SeasonState,
    Worker,
    WorkerState,
    match_lists,
    seasons,
)
from store import audit as audit_log
from store import workers as store_workers
from store.seasons import Progress

CANDIDATES = 60
"""How many bots the list to choose from holds; the others are entered by name."""
STUCK = 20
WORKERS = 100
FRESH_SECONDS = store_workers.SILENT_SECONDS / 2
"""A worker whose last heartbeat is older has missed some, and is called silent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StuckMatch:
    """A match of which three attempts failed."""

    match: Match
    reason: str
    """What the last attempt said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A bot that could be entered."""

    name: str
    is_anchor: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetView:
    """Workers and queue at a glance."""

    workers: list[Worker]
    alive: frozenset[str]
    fresh: frozenset[str]
    """Those of them that have not missed a heartbeat."""
    slots: int
    busy: int
    sizes: dict[tuple[str, MatchState], int]

    @property
    def playing(self) -> list[Worker]:
        """The workers that are alive and play; a clock has no slots."""
        return [one for one in self.workers if one.slots and one.name in self.alive]

    def sign(self, worker: Worker) -> str:
        """How a worker is: what it says itself while it says anything."""
        if worker.state is WorkerState.GONE or worker.name in self.fresh:
            return worker.state.value
        return "silent"

    def about_host(self, worker: Worker) -> str | None:
        """Why a worker waits, or that it cannot measure its machine; None when all is well."""
        host = store_workers.host_of(worker)
        if host is None or worker.name not in self.alive:
            return None
        return host.not_measured if host.waits is None else f"waits: {host.waits}"

    def problems(self, worker: Worker) -> dict[str, str]:
        """What a living worker says is wrong, by the name of its check."""
        if worker.name not in self.alive:
            return {}
        found = worker.detail.get("problems")
        return (
            {str(name): str(why) for name, why in found.items()} if isinstance(found, dict) else {}
        )

    @property
    def broker(self) -> str | None:
        """Why bells do not reach the workers, as they or the clock say; None: they do."""
        for worker in self.workers:
            if worker.name not in self.alive:
                continue
            found = self.problems(worker).get("broker") or worker.detail.get("broker")
            if found:
                return str(found)
        return None

    @property
    def counts(self) -> dict[str, int]:
        """Matches by state, over all queues."""
        found = dict.fromkeys((state.value for state in MatchState), 0)
        for (_, state), count in self.sizes.items():
            found[state.value] += count
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonView:
    """One season with everything that its organiser's page shows."""

    season: Season
    progress: Progress
    left: TimeLeft
    entries: list[tuple[Entry, str, int | None]]
    candidates: list[Candidate]
    stuck: list[StuckMatch]
    rehearsal: Season | None
    rehearsed: Progress | None
    report: JsonDict | None
    audit: list[AuditLine]

    @property
    def may_rehearse(self) -> bool:
        """Whether a rehearsal still makes sense."""
        return self.season.state in league_seasons.BEFORE_PLAY

    @property
    def entered(self) -> int:
        """How many take part."""
        return sum(entry.state is EntryState.ENTERED for entry, _, _ in self.entries)


def fleet_view(session: Session) -> FleetView:
    """Who could play now, and what waits."""
    alive = store_workers.alive(session)
    return FleetView(
        workers=store_workers.recent(session)[:WORKERS],
        alive=frozenset(worker.name for worker in alive),
        fresh=frozenset(one.name for one in store_workers.alive(session, silent=FRESH_SECONDS)),
        slots=sum(worker.slots for worker in alive),
        busy=sum(worker.busy for worker in alive),
        sizes=store_workers.queue_sizes(session),
    )


def season_view(session: Session, season: Season) -> SeasonView:
    """Everything about a season for its organiser."""
    entries = access.entries(session, season.id)
    on = next(iter(league_seasons.leftover_rehearsals(session, season.id)), None)
    takes = season.state in (SeasonState.DRAFT, SeasonState.OPEN)
    inside = {entry.bot_id for entry, _, _ in entries if entry.state is not EntryState.WITHDRAWN}
    progress = seasons.progress(session, season.id)
    return SeasonView(
        season=season,
        progress=progress,
        left=time_left(session, season, progress),
        entries=entries,
        candidates=_candidates(session, season.rules, inside) if takes else [],
        stuck=stuck_matches(session, season.id),
        rehearsal=on,
        rehearsed=None if on is None else seasons.progress(session, on.id),
        report=league_seasons.last_rehearsal_report(session, season.id),
        audit=audit_lines(
            session,
            audit_log.page(session, subject="season", subject_id=season.id, limit=8),
        ),
    )


def _candidates(session: Session, rules: str, inside: set[int]) -> list[Candidate]:
    query = (
        sa.select(Bot, col(Owner.handle))
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .where(
            col(Bot.current_version).is_not(None),
            col(Bot.suspended_at).is_(None),
            col(Owner.disabled_at).is_(None),
        )
        .order_by(col(Bot.is_anchor), col(Owner.handle), col(Bot.name))
    )
    found = [
        Candidate(name=f"{handle}/{bot.name}", is_anchor=bot.is_anchor)
        for bot, handle in session.execute(query)
        if rules in bot.rules and bot.id not in inside
    ]
    return found[:CANDIDATES]


def stuck_matches(session: Session, season_id: int | None = None) -> list[StuckMatch]:
    """Stuck matches, newest first, with what stopped them; those of seasons past only if asked."""
    states = [MatchState.STUCK]
    past = seasons.past(session) if season_id is None else set()
    # Why a friendly match cannot be played is for the organiser to find out, too.
    kinds = (*PUBLIC_KINDS, MatchKind.PRACTICE)
    found = match_lists.matches(
        session, season_id=season_id, kinds=kinds, states=states, hidden=past, limit=STUCK
    )
    query = select(Attempt).where(col(Attempt.match_id).in_([match.id for match in found]))
    last: dict[int, str] = {}
    for attempt in session.exec(query.order_by(col(Attempt.number))):
        last[attempt.match_id] = attempt.reason
    return [StuckMatch(match=match, reason=last.get(match.id, "")) for match in found]
