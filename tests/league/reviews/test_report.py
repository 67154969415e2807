"""Where a bot loses points: the sample does not look at results, intervals count games."""

import pytest
from sqlmodel import select

import store
from league.reviews import Form, draw_sample
from league.reviews.report import _groups, _keys, _Tally
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


def test_losses_of_two_games_are_not_averaged_together() -> None:
    plain, drafted = Form("six-nimmt", False), Form("six-nimmt", True)
    own: dict[tuple[str, str, Form | None], _Tally] = {}
    others: dict[tuple[str, str, Form | None], _Tally] = {}
    for number, (form, loss) in enumerate([(plain, 0.5), (plain, 0.5), (drafted, 5.0)]):
        for key in _keys(form, {"kind": "card"}, "early", 1):
            own.setdefault(key, _Tally()).games[number].append(loss)
        for key in _keys(form, {"kind": "card"}, "early", None):
            others.setdefault(key, _Tally()).games[number].append(2 * loss)
    groups = list(_groups(own, others))
    assert [(one.by, one.form) for one in groups] == [
        ("all", None),
        *[(by, plain) for by in ("rules", "kind", "phase", "version")],
        *[(by, drafted) for by in ("rules", "kind", "phase", "version")],
    ]
    means = {(one.by, one.form): (one.own.mean, one.field.mean, one.games) for one in groups}
    assert means["all", None] == (2.0, 4.0, 3)
    for by in ("rules", "kind", "phase", "version"):
        assert means[by, plain] == (0.5, 1.0, 2)
        assert means[by, drafted] == (5.0, 10.0, 1)
