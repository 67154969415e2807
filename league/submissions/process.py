"""A submission on its way to a version: claimed, turned into an image, checked, accepted or not.

Safe to run twice and by two workers: the token of the claim is the fence.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

import structlog
from sqlmodel import Session

import store
from league import gate as gates
from league.submissions.check.report import CheckReport
from league.submissions.files import Uploads
from sandbox.api import PlatformFault, SubmissionRejected
from sandbox.intake import Accepted
from store import Store, Submission, SubmissionKind, SubmissionState

LOG = structlog.get_logger("league")
BEAT_SECONDS = 1.0
"""How often the log is stored for the author to read; it keeps the lease as well."""
LOG_LIMIT = 64 * 1024


class Workshop(Protocol):
    """Where images are made and checked; `league.wiring` builds it."""

    def take_in(
        self, kind: SubmissionKind, source: str, data: AsyncIterator[bytes] | None
    ) -> Awaitable[Accepted]:
        """Turn what was sent into an image. Raises SubmissionRejected or PlatformFault."""

    def check(
        self, accepted: Accepted, rules: list[str], on_step: Callable[[str], None]
    ) -> Awaitable[CheckReport]:
        """Play the check games with an image, and keep it if the bot may play."""


@dataclass(slots=True)
class _Log:
    """What the author sees growing while a submission is worked on, and how far it is."""

    text: str = ""
    state: SubmissionState = SubmissionState.BUILDING

    def add(self, line: str) -> None:
        self.text = (self.text + line.rstrip() + "\n")[-LOG_LIMIT:]


@dataclass(slots=True)
class SubmissionProcessor:
    """Works on submissions for one worker."""

    database: Store
    uploads: Uploads
    workshop: Workshop
    worker: str

    def process(self, submission_id: int) -> None:
        """Take one submission to its end; returns at once when another worker has it."""
        with self.database.write() as session:
            claimed = store.bots.claim_submission(session, submission_id, self.worker)
        if claimed is None or claimed.token is None:
            return
        log = _Log()
        try:
            asyncio.run(self._work(claimed, claimed.token, log))
        except SubmissionRejected as error:
            log.add(str(error))
            report = {"ok": False, "rule": error.rule, "error": str(error), "fix": error.fix}
            self._end(claimed, claimed.token, log, report)
        except (PlatformFault, store.BlobsAway) as error:
            # Ours, or the file service is away: the lease runs out and the submission is tried
            # again, three times in all.
            LOG.warning("submission not checked", submission=submission_id, error=str(error))
        except Exception:
            # A bug of ours: the lease runs out here too, and the traceback is kept.
            LOG.exception("submission failed", submission=submission_id)

    async def _work(self, submission: Submission, token: str, log: _Log) -> None:
        rules = await asyncio.to_thread(self._rules, submission)
        beating = asyncio.create_task(self._beat(token, log))
        try:
            log.add("Received. Making the image.")
            accepted = await self.workshop.take_in(
                submission.kind, submission.source, self._data(submission)
            )
            # Nothing may fail from here to the check, which releases the image at its end.
            for line in (accepted.log, *accepted.warnings):
                log.add(line)
            log.add(
                f"The image is {accepted.image[:19]}…, {accepted.unpacked / 2**20:.0f} MiB in "
                f"{accepted.files} files. Checking."
            )
            log.state = SubmissionState.CHECKING
            report = await self.workshop.check(accepted, rules, log.add)
        finally:
            beating.cancel()
        log.add(report.words())
        await asyncio.to_thread(self._end, submission, token, log, report.to_json(), accepted)

    def _data(self, submission: Submission) -> AsyncIterator[bytes] | None:
        if submission.kind is SubmissionKind.REFERENCE:
            return None
        return self.uploads.read(submission.source)

    def _rules(self, submission: Submission) -> list[str]:
        with self.database.read() as session:
            return list(store.present(session, store.Bot, submission.bot_id).rules)

    async def _beat(self, token: str, log: _Log) -> None:
        """Store how far it is, and keep the lease, until another worker has taken it over."""
        held = True
        while held:
            await asyncio.sleep(BEAT_SECONDS)
            try:
                held = await asyncio.to_thread(self._advance, token, log)
            except Exception as error:
                # The database may be restarting; the lease decides whether that was too long.
                LOG.warning("no heartbeat", error=str(error)[:200])

    def _advance(self, token: str, log: _Log) -> bool:
        with self.database.write() as session:
            return store.bots.advance_submission(session, token, log.state, log=log.text)

    def _end(
        self,
        submission: Submission,
        token: str,
        log: _Log,
        report: store.JsonDict,
        accepted: Accepted | None = None,
    ) -> None:
        """The last step, in one transaction: version, verdict, and word to the owner."""
        with self.database.write() as session:
            good = bool(report.get("ok")) and accepted is not None
            version_id = None
            if accepted is not None:
                version_id = self._version(session, submission, accepted, report, log, good)
            state = SubmissionState.ACCEPTED if good else SubmissionState.REJECTED
            held = store.bots.advance_submission(
                session, token, state, log=log.text, report=report, version_id=version_id
            )
            if not held:
                raise store.Conflict("another worker has taken this submission over")
            bot = store.present(session, store.Bot, submission.bot_id)
            store.inbox.tell(
                session,
                submission.owner_id,
                f"submission.{state}",
                f"{bot.name} was {state}",
                body=str(report.get("error", "")),
                link=f"/submissions/{submission.id}",
            )
        # The image is what counts from here on; the upload would only fill the disk.
        if submission.kind is not SubmissionKind.REFERENCE:
            try:
                self.uploads.remove(submission.source)
            except Exception as error:
                # The verdict stands; the sweep takes what is left.
                LOG.warning("upload not removed", submission=submission.id, error=str(error)[:200])

    def _version(
        self,
        session: Session,
        submission: Submission,
        accepted: Accepted,
        report: store.JsonDict,
        log: _Log,
        good: bool,
    ) -> int:
        version = store.bots.add_version(
            session,
            submission.bot_id,
            image=accepted.image,
            fingerprint=accepted.fingerprint,
            note=str(submission.detail.get("note", "")),
        )
        if good:
            gates.accept_version(session, version.id, report=report, log=log.text)
        else:
            store.bots.reject_version(session, version.id, report=report, log=log.text)
        return version.id
