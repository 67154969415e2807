"""Asking for a friendly match: whose bots may sit there, on what terms, and how many an owner has.

Each act is one transaction's worth of work on a session, and audited here.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlmodel import Session

import store
from league.audit import Action, Actor
from league.errors import LeagueRefusal, Malformed, NotAllowed, NotThere, TooOften
from league.friendlies.plan import FriendlyPlan
from league.matches import DUPLICATE_BELOW, new_match, whole_laps
from league.plans import check_game
from league.words import counted
from nimmt import GAMES
from store import Bot, Doorbell, Friendly, Match, MatchKind, Owner, Store, Version
from store.friendlies import Asked
from store.matches import QUEUES

QUEUE = QUEUES[MatchKind.PRACTICE]


@dataclass(frozen=True, slots=True, kw_only=True)
class FriendlyLimits:
    """What the league's settings allow an owner."""

    at_once: int
    """That wait or are played."""
    per_hour: int
    per_day: int
    games: int
    """In one match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seated:
    """A bot for the table, and the version of it that plays."""

    name: str
    bot: Bot
    version: Version


@dataclass(slots=True, kw_only=True)
class _Terms:
    """On what terms it is played; see `league.matches.plan.Terms`."""

    rules: str
    options: store.JsonDict
    boards: int
    passes: int
    time: store.JsonDict


def ask(
    session: Session, wanted: FriendlyPlan, owner: Owner, limits: FriendlyLimits
) -> tuple[Friendly, Doorbell]:
    """Queue a match of one of the owner's bots against others; it counts nowhere."""
    # Under the owner's lock: of two that come together, the second counts the first.
    store.locked(session, Owner, owner.id)
    own = _own(session, owner, wanted.bot)
    table = [own, *(_opponent(session, owner, name) for name in wanted.opponents)]
    terms = _terms(wanted, table)
    games = terms.boards * terms.passes
    if games > limits.games:
        raise LeagueRefusal(
            f"got {counted(games, 'game')} ({terms.boards} boards, {counted(terms.passes, 'pass')}"
            f"), expected at most {limits.games} in a friendly match; ask for fewer boards"
        )
    _check_quota(store.friendlies.asked(session, owner.id), owner, limits)
    versions = [seated.version.id for seated in table]
    [bell] = store.matches.queue(
        session, [new_match(terms, MatchKind.PRACTICE, versions, rated=False)]
    )
    row = store.friendlies.add(session, bell.match_id, owner.id, own.bot.id)
    detail: store.JsonDict = {"table": [_title(seated) for seated in table], "rules": terms.rules}
    _audit(session, Action.FRIENDLY_ASK, row, owner, detail)
    return row, bell


def cancel(
    session: Session, match_id: int, actor: Owner, *, as_organiser: bool = False
) -> Friendly:
    """Call off a match that is not over: one of the actor's own, for organisers any.

    One that is played ends without a result. It stays in what its author has asked for.
    """
    row = _any(session, match_id) if as_organiser else _of_owner(session, match_id, actor)
    is_own = row.owner_id == actor.id
    who = "its author" if is_own else "an organiser"
    if not store.matches.cancel(session, match_id, f"{who} called it off"):
        state = store.present(session, Match, match_id).state
        raise LeagueRefusal(f"friendly match {match_id} is {state}: there is nothing to call off")
    _audit(session, Action.FRIENDLY_CANCEL, row, actor, None if is_own else {"by": "organiser"})
    return row


def set_shared(session: Session, match_id: int, owner: Owner, shared: bool) -> Friendly:
    """Let everyone with its address see a match of the owner's, or no longer."""
    row = _of_owner(session, match_id, owner)
    if row.shared != shared:
        row = store.friendlies.share(session, match_id, shared)
        _audit(session, Action.FRIENDLY_SHARE, row, owner, {"shared": shared})
    return row


def waiting_bells(database: Store) -> list[Doorbell]:
    """What has to be rung for: the matches that wait; whoever asked may have no broker."""
    with database.read() as session:
        waiting = store.friendlies.waiting(session, QUEUE)
    return [Doorbell(match_id=match_id, queue=QUEUE) for match_id in waiting]


def _audit(
    session: Session,
    action: Action,
    row: Friendly,
    actor: Actor,
    detail: store.JsonDict | None = None,
) -> None:
    store.audit.record(session, action, "match", row.match_id, actor=actor, detail=detail)


def _any(session: Session, match_id: int) -> Friendly:
    row = store.friendlies.find(session, match_id)
    if row is None:
        raise NotThere(f"got friendly match {match_id}, expected one that exists")
    return row


def _of_owner(session: Session, match_id: int, owner: Owner) -> Friendly:
    row = store.friendlies.find(session, match_id)
    if row is None or row.owner_id != owner.id:
        raise NotThere(f"got friendly match {match_id}, expected one of yours")
    return row


def _check_quota(asked: Asked, owner: Owner, limits: FriendlyLimits) -> None:
    if not (limits.per_hour and limits.per_day):
        raise NotAllowed("this league plays no friendly matches; its operator can allow them")
    if asked.open >= limits.at_once:
        raise LeagueRefusal(
            f"{counted(asked.open, 'friendly match', 'friendly matches')} of {owner.handle} wait or"
            f" are played, and {limits.at_once} is the most at once; wait for one to end, or"
            " call one off"
        )
    spans = (
        (asked.hour, limits.per_hour, asked.hour_since, timedelta(hours=1), "hour"),
        (asked.day, limits.per_day, asked.day_since, timedelta(days=1), "24 hours"),
    )
    for count, most, since, span, words in spans:
        if count >= most:
            raise TooOften(
                f"{counted(count, 'friendly match', 'friendly matches')} of {owner.handle} in the"
                f" last {words}, the limit is {most}",
                retry_after=_wait(since, span, asked.now),
            )


def _wait(since: datetime | None, span: timedelta, now: datetime) -> int:
    """Seconds until the oldest one no longer counts."""
    return 60 if since is None else max(1, round((since + span - now).total_seconds()))


def _split(given: str) -> tuple[str, int | None]:
    """
    >>> _split("ada/greedy@3"), _split("gap")
    (('ada/greedy', 3), ('gap', None))
    """
    name, at, number = given.strip().partition("@")
    if not at:
        return name, None
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise Malformed(f"got {given[:60]!r}, expected a bot, or NAME@3 for its version 3")
    return name, int(number)


def _own(session: Session, owner: Owner, given: str) -> _Seated:
    name, number = _split(given)
    full_name = name if "/" in name else f"{owner.handle}/{name}"
    bot = store.bots.find_bot(session, full_name)
    if bot is None or bot.owner_id != owner.id:
        raise NotThere(f"got bot {name[:60]!r}, expected one of yours")
    return _seated(session, full_name, bot, number)


def _opponent(session: Session, owner: Owner, given: str) -> _Seated:
    name, number = _split(given)
    bot = _find(session, owner, name)
    full_name = "" if bot is None else store.bots.full_names(session, [bot.id])[bot.id]
    if bot is None:
        raise NotThere(f"got opponent {name[:60]!r}, expected OWNER/NAME of a bot that exists")
    if bot.owner_id == owner.id:
        return _seated(session, full_name, bot, number)
    if number is not None:
        raise NotAllowed(
            f"got {given[:60]!r}: of others' bots only the version that plays can be chosen;"
            f" write {full_name}"
        )
    if not (bot.friendlies or bot.is_anchor):
        raise NotAllowed(
            f"{full_name} takes no friendly matches: its owner said so; choose another opponent"
        )
    if store.present(session, Owner, bot.owner_id).disabled_at is not None:
        raise LeagueRefusal(f"{full_name} does not play: its account is closed; choose another")
    return _seated(session, full_name, bot, None)


def _find(session: Session, owner: Owner, name: str) -> Bot | None:
    """A bot by its full name; by its name alone one's own, or else a platform bot."""
    if "/" in name:
        return store.bots.find_bot(session, name)
    own = store.bots.find_bot(session, f"{owner.handle}/{name}")
    return own or store.bots.platform_bot(session, name)


def _seated(session: Session, full_name: str, bot: Bot, number: int | None) -> _Seated:
    if bot.suspended_at is not None:
        raise LeagueRefusal(f"{full_name} is suspended: {bot.suspended_why or 'no reason given'}")
    chosen = bot.current_version if number is None else number
    version = None if chosen is None else store.bots.version_of(session, bot.id, chosen)
    if version is None or not version.state.is_playable:
        what = "no version that plays" if number is None else f"no version {number} that may play"
        raise LeagueRefusal(f"{full_name} has {what}; choose another version or another bot")
    return _Seated(name=full_name, bot=bot, version=version)


def _terms(wanted: FriendlyPlan, table: list[_Seated]) -> _Terms:
    size = len(table)
    rules = check_game(_rules(wanted.rules, table), wanted.options, size)
    duplicate = size < DUPLICATE_BELOW if wanted.duplicate is None else wanted.duplicate
    passes = size if duplicate else 1
    return _Terms(
        rules=rules.name,
        options=dict(rules.options),
        boards=whole_laps(wanted.boards, size, passes),
        passes=passes,
        time={"move_ms": wanted.move_ms, "bank_ms": wanted.bank_ms},
    )


def _rules(wanted: str | None, table: list[_Seated]) -> str:
    """The rules that were asked for, or the only ones that all of the table play."""
    common = [name for name in GAMES if all(name in seated.bot.rules for seated in table)]
    if wanted is None:
        if len(common) == 1:
            return common[0]
        said = f"all of them play {', '.join(common)}" if common else "there are none that all play"
        raise Malformed(f"name the rules: {said}")
    for seated in table:
        if wanted in GAMES and wanted not in seated.bot.rules:
            raise LeagueRefusal(
                f"{seated.name} does not play {wanted}, only {', '.join(seated.bot.rules)};"
                " choose other rules or another bot"
            )
    return wanted


def _title(seated: _Seated) -> str:
    return f"{seated.name}@{seated.version.number}"
