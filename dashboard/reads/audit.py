"""The audit log for people: what was acted on by its name, details in words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from sqlmodel import Session, col, select

from api_models.words import clean
from dashboard.render import desk_url, ladder_desk_url, ladder_name
from league.audit import Action
from store import AuditEntry, Bot, Entry, Ladder, Owner, Season

Row = TypeVar("Row", Bot, Entry, Ladder, Owner, Season)
Named = tuple[str, str | None]
"""A name, and where it leads."""


ACTION_SENTENCES: Mapping[str, str] = {
    Action.ACCOUNT_MADE: "made the account {}",
    Action.ACCOUNT_PASSWORD: "set a new password for {}",
    Action.ACCOUNT_RESET: "made a link for a new password of {}",
    Action.ACCOUNT_DISABLE: "shut out {}",
    Action.ACCOUNT_ENABLE: "let in {} again",
    Action.ACCOUNT_AUTHOR: "made {} an author",
    Action.ACCOUNT_ORGANISER: "made {} an organiser",
    Action.INVITATION_MADE: "made an invitation",
    Action.TOKEN_MADE: "made a token",
    Action.TOKEN_ENDED: "ended a token",
    Action.OWNER_WEBHOOK: "set the webhook of {}",
    Action.BOT_MADE: "made the bot {}",
    Action.BOT_CHANGED: "changed what is said about {}",
    Action.BOT_VERSION: "chose the version of {} that plays",
    Action.BOT_SUSPEND: "suspended {}",
    Action.BOT_LIFT: "lifted the suspension of {}",
    Action.SUBMISSION_RECEIVED: "submitted {}",
    Action.FRIENDLY_ASK: "asked for {}, a friendly one",
    Action.FRIENDLY_CANCEL: "called off {}, a friendly one",
    Action.FRIENDLY_SHARE: "changed who may see {}, a friendly one",
    Action.GATE_OPEN: "opened {}",
    Action.GATE_PASSED: "closed {}: passed",
    Action.GATE_FAILED: "closed {}: failed",
    Action.GATE_UNDECIDED: "closed {}: undecided",
    Action.GATE_CANCEL: "cancelled {}",
    Action.GATE_RULE: "set the gate rule of {}",
    Action.LADDER_OPEN: "opened the {}",
    Action.LADDER_SETTINGS: "changed the settings of the {}",
    Action.LADDER_PAUSE: "paused the {}",
    Action.LADDER_RESUME: "resumed the {}",
    Action.LADDER_CLOSE: "closed the {}",
    Action.LADDER_ENTER: "entered {bot} on the {}",
    Action.LADDER_WITHDRAW: "withdrew {bot} from the {}",
    Action.LADDER_DISQUALIFY: "disqualified {bot} from the {}",
    Action.SEASON_CREATE: "created {}",
    Action.SEASON_EDIT: "changed the plan of {}",
    Action.SEASON_DELETE: "deleted the draft {}",
    Action.SEASON_DATES: "changed the dates of {}",
    Action.SEASON_OPEN: "opened {} for entries",
    Action.SEASON_ENTER: "entered {bot} in {}",
    Action.SEASON_ENTERED: "entered {bot} in {}",
    Action.SEASON_FREEZE: "froze {}",
    Action.SEASON_START: "started {}",
    Action.SEASON_PAUSE: "paused {}",
    Action.SEASON_RESUME: "resumed {}",
    Action.SEASON_EXTEND: "added matches to {}",
    Action.SEASON_FINISH: "finished {}",
    Action.SEASON_CALL_OFF: "called off {}",
    Action.SEASON_ARCHIVE: "archived {}",
    Action.SEASON_DISQUALIFY: "disqualified {bot} from {}",
    Action.SEASON_REHEARSE: "began a rehearsal of {}",
    Action.SEASON_REHEARSE_STOP: "stopped the rehearsal of {}",
    Action.SEASON_OPENS_AT_FAILED: "could not open {} on its date",
    Action.SEASON_FREEZES_AT_FAILED: "could not freeze {} on its date",
    Action.SEASON_STARTS_AT_FAILED: "could not start {} on its date",
    Action.SEASON_ENDS_AT_FAILED: "could not end {} on its date",
    Action.ENTRY_WITHDRAWN: "withdrew {}",
    Action.ENTRY_DISQUALIFIED: "disqualified {}",
    Action.MATCH_PLAY_AGAIN: "had {} played again",
    Action.MATCH_SHOWCASE: "made {} as a showcase",
    Action.MATCH_STRIKE: "struck {}, which was stuck",
}
"""Every act as a sentence after who did it: `{}` is what it was done to, `{bot}` a bot.

The log itself keeps the short names.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """An act in a list."""

    row: AuditEntry
    before: str
    """The sentence up to what it was done to."""
    after: str
    """The rest of it."""
    named: bool
    """Whether the sentence says what it was done to."""
    of: str
    """What it was done to, by the name people know."""
    url: str | None
    details: list[tuple[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """Everything that a page of the log speaks of."""

    seasons: dict[int, Season]
    deleted: dict[int, str]
    """What seasons were called that are gone."""
    entries: dict[int, Entry]
    ladders: dict[int, Ladder]
    bots: dict[int, Bot]
    owners: dict[int, Owner]

    def bot(self, number: int) -> str:
        """The full name of a bot."""
        bot = self.bots.get(number)
        return f"bot {number}" if bot is None else f"{self.owners[bot.owner_id].handle}/{bot.name}"

    def season(self, number: int) -> Named:
        """What pages call a season; one that was deleted leads nowhere any more."""
        season = self.seasons.get(number)
        if season is None:
            return self.deleted.get(number, f"season {number}"), None
        return season.title or season.name, desk_url(season.name)

    def subject(self, kind: str, number: int | None) -> Named:
        """What an act was done to."""
        if number is None:
            return kind, None
        if kind == "season":
            return self.season(number)
        if kind == "entry" and number in self.entries:
            title, url = self.season(self.entries[number].season_id)
            return f"{self.bot(self.entries[number].bot_id)} in {title}", url
        if kind == "ladder" and number in self.ladders:
            return ladder_name(self.ladders[number]), ladder_desk_url(number)
        if kind == "bot":
            return self.bot(number), None
        if kind == "owner" and number in self.owners:
            return self.owners[number].handle, None
        return f"{kind} {number}", f"/matches/{number}" if kind == "match" else None

    def details(self, detail: Mapping[str, object]) -> list[tuple[str, str]]:
        """What else is known of an act, as pairs of words."""
        return [
            (
                name.replace("_", " "),
                self.bot(value) if name == "bot" and isinstance(value, int) else audit_words(value),
            )
            for name, value in detail.items()
        ]


def audit_lines(session: Session, rows: Iterable[AuditEntry]) -> list[AuditLine]:
    """The entries with names, in a fixed number of queries."""
    listed = list(rows)
    known = _known(session, listed)
    made = []
    for row in listed:
        of, url = known.subject(row.subject, row.subject_id)
        # A release to come may have written acts that this one does not know.
        sentence = ACTION_SENTENCES.get(row.action, f"did {row.action} to {{}}")
        details = known.details(row.detail)
        bot = dict(details).get("bot", "a bot")
        before, named, after = sentence.replace("{bot}", bot).partition("{}")
        made.append(
            AuditLine(
                row=row,
                before=before,
                after=after,
                named=bool(named),
                of=of,
                url=url,
                details=details,
            )
        )
    return made


def _known(session: Session, rows: list[AuditEntry]) -> _Known:
    def ids(kind: str) -> set[int]:
        return {row.subject_id for row in rows if row.subject == kind and row.subject_id}

    named = {bot for row in rows if isinstance(bot := row.detail.get("bot"), int)}
    entries = _found(session, Entry, ids("entry"))
    of_entries = {one.season_id for one in entries.values()}
    bots = _found(session, Bot, ids("bot") | named | {one.bot_id for one in entries.values()})
    seasons = _found(session, Season, ids("season") | of_entries)
    return _Known(
        seasons=seasons,
        deleted=_deleted(session, ids("season") - seasons.keys()),
        entries=entries,
        ladders=_found(session, Ladder, ids("ladder")),
        bots=bots,
        owners=_found(session, Owner, ids("owner") | {one.owner_id for one in bots.values()}),
    )


def _found(session: Session, kind: type[Row], ids: set[int]) -> dict[int, Row]:
    rows = session.exec(select(kind).where(col(kind.id).in_(ids))).all()
    return {row.id: row for row in rows}


def _deleted(session: Session, ids: set[int]) -> dict[int, str]:
    """The titles of seasons that are gone, from the lines that tell of their end."""
    query = select(AuditEntry).where(
        AuditEntry.action == Action.SEASON_DELETE, col(AuditEntry.subject_id).in_(ids)
    )
    rows = session.exec(query).all() if ids else ()
    return {row.subject_id: str(row.detail["title"]) for row in rows if row.subject_id}


def audit_words(value: object) -> str:
    """A value of a detail as people write it.

    >>> audit_words(None), audit_words(True), audit_words([{"bot": "a/b 1"}]), audit_words([1, 3])
    ('none', 'yes', '1', '1, 3')
    >>> audit_words({"before": [], "after": {"rounds": 1}})
    'none → rounds 1'
    """
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping) and value.keys() == {"before", "after"}:
        return f"{audit_words(value['before']) or 'none'} → {audit_words(value['after']) or 'none'}"
    if isinstance(value, Mapping):
        return ", ".join(f"{clean(name)} {audit_words(one)}" for name, one in value.items())
    if isinstance(value, list):
        if value and isinstance(value[0], Mapping | list):
            return str(len(value))
        return ", ".join(audit_words(one) for one in value)
    return clean(value)
