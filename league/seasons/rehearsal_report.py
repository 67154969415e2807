"""What a rehearsal left behind, looked at: its attempts, faults and every replay played again."""

import json
import threading
from collections import Counter
from dataclasses import dataclass

import sqlalchemy as sa
import structlog
from sqlmodel import Session, col, select

import store
from nimmt.verify import verify
from store import (
    Attempt,
    AttemptState,
    BlobDamaged,
    BlobMissing,
    Fault,
    Match,
    MatchState,
    ReplayBlob,
    Store,
)

LOG = structlog.get_logger("league")


class BrokenOff(Exception):
    """The process ends before everything was examined; the next one begins again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RehearsalFindings:
    """What a rehearsal found."""

    matches: int
    done: int
    stuck: int
    games: int
    replays_wrong: int
    """Replays that do not verify; anything but 0 is a bug."""
    seconds: float
    """From the first start to the last end, by the database's clock."""
    match_seconds: float | None
    """Mean time of a match on its worker."""
    workers: int
    """How many workers took part."""
    faults: dict[str, int]
    """By bot and kind; the samples should make none."""
    void: dict[str, int]
    """Attempts that came to nothing, by reason."""

    @property
    def good(self) -> bool:
        """Whether the real season can be expected to run."""
        return self.done == self.matches and not (self.replays_wrong or self.faults or self.void)


def examine_rehearsal(
    database: Store, rehearsal_id: int, stopping: threading.Event | None = None
) -> RehearsalFindings:
    """Look at everything the rehearsal left; every replay is played again."""
    with database.read() as session:
        progress = store.seasons.progress(session, rehearsal_id)
        own = select(Match.id).where(Match.season_id == rehearsal_id)
        attempts = session.exec(select(Attempt).where(col(Attempt.match_id).in_(own))).all()
        faults = _faults(session, rehearsal_id)
        query = select(Match.seconds).where(Match.season_id == rehearsal_id)
        times = [one for one in session.exec(query) if one is not None]
        blobs = session.exec(select(ReplayBlob).where(col(ReplayBlob.match_id).in_(own))).all()
    ends = [one.finished_at for one in attempts if one.finished_at is not None]
    starts = [one.started_at for one in attempts]
    replays = [blob.sha256 for blob in blobs if blob.kind == "replay"]
    games, wrong = _verify(database, replays, stopping or threading.Event())
    failed = (AttemptState.VOID, AttemptState.LOST)
    return RehearsalFindings(
        matches=progress.total,
        done=progress.done,
        stuck=progress.counts[MatchState.STUCK],
        games=games,
        replays_wrong=wrong,
        seconds=(max(ends) - min(starts)).total_seconds() if ends else 0.0,
        match_seconds=sum(times) / len(times) if times else None,
        workers=len({one.worker for one in attempts}),
        faults=faults,
        void=dict(Counter(one.reason for one in attempts if one.state in failed)),
    )


def _faults(session: Session, rehearsal_id: int) -> dict[str, int]:
    query = (
        sa.select(col(store.Bot.name), col(Fault.kind), sa.func.count())
        .join(Match, col(Match.id) == col(Fault.match_id))
        .join(store.Version, col(store.Version.id) == col(Fault.version_id))
        .join(store.Bot, col(store.Bot.id) == col(store.Version.bot_id))
        .where(col(Match.season_id) == rehearsal_id)
        .group_by(col(store.Bot.name), col(Fault.kind))
    )
    return {f"{name}: {kind}": int(count) for name, kind, count in session.execute(query)}


def _verify(database: Store, hashes: list[str], stopping: threading.Event) -> tuple[int, int]:
    games = wrong = 0
    for sha256 in hashes:
        if stopping.is_set():
            raise BrokenOff
        try:
            for line in database.blobs.lines(sha256):
                games += 1
                wrong += not _is_right(line)
        except (BlobMissing, BlobDamaged) as error:
            LOG.warning("a replay of a rehearsal cannot be read", error=str(error)[:200])
            wrong += 1
    return games, wrong


def _is_right(line: bytes) -> bool:
    try:
        verify(json.loads(line))
    except ValueError:
        # No JSON, or a replay with an error in it.
        return False
    return True
