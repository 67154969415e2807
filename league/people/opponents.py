"""Who may sit at a table beside its people, and the platform bots that take free seats."""

from collections.abc import Mapping, Sequence
from random import SystemRandom

from sqlmodel import Session

import store
from league.bots import HOUSE
from league.errors import LeagueRefusal
from league.people.bridge_process import PERSON
from store import Bot, Owner, Version, VersionState
from store.sittings import PERSON_BOT

SHUFFLE = SystemRandom()
SeatedBot = tuple[str, int]
"""A bot's full name, and its version."""


def ensure_person(session: Session) -> Version:
    """The version that stands for every person; it plays no rules, so nobody can enter it."""
    bot = _person_bot(session) or _add_person_bot(session)
    [version] = store.bots.versions(session, bot.id)
    return version


def _person_bot(session: Session) -> Bot | None:
    return store.bots.find_bot(session, f"{HOUSE}/{PERSON_BOT}")


def _add_person_bot(session: Session) -> Bot:
    owner = store.accounts.owner_by_handle(session, HOUSE)
    if owner is None:
        owner = store.accounts.add_owner(session, HOUSE, is_house=True)
    # Of the first two tables of a league, the second waits here and finds what the first added.
    store.locked(session, Owner, owner.id)
    bot = _person_bot(session)
    if bot is None:
        bot = store.bots.add_bot(session, owner.id, PERSON_BOT, [])
        version = store.bots.add_version(session, bot.id, program=list(PERSON))
        store.bots.accept_version(session, version.id)
    return bot


def may_play(session: Session, rules: str, *, contained: bool) -> list[tuple[str, Version]]:
    """The bots that may sit at a table of these rules, by full name.

    Without containers only the platform's own programs do; a bot whose owner wants no friendly
    matches sits at no table either.
    """
    found = store.bots.playable(session, rules)
    names = store.bots.full_names(session, [bot.id for bot, _ in found])
    return [
        (names[bot.id], version)
        for bot, version in found
        if bot.friendlies and (version.program is not None or contained)
    ]


def may_sit(session: Session, version_id: int, rules: str, *, contained: bool) -> bool:
    """Whether a bot of an earlier game may sit at a table today; see `may_play`."""
    version = store.present(session, Version, version_id)
    bot = store.present(session, Bot, version.bot_id)
    willing = bot.friendlies and bot.suspended_at is None and rules in bot.rules
    known = version.state is VersionState.ACCEPTED and version.program != list(PERSON)
    return willing and known and (version.program is not None or contained)


def platform_bots(
    known: Sequence[tuple[str, Version]], taken: Sequence[str], count: int
) -> list[tuple[str, Version]]:
    """Platform bots for the seats that are left, different ones as far as there are any."""
    house = [one for one in known if one[0].startswith(f"{HOUSE}/")]
    if count and not house:
        raise LeagueRefusal("no platform bot plays these rules here; name your opponents")
    fresh = [one for one in house if one[0] not in taken]
    SHUFFLE.shuffle(fresh)
    while len(fresh) < count:
        fresh.append(SHUFFLE.choice(house))
    return fresh[:count]


def who_may_sit(
    session: Session, seated: Mapping[int, SeatedBot], rules: str, *, contained: bool
) -> dict[int, SeatedBot]:
    """The bots of an earlier game, by seat; where one may sit at no table any more, a platform bot
    that is not among the others."""
    staying = {
        seat: (name, version)
        for seat, (name, version) in seated.items()
        if may_sit(session, version, rules, contained=contained)
    }
    missing = [seat for seat in seated if seat not in staying]
    taken = [name for name, _ in staying.values()]
    spare = platform_bots(may_play(session, rules, contained=False), taken, len(missing))
    others = {seat: (name, one.id) for seat, (name, one) in zip(missing, spare, strict=True)}
    return staying | others
