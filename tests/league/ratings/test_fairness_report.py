"""Fairness reports from a stored season, and the planner's look at the fleet."""

from dataclasses import replace

import pytest

import store
from league import seasons
from league.errors import LeagueRefusal
from league.ratings.fairness_report import season_fairness
from league.seasons import Fleet, SeasonPlan
from league.settings import LeagueSettings
from store import SeasonState, Store
from tests.factories import add_bots, add_platform_bots
from tests.league.arena import add_version, add_worker
from tests.league.world import ORGANISER, fix_keys, play_due, season_in

QUESTION = seasons.ForecastQuestion(
    rules="six-nimmt", options={"rounds": 1}, bots=5, table_size=4, boards=100
)


def test_two_copies_are_found_by_their_choices_and_their_owners_linked(
    database: Store, chosen: LeagueSettings
) -> None:
    plan = SeasonPlan(name="duels", rules="six-nimmt", options={"rounds": 1}, table=3)
    bots = add_bots(database, ("greedy", "greedy-two", "random"))
    season = season_in(database, SeasonState.RUNNING, plan, bots)
    play_due(database, chosen)
    with database.read() as session:
        found = season_fairness(database, store.seasons.season(session, season.id))
    assert [(one.first, one.second) for one in found.alike] == [
        ("owner-of-greedy-two/greedy-two 1", "owner-of-greedy/greedy 1")
    ]
    assert found.probes >= 50
    assert [link.owners for link in found.linked] == [("owner-of-greedy", "owner-of-greedy-two")]
    assert found.balance
    # Three at every table, so each match is a meeting of every pair.
    [meetings] = {one.meetings for one in found.meetings}
    assert meetings > 0
    assert {(one.bot, one.beside) for one in found.meetings} == {
        ("owner-of-greedy/greedy 1", "owner-of-greedy-two/greedy-two 1"),
        ("owner-of-greedy/greedy 1", "owner-of-random/random 1"),
        ("owner-of-greedy-two/greedy-two 1", "owner-of-random/random 1"),
    }
    assert found.to_json()["probes"] == found.probes


def test_a_substitute_that_chooses_like_an_entrant_raises_no_question(
    database: Store, chosen: LeagueSettings
) -> None:
    add_platform_bots(database, ("greedy",))
    plan = SeasonPlan(name="duels", rules="six-nimmt", options={"rounds": 1}, table=3)
    bots = add_bots(database, ("greedy", "highest", "random"))
    season = season_in(database, SeasonState.RUNNING, plan, bots)
    with database.write() as session:
        seasons.withdraw(session, season.id, "owner-of-highest/highest", ORGANISER, "moved away")
    play_due(database, chosen)
    with database.read() as session:
        found = season_fairness(database, store.seasons.season(session, season.id))
    assert found.probes >= 50
    assert found.alike == ()


def test_owners_with_the_same_build_are_linked_and_honest_bots_raise_no_question(
    database: Store, chosen: LeagueSettings
) -> None:
    bots = add_bots(database)
    # The same build was once submitted by two owners; by now both have other versions.
    for bot in bots[:2]:
        add_version(database, bot, "random", fingerprint="files:same")
        add_version(database, bot, bot.rpartition("-")[2].partition("/")[0])
    plan = SeasonPlan(name="open", rules="six-nimmt", options={"rounds": 1}, boards=8)
    season = season_in(database, SeasonState.RUNNING, plan, bots)
    play_due(database, chosen)
    with database.read() as session:
        found = season_fairness(database, store.seasons.season(session, season.id))
    assert [link.owners for link in found.linked] == [("owner-of-highest", "owner-of-house")]
    assert (found.probes, found.alike) == (0, ())


def test_the_plan_uses_what_was_measured_here(database: Store, chosen: LeagueSettings) -> None:
    with database.read() as session:
        usual = seasons.look_ahead(session, QUESTION, [1.7])
    assert (usual.measured.matches, usual.measured.block_sd) == (0, None)
    assert "usual one" in usual.measured.words
    assert "is a guess" in usual.measured.words
    command = "bullring season plan --bots 5 --gap 1 --rules six-nimmt --table 4 -o rounds=1"
    assert f"`{command}`" in usual.measured.hint, "pages and API play no match to time it"
    timed = Fleet(seconds_per_game=0.01, start_seconds=2.0)
    with database.read() as session:
        tried = seasons.look_ahead(session, QUESTION, [1.7], trial=timed)
    assert tried.gaps[0].seconds < usual.gaps[0].seconds
    assert "sample bots on this machine" in tried.measured.words
    assert tried.measured.hint == ""
    with database.write() as session:
        seasons.keep_trial(session, QUESTION, timed)
    with database.read() as session:
        assert seasons.look_ahead(session, QUESTION, [1.7]).gaps == tried.gaps
    plan = SeasonPlan(name="open", rules="six-nimmt", options={"rounds": 1}, boards=40)
    season = season_in(database, SeasonState.RUNNING, plan, add_bots(database))
    # With boards by chance the spread would now and then be the usual one.
    fix_keys(database, season.id)
    play_due(database, chosen)
    add_worker(database, slots=3)
    with database.read() as session:
        found = seasons.look_ahead(session, QUESTION, [1.7])
        longer = seasons.look_ahead(session, replace(QUESTION, options={"limit": 66}))
    measured = found.measured
    assert measured.matches > 0
    assert longer.measured.matches == 0, "games of another length say nothing about these"
    assert measured.fleet.slots == 3
    assert measured.block_sd is not None
    # Two bots of one round differ by some 12 points a game, so by some 6 over four games.
    assert 3 < measured.block_sd < 12
    assert "on 3 slots" in found.gaps[0].words
    assert "Assumed: six-nimmt with" in measured.words
    assert 0 < found.gaps[0].matches_once < found.gaps[0].matches
    assert found.gaps[0].games_per_bot != usual.gaps[0].games_per_bot
    assert (found.reach.matches, found.reach.games_per_bot) == (2, 160)


def test_the_planner_refuses_what_no_season_can_be(database: Store) -> None:
    with database.read() as session, pytest.raises(LeagueRefusal, match="two bots"):
        seasons.look_ahead(session, replace(QUESTION, bots=1))
    with database.read() as session, pytest.raises(LeagueRefusal, match="seven-nimmt"):
        seasons.look_ahead(session, replace(QUESTION, rules="seven-nimmt"))
