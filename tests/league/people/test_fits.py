"""The ratings of people are worked out once for as long as nothing changes; on both databases."""

import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlmodel import Session

import nimmt
import store as data
from league import people
from league.people import fits
from league.ratings import FEWEST_GAMES, BotStrength, PeopleGame, PersonRating, rate_people
from store import Bot, Person, Rating, people_games, present
from tests.league.people.test_board import OPTIONS, House, house

__all__ = ["house"]
OTHER = dict(nimmt.get("six-nimmt", {"rounds": 2}).options)


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A line for each time that ratings are worked out: of how many games."""
    calls: list[int] = []

    def counting(
        games: Sequence[PeopleGame], known: Mapping[str, BotStrength], ids: Sequence[str]
    ) -> list[PersonRating]:
        calls.append(len(games))
        return rate_people(games, known, ids)

    monkeypatch.setattr(fits, "rate_people", counting)
    return calls


def test_views_and_tables_work_out_nothing_while_nothing_changes(
    house: House, fitted: list[int]
) -> None:
    person = house.person()
    house.play(person)
    first = house.board(person)
    house.person()
    house.sit(person)
    assert house.board() != first, "each sees their own"
    assert house.board(person) == first
    with house.store.read() as session:
        own = people.own_rating(session, person, "six-nimmt", OPTIONS, 4)
        assert first.own is not None
        assert own == first.own.elo
        assert people.own_rating(session, None, "six-nimmt", OPTIONS, 4) is None
        assert people.own_rating(session, person, "six-nimmt", OTHER, 4) is None
    assert fitted == [FEWEST_GAMES]


@pytest.mark.parametrize("what", ["game", "rating", "name", "platform bot", "left"])
def test_what_changes_the_board_is_seen_at_once(house: House, fitted: list[int], what: str) -> None:
    person = house.person()
    house.play(person)
    broken = house.sit(person)
    house.first_card(broken)
    with house.store.write() as session:
        data.sittings.close(session, broken, "test")
    before = house.board(person)
    with house.store.write() as session:
        bot = data.bots.find_bot(session, "house/gap")
        assert bot is not None
        match what:
            case "rating":
                row = present(session, Rating, (house.scale_id, house.versions["gap"]))
                row.official = 1700.0
            case "name":
                present(session, Bot, bot.id).name = "gaps"
            case "platform bot":
                present(session, Bot, bot.id).is_anchor = False
            case "left":
                data.sittings.leave(session, broken, 1)
    if what == "game":
        house.play(person, 1)
    assert house.board(person) != before
    assert len(fitted) == 2


def test_a_name_is_never_kept(house: House, fitted: list[int]) -> None:
    person = house.person()
    house.play(person)
    for shown in (True, False):
        with house.store.write() as session:
            people.set_name(session, person, "Ada", shown=shown)
        [row] = house.board().people
        assert row.name == ("Ada" if shown else None)
    assert len(fitted) == 1


def test_a_table_that_is_refused_takes_nothing_of_the_board_along(house: House) -> None:
    person = house.person()
    house.play(person)
    with house.store.write() as session:
        people.own_rating(session, person, "six-nimmt", OPTIONS, 4)
        session.rollback()
    scale = house.board().scale
    assert scale is not None
    assert scale.id == house.scale_id


def test_a_busy_game_pushes_no_other_off_the_board(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people_games, "LATEST", 3)
    person = house.person()
    house.play(person, 2)
    house.play(person, 5, options=OTHER)
    with house.store.read() as session:
        games = people_games.counted(session)
    assert [game.options for game in games] == [OPTIONS] * 2 + [OTHER] * 3
    assert [game.match_id for game in games] == sorted(game.match_id for game in games)
    assert games[-1].match_id == games[1].match_id + 5, "the latest"


def test_where_there_are_too_many_games_every_kind_keeps_its_share(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people_games, "MOST", 5)
    person = house.person()
    house.play(person, 2)
    house.play(person, 6, options=OTHER)
    with house.store.read() as session:
        games = people_games.counted(session)
    assert [game.options for game in games] == [OPTIONS] * 2 + [OTHER] * 3
    assert games[-1].match_id == games[1].match_id + 6, "the latest"


def test_a_board_asks_for_the_names_of_those_alone_who_stand_on_it(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the many who played once, none is looked up."""
    regular = house.person()
    house.play(regular)
    for _ in range(3):
        house.play(house.person(), 1)
    looked: list[set[str]] = []
    find = people_games.people

    def noted(session: Session, ids: Iterable[str]) -> dict[str, Person]:
        looked.append(set(ids))
        return find(session, ids)

    monkeypatch.setattr(people_games, "people", noted)
    board = house.board()
    assert looked == [{regular}]
    assert len(board.people) == 1


def test_whoever_comes_while_ratings_are_worked_out_gets_the_last_ones(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that waited would keep a connection of the database from all others."""
    person = house.person()
    house.play(person)
    before = house.board()
    house.play(person, 1)
    begun, go_on = threading.Event(), threading.Event()

    def slowly(
        games: Sequence[PeopleGame], known: Mapping[str, BotStrength], ids: Sequence[str]
    ) -> list[PersonRating]:
        begun.set()
        assert go_on.wait(60.0)
        return rate_people(games, known, ids)

    monkeypatch.setattr(fits, "rate_people", slowly)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(house.board)
        assert begun.wait(60.0)
        second = pool.submit(house.board)
        try:
            assert second.result(timeout=60.0) == before
        finally:
            go_on.set()
        assert first.result().games == before.games + 1
    assert house.board() == first.result()
