"""What authors do with their bots: make and describe one, choose its version, enter and leave.

Each act is one transaction's worth of work on a session. Entering and leaving look for the bot
among those of the author; organisers do the same to any bot, with `league.seasons` and
`league.ladder`, and it is audited alike.
"""

from collections.abc import Sequence

from sqlmodel import Session

import store
from league import gate as gates
from league import ladder as ladders
from league import seasons
from league.audit import Action, Actor
from league.errors import LeagueRefusal, Malformed, NotThere
from league.seasons import Removal
from nimmt import GAMES
from store import Bot, Entry, Owner

ABOUT_LENGTH = 2000
"""The longest description of a bot, in characters."""
BY_AUTHOR = "its author took it out"
"""Why a bot left, where its author gave no reason."""


def create_bot(
    session: Session,
    owner: Owner,
    name: str,
    rules: Sequence[str],
    *,
    most: int,
    about: str = "",
) -> Bot:
    """Make a bot without a version; an owner has at most `most`."""
    _check(about, rules)
    # Under the owner's lock: of two that come together, the second counts the first.
    store.locked(session, Owner, owner.id)
    count = store.bots.count_of(session, owner.id)
    if count >= most:
        raise LeagueRefusal(
            f"{owner.handle} has {count} bots, the limit is {most}; submit a new version of one"
            " of them, or ask an organiser to raise BULLRING_BOTS_PER_OWNER"
        )
    bot = store.bots.add_bot(session, owner.id, name, dict.fromkeys(rules), about=about)
    store.audit.record(session, Action.BOT_MADE, "bot", bot.id, actor=owner)
    return bot


def change_bot(
    session: Session,
    bot_id: int,
    actor: Actor,
    *,
    about: str | None = None,
    rules: Sequence[str] | None = None,
    friendlies: bool | None = None,
    as_organiser: bool = False,
) -> Bot:
    """Change a bot's description, its rules, whether it takes friendly matches; None: it stays.

    Where the bot needs gates, only an organiser can change its rules.
    """
    _check(about or "", rules)
    bot = store.locked(session, Bot, bot_id)
    changed: store.JsonDict = {}
    if about is not None and about != bot.about:
        bot.about = changed["about"] = about
    if rules is not None and set(rules) != set(bot.rules):
        once = list(dict.fromkeys(rules))
        gates.set_rules(session, bot, once, as_organiser=as_organiser)
        changed["rules"] = once
    if friendlies is not None and friendlies != bot.friendlies:
        bot.friendlies = changed["friendlies"] = friendlies
    if changed:
        session.flush()
        store.audit.record(session, Action.BOT_CHANGED, "bot", bot.id, actor=actor, detail=changed)
    return bot


def choose_version(
    session: Session, bot_id: int, number: int | None, actor: Actor, *, as_organiser: bool = False
) -> Bot:
    """Roll back, or forward, to a version; None lets the bot rest.

    Only an organiser can choose one that has still to pass its gate.
    """
    bot = store.locked(session, Bot, bot_id)
    gates.choose_version(session, bot, number, as_organiser=as_organiser)
    store.audit.record(
        session, Action.BOT_VERSION, "bot", bot.id, actor=actor, detail={"version": number}
    )
    return bot


def enter_season(session: Session, season_id: int, name: str, owner: Owner) -> Entry:
    """Enter one of the author's bots, given by its name alone, in a season."""
    return seasons.enter(session, season_id, _own(session, owner, name), owner)


def leave_season(
    session: Session, season_id: int, name: str, owner: Owner, reason: str = ""
) -> Removal:
    """Take one of the author's bots out of a season."""
    full_name = f"{owner.handle}/{name}"
    return seasons.withdraw(session, season_id, full_name, owner, reason or BY_AUTHOR)


def enter_ladder(session: Session, ladder_id: int, name: str, owner: Owner) -> None:
    """Put one of the author's withdrawn bots back on a ladder."""
    ladders.enter(session, ladder_id, _own(session, owner, name), owner, by_author=True)


def leave_ladder(
    session: Session, ladder_id: int, name: str, owner: Owner, reason: str = ""
) -> None:
    """Take one of the author's bots out of a ladder."""
    full_name = f"{owner.handle}/{name}"
    ladders.take_out(session, ladder_id, full_name, owner, reason or BY_AUTHOR, by_author=True)


def _own(session: Session, owner: Owner, name: str) -> str:
    """The full name of a bot of this owner."""
    full_name = f"{owner.handle}/{name}"
    if store.bots.find_bot(session, full_name) is None:
        raise NotThere(f"got bot {name[:60]!r}, expected one of yours")
    return full_name


def _check(about: str, rules: Sequence[str] | None) -> None:
    """Refuse what no bot can have."""
    if len(about) > ABOUT_LENGTH:
        raise Malformed(f"got {len(about)} characters about a bot, expected at most {ABOUT_LENGTH}")
    if rules is None:
        return
    if not rules:
        raise Malformed("a bot plays at least one of the games; name one or more")
    for name in rules:
        if name not in GAMES:
            raise Malformed(f"got rules {name[:40]!r}, expected some of {', '.join(GAMES)}")
