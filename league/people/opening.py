"""Opening a table: what is played, who sits there, and how many tables there may be.

One function for each act of a person; pages call them inside a transaction and ring afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
from store import (
    Doorbell,
    JsonDict,
    Match,
    MatchKind,
    Person,
    Sitting,
    Store,
    Version,
    VersionState,
)
from store.sittings import PERSON_BOT, NewSeat, NewTable

GUEST = "Guest"
RETRY_SECONDS = 60
BOT_TIME: JsonDict = {"move_ms": 100, "bank_ms": 1000}
"""The clock of the bots; a person has another."""
SHUFFLE = SystemRandom()
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
class _Terms:
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


def _may_sit(session: Session, version_id: int, rules: str, *, contained: bool) -> bool:
    """Whether a bot of an earlier game may sit at a table today; see `may_play`."""
    version = store.present(session, Version, version_id)
    bot = store.present(session, store.Bot, version.bot_id)
    willing = bot.friendlies and bot.suspended_at is None and rules in bot.rules
    known = version.state is VersionState.ACCEPTED and version.program != list(PERSON)
    return willing and known and (version.program is not None or contained)


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
    placed += [(seat, person.id) for seat in (_own_seat(asker), *awaited)]
    SHUFFLE.shuffle(placed)
    terms = _Terms(rules=request.rules, options=options)
    return _open(session, settings, asker, terms, placed, one_round=request.one_round)


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
    placed: list[Placed] = []
    table = _table(session, before.match_id)
    company = _company(may_play(session, match.rules, contained=False), (), len(table))
    for (seat, row), (name, spare) in zip(table, company, strict=True):
        if seat.for_person:
            own = seat.person_id == asker.person.id
            chair = _own_seat(asker) if own else NewSeat(name=GUEST, for_person=True)
            placed.append((chair, person.id))
        elif _may_sit(session, row.version_id, match.rules, contained=contained):
            placed.append((NewSeat(name=seat.name), row.version_id))
        else:
            placed.append((NewSeat(name=name), spare.id))
    SHUFFLE.shuffle(placed)
    terms = _Terms(rules=match.rules, options=match.options)
    return _open(session, settings, asker, terms, placed, one_round=before.one_round)


def open_other_seat(
    session: Session,
    settings: LeagueSettings,
    asker: Asker,
    before: Sitting,
    seat: int | None = None,
    *,
    contained: bool = False,
) -> Opened:
    """The same cards from another seat: the person and the bot there change places.

    Platform bots take the seats of other people, and of bots that sit at no table any more. Such a
    game is never rated.
    """
    match = store.present(session, Match, before.match_id)
    if not match.state.is_final:
        raise LeagueRefusal("this game is not over; its board can be played again when it is")
    table = _table(session, before.match_id)
    own = next((one.seat for one, _ in table if one.person_id == asker.person.id), None)
    if own is None:
        raise LeagueRefusal("you did not sit at this table")
    wanted = (own + 1) % len(table) if seat is None else seat
    if not 0 <= wanted < len(table):
        raise Malformed(f"got seat {wanted}, expected 0 to {len(table) - 1}")
    company = iter(_company(may_play(session, match.rules, contained=False), (), len(table)))
    bots: dict[int, tuple[str, int]] = {}
    for one, row in table:
        name, version = next(company)
        sits = _may_sit(session, row.version_id, match.rules, contained=contained)
        bots[one.seat] = (one.name, row.version_id) if sits else (name, version.id)
    bots[own] = bots[wanted]
    number = int(str((before.source or {}).get("board", 0)))
    source: JsonDict = {"match": match.id, "pass": 0, "game_no": 0, "seat": own, "board": number}
    board = Board(key=match.key, number=number, source=source)
    return _open_board(session, settings, asker, match, bots, wanted, board, before.one_round)


def open_board(
    session: Session,
    settings: LeagueSettings,
    asker: Asker,
    place: tuple[int, int, int],
    seat: int,
    *,
    contained: bool = False,
) -> Opened:
    """The board of a finished game, the person in one seat, the same bots in the others where they
    may still sit at a table.

    `place` is match, pass and game; whether the asker may see it is for the caller to know.
    """
    match = store.present(session, Match, place[0])
    game = next(
        (
            one
            for one in store.results.games(session, match.id)
            if (one.pass_no, one.game_no) == place[1:]
        ),
        None,
    )
    if game is None:
        raise LeagueRefusal("this game has no replay, so its board cannot be played")
    if not 0 <= seat < len(game.seats):
        raise Malformed(f"got seat {seat}, expected 0 to {len(game.seats) - 1}")
    rows = store.match_lists.seated(session, [match.id])[match.id]
    seated = {one.number: one for one in rows}
    company = iter(_company(may_play(session, match.rules, contained=False), (), len(game.seats)))
    bots: dict[int, tuple[str, int]] = {}
    for at, number in enumerate(game.seats):
        version = seated[number].version_id
        fallback, spare = next(company)
        sits = _may_sit(session, version, match.rules, contained=contained)
        bots[at] = (seated[number].bot, version) if sits else (fallback, spare.id)
    source: JsonDict = {
        "match": match.id,
        "pass": game.pass_no,
        "game_no": game.game_no,
        "seat": seat,
        "board": game.board,
    }
    board = Board(key=match.key, number=game.board, source=source)
    one_round = match.options.get("rounds") == 1
    return _open_board(session, settings, asker, match, bots, seat, board, one_round)


def _open_board(
    session: Session,
    settings: LeagueSettings,
    asker: Asker,
    match: Match,
    bots: dict[int, tuple[str, int]],
    seat: int,
    board: Board,
    one_round: bool,
) -> Opened:
    placed: list[Placed] = [
        (NewSeat(name=name), version) for _, (name, version) in sorted(bots.items())
    ]
    placed[seat] = (_own_seat(asker), ensure_person(session).id)
    terms = _Terms(rules=match.rules, options=match.options)
    return _open(session, settings, asker, terms, placed, one_round=one_round, board=board)


def _open(
    session: Session,
    settings: LeagueSettings,
    asker: Asker,
    terms: _Terms,
    placed: Sequence[Placed],
    *,
    one_round: bool,
    board: Board | None = None,
) -> Opened:
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


def _own_seat(asker: Asker) -> NewSeat:
    return NewSeat(name=asker.name, for_person=True, person_id=asker.person.id)


def _table(session: Session, match_id: int) -> list[tuple[store.SittingSeat, store.Seat]]:
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
