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
from league.people.opponents import SeatedBot, ensure_person, who_may_sit
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
    match = _finished(session, before.match_id)
    table = seats_of(session, before.match_id)
    own = next((one.seat for one, _ in table if one.person_id == asker.person.id), None)
    if own is None:
        raise LeagueRefusal("you did not sit at this table")
    wanted = (own + 1) % len(table) if seat is None else seat
    if not 0 <= wanted < len(table):
        raise Malformed(f"got seat {wanted}, expected 0 to {len(table) - 1}")
    before_them = {one.seat: (one.name, row.version_id) for one, row in table if one.seat != own}
    bots = who_may_sit(session, before_them, match.rules, contained=contained)
    if wanted != own:
        bots[own] = bots.pop(wanted)
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
    match = _finished(session, place[0])
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
    others = {
        at: (seated[number].bot, seated[number].version_id)
        for at, number in enumerate(game.seats)
        if at != seat
    }
    bots = who_may_sit(session, others, match.rules, contained=contained)
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


def _finished(session: Session, match_id: int) -> Match:
    match = store.present(session, Match, match_id)
    if not match.state.is_final:
        raise LeagueRefusal("this game is not over; its board can be played again when it is")
    return match


def _open_board(
    session: Session,
    settings: LeagueSettings,
    asker: Asker,
    match: Match,
    bots: dict[int, SeatedBot],
    seat: int,
    board: Board,
    one_round: bool,
) -> Opened:
    placed: dict[int, Placed] = {
        at: (NewSeat(name=name), version) for at, (name, version) in bots.items()
    }
    placed[seat] = (own_seat(asker), ensure_person(session).id)
    terms = Terms(rules=match.rules, options=match.options)
    table = [placed[at] for at in sorted(placed)]
    return open_seated(session, settings, asker, terms, table, one_round=one_round, board=board)
