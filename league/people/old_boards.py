"""Boards that were played before, from another seat or by somebody else; never rated."""

from sqlmodel import Session

import store
from league.errors import LeagueRefusal, Malformed
from league.people.opening import (
    Asker,
    Board,
    Opened,
    Placed,
    Terms,
    open_seated,
    own_seat,
    seats_of,
)
from league.people.opponents import ensure_person, may_play, may_sit, platform_bots
from league.settings import LeagueSettings
from store import JsonDict, Match, Sitting
from store.sittings import NewSeat


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
    table = seats_of(session, before.match_id)
    own = next((one.seat for one, _ in table if one.person_id == asker.person.id), None)
    if own is None:
        raise LeagueRefusal("you did not sit at this table")
    wanted = (own + 1) % len(table) if seat is None else seat
    if not 0 <= wanted < len(table):
        raise Malformed(f"got seat {wanted}, expected 0 to {len(table) - 1}")
    company = iter(platform_bots(may_play(session, match.rules, contained=False), (), len(table)))
    bots: dict[int, tuple[str, int]] = {}
    for one, row in table:
        name, version = next(company)
        sits = may_sit(session, row.version_id, match.rules, contained=contained)
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
    company = iter(
        platform_bots(may_play(session, match.rules, contained=False), (), len(game.seats))
    )
    bots: dict[int, tuple[str, int]] = {}
    for at, number in enumerate(game.seats):
        version = seated[number].version_id
        fallback, spare = next(company)
        sits = may_sit(session, version, match.rules, contained=contained)
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
    placed[seat] = (own_seat(asker), ensure_person(session).id)
    terms = Terms(rules=match.rules, options=match.options)
    return open_seated(session, settings, asker, terms, placed, one_round=one_round, board=board)
