"""A submission on its way through a worker, while the database comes and goes."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import Session, select
from structlog.testing import capture_logs

import store
from league.submissions import process
from league.submissions.check.report import CheckReport, Step
from league.submissions.files import FolderUploads
from league.submissions.process import SubmissionProcessor
from sandbox.intake import Accepted
from store import Store, SubmissionKind, SubmissionState
from tests.factories import open_store
from tests.league.world import settings


class Restarting(Store):
    """A database that is away twice, after somebody has claimed a submission."""

    writes = 0

    @contextmanager
    def write(self) -> Iterator[Session]:
        self.writes += 1
        if self.writes in (2, 3):
            raise sa.exc.OperationalError("UPDATE submissions", {}, Exception("it restarts"))
        with super().write() as session:
            yield session


class Patient:
    """A workshop whose check goes on until the author can read that it is on."""

    def __init__(self, database: Store) -> None:
        self.database = database

    async def take_in(self, *_: object) -> Accepted:
        return Accepted(image="sha256:" + "0" * 64, name="n", fingerprint="f", unpacked=1, files=1)

    async def check(
        self, accepted: Accepted, rules: list[str], on_step: Callable[[str], None]
    ) -> CheckReport:
        on_step("the first game")
        async with asyncio.timeout(60):
            while not self.is_told():
                await asyncio.sleep(0.01)
        step = Step(name="starts", ok=True, says="it does")
        return CheckReport(runner="docker", rules=tuple(rules), steps=(step,))

    def is_told(self) -> bool:
        with self.database.read() as session:
            [found] = session.exec(select(store.Submission)).all()
            return found.state is SubmissionState.CHECKING and "the first game" in found.log


def submitted(database: Store) -> store.Submission:
    with database.write() as session:
        owner = store.accounts.add_owner(session, "ada")
        bot = store.bots.add_bot(session, owner.id, "gap", ["x-nimmt"])
        kind = SubmissionKind.REFERENCE
        made, _ = store.bots.submit(session, owner.id, bot.id, kind, "r/gap@sha256:0")
    return made


class WithoutFiles(Patient):
    """A workshop whose file service does not answer."""

    async def take_in(self, *_: object) -> Accepted:
        raise store.BlobsAway("the league's files cannot be reached")


def test_files_that_are_away_leave_a_submission_to_the_next_try(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    made = submitted(database)
    workshop = WithoutFiles(database)
    with capture_logs() as lines:
        SubmissionProcessor(database, FolderUploads(chosen.uploads), workshop, "here").process(
            made.id
        )
    assert [line["event"] for line in lines] == ["submission not checked"]
    with database.read() as session:
        found = store.bots.submission(session, made.id)
    assert (found.state, found.tries) == (SubmissionState.BUILDING, 1)


def test_a_database_that_restarts_costs_a_submission_neither_its_lease_nor_a_try(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "BEAT_SECONDS", 0.01)
    chosen = settings(tmp_path)
    database = open_store(chosen)
    made = submitted(database)
    away = Restarting(chosen.database, chosen.blobs)
    SubmissionProcessor(away, FolderUploads(chosen.uploads), Patient(database), "here").process(
        made.id
    )
    with database.read() as session:
        found = store.bots.submission(session, made.id)
    assert (found.state, found.tries) == (SubmissionState.ACCEPTED, 1)
    assert away.writes > 3, "it was never away"
