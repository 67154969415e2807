"""Opponents of about a person's strength."""

from collections.abc import Mapping
from random import Random

import store as data
from league.people import TableRequest, of_about_my_strength, pick_near
from league.people.opening import options_of
from store import Rating, Store
from tests.factories import add_bots
from tests.league.people.test_board import House, house

__all__ = ["house"]

BOTS = {f"house/b{elo}": float(elo) for elo in range(1000, 2000, 100)}


def drawn(own: float | None, count: int = 3) -> set[str]:
    """Everybody who is drawn in many draws."""
    return {name for seed in range(200) for name in pick_near(BOTS, own, count, Random(seed))}


def test_the_nearest_are_drawn_and_they_vary() -> None:
    assert drawn(1220) == {f"house/b{elo}" for elo in (1000, 1100, 1200, 1300, 1400)}
    assert len({tuple(pick_near(BOTS, 1220, 3, Random(seed))) for seed in range(50)}) > 3


def test_who_has_no_rating_meets_the_middle() -> None:
    assert drawn(None, 2) == {f"house/b{elo}" for elo in (1300, 1400, 1500, 1600)}


def test_nobody_is_drawn_twice_and_fewer_come_where_there_are_fewer() -> None:
    assert sorted(pick_near(BOTS, 2500, 10, Random(3))) == sorted(BOTS)
    assert sorted(pick_near(BOTS, 2500, 12, Random(3))) == sorted(BOTS)
    assert pick_near({}, 1500, 3, Random(3)) == []


REQUEST = TableRequest(rules="six-nimmt", seats=4, one_round=True)
AUTHORS = {f"owner-of-b{elo}/b{elo}": float(elo) for elo in range(1000, 2000, 100)}
PLATFORM = {"house/gap": 1650.0, "house/random": 1350.0, "house/greedy": 1500.0}
DRAWS = 20


def rate(store: Store, ratings: Mapping[str, float]) -> None:
    """The first versions of bots have these ratings at the game of the request."""
    options = options_of(REQUEST)
    with store.write() as session:
        scale = data.people_games.scale_of(session, REQUEST.rules, options, REQUEST.seats)
        if scale is None:
            scale = data.scales.add_scale(session, REQUEST.rules, options, REQUEST.seats)
        rows = []
        for name, elo in ratings.items():
            bot = data.bots.find_bot(session, name)
            assert bot is not None
            version = data.bots.version_of(session, bot.id, 1)
            assert version is not None
            rows.append(
                Rating(
                    scale_id=scale.id, version_id=version.id, blocks=100, games=400,
                    live=elo, official=elo, low=elo - 40, high=elo + 40,
                )
            )  # fmt: skip
        data.ratings.save(session, scale.id, rows)


def company(
    house: House, person: str | None = None, request: TableRequest = REQUEST
) -> list[tuple[str, ...]]:
    """The opponents of many draws."""
    with house.store.read() as session:
        return [
            of_about_my_strength(session, person, request, contained=False).opponents
            for _ in range(DRAWS)
        ]


def test_whoever_wins_meets_the_strong_and_one_of_them_is_a_platform_bot(house: House) -> None:
    """Bots of authors rate nobody, so that three of them would make no game that counts."""
    add_bots(house.store, [name.partition("/")[2] for name in AUTHORS])
    rate(house.store, AUTHORS | PLATFORM)
    ann = house.person()
    for number in range(24):
        match_id = house.sit(ann, options=options_of(REQUEST))
        house.first_card(match_id)
        house.end(match_id, [2, 1, 3, 4] if number % 4 else [1, 2, 3, 4])
    own = house.board(ann).own
    assert own is not None
    assert own.elo is not None
    assert 1750 < own.elo < 2100
    strongest = {f"owner-of-b{elo}/b{elo}" for elo in (1600, 1700, 1800, 1900)}
    for drawn in company(house, ann):
        assert len(set(drawn)) == 3
        assert len(set(drawn) & set(PLATFORM)) >= 1
        assert set(drawn) <= strongest | set(PLATFORM)
    middle = {f"owner-of-b{elo}/b{elo}" for elo in (1300, 1400, 1500, 1600)}
    for drawn in company(house):
        assert set(drawn) <= middle | set(PLATFORM)
        assert set(drawn) & set(PLATFORM)


def test_who_was_named_stays_and_makes_the_game_count_if_the_platform_brought_it(
    house: House,
) -> None:
    add_bots(house.store, ["b1400"])
    rate(house.store, PLATFORM | {"owner-of-b1400/b1400": 1400.0})
    named = TableRequest(seats=4, one_round=True, opponents=("house/gap", "house/random"))
    drawn = company(house, request=named)
    assert {one[:2] for one in drawn} == {named.opponents}
    assert {one[2] for one in drawn} == {"house/greedy", "owner-of-b1400/b1400"}
    of_authors = TableRequest(seats=3, one_round=True, opponents=("owner-of-b1400/b1400",))
    with house.store.write() as session:
        data.scales.add_scale(session, "six-nimmt", options_of(of_authors), 3)
    assert set(company(house, request=of_authors)) == {of_authors.opponents}, "unrated"


def test_a_newer_version_is_taken_to_be_as_strong_as_the_last_with_a_rating(house: House) -> None:
    [name] = add_bots(house.store, ["b1500"])
    rate(house.store, {"house/gap": 1500.0, name: 1500.0})
    with house.store.write() as session:
        bot = data.bots.find_bot(session, name)
        assert bot is not None
        version = data.bots.add_version(session, bot.id, program=["newer"])
        data.bots.accept_version(session, version.id)
    assert {frozenset(one) for one in company(house)} == {frozenset({"house/gap", name})}


def test_without_any_rating_the_seats_stay_free(house: House) -> None:
    assert set(company(house)) == {()}
