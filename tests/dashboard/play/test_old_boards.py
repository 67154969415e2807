"""*Play this board*: the cards of any game that was played before, in the seat of one's choice."""

import secrets
from dataclasses import replace
from typing import Any

import pytest

import nimmt
import store as data
from nimmt.events import seen_by
from nimmt.events import to_json as event_to_json
from nimmt.verify import verify
from store import GameResult, Match, MatchKind, NewMatch
from tests.dashboard.play.conftest import House
from tests.dashboard.play.test_coming_and_going import document_of, table_of
from tests.store.support import OPTIONS, outcome

pytestmark = pytest.mark.timeout(180)
NAMES = ("gap", "greedy", "lowest", "random")
PASS, GAME, BOARD, SEATS = 1, 2, 5, (2, 0, 3, 1)
"""A game in the middle of a match whose passes play the same boards in other seats."""


def played(house: House, *, ends: bool = True, **more: Any) -> Match:
    """A match with one game that is kept."""
    with house.store.write() as session:
        versions = []
        for name in NAMES:
            bot = data.bots.find_bot(session, f"house/{name}")
            assert bot is not None
            versions.append(data.bots.versions(session, bot.id)[0].id)
        terms: dict[str, Any] = {
            "kind": MatchKind.SEASON,
            "rules": "six-nimmt",
            "options": OPTIONS,
            "versions": tuple(versions),
            "boards": 8,
            "key": secrets.token_bytes(32),
        }
        [bell] = data.matches.queue(session, [NewMatch(**(terms | more))])
        attempt = data.attempts.claim(session, bell.match_id, "w")
        assert attempt is not None
        game = GameResult(
            pass_no=PASS,
            game_no=GAME,
            board=BOARD,
            seats=SEATS,
            points=(1, 2, 3, 4),
            places=(1, 2, 3, 4),
        )
        if ends:
            made = outcome(games=1)
            data.attempts.finish(session, attempt.token, replace(made, games=(game,), blocks=()))
        return data.present(session, Match, bell.match_id)


def address(match: Match, pass_no: int = PASS, game_no: int = GAME) -> str:
    return f"/matches/{match.id}/games/{pass_no}/{game_no}/play"


def test_the_board_of_any_game_is_dealt_again_and_the_bots_keep_their_seats(house: House) -> None:
    match, seat = played(house), 3
    visitor = house.visitor()
    status, location, body = visitor.form(address(match), seat=seat)
    assert status == 303, body
    code = location.removeprefix("/play/")
    frames = [frame for _, frame in visitor.play(code)]

    # The cards are those of the board: by its key and number, as this seat sees them.
    assert frames[0]["seat"] == seat
    board = nimmt.KeyedBoard(match.key, BOARD)
    opening = nimmt.get("six-nimmt", match.options).start(len(NAMES), board).opening
    dealt = [event_to_json(seen_by(event, seat)) for event in opening]
    with house.store.read() as session:
        sitting, table = table_of(house.store, code)
        kept = [frame for _, frame in data.sittings.frames(session, table.id, seat)]
        people = data.sittings.seats(session, table.id)
    events: list[Any] = [
        event for frame in kept if isinstance(one := frame.get("events"), list) for event in one
    ]
    assert events[: len(dealt)] == dealt
    document = document_of(house.store, table.id)
    assert (document["key"], document["board"]) == (match.key.hex(), BOARD)
    verify(document)

    # The bots sit where they sat, and everybody can know where the board is from.
    bots = [f"house/{NAMES[number]}" for number in SEATS]
    assert [one.name for one in people] == [*bots[:seat], "Guest"]
    source = {"match": match.id, "pass": PASS, "game_no": GAME, "seat": seat, "board": BOARD}
    assert sitting.source == source
    assert not sitting.ratable, "somebody may have looked at the replay"


@pytest.mark.parametrize("house", [{"table_slots": 0}], indirect=True)
def test_what_cannot_be_played_is_refused(house: House) -> None:
    visitor = house.visitor()
    match = played(house)
    assert visitor.form(address(match), seat=4)[0] == 422
    assert visitor.form(address(match), seat="x")[0] == 422
    assert visitor.form(address(match, pass_no=0))[0] == 409
    going_on = played(house, ends=False)
    status, _, body = visitor.form(address(going_on))
    assert status == 409
    assert b"his game is not over" in body
    with house.store.read() as session:
        assert data.sittings.count_open(session, "", "").of_league == 0


@pytest.mark.parametrize("house", [{"table_slots": 0}], indirect=True)
def test_the_board_of_a_private_match_is_for_those_who_may_see_it(house: House) -> None:
    match = played(house, kind=MatchKind.PRACTICE, rated=False)
    with house.store.write() as session:
        owner = data.accounts.add_owner(session, "ada")
        bot = data.bots.find_bot(session, "house/gap")
        assert bot is not None
        data.friendlies.add(session, match.id, owner.id, bot.id)
    visitor = house.visitor()
    assert visitor.form(address(match), seat=0)[0] == 404
    with house.store.write() as session:
        data.locked(session, data.Friendly, match.id).shared = True
    assert visitor.form(address(match), seat=0)[0] == 303
