"""Bots, versions and submissions; whether an image is any good is decided elsewhere."""

import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa
from sqlmodel import Session, col, select

from api_models.states import SubmissionKind, SubmissionState, VersionState
from api_models.words import NAME
from store.columns import JsonDict, db_time, utc_now
from store.engine import database_time, locked, present
from store.errors import BadName, Conflict
from store.tables import Bot, Owner, Submission, Version

SUBMISSION_LEASE = 120.0
MAX_TRIES = 3


def add_bot(
    session: Session,
    owner_id: int,
    name: str,
    rules: Iterable[str],
    *,
    is_anchor: bool = False,
    about: str = "",
) -> Bot:
    """Make a bot without a version."""
    if not NAME.fullmatch(name):
        raise BadName(
            f"got bot name {name!r}, expected 1 to 40 lower-case letters, digits and inner hyphens"
        )
    query = select(Bot).where(Bot.owner_id == owner_id, Bot.name == name)
    if session.exec(query).one_or_none() is not None:
        raise Conflict(f"got bot name {name!r}, which this owner already has; choose another")
    bot = Bot(owner_id=owner_id, name=name, rules=list(rules), is_anchor=is_anchor, about=about)
    session.add(bot)
    session.flush()
    return bot


def find_bot(session: Session, full_name: str) -> Bot | None:
    """The bot called `owner/name`."""
    handle, _, name = full_name.partition("/")
    query = select(Bot).join(Owner, col(Owner.id) == col(Bot.owner_id))
    return session.exec(query.where(Owner.handle == handle, Bot.name == name)).one_or_none()


def platform_bot(session: Session, name: str) -> Bot | None:
    """The bot of this name that the platform brings along."""
    query = select(Bot).where(Bot.name == name, col(Bot.is_anchor))
    return session.exec(query.order_by(col(Bot.id))).first()


def count_of(session: Session, owner_id: int) -> int:
    """How many bots an owner has."""
    query = select(sa.func.count()).where(Bot.owner_id == owner_id)
    return int(session.exec(query).one())


def full_names(session: Session, bot_ids: Iterable[int]) -> dict[int, str]:
    """`owner/name` of bots by id."""
    query = (
        select(Bot.id, Owner.handle, Bot.name)
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .where(col(Bot.id).in_(list(bot_ids)))
    )
    return {bot_id: f"{handle}/{name}" for bot_id, handle, name in session.exec(query)}


def add_version(
    session: Session,
    bot_id: int,
    *,
    image: str | None = None,
    program: Sequence[str] | None = None,
    fingerprint: str | None = None,
    note: str = "",
) -> Version:
    """Add the next version of a bot, still to be checked."""
    locked(session, Bot, bot_id)
    last = select(sa.func.max(Version.number)).where(Version.bot_id == bot_id)
    version = Version(
        bot_id=bot_id,
        number=(session.exec(last).one() or 0) + 1,
        image=image,
        program=None if program is None else list(program),
        fingerprint=fingerprint,
        note=note,
    )
    session.add(version)
    session.flush()
    return version


def accept_version(
    session: Session,
    version_id: int,
    *,
    report: JsonDict | None = None,
    log: str = "",
    make_current: bool = True,
    gate_due: bool = False,
) -> Version:
    """The check passed: the version may play, and ranks unless it must pass a gate first."""
    version = locked(session, Version, version_id)
    if version.state not in (VersionState.CHECKING, VersionState.ACCEPTED):
        raise Conflict(
            f"got version {version_id}, which is {version.state}, expected one being checked"
        )
    version.state, version.report, version.log = VersionState.ACCEPTED, report, log
    # By the clock that `suspended_at` has: which came first decides whether a new version lifts it.
    version.accepted_at = version.accepted_at or database_time(session)
    version.gate_due, version.gate_wait = gate_due, ""
    if make_current and not gate_due:
        locked(session, Bot, version.bot_id).current_version = version.number
    session.flush()
    return version


def reject_version(
    session: Session, version_id: int, *, report: JsonDict | None, log: str = ""
) -> Version:
    """The check failed: the version never plays."""
    version = locked(session, Version, version_id)
    version.state, version.report, version.log = VersionState.REJECTED, report, log
    session.flush()
    return version


def set_current(session: Session, bot_id: int, number: int | None) -> None:
    """Choose which version plays: roll-back, or None to let the bot rest."""
    bot = locked(session, Bot, bot_id)
    if number is not None:
        version = version_of(session, bot_id, number)
        if version is None or not version.state.is_playable:
            known = [str(v.number) for v in versions(session, bot_id) if v.state.is_playable]
            raise Conflict(
                f"got version {number} of {bot.name}, expected an accepted one:"
                f" {', '.join(reversed(known)) or 'there is none yet, submit one first'}"
            )
    bot.current_version = number
    session.flush()


def suspend(session: Session, bot_id: int, why: str | None) -> None:
    """Take a bot off the ladder with a reason, or back on it with None."""
    bot = locked(session, Bot, bot_id)
    bot.suspended_at = None if why is None else database_time(session)
    bot.suspended_why = why
    session.flush()


def version_of(session: Session, bot_id: int, number: int) -> Version | None:
    """A version by its number."""
    query = select(Version).where(Version.bot_id == bot_id, Version.number == number)
    return session.exec(query).one_or_none()


def versions(session: Session, bot_id: int) -> list[Version]:
    """All versions of a bot, newest first."""
    query = select(Version).where(Version.bot_id == bot_id)
    return list(session.exec(query.order_by(col(Version.number).desc())).all())


def playable(session: Session, rules: str) -> list[tuple[Bot, Version]]:
    """The bots that may be scheduled under these rules, with their current versions."""
    query = (
        select(Bot, Version)
        .join(
            Version,
            sa.and_(
                col(Version.bot_id) == col(Bot.id), col(Version.number) == col(Bot.current_version)
            ),
        )
        .where(Version.state == VersionState.ACCEPTED, col(Bot.suspended_at).is_(None))
        .order_by(col(Bot.id))
    )
    return [(bot, version) for bot, version in session.exec(query) if rules in bot.rules]


def submit(
    session: Session,
    owner_id: int,
    bot_id: int,
    kind: SubmissionKind,
    source: str,
    *,
    size: int = 0,
    detail: JsonDict | None = None,
    idempotency_key: str | None = None,
) -> tuple[Submission, bool]:
    """Take a submission in; with a key seen before it is the earlier one, and False."""
    if idempotency_key is not None:
        # The owner's row is the lock: two equal requests at once must become one submission.
        locked(session, Owner, owner_id)
        earlier = submission_with_key(session, owner_id, idempotency_key)
        if earlier is not None:
            return earlier, False
    submission = Submission(
        owner_id=owner_id,
        bot_id=bot_id,
        kind=kind,
        source=source,
        size=size,
        detail=detail or {},
        idempotency_key=idempotency_key,
    )
    session.add(submission)
    session.flush()
    return submission, True


def submission_with_key(session: Session, owner_id: int, key: str) -> Submission | None:
    """The submission that an owner sent with this idempotency key."""
    query = select(Submission).where(
        Submission.owner_id == owner_id, Submission.idempotency_key == key
    )
    return session.exec(query).one_or_none()


def submitted_since(session: Session, owner_id: int, since: datetime) -> int:
    """How many submissions an owner made: versions per day are limited."""
    query = select(sa.func.count()).where(
        Submission.owner_id == owner_id, Submission.created_at >= since
    )
    return int(session.exec(query).one())


def claim_submission(
    session: Session, submission_id: int, worker: str, lease: float = SUBMISSION_LEASE
) -> Submission | None:
    """Take a submission for building and checking; None: another has it, or it is over.

    One whose lease ran out may be taken again, three times in all.
    """
    open_states = (SubmissionState.BUILDING, SubmissionState.CHECKING)
    free = sa.or_(
        col(Submission.state) == SubmissionState.RECEIVED,
        sa.and_(col(Submission.state).in_(open_states), col(Submission.lease_until) < db_time()),
    )
    change = (
        sa.update(Submission)
        .where(col(Submission.id) == submission_id, free, col(Submission.tries) < MAX_TRIES)
        .values(
            state=SubmissionState.BUILDING,
            worker=worker,
            token=secrets.token_hex(16),
            lease_until=db_time(lease),
            tries=col(Submission.tries) + 1,
        )
        .returning(col(Submission.id))
    )
    if session.exec(change).one_or_none() is None:
        return None
    return locked(session, Submission, submission_id)


def advance_submission(
    session: Session,
    token: str,
    state: SubmissionState,
    *,
    log: str | None = None,
    report: JsonDict | None = None,
    version_id: int | None = None,
    lease: float = SUBMISSION_LEASE,
) -> bool:
    """Heartbeat, log and next state in one; False: the token no longer holds it."""
    values: dict[str, object] = {"state": state, "lease_until": db_time(lease)}
    if log is not None:
        values["log"] = log
    if report is not None:
        values["report"] = report
    if version_id is not None:
        values["version_id"] = version_id
    if state.is_final:
        values |= {"token": None, "lease_until": None, "finished_at": utc_now()}
    change = sa.update(Submission).where(col(Submission.token) == token).values(values)
    return bool(session.exec(change).rowcount)


def waiting_submissions(session: Session, *, older_than: float = 0.0) -> list[int]:
    """Submissions that a worker should be woken for; rejects those tried too often."""
    silent = sa.and_(
        col(Submission.state).in_((SubmissionState.BUILDING, SubmissionState.CHECKING)),
        col(Submission.lease_until) < db_time(),
    )
    advice = "the platform failed three times; submit it again, or ask an organiser"
    spent: JsonDict = {"error": advice}
    session.exec(
        sa.update(Submission)
        .where(silent, col(Submission.tries) >= MAX_TRIES)
        .values(state=SubmissionState.REJECTED, report=spent, token=None, finished_at=utc_now())
    )
    horizon = utc_now() - timedelta(seconds=older_than)
    fresh = sa.and_(
        col(Submission.state) == SubmissionState.RECEIVED, col(Submission.created_at) <= horizon
    )
    query = select(Submission.id).where(sa.or_(fresh, silent)).order_by(col(Submission.id))
    return list(session.exec(query).all())


def unclaimed_submissions(session: Session) -> list[int]:
    """Submissions that a free worker can take now; changes nothing."""
    working = col(Submission.state).in_((SubmissionState.BUILDING, SubmissionState.CHECKING))
    silent = sa.and_(
        working, col(Submission.lease_until) < db_time(), col(Submission.tries) < MAX_TRIES
    )
    fresh = col(Submission.state) == SubmissionState.RECEIVED
    query = select(Submission.id).where(sa.or_(fresh, silent)).order_by(col(Submission.id))
    return list(session.exec(query).all())


def submission(session: Session, submission_id: int) -> Submission:
    """A submission that has to exist."""
    return present(session, Submission, submission_id)


def finished_uploads(session: Session, names: Sequence[str]) -> list[str]:
    """Which of these uploads are no longer needed: their submissions are over."""
    over = [state for state in SubmissionState if state.is_final]
    query = select(Submission.source).where(
        col(Submission.source).in_(names),
        col(Submission.kind) != SubmissionKind.REFERENCE,
        col(Submission.state).in_(over),
    )
    return sorted(set(session.exec(query).all()))


def first_with_build(session: Session, fingerprints: Iterable[str]) -> dict[tuple[str, int], int]:
    """The earliest version of each build by owner: build and owner -> id of the version."""
    query = (
        sa.select(col(Version.fingerprint), col(Bot.owner_id), sa.func.min(col(Version.id)))
        .join(Bot, col(Bot.id) == col(Version.bot_id))
        .where(col(Version.fingerprint).in_(list(fingerprints)))
        .group_by(col(Version.fingerprint), col(Bot.owner_id))
    )
    return {(build, owner): first for build, owner, first in session.execute(query)}
