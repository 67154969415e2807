"""A ladder to which things happen: every kind of change that its field is read from, at random."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from random import Random

import sqlalchemy as sa
from sqlalchemy.orm import Mapped
from sqlmodel import Session, col

import store
from store import (
    Bot,
    EntryState,
    Ladder,
    Match,
    MatchKind,
    MatchState,
    NewMatch,
    Owner,
    Rating,
    Seat,
    Store,
    Submission,
    SubmissionKind,
    SubmissionState,
    Version,
    VersionState,
)
from tests.store.support import outcome

RULES = "six-nimmt"
OPTIONS: dict[str, object] = {"rounds": 1}


@dataclass(slots=True)
class Changing:
    """Acts on a ladder; each is one transaction of its caller."""

    ladder: Ladder
    rng: Random
    made: int = 0
    acts: list[Callable[[Session], object]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.acts = [
            *[self.add_bot, self.queue, self.claim, self.finish] * 3,
            *(self.add_version, self.judge, self.choose_version, self.submit, self.check),
            *(self.suspend, self.disable, self.rename, self.take_out, self.enter, self.unlearn),
            *(self.rate, self.rate_all, self.fail, self.cancel, self.play_again, self.substitute),
            *(self.backdate, self.turn_anchor, self.remove_match, self.elsewhere),
        ]

    def act(self, session: Session) -> str:
        """Do something; says what."""
        chosen = self.rng.choice(self.acts)
        chosen(session)
        session.flush()
        return chosen.__name__

    def pick(
        self, session: Session, column: Mapped[int], *where: sa.ColumnElement[bool]
    ) -> int | None:
        query = sa.select(column).order_by(column)
        for one in where:
            query = query.where(one)
        found = session.execute(query).scalars().all()
        return self.rng.choice(found) if found else None

    def add_bot(self, session: Session) -> None:
        self.made += 1
        anchor = self.rng.random() < 0.3
        owner = store.accounts.add_owner(session, f"owner-{self.made}")
        bot = store.bots.add_bot(session, owner.id, f"bot-{self.made}", [RULES], is_anchor=anchor)
        version = store.bots.add_version(
            session, bot.id, program=["x"], fingerprint=f"f{self.rng.randrange(40)}"
        )
        if self.rng.random() < 0.9:
            store.bots.accept_version(session, version.id)

    def add_version(self, session: Session) -> None:
        if bot_id := self.pick(session, col(Bot.id)):
            made = store.bots.add_version(session, bot_id, program=["y"], fingerprint="new")
            if self.rng.random() < 0.5:
                store.bots.accept_version(session, made.id)

    def judge(self, session: Session) -> None:
        where = col(Version.state) == VersionState.CHECKING
        if number := self.pick(session, col(Version.id), where):
            store.locked(session, Version, number).state = VersionState.REJECTED

    def choose_version(self, session: Session) -> None:
        if bot_id := self.pick(session, col(Bot.id)):
            store.locked(session, Bot, bot_id).current_version = self.rng.choice((None, 1, 2))

    def submit(self, session: Session) -> None:
        if bot_id := self.pick(session, col(Bot.id)):
            bot = store.present(session, Bot, bot_id)
            kind = SubmissionKind.IMAGE_ARCHIVE
            store.bots.submit(session, bot.owner_id, bot_id, kind, "upload")

    def check(self, session: Session) -> None:
        if number := self.pick(session, col(Submission.id)):
            chosen = self.rng.choice(list(SubmissionState))
            store.locked(session, Submission, number).state = chosen

    def suspend(self, session: Session) -> None:
        if bot_id := self.pick(session, col(Bot.id)):
            store.bots.suspend(session, bot_id, self.rng.choice((None, "it failed")))

    def disable(self, session: Session) -> None:
        if number := self.pick(session, col(Owner.id)):
            gone = self.rng.choice((None, store.utc_now()))
            store.locked(session, Owner, number).disabled_at = gone

    def rename(self, session: Session) -> None:
        if number := self.pick(session, col(Owner.id)):
            store.locked(session, Owner, number).handle = f"other-{self.rng.getrandbits(40)}"

    def take_out(self, session: Session) -> None:
        if bot_id := self.pick(session, col(Bot.id)):
            bot = store.present(session, Bot, bot_id)
            store.ladders.take_out(session, self.ladder.id, bot, EntryState.DISQUALIFIED, "why")

    def enter(self, session: Session) -> None:
        if bot_id := self.pick(session, col(Bot.id)):
            store.ladders.enter(session, self.ladder.id, store.present(session, Bot, bot_id))

    def unlearn(self, session: Session) -> None:
        if bot_id := self.pick(session, col(Bot.id)):
            store.locked(session, Bot, bot_id).rules = self.rng.choice(([RULES], ["x-nimmt"]))

    def turn_anchor(self, session: Session) -> None:
        if bot_id := self.pick(session, col(Bot.id)):
            bot = store.locked(session, Bot, bot_id)
            bot.is_anchor = not bot.is_anchor

    def queue(self, session: Session) -> None:
        self._queue(session, self.ladder.id)

    def elsewhere(self, session: Session) -> None:
        """A match that no ladder is moved by."""
        self._queue(session, None)

    def _queue(self, session: Session, scale_id: int | None) -> None:
        versions = session.execute(sa.select(col(Version.id))).scalars().all()
        if len(versions) >= 4:
            new = NewMatch(
                kind=MatchKind.LADDER,
                rules=RULES,
                options=OPTIONS,
                versions=tuple(self.rng.sample(list(versions), 4)),
                boards=4,
                key=self.rng.randbytes(32),
                scale_id=scale_id,
            )
            store.matches.queue(session, [new] * self.rng.randrange(1, 3))

    def _match(self, session: Session, *states: MatchState) -> int | None:
        return self.pick(session, col(Match.id), col(Match.state).in_(states))

    def claim(self, session: Session) -> None:
        if match_id := self._match(session, MatchState.QUEUED):
            store.attempts.claim(session, match_id, "w")

    def finish(self, session: Session) -> None:
        if match_id := self._match(session, MatchState.RUNNING):
            token = store.present(session, Match, match_id).token
            assert token is not None
            blob = store.Blob(sha256=f"{match_id:064x}", size=1, lines=4)
            store.attempts.finish(session, token, outcome(replay=blob))

    def fail(self, session: Session) -> None:
        if match_id := self._match(session, MatchState.RUNNING):
            match = store.locked(session, Match, match_id)
            assert match.token is not None
            match.failures = self.rng.choice((0, 2))
            session.flush()
            store.attempts.void(session, match.token, "disk")

    def cancel(self, session: Session) -> None:
        if match_id := self._match(session, MatchState.QUEUED, MatchState.RUNNING):
            store.matches.cancel(session, match_id, "why")

    def play_again(self, session: Session) -> None:
        over = MatchState.DONE, MatchState.CANCELLED, MatchState.STUCK
        if match_id := self._match(session, *over):
            store.matches.play_again(session, match_id, "why", key=self.rng.randbytes(32))

    def substitute(self, session: Session) -> None:
        match_id = self._match(session, MatchState.QUEUED, MatchState.RUNNING)
        version_id = self.pick(session, col(Version.id))
        if match_id and version_id:
            number = self.rng.randrange(4)
            store.matches.substitute(session, match_id, number, version_id, "why")

    def backdate(self, session: Session) -> None:
        if match_id := self._match(session, MatchState.DONE):
            match = store.locked(session, Match, match_id)
            if match.finished_at is not None:
                match.finished_at -= timedelta(seconds=self.rng.randrange(5))

    def remove_match(self, session: Session) -> None:
        never = sa.and_(col(Match.state) == MatchState.QUEUED, col(Match.attempts) == 0)
        if match_id := self.pick(session, col(Match.id), never):
            session.execute(sa.delete(Seat).where(col(Seat.match_id) == match_id))
            session.execute(sa.delete(Match).where(col(Match.id) == match_id))

    def rate(self, session: Session) -> None:
        if version_id := self.pick(session, col(Version.id)):
            row = Rating(scale_id=0, version_id=version_id, live=self.rng.gauss(1500, 50), games=4)
            store.ratings.save(session, self.ladder.id, [row])

    def rate_all(self, session: Session) -> None:
        versions = session.execute(sa.select(col(Version.id))).scalars().all()
        new = [
            Rating(
                scale_id=0,
                version_id=one,
                official=self.rng.gauss(1500, 50),
                low=1400.0,
                high=1600.0,
            )
            for one in versions
        ]
        store.ratings.replace_all(session, self.ladder.id, new)


def open_ladder(database: Store) -> Ladder:
    """A ladder without bots."""
    with database.write() as session:
        return store.ladders.ladder(
            session, RULES, OPTIONS, 4, boards=4, state=store.LadderState.OPEN
        )
