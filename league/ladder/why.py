"""The answer to "why is my bot not playing?", as data."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from sqlmodel import Session

import store
from league.ladder.draw import make_roster
from league.ladder.entrants import BotStatus, LadderBot, LadderSettings
from league.ladder.field import Member, matchmaking, members
from store import Ladder, Version
from store import VersionState as State
from store.ladders import LadderField


class WhyNot(Enum):
    """Why a bot is not playing right now; the value is what its author reads."""

    ITS_TURN_COMES = (
        "It is waiting for its turn and will be drawn within the promised longest wait."
    )
    AT_CAP = "It is playing: all the matches it may have at once are queued or running."
    CHECKING = "Its version is still being built or checked; it joins when the check is passed."
    REJECTED = "Its version did not pass the check; the report says why. Submit a new version."
    SUSPENDED = "It is suspended because it kept failing; a new version lifts the suspension."
    WITHDRAWN = "Its author has withdrawn it; entering it again puts it back."
    DISQUALIFIED = "The organiser has disqualified it; the audit log says why."
    SUPERSEDED = "A newer version of this bot plays in its place."
    NOT_ENTERED = "It has no version that could play on this ladder yet."
    OTHER_RULES = "It does not play the rules of this ladder."
    ONLY_FILLS = (
        "It is a platform bot that only fills empty seats here, without a place; an organiser can"
        " enter it to compete."
    )
    TOO_SLOW_TO_FILL = (
        "It is a platform bot that only fills empty seats, and it thinks too long for the promised"
        " wait; an organiser can enter it to compete."
    )
    TWIN_PLAYS = "Another entrant has the same files and command; equal entrants play as one."
    TOO_FEW_BOTS = "There are too few bots of other owners, and too few anchor bots, for a table."
    LADDER_PAUSED = "The organiser has paused or closed the ladder."
    NO_WORKER = "No worker is running, so no match can be played at all."


_BY_STATUS = {
    BotStatus.CHECKING: WhyNot.CHECKING,
    BotStatus.REJECTED: WhyNot.REJECTED,
    BotStatus.SUSPENDED: WhyNot.SUSPENDED,
    BotStatus.WITHDRAWN: WhyNot.WITHDRAWN,
    BotStatus.DISQUALIFIED: WhyNot.DISQUALIFIED,
    BotStatus.SUPERSEDED: WhyNot.SUPERSEDED,
    BotStatus.NOT_ENTERED: WhyNot.NOT_ENTERED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a bot is not playing now, with what its author may want to see beside it."""

    bot: str
    version: int | None
    reason: WhyNot
    detail: str
    """The reason that was given, if there is one."""
    in_flight: int
    idle_seconds: float
    longest_wait: float
    """The promise, in seconds."""

    def to_json(self) -> store.JsonDict:
        """The same for the API; `reason` is the name of the member, `words` its sentence."""
        return {
            "bot": self.bot,
            "version": self.version,
            "reason": self.reason.name,
            "words": self.reason.value,
            "detail": self.detail,
            "in_flight": self.in_flight,
            "idle_seconds": round(self.idle_seconds, 1),
            "longest_wait": round(self.longest_wait, 1),
        }


def why_not(bot: str, bots: Sequence[LadderBot], settings: LadderSettings | None = None) -> WhyNot:
    """Why this bot has no further match right now; the first reason that holds."""
    return why_all(bots, settings).get(bot, WhyNot.NOT_ENTERED)


def why_all(bots: Sequence[LadderBot], settings: LadderSettings | None = None) -> dict[str, WhyNot]:
    """The same for all of them."""
    settings = settings or LadderSettings()
    roster = make_roster(bots, settings)
    players = {one.bot for one in roster.players}
    owners = {one.owner for one in roster.players}
    seats = len(owners) + sum(map(settings.lets_fill, roster.anchors))
    return {
        one.bot: _reason(
            one, settings, plays=one.bot in players, seats=seats + (one.owner not in owners)
        )
        for one in bots
    }


def _reason(own: LadderBot, settings: LadderSettings, *, plays: bool, seats: int) -> WhyNot:
    if own.status is not BotStatus.READY:
        return _BY_STATUS[own.status]
    if not own.anchor and not plays:
        return WhyNot.TWIN_PLAYS
    if settings.paused:
        return WhyNot.LADDER_PAUSED
    if settings.workers < 1:
        return WhyNot.NO_WORKER
    if own.anchor:
        return WhyNot.ONLY_FILLS if settings.lets_fill(own) else WhyNot.TOO_SLOW_TO_FILL
    if seats < settings.seats:
        return WhyNot.TOO_FEW_BOTS
    return WhyNot.AT_CAP if own.in_flight >= settings.cap else WhyNot.ITS_TURN_COMES


def why_idle(session: Session, ladder: Ladder, full_name: str, number: int | None = None) -> Why:
    """Why a bot, or one version of it, has no match on this ladder right now."""
    bot = store.bots.find_bot(session, full_name)
    if bot is None:
        raise store.NotFound(f"there is no bot {full_name!r}; bots are named OWNER/NAME")
    field, settings = why_each_idle(session, ladder)
    found = next((one for member, one in field if member.bot.id == bot.id), None)
    if found is None:
        found = Why(
            bot=full_name,
            version=bot.current_version,
            reason=WhyNot.NOT_ENTERED if ladder.rules in bot.rules else WhyNot.OTHER_RULES,
            detail="",
            in_flight=0,
            idle_seconds=0.0,
            longest_wait=settings.longest_wait,
        )
    if number is None or number == bot.current_version:
        return found
    decided = store.ladders.field_of(session, ladder.id)
    reason = _old_version(store.bots.versions(session, bot.id), number, full_name)
    detail = _detail(bot.id, bot.suspended_why, decided, reason)
    return replace(found, version=number, reason=reason, detail=detail)


def why_each_idle(
    session: Session, ladder: Ladder
) -> tuple[list[tuple[Member, Why]], LadderSettings]:
    """The whole field, why each of it has no further match right now, and by which rules."""
    field = members(session, ladder)
    bots = [one.entrant for one in field]
    settings = matchmaking(session, ladder, bots)
    decided = store.ladders.field_of(session, ladder.id)
    reasons = why_all(bots, settings)
    found = [(one, _why_of(one, reasons[one.entrant.bot], settings, decided)) for one in field]
    return found, settings


def _why_of(one: Member, reason: WhyNot, settings: LadderSettings, decided: LadderField) -> Why:
    return Why(
        bot=one.full_name,
        version=one.bot.current_version,
        reason=reason,
        detail=_detail(one.bot.id, one.bot.suspended_why, decided, reason),
        in_flight=one.entrant.in_flight,
        idle_seconds=one.entrant.idle_seconds,
        longest_wait=settings.longest_wait,
    )


def _old_version(versions: list[Version], number: int, full_name: str) -> WhyNot:
    found = next((one for one in versions if one.number == number), None)
    if found is None:
        raise store.NotFound(f"{full_name} has no version {number}")
    if found.state is State.CHECKING:
        return WhyNot.CHECKING
    return WhyNot.REJECTED if found.state is State.REJECTED else WhyNot.SUPERSEDED


def _detail(bot_id: int, suspended: str | None, decided: LadderField, reason: WhyNot) -> str:
    if reason is WhyNot.SUSPENDED:
        return suspended or ""
    taken_out = (WhyNot.DISQUALIFIED, WhyNot.WITHDRAWN)
    return decided.reason(bot_id) if reason in taken_out else ""
