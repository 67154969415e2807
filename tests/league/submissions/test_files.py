"""Uploads whose submissions are over are removed, at once or by the sweep."""

import os

import pytest

import store
from league.settings import LeagueSettings
from league.submissions.check.report import CheckReport
from league.submissions.files import FolderUploads
from league.submissions.process import SubmissionProcessor
from league.worker import tick
from sandbox.api import SubmissionRejected
from sandbox.intake import Accepted
from store import BlobsAway, Store, Submission, SubmissionKind, SubmissionState
from tests.factories import open_store


class NothingIsGood:
    """A workshop that rejects whatever it gets."""

    async def take_in(self, *_: object) -> Accepted:
        raise SubmissionRejected("archive", "it is no archive", "send one")

    async def check(self, *_: object) -> CheckReport:
        raise AssertionError("nothing is taken in, so nothing is checked")


class OutOfReach(FolderUploads):
    """Uploads that cannot be removed just now."""

    def remove(self, name: str) -> None:
        raise BlobsAway("the file service restarts")


@pytest.fixture
def database(chosen: LeagueSettings) -> Store:
    chosen.uploads.mkdir(parents=True)
    return open_store(chosen)


def submit_bot(database: Store, chosen: LeagueSettings, *names: str) -> list[Submission]:
    """A submission for each name, whose file has lain there for a long time."""
    with database.write() as session:
        owner = store.accounts.add_owner(session, "ada")
        bot = store.bots.add_bot(session, owner.id, "gap", ["six-nimmt"])
        for name in names:
            (chosen.uploads / name).write_bytes(b"a bot")
            os.utime(chosen.uploads / name, (0, 0))
        return [
            store.bots.submit(session, owner.id, bot.id, SubmissionKind.BUILD_CONTEXT, name)[0]
            for name in names
        ]


def test_an_upload_that_could_not_be_removed_changes_no_verdict_and_is_swept(
    database: Store, chosen: LeagueSettings
) -> None:
    over, _ = submit_bot(database, chosen, "over", "waiting")
    (chosen.uploads / "unknown").touch()
    os.utime(chosen.uploads / "unknown", (0, 0))
    processor = SubmissionProcessor(database, OutOfReach(chosen.uploads), NothingIsGood(), "here")
    processor.process(over.id)
    with database.read() as session:
        assert store.bots.submission(session, over.id).state is SubmissionState.REJECTED
    assert (chosen.uploads / "over").exists()
    assert tick.sweep(database, chosen) == ["over"]
    assert sorted(path.name for path in chosen.uploads.iterdir()) == ["unknown", "waiting"]


def test_what_has_just_been_handed_in_is_not_swept(database: Store, chosen: LeagueSettings) -> None:
    [over] = submit_bot(database, chosen, "over")
    SubmissionProcessor(database, OutOfReach(chosen.uploads), NothingIsGood(), "here").process(
        over.id
    )
    os.utime(chosen.uploads / "over")
    assert tick.sweep(database, chosen) == []
