"""Where a bot loses points: the sample does not look at results, intervals count games."""

import pytest
from sqlmodel import select

import store
from league.reviews import draw_sample
from league.reviews.report import _Tally
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from store import SeasonState, Store
from tests.factories import add_bots
from tests.league.world import play_due, season_in

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=8)


@pytest.fixture
def played(database: Store, chosen: LeagueSettings) -> int:
    """A bot in a season in which everything was played; its id."""
    names = add_bots(database)
    season_in(database, SeasonState.RUNNING, PLAN, names)
    play_due(database, chosen)
    with database.read() as session:
        bot = store.bots.find_bot(session, names[0])
    assert bot is not None
    return bot.id


def test_a_larger_sample_contains_the_smaller_and_none_has_a_game_twice(
    database: Store, played: int
) -> None:
    with database.read() as session:
        few, many = (draw_sample(session, played, size) for size in (3, 6))
        every = draw_sample(session, played, 10_000)
        games = session.exec(select(store.Game)).all()
    assert few.games == many.games[:3]
    assert len(set(every.games)) == len(every.games) == every.population
    assert every.population <= len(games)
    assert list(every.games) != sorted(every.games, key=lambda one: (one.match_id, one.game_no))


def test_the_seat_of_a_sampled_game_is_the_bots_own(database: Store, played: int) -> None:
    with database.read() as session:
        for game in draw_sample(session, played, 10).games:
            row = session.get(store.Game, (game.match_id, game.pass_no, game.game_no))
            assert row is not None
            number = row.seats[game.seat]
            seat = session.get(store.Seat, (game.match_id, number))
            assert seat is not None
            assert seat.bot_id == played


def test_decisions_of_one_game_are_one_piece_of_evidence() -> None:
    apart, together = _Tally(), _Tally()
    for number in range(40):
        loss = float(number % 2)
        apart.games[number].append(loss)
        together.games[number % 2].append(loss)
    assert apart.mean().mean == together.mean().mean == 0.5
    wide, narrow = together.mean(), apart.mean()
    assert wide.high is not None
    assert narrow.high is not None
    assert wide.high > narrow.high


def test_one_game_has_a_mean_and_no_interval() -> None:
    tally = _Tally()
    tally.games[0] += [1.0, 0.0]
    assert (tally.mean().mean, tally.mean().low) == (0.5, None)
    assert _Tally().mean().mean is None
