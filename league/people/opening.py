"""Opening a table: what is played, who sits there, and how many tables there may be.

One function for each act of a person; pages call them inside a transaction and ring afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import SystemRandom

from sqlmodel import Session

import nimmt
import store
from league.bots import HOUSE
from league.errors import LeagueRefusal, Malformed, TooOften
from league.matches import new_match
from league.people.bridge_process import PERSON
from league.settings import LeagueSettings
from nimmt import RulesError
from store import Doorbell, JsonDict, MatchKind, Person, Sitting, Version
from store.sittings import NewSeat, NewTable

GUEST = "Guest"
PERSON_BOT = "person"
RETRY_SECONDS = 60
BOT_TIME: JsonDict = {"move_ms": 100, "bank_ms": 1000}
"""The clock of the bots; a person has another."""
SHUFFLE = SystemRandom()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest:
    """What somebody wants to play."""

    rules: str = "six-nimmt"
    seats: int = 4
    opponents: tuple[str, ...] = ()
    """Full names of bots; what is missing is filled with platform bots."""
    people: int = 1
    """How many seats are for people, the asker's own among them."""
    one_round: bool = False
    """One round instead of a whole game, where the rules let the players choose."""
    advanced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Who wants it."""

    person: Person
    address_hash: str
    name: str = GUEST


@dataclass(slots=True, kw_only=True)
class _Terms:
    """The terms of a table's match."""

    rules: str
    options: JsonDict
    boards: int = 1
    passes: int = 1
    time: JsonDict = field(default_factory=lambda: dict(BOT_TIME))


def options_of(request: TableRequest) -> JsonDict:
    """The options of the rules, written out in full; Malformed says what does not fit."""
    given: JsonDict = {}
    if request.rules == "six-nimmt":
        given = {"rounds": 1} if request.one_round else {"limit": 66}
        given["advanced"] = request.advanced
    try:
        rules = nimmt.get(request.rules, given)
        rules.check_players(request.seats)
    except RulesError as error:
        raise Malformed(str(error)) from None
    return dict(rules.options)


def ensure_person(session: Session) -> Version:
    """The version that stands for every person; it plays no rules, so nobody can enter it."""
    bot = store.bots.find_bot(session, f"{HOUSE}/{PERSON_BOT}")
    if bot is None:
        owner = store.accounts.owner_by_handle(session, HOUSE)
        if owner is None:
            owner = store.accounts.add_owner(session, HOUSE, is_house=True)
        bot = store.bots.add_bot(session, owner.id, PERSON_BOT, [])
        version = store.bots.add_version(session, bot.id, program=list(PERSON))
        store.bots.accept_version(session, version.id)
    [version] = store.bots.versions(session, bot.id)
    return version


def may_play(session: Session, rules: str, *, contained: bool) -> list[tuple[str, Version]]:
    """The bots that may sit at a table of these rules, by full name.

    Without containers only the platform's own programs do.
    """
    found = store.bots.playable(session, rules)
    names = store.bots.full_names(session, [bot.id for bot, _ in found])
    return [
        (names[bot.id], version)
        for bot, version in found
        if version.program is not None or contained
    ]


def open_table(
    session: Session,
    settings: LeagueSettings,
    asker: Asker,
    request: TableRequest,
    *,
    contained: bool = False,
) -> tuple[Sitting, Doorbell | None]:
    """Open a table; the bell is to be rung, unless other people are awaited."""
    options = options_of(request)
    if not 1 <= request.people <= request.seats:
        raise Malformed(
            f"got {request.people} people at {request.seats} seats, expected 1 to {request.seats}"
        )
    refuse_excess(session, settings, asker)
    bots = _opponents(session, request, contained=contained)
    own = NewSeat(name=asker.name, for_person=True, person_id=asker.person.id, name_shown=False)
    others = [NewSeat(name=GUEST, for_person=True) for _ in range(request.people - 1)]
    placed: list[tuple[NewSeat, int]] = [(NewSeat(name=name), one.id) for name, one in bots]
    person = ensure_person(session)
    placed += [(seat, person.id) for seat in (own, *others)]
    SHUFFLE.shuffle(placed)
    match = new_match(
        _Terms(rules=request.rules, options=options),
        MatchKind.PEOPLE,
        [version for _, version in placed],
        rated=False,
        in_flight=1,
    )
    table = NewTable(
        match=match,
        seats=tuple(seat for seat, _ in placed),
        creator_id=asker.person.id,
        address_hash=asker.address_hash,
        move_ms=round(settings.table_move_seconds * 1000),
        one_round=request.one_round,
    )
    return store.sittings.open_table(session, table)


def refuse_excess(session: Session, settings: LeagueSettings, asker: Asker) -> None:
    """Raise TooOften where one table more would be too many."""
    now = store.sittings.count_open(session, asker.person.id, asker.address_hash)
    for what, count, limit in (
        ("you have", now.of_person, settings.tables_per_person),
        ("your address has", now.of_address, settings.tables_per_address),
        ("this league has", now.of_league, settings.tables_in_league),
    ):
        if count >= limit:
            raise TooOften(
                f"{what} {count} open tables already, and {limit} is the limit; finish or leave"
                " one first",
                retry_after=RETRY_SECONDS,
            )


def _opponents(
    session: Session, request: TableRequest, *, contained: bool
) -> list[tuple[str, Version]]:
    wanted = request.seats - request.people
    if len(request.opponents) > wanted:
        raise Malformed(
            f"got {len(request.opponents)} opponents for {wanted} seats, expected no more than that"
        )
    known = may_play(session, request.rules, contained=contained)
    by_name = dict(known)
    for name in request.opponents:
        if name not in by_name:
            raise Malformed(
                f"got {name[:80]!r}, expected a bot that plays {request.rules} here:"
                f" {', '.join(sorted(by_name)[:20])}"
            )
    chosen = [(name, by_name[name]) for name in request.opponents]
    return chosen + _company(known, request.opponents, wanted - len(chosen))


def _company(
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


def begin(session: Session, sitting: Sitting, rules: str) -> Doorbell:
    """Begin without those who have not come: a platform bot takes each free seat."""
    [(name, version)] = _company(may_play(session, rules, contained=False), (), 1)
    return store.sittings.begin(session, sitting.match_id, version.id, name)
