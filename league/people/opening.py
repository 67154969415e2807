"""Opening a table: what is played, who sits there, and how many tables there may be.

One function for each act of a person; pages call them inside a transaction and ring afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlmodel import Session

import nimmt
import store
from league.errors import Malformed, TooOften
from league.matches import new_match
from league.people.opponents import (
    SHUFFLE,
    ensure_person,
    may_play,
    platform_bots,
    who_may_sit,
)
from league.settings import LeagueSettings
from nimmt import RulesError
from store import Doorbell, JsonDict, Match, MatchKind, Person, Sitting, Store, Version
from store.sittings import NewSeat, NewTable

GUEST = "Guest"
RETRY_SECONDS = 60
BOT_TIME: JsonDict = {"move_ms": 100, "bank_ms": 1000}
"""The clock of the bots; a person has another."""
Opened = tuple[Sitting, Doorbell | None]
"""A table, and the bell to ring for it unless other people are awaited."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """A board that was played before: its key and number, and where it was played."""

    key: bytes = field(repr=False)
    number: int
    source: JsonDict
    """`{match, pass, game_no, seat}`."""


@dataclass(slots=True, kw_only=True)
class Terms:
    """The terms of a table's match."""

    rules: str
    options: JsonDict
    boards: int = 1
    passes: int = 1
    time: JsonDict = field(default_factory=lambda: dict(BOT_TIME))


Placed = tuple[NewSeat, int]
"""A seat, and the version that sits there."""


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


def open_table(
    session: Session,
    settings: LeagueSettings,
    asker: Asker,
    request: TableRequest,
    *,
    contained: bool = False,
) -> Opened:
    """Open a table as it was asked for, everybody in a seat drawn by lot."""
    options = options_of(request)
    if not 1 <= request.people <= request.seats:
        raise Malformed(
            f"got {request.people} people at {request.seats} seats, expected 1 to {request.seats}"
        )
    bots = _opponents(session, request, contained=contained)
    placed: list[Placed] = [(NewSeat(name=name), one.id) for name, one in bots]
    person = ensure_person(session)
    awaited = [NewSeat(name=GUEST, for_person=True) for _ in range(request.people - 1)]
    placed += [(seat, person.id) for seat in (own_seat(asker), *awaited)]
    SHUFFLE.shuffle(placed)
    terms = Terms(rules=request.rules, options=options)
    return open_seated(session, settings, asker, terms, placed, one_round=request.one_round)


def open_again(
    session: Session,
    settings: LeagueSettings,
    asker: Asker,
    before: Sitting,
    *,
    contained: bool = False,
) -> Opened:
    """A table on the terms of another: the same bots if they may, as many people, fresh cards."""
    match = store.present(session, Match, before.match_id)
    person = ensure_person(session)
    table = seats_of(session, before.match_id)
    bots = {seat.seat: (seat.name, row.version_id) for seat, row in table if not seat.for_person}
    company = who_may_sit(session, bots, match.rules, contained=contained)
    placed: list[Placed] = [(NewSeat(name=name), version) for name, version in company.values()]
    for seat, _ in table:
        if seat.for_person:
            own = seat.person_id == asker.person.id
            chair = own_seat(asker) if own else NewSeat(name=GUEST, for_person=True)
            placed.append((chair, person.id))
    SHUFFLE.shuffle(placed)
    terms = Terms(rules=match.rules, options=match.options)
    return open_seated(session, settings, asker, terms, placed, one_round=before.one_round)


def open_seated(
    session: Session,
    settings: LeagueSettings,
    asker: Asker,
    terms: Terms,
    placed: Sequence[Placed],
    *,
    one_round: bool,
    board: Board | None = None,
) -> Opened:
    """Open a table whose seats are taken, unless there are too many."""
    # One table of the league is opened at a time: of two that come together, the second counts
    # the first. A browser without a cookie is a new person each time, so theirs is no lock.
    store.locked(session, Version, ensure_person(session).id)
    refuse_excess(session, settings, asker)
    versions = [version for _, version in placed]
    match = new_match(terms, MatchKind.PEOPLE, versions, rated=False, in_flight=1)
    if board is not None:
        match = replace(match, key=board.key)
    table = NewTable(
        match=match,
        seats=tuple(seat for seat, _ in placed),
        creator_id=asker.person.id,
        address_hash=asker.address_hash,
        move_ms=round(settings.table_move_seconds * 1000),
        one_round=one_round,
        ratable=board is None,
        source=None if board is None else board.source,
    )
    return store.sittings.open_table(session, table)


def own_seat(asker: Asker) -> NewSeat:
    """The seat of whoever asks."""
    return NewSeat(name=asker.name, for_person=True, person_id=asker.person.id)


def seats_of(session: Session, match_id: int) -> list[tuple[store.SittingSeat, store.Seat]]:
    """Who sits at a table, by seat: in its own rows and in those of its match."""
    return [
        (one, store.present(session, store.Seat, (match_id, one.seat)))
        for one in store.sittings.seats(session, match_id)
    ]


def refuse_excess(session: Session, settings: LeagueSettings, asker: Asker) -> None:
    """Raise TooOften where one table more would be too many."""
    now = store.sittings.count_open(session, asker.person.id, asker.address_hash)
    for what, count, limit in (
        ("you have", now.of_person, settings.tables_per_person),
        ("your address has", now.of_address, settings.tables_per_address),
        ("this league has", now.of_league, settings.tables_in_league),
    ):
        if count >= limit:
            tables = "table" if count == 1 else "tables"
            raise TooOften(
                f"{what} {count} open {tables} already, and {limit} is the limit; finish or leave"
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
    return chosen + platform_bots(known, request.opponents, wanted - len(chosen))


def begin(session: Session, sitting: Sitting) -> Doorbell:
    """Begin without those who have not come: a platform bot takes each free seat."""
    match = store.locked(session, Match, sitting.match_id)
    free = store.sittings.free_seats(session, match.id)
    taken = [one.name for one in store.sittings.seats(session, match.id) if not one.for_person]
    bots = platform_bots(may_play(session, match.rules, contained=False), taken, len(free))
    return store.sittings.begin(session, match.id, [(name, one.id) for name, one in bots])


def close_abandoned(database: Store, seconds: float) -> list[int]:
    """Close the tables that nobody waits at any more; says which."""
    with database.read() as session:
        alone = store.sittings.abandoned(session, seconds)
    for match_id in alone:
        with database.write() as session:
            text = "Nobody was here any more, so this table was closed."
            if store.sittings.close(session, match_id, text):
                store.sittings.tell(session, match_id, {"type": "closed", "text": text})
    return alone
