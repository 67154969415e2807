"""Adaptive seasons: they go on where places are open, and end when they are settled or broke."""

from typing import Any

import pytest

import store
from league.errors import LeagueRefusal
from league.seasons import drafts, extend
from league.seasons.plan import SeasonPlan
from league.settings import LeagueSettings
from league.worker import tick
from store import Season, SeasonState, Store
from tests.factories import add_bots
from tests.league.arena import add_worker
from tests.league.world import ORGANISER, play_due, season_in

SIX = {"rounds": 1}


def season_of(database: Store, season_id: int) -> tuple[Season, int]:
    with database.read() as session:
        found = store.seasons.season(session, season_id)
        return found, store.seasons.progress(session, season_id).done


def verdict(season: Season) -> dict[str, Any]:
    found: Any = season.verdict
    assert isinstance(found, dict)
    return found


def test_a_clear_place_is_settled_by_further_boards_before_the_budget_is_spent(
    database: Store, chosen: LeagueSettings
) -> None:
    plan = SeasonPlan(
        name="clear",
        rules="six-nimmt",
        options=SIX,
        boards=40,
        places=(3,),
        budget=60,
    )
    # Three that look at the cost of a card and one that does not: the last border is wide.
    bots = add_bots(database, ("greedy", "greedy-two", "house", "random"))
    season = season_in(database, SeasonState.RUNNING, plan, bots)
    with database.read() as session:
        planned = store.seasons.progress(session, season.id).total
    play_due(database, chosen)
    found, done = season_of(database, season.id)
    assert found.state is SeasonState.FINISHED
    assert verdict(found)["reason"] == "settled", verdict(found)
    assert planned < done < 60
    balance: Any = found.balance
    assert (balance["counted"], balance["tables"]) == ("played", done), "not what was planned"
    assert balance["plays_max"] == done
    with database.read() as session:
        extra = store.match_lists.matches(session, season_id=season.id, limit=100)[0]
        entries = store.audit.page(session, subject="season", subject_id=season.id)
    assert extra.passes == 4, "what decides a place is played in duplicate form"
    assert extra.boards == 10
    assert any(
        entry.action == "season.extend" and extra.commitment in str(entry.detail)
        for entry in entries
    ), "the keys of further matches are committed to as well"


def groups(database: Store, season_id: int) -> dict[str, tuple[int, int]]:
    """The range of places that a season leaves to each bot."""
    with database.read() as session:
        table: Any = store.seasons.season(session, season_id).standings
    return {row["bot"]: (row["low"], row["high"]) for row in table["rows"]}


@pytest.mark.heavy
def test_an_adaptive_season_contradicts_no_large_balanced_one(
    database: Store, chosen: LeagueSettings
) -> None:
    bots = add_bots(database, ("greedy", "highest", "house", "random", "taker", "greedy-two"))
    common: dict[str, Any] = {"rules": "six-nimmt", "options": SIX, "boards": 20}
    adaptive = SeasonPlan(name="adaptive", places=(1, 3), budget=30, **common)
    balanced = SeasonPlan(name="balanced", meetings=24, **common)
    found = []
    for plan in (adaptive, balanced):
        season = season_in(database, SeasonState.RUNNING, plan, bots)
        play_due(database, chosen)
        tick.refresh_ratings(database)
        found.append(groups(database, season.id))
    ours, even = found
    assert set(ours) == set(even) == set(bots)
    # Every season is right with 95 %; two that separate a pair must not do so in opposite order.
    wrong = [
        (one, two)
        for one in bots
        for two in bots
        if ours[one][1] < ours[two][0] and even[two][1] < even[one][0]
    ]
    assert wrong == []
    assert any(ours[one][1] < ours[two][0] for one in bots for two in bots), "none was separated"


def test_equal_bots_use_up_the_budget_and_the_season_still_ends(
    database: Store, chosen: LeagueSettings
) -> None:
    plan = SeasonPlan(name="equal", rules="six-nimmt", options=SIX, boards=8, places=(1,), budget=7)
    bots = add_bots(database, ("random", "random-two", "random-three", "random-four"))
    season = season_in(database, SeasonState.RUNNING, plan, bots)
    play_due(database, chosen)
    found, done = season_of(database, season.id)
    assert found.state is SeasonState.FINISHED
    assert done == 7
    assert verdict(found)["reason"] == "budget"
    assert len(verdict(found)["open"]) == 1


def test_a_settled_season_ends_in_the_middle_of_its_plan(
    database: Store, chosen: LeagueSettings
) -> None:
    plan = SeasonPlan(
        name="soon",
        rules="six-nimmt",
        options=SIX,
        boards=160,
        meetings=12,
        places=(1,),
        budget=60,
        table=2,
    )
    bots = add_bots(database, ("greedy", "random"))
    season = season_in(database, SeasonState.RUNNING, plan, bots)
    for _ in range(12):
        play_due(database, chosen, most=1)
        tick.refresh_ratings(database)
    found, done = season_of(database, season.id)
    assert found.state is SeasonState.FINISHED
    assert verdict(found)["reason"] == "settled"
    assert done < 12


def test_with_fewer_bots_than_seats_everybody_plays_another_lap(
    database: Store, chosen: LeagueSettings
) -> None:
    with database.write() as session:
        house = store.accounts.add_owner(session, "house", is_house=True)
        for name in ("highest", "taker"):
            bot = store.bots.add_bot(session, house.id, name, ["six-nimmt"], is_anchor=True)
            version = store.bots.add_version(session, bot.id, program=[name])
            store.bots.accept_version(session, version.id)
    plan = SeasonPlan(name="few", rules="six-nimmt", options=SIX, boards=8, places=(1,), budget=3)
    season = season_in(
        database, SeasonState.RUNNING, plan, add_bots(database, ("random", "random-two"))
    )
    play_due(database, chosen)
    found, done = season_of(database, season.id)
    assert (found.state, done) == (SeasonState.FINISHED, 3)
    rows: Any = (found.standings or {})["rows"]
    assert {row["bot"] for row in rows} == {
        "owner-of-random/random",
        "owner-of-random-two/random-two",
    }, "anchor bots that fill tables have no place"


def test_places_need_a_budget(database: Store) -> None:
    plan = SeasonPlan(name="endless", rules="six-nimmt", places=(1,))
    with pytest.raises(LeagueRefusal, match="budget"), database.write() as session:
        drafts.create(session, plan, ORGANISER)


def test_time_left_is_told_from_what_was_played(database: Store, chosen: LeagueSettings) -> None:
    plan = SeasonPlan(name="slow", rules="six-nimmt", options=SIX, boards=8, meetings=3)
    season = season_in(database, SeasonState.RUNNING, plan, add_bots(database))
    with database.read() as session:
        left = extend.time_left(session, store.seasons.season(session, season.id))
        total = store.seasons.progress(session, season.id).total
    assert (left.matches, left.seconds) == (total, None)
    add_worker(database, slots=2)
    play_due(database, chosen, most=2)
    with database.read() as session:
        left = extend.time_left(session, store.seasons.season(session, season.id))
    assert left.matches == total - 2
    assert left.seconds is not None
    assert "2 slots" in left.words
    play_due(database, chosen)
    with database.read() as session:
        left = extend.time_left(session, store.seasons.season(session, season.id))
    assert (left.matches, left.words) == (0, "Nothing is left to play.")
