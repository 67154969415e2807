"""Whether a submission is taken: its kind, its bot, how many a day, and once for each key.

Where its file is kept, and who is woken, is decided by whoever receives it.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from sqlmodel import Session

import store
from league.audit import Action
from league.authors import create_bot
from league.errors import Malformed, TooOften
from nimmt import GAMES
from store import Bot, Conflict, JsonDict, Owner, Submission, SubmissionKind, utc_now

NOTE_LENGTH = 500
KEY_LENGTH = 100
REFERENCE_LENGTH = 300
RETRY_SECONDS = 3600
"""When an owner who has reached the daily limit may try again."""
UPLOADED = (SubmissionKind.IMAGE_ARCHIVE, SubmissionKind.BUILD_CONTEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRequest:
    """What an author wants to submit."""

    bot: str
    """The name alone; the owner is whoever asks."""
    kind: str
    rules: tuple[str, ...] = ()
    """For a bot that does not exist yet."""
    note: str = ""
    reference: str = ""
    """An image by name and digest, when nothing is uploaded."""
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionLimits:
    """What the league's settings allow an owner."""

    per_day: int
    bots: int


class ReceivedFile(Protocol):
    """A file that has arrived and is kept under a name of ours."""

    @property
    def name(self) -> str:
        """Ours, and random."""

    @property
    def size(self) -> int:
        """In bytes."""

    @property
    def sha256(self) -> str:
        """Of its content, in hexadecimal."""

    @property
    def filename(self) -> str:
        """What the sender called it: only a label."""


def find_earlier(
    session: Session, owner: Owner, limits: SubmissionLimits, key: str | None
) -> Submission | None:
    """The submission that came with this key before; without one, refuse one too many a day.

    This much is known before a byte is received.
    """
    earlier = store.bots.submission_with_key(session, owner.id, key) if key else None
    if earlier is None:
        _check_day(limits, _submitted_today(session, owner))
    return earlier


def receive_submission(
    session: Session,
    owner: Owner,
    wanted: SubmissionRequest,
    file: ReceivedFile | None,
    limits: SubmissionLimits,
) -> tuple[Submission, bool]:
    """Keep it; False: the same key was used before and this is that submission."""
    kind = _kind(wanted, file)
    if len(wanted.note) > NOTE_LENGTH:
        raise Malformed(
            f"got a note of {len(wanted.note)} characters, expected at most {NOTE_LENGTH};"
            " shorten it"
        )
    detail: JsonDict = {"note": wanted.note}
    if file is not None:
        detail |= {"filename": file.filename, "sha256": file.sha256}
    # Under the owner's lock: of two that come together, the second counts the first.
    store.locked(session, Owner, owner.id)
    count = _submitted_today(session, owner)
    bot = _bot(session, owner, wanted, limits)
    submission, fresh = store.bots.submit(
        session,
        owner.id,
        bot.id,
        kind,
        file.name if file is not None else wanted.reference,
        size=file.size if file is not None else 0,
        detail=detail,
        idempotency_key=wanted.idempotency_key,
    )
    if fresh:
        # Again: others may have come in while this one was received.
        _check_day(limits, count)
        store.audit.record(
            session, Action.SUBMISSION_RECEIVED, "submission", submission.id, actor=owner
        )
    return submission, fresh


def _submitted_today(session: Session, owner: Owner) -> int:
    return store.bots.submitted_since(session, owner.id, utc_now() - timedelta(days=1))


def _check_day(limits: SubmissionLimits, count: int) -> None:
    if count >= limits.per_day:
        raise TooOften(
            f"{count} submissions in 24 hours, the limit is {limits.per_day}; try again later",
            retry_after=RETRY_SECONDS,
        )


def _kind(wanted: SubmissionRequest, file: ReceivedFile | None) -> SubmissionKind:
    names = [kind.value for kind in (*UPLOADED, SubmissionKind.REFERENCE)]
    if wanted.kind not in names:
        raise Malformed(f"got kind {wanted.kind[:40]!r}, expected one of {', '.join(names)}")
    kind = SubmissionKind(wanted.kind)
    if kind in UPLOADED and file is None:
        raise Malformed(f"a submission of kind {kind.value} needs a file")
    if kind is SubmissionKind.REFERENCE:
        if file is not None:
            raise Malformed("got a reference and a file, expected one of them; leave the other out")
        if not wanted.reference or len(wanted.reference) > REFERENCE_LENGTH:
            raise Malformed("expected an image reference such as registry/name@sha256:…")
        if "@sha256:" not in wanted.reference or not wanted.reference.isascii():
            raise Malformed("an image must be named by its digest: registry/name@sha256:…")
    key = wanted.idempotency_key
    if key is not None and not 1 <= len(key) <= KEY_LENGTH:
        raise Malformed(f"an Idempotency-Key has 1 to {KEY_LENGTH} characters")
    return kind


def _bot(
    session: Session, owner: Owner, wanted: SubmissionRequest, limits: SubmissionLimits
) -> Bot:
    found = store.bots.find_bot(session, f"{owner.handle}/{wanted.bot}")
    if found is not None:
        return found
    unknown = [name for name in wanted.rules if name not in GAMES]
    if unknown or not wanted.rules:
        raise Malformed(f"a new bot needs its rules: one or more of {', '.join(GAMES)}")
    try:
        return create_bot(session, owner, wanted.bot, wanted.rules, most=limits.bots)
    except Conflict as error:
        raise Malformed(str(error)) from None
