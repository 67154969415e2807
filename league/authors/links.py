"""What links accounts: questions for an organiser with their evidence, and no verdicts.

Addresses and builds are looked up; identical choices and results that depend on another's
presence come from the fairness reports of seasons and ladders.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import sqlalchemy as sa
from sqlmodel import Session, col

import store
from league.ratings import FairnessReport, ladder_fairness, season_fairness
from league.words import counted
from store import Bot, LadderState, Owner, Store, Version

MOST_REPORTS = 5
"""Of seasons, newest first, and of ladders: each is computed from its games."""


class LinkKind(StrEnum):
    """What two accounts have in common."""

    ADDRESS = "address"
    """They signed in from the same address."""
    BUILD = "build"
    """They submitted the same build."""
    CHOICES = "choices"
    """Their bots chose the same wherever they were asked the same."""
    PRESENCE = "presence"
    """One's bot does better while the other's is at the table."""


OTHERWISE = {
    LinkKind.ADDRESS: "Do they share a household, a school, an office or a proxy?",
    LinkKind.BUILD: "Did both start from the same published bot, or are they one author?",
    LinkKind.CHOICES: "Do both play the same simple rule, or is it one program?",
    LinkKind.PRESENCE: "Does one style suit the other, or do they play together?",
}
"""What to ask: each kind has an innocent explanation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountQuestion:
    """Accounts that have something in common which strangers rarely have."""

    owners: tuple[str, ...]
    kind: LinkKind
    evidence: str
    where: str = ""
    """The season or ladder whose games say so."""

    @property
    def question(self) -> str:
        """What to ask before anything is concluded."""
        return OTHERWISE[self.kind]


def account_questions(database: Store, *, games: bool = True) -> list[AccountQuestion]:
    """All that links accounts; with `games` also what seasons and ladders show."""
    with database.read() as session:
        house = set(session.scalars(sa.select(col(Owner.handle)).where(col(Owner.is_house))))
        found = [*_addresses(session), *_builds(session)]
        seasons = [
            one
            for one in store.seasons.seasons(session)
            if one.standings is not None and one.rehearsal_of_id is None
        ][:MOST_REPORTS]
        ladders = [
            one for one in store.ladders.ladders(session) if one.state is not LadderState.CLOSED
        ][:MOST_REPORTS]
    if games:
        for season in seasons:
            found += _played(season_fairness(database, season), f"season {season.name}", house)
        for ladder in ladders:
            found += _played(ladder_fairness(database, ladder), f"ladder {ladder.id}", house)
    return found


def _addresses(session: Session) -> Iterable[AccountQuestion]:
    for rows in store.accounts.shared_addresses(session):
        told = [
            f"{owner.handle} {counted(seen.times, 'time')}, last on {seen.last_at:%Y-%m-%d}"
            for owner, seen in rows
        ]
        yield AccountQuestion(
            owners=tuple(owner.handle for owner, _ in rows),
            kind=LinkKind.ADDRESS,
            evidence=f"signed in from one address: {'; '.join(told)}",
        )


def _builds(session: Session) -> Iterable[AccountQuestion]:
    query = (
        sa.select(col(Version.fingerprint), col(Owner.handle), col(Bot.name), col(Version.number))
        .join(Bot, col(Bot.id) == col(Version.bot_id))
        .join(Owner, col(Owner.id) == col(Bot.owner_id))
        .where(col(Version.fingerprint).is_not(None), ~col(Owner.is_house))
        .order_by(col(Version.fingerprint), col(Owner.handle), col(Version.id))
    )
    by_print: dict[str, dict[str, list[str]]] = {}
    for fingerprint, handle, name, number in session.execute(query):
        of_owner = by_print.setdefault(fingerprint, {})
        of_owner.setdefault(handle, []).append(f"{handle}/{name} {number}")
    for owners in by_print.values():
        if len(owners) > 1:
            versions = [one for mine in owners.values() for one in mine]
            yield AccountQuestion(
                owners=tuple(owners),
                kind=LinkKind.BUILD,
                evidence=f"submitted the same build: {', '.join(versions)}",
            )


def _played(report: FairnessReport, where: str, house: set[str]) -> Iterable[AccountQuestion]:
    for pair in report.alike:
        owners = _owners(pair.first, pair.second, house)
        if owners:
            yield AccountQuestion(
                owners=owners,
                kind=LinkKind.CHOICES,
                evidence=f"{pair.first} and {pair.second} made the same first choice on all"
                f" {counted(pair.probes, 'probe')}",
                where=where,
            )
    for one in report.presence:
        owners = _owners(one.bot, one.beside, house)
        if owners:
            yield AccountQuestion(
                owners=owners,
                kind=LinkKind.PRESENCE,
                evidence=f"{one.bot} does better by {one.gain:+.3f} a game and opponent while"
                f" {one.beside} is at the table ({counted(one.blocks, 'block')} together)",
                where=where,
            )


def _owners(first: str, second: str, house: set[str]) -> tuple[str, ...]:
    """The accounts of two bots, if they are two and neither is the platform's."""
    pair = sorted({first.partition("/")[0], second.partition("/")[0]})
    return tuple(pair) if len(pair) == 2 and not house & set(pair) else ()
