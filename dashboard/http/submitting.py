"""Taking a submission in: the same rules for the form and for the API."""

from dataclasses import dataclass
from datetime import timedelta

from sqlmodel import Session

from dashboard.http.problems import Refused
from dashboard.http.uploads import Upload, remove
from dashboard.site import Site
from nimmt import GAMES
from store import (
    Bot,
    Conflict,
    JsonDict,
    Owner,
    Submission,
    SubmissionKind,
    audit,
    bots,
    locked,
    utc_now,
)

NOTE_LENGTH = 500
KEY_LENGTH = 100
REFERENCE_LENGTH = 300
UPLOADED = (SubmissionKind.IMAGE_ARCHIVE, SubmissionKind.BUILD_CONTEXT)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRequest:
    """What somebody wants to hand in."""

    bot: str
    """The name alone; the owner is whoever asks."""
    kind: str
    rules: tuple[str, ...] = ()
    """For a bot that does not exist yet."""
    note: str = ""
    reference: str = ""
    """An image by name and digest, when nothing is uploaded."""
    idempotency_key: str | None = None


def take_in(
    site: Site, owner: Owner, wish: SubmissionRequest, upload: Upload | None
) -> tuple[Submission, bool]:
    """Store it and wake a worker; False: the same key was used before and this is that one."""
    try:
        submission, fresh = _store(site, owner, wish, upload)
    except Exception:
        # Whatever speaks against it, nobody will ask for the file again.
        if upload is not None:
            remove(site.settings.uploads, upload)
        raise
    if fresh:
        site.services.submitted(submission.id)
    elif upload is not None:
        remove(site.settings.uploads, upload)
    return submission, fresh


def check_first(site: Site, owner: Owner, key: str | None = None) -> Submission | None:
    """What can be refused before a byte is received; the submission, if the key was used before."""
    missing = site.services.refuses_uploads()
    if missing is not None:
        raise Refused(409, f"{missing.why} {missing.mend}")
    with site.store.read() as session:
        earlier = bots.submission_with_key(session, owner.id, key) if key else None
        if earlier is None:
            _check_day(site, _submitted_today(session, owner))
    return earlier


def _submitted_today(session: Session, owner: Owner) -> int:
    return bots.submitted_since(session, owner.id, utc_now() - timedelta(days=1))


def _check_day(site: Site, count: int) -> None:
    if count >= site.settings.submissions_per_day:
        raise Refused(
            429,
            f"{count} submissions in 24 hours, the limit is"
            f" {site.settings.submissions_per_day}; try again later",
            headers={"retry-after": "3600"},
        )


def _store(
    site: Site, owner: Owner, wish: SubmissionRequest, upload: Upload | None
) -> tuple[Submission, bool]:
    kind = _kind(wish, upload)
    source = upload.name if upload is not None else wish.reference
    detail: JsonDict = {"note": wish.note[:NOTE_LENGTH]}
    if upload is not None:
        detail |= {"filename": upload.filename, "sha256": upload.sha256}
    with site.store.write() as session:
        count = _submitted_today(session, owner)
        bot = _bot(site, session, owner, wish)
        submission, fresh = bots.submit(
            session,
            owner.id,
            bot.id,
            kind,
            source,
            size=upload.size if upload is not None else 0,
            detail=detail,
            idempotency_key=wish.idempotency_key,
        )
        if fresh:
            # Again: others may have come in while this one was received.
            _check_day(site, count)
            audit.record(session, "submission.received", "submission", submission.id, actor=owner)
    return submission, fresh


def _kind(wish: SubmissionRequest, upload: Upload | None) -> SubmissionKind:
    names = [kind.value for kind in (*UPLOADED, SubmissionKind.REFERENCE)]
    if wish.kind not in names:
        raise Refused(422, f"got kind {wish.kind[:40]!r}, expected one of {', '.join(names)}")
    kind = SubmissionKind(wish.kind)
    if kind in UPLOADED and upload is None:
        raise Refused(422, f"a submission of kind {kind.value} needs a file")
    if kind is SubmissionKind.REFERENCE:
        if upload is not None:
            raise Refused(422, "a reference needs no file; leave one of the two out")
        if not wish.reference or len(wish.reference) > REFERENCE_LENGTH:
            raise Refused(422, "expected an image reference such as registry/name@sha256:…")
        if "@sha256:" not in wish.reference or not wish.reference.isascii():
            raise Refused(422, "an image must be named by its digest: registry/name@sha256:…")
    if wish.idempotency_key is not None and not 1 <= len(wish.idempotency_key) <= KEY_LENGTH:
        raise Refused(422, f"an Idempotency-Key has 1 to {KEY_LENGTH} characters")
    return kind


def check_bots(site: Site, session: Session, owner: Owner) -> None:
    """Refuse one bot more than an owner may have."""
    # Under the owner's lock: of two that come together, the second counts the first.
    locked(session, Owner, owner.id)
    count, most = bots.count_of(session, owner.id), site.settings.bots_per_owner
    if count >= most:
        raise Refused(
            409,
            f"{owner.handle} has {count} bots, the limit is {most}; hand in a new version of one"
            " of them, or ask an organiser to raise BULLRING_BOTS_PER_OWNER",
        )


def _bot(site: Site, session: Session, owner: Owner, wish: SubmissionRequest) -> Bot:
    found = bots.find_bot(session, f"{owner.handle}/{wish.bot}")
    if found is not None:
        return found
    unknown = [name for name in wish.rules if name not in GAMES]
    if unknown or not wish.rules:
        raise Refused(
            422,
            f"a new bot says which rules it plays: one or more of {', '.join(GAMES)}",
        )
    check_bots(site, session, owner)
    try:
        return bots.add_bot(session, owner.id, wish.bot, wish.rules)
    except Conflict as error:
        raise Refused(422, str(error)) from None
