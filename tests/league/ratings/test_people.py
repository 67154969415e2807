"""Ratings of people: simulated ones of known strength, and what must not move them."""

import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest

import nimmt
from league.ratings.blocks import Block, BlockGame, collect
from league.ratings.official import ELO_PER_LOGIT, fit
from league.ratings.people import (
    FEWEST_GAMES,
    FEWEST_ROUNDS,
    BotStrength,
    PeopleGame,
    abandoned_places,
    rate_people,
)
from nimmt.simple import SIMPLE

BOTS = {f"bot{i}": 1300.0 + 60.0 * i for i in range(8)}
KNOWN = {name: BotStrength(elo=elo) for name, elo in BOTS.items()}


def race(rng: np.random.Generator, elo: Sequence[float]) -> tuple[int, ...]:
    """Places whose pairs follow Bradley-Terry exactly, and which hang together in a game."""
    time = rng.exponential(size=len(elo)) / np.exp(np.array(elo) / ELO_PER_LOGIT)
    return tuple(int(one) for one in time.argsort().argsort() + 1)


def games_of(
    rng: np.random.Generator,
    people: Mapping[str, float],
    count: int,
    seats: int = 4,
    bots: Mapping[str, float] = BOTS,
) -> list[PeopleGame]:
    """Games of these people, all at one table, beside bots drawn evenly."""
    found = []
    for _ in range(count):
        beside = [sorted(bots)[int(at)] for at in rng.permutation(len(bots))[: seats - len(people)]]
        table = [*people, *beside]
        elo = [people[one] if one in people else bots[one] for one in table]
        found.append(PeopleGame(seats=tuple(table), places=race(rng, elo), rounds=2))
    return found


@pytest.mark.parametrize(("seats", "count"), [(2, 20), (4, 10), (4, 40), (6, 20)])
def test_the_interval_holds_the_true_strength_as_often_as_it_says(seats: int, count: int) -> None:
    rng = np.random.default_rng([seats, count])
    held, errors = [], []
    for _ in range(300):
        true = 1500.0 + 150.0 * float(rng.normal())
        # What is known of the bots is not exact either.
        known = {
            name: BotStrength(elo=elo + 20.0 * float(rng.normal()), error=20.0)
            for name, elo in BOTS.items()
        }
        [found] = rate_people(games_of(rng, {"me": true}, count, seats), known, ["me"])
        if found.elo is not None and found.half is not None:
            held.append(abs(found.elo - true) <= found.half)
            errors.append(found.elo - true)
    assert len(held) > 280
    # Of 300, 95 % are 285 with a spread of 4.
    assert 0.92 <= np.mean(held) <= 0.99
    assert abs(float(np.mean(errors))) < 25


def test_two_people_at_one_table_are_rated_beside_each_other() -> None:
    rng = np.random.default_rng(7)
    games = games_of(rng, {"ann": 1700.0, "ben": 1400.0}, 400)
    ann, ben = rate_people(games, KNOWN, ["ann", "ben"])
    assert (ann.person, ben.person) == ("ann", "ben")
    for found, true in ((ann, 1700.0), (ben, 1400.0)):
        assert found.elo is not None
        assert found.half is not None
        assert abs(found.elo - true) < found.half < 60
    # A table of people alone is joined to the scale by those who have met bots.
    duel = [replace(game, seats=game.seats[:2], places=_among(game.places[:2])) for game in games]
    both = rate_people([*games[:200], *duel[200:]], KNOWN, ["ann", "ben"])
    assert [one.person for one in both] == ["ann", "ben"]


def _among(places: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(1 + sum(other < own for other in places) for own in places)


def test_a_person_who_plays_like_a_bot_gets_the_rating_of_that_bot() -> None:
    """Real cards: bots rated by their own games, and one of their players as a person."""
    rules = nimmt.get("six-nimmt", {"rounds": 1})
    names = ["highest", "house", "random", "greedy", "taker"]
    rng = Random(3)

    def play(table: Sequence[str], number: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        state = rules.start(len(table), nimmt.KeyedBoard(nimmt.key_from_seed(number), 0))
        players = [SIMPLE[name](Random(rng.random())) for name in table]
        while state.pending:
            state.apply(
                {
                    seat: players[seat](ask.kind, state.view(seat), state.legal(seat))
                    for seat, ask in state.pending.items()
                }
            )
        assert state.result is not None
        return tuple(state.result[0]), tuple(state.result[1])

    rows = []
    for number in range(600):
        table = rng.sample(names, 4)
        points, places = play(table, number)
        rows.append(
            Block(
                order=number,
                table=tuple(table),
                games=(BlockGame(places=places, points=points),),
            )
        )
    official = fit(collect(rows))
    errors = official.half_width() / 1.96
    known = {
        name: BotStrength(elo=float(official.elo[at]), error=float(errors[at]))
        for at, name in enumerate(official.bots)
    }
    games = []
    for number in range(150):
        table = ["greedy", *rng.sample([name for name in names if name != "greedy"], 3)]
        _, places = play(table, 1000 + number)
        games.append(PeopleGame(seats=("me", *table[1:]), places=places))
    [found] = rate_people(games, known, ["me"])
    assert found.elo is not None
    assert found.half is not None
    assert abs(found.elo - known["greedy"].elo) < found.half + 2 * known["greedy"].error


def test_the_order_of_games_and_people_is_nothing() -> None:
    rng = np.random.default_rng(8)
    games = games_of(rng, {"ann": 1600.0, "ben": 1500.0}, 40)
    forth = rate_people(games, KNOWN, ["ann", "ben"])
    back = rate_people(games[::-1], KNOWN, ["ben", "ann"])
    assert [one.person for one in forth] == [one.person for one in back]
    for one, other in zip(forth, back, strict=True):
        assert one.elo == pytest.approx(other.elo)
        assert one.half == pytest.approx(other.half)


def test_below_enough_games_or_rounds_there_is_no_rating() -> None:
    rng = np.random.default_rng(9)
    games = games_of(rng, {"me": 1500.0}, FEWEST_GAMES)
    [few] = rate_people(games[:-1], KNOWN, ["me"])
    assert (few.elo, few.half, few.games_missing, few.rounds_missing) == (None, None, 1, 2)
    short = [replace(game, rounds=1) for game in games]
    [brief] = rate_people(short, KNOWN, ["me"])
    assert (brief.elo, brief.rounds_missing) == (None, FEWEST_ROUNDS - FEWEST_GAMES)
    [enough] = rate_people(games, KNOWN, ["me"])
    assert enough.elo is not None
    assert rate_people([], KNOWN, ["me"])[0].games == 0


@pytest.mark.parametrize("place", [1, 4])
def test_whoever_always_wins_or_always_loses_cannot_be_measured(place: int) -> None:
    others = tuple(one for one in (1, 2, 3, 4) if one != place)
    games = [
        PeopleGame(seats=("me", "bot0", "bot3", "bot7"), places=(place, *others), rounds=5)
    ] * 30
    [found] = rate_people(games, KNOWN, ["me"])
    assert (found.elo, found.half, found.games) == (None, None, 30)


def test_bots_without_a_rating_are_left_out() -> None:
    rng = np.random.default_rng(10)
    games = games_of(rng, {"me": 1550.0}, 60)
    strangers = [
        replace(game, seats=(*game.seats, "stranger"), places=(*game.places, 5)) for game in games
    ]
    assert rate_people(strangers, KNOWN, ["me"]) == rate_people(games, KNOWN, ["me"])


def test_games_that_say_nothing_do_not_make_enough() -> None:
    """One lucky game, and nine against strangers: that is one game, not ten."""
    rng = np.random.default_rng(12)
    [lucky] = games_of(rng, {"me": 1500.0}, 1)
    lucky = replace(lucky, places=(2, 1, 3, 4))
    strangers = [replace(lucky, seats=("me", "x", "y", "z"), rounds=9)] * 30
    [found] = rate_people([lucky, *strangers], KNOWN, ["me"])
    assert (found.games, found.rounds, found.elo) == (1, lucky.rounds, None)


@pytest.mark.heavy
def test_many_guests_take_no_more_memory_than_their_games() -> None:
    """Whoever opens the board has it worked out, so no table of everyone beside everyone."""
    games = [
        PeopleGame(seats=(f"guest{i}", "bot0", "bot3", "bot7"), places=(2, 1, 3, 4))
        for i in range(2000)
    ]
    people = [game.seats[0] for game in games]
    tracemalloc.start()
    try:
        assert len(rate_people(games, KNOWN, people)) == 2000
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 2000 * 2000, "not even a byte for each pair of people"


def test_leaving_costs_a_place_behind_every_bot() -> None:
    rng = np.random.default_rng(11)
    games = games_of(rng, {"me": 1700.0}, 40)
    left = [
        replace(game, places=abandoned_places([seat == "me" for seat in game.seats]))
        for game in games[:10]
    ]
    [kept] = rate_people(games, KNOWN, ["me"])
    [lost] = rate_people([*left, *games[10:]], KNOWN, ["me"])
    assert kept.elo is not None
    assert lost.elo is not None
    assert lost.elo < kept.elo - 50
    assert lost.games == kept.games
