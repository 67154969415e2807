"""The record of a finished season, which an archive is written from: it never changes again."""

import json

import store
from league.seasons import record
from league.seasons.plan import SeasonPlan
from league.settings import LeagueSettings
from league.worker import tick
from store import SeasonState, Store
from tests.factories import add_bots
from tests.league.arena import open_ladder, play_some
from tests.league.world import play_due, season_in


def facts(database: Store, season_id: int) -> str:
    with database.read() as session:
        season = store.seasons.season(session, season_id)
        whole = [record.season_facts(session, season), record.match_facts(session, season_id)]
        return json.dumps([whole, season.standings], sort_keys=True, default=str)


def test_what_is_played_elsewhere_later_changes_nothing_in_the_record(
    database: Store, chosen: LeagueSettings
) -> None:
    plan = SeasonPlan(name="done", rules="six-nimmt", options={"rounds": 1}, boards=8)
    season = season_in(database, SeasonState.RUNNING, plan, add_bots(database))
    play_due(database, chosen)
    tick.refresh_ratings(database)
    before = facts(database, season.id)
    assert '"attempts": ' in before
    open_ladder(database)
    assert play_some(database, chosen, 6) >= 6
    assert facts(database, season.id) == before
