"""A disqualification shows what it does to the table before it is done, and keeps it."""

from pathlib import Path
from typing import Any

import pytest

import store
from league import ratings, seasons
from league.errors import LeagueRefusal
from league.seasons.plan import SeasonPlan
from store import EntryState, SeasonState
from tests.factories import add_bots, open_store
from tests.league.world import ORGANISER, play_due, season_in, settings

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=8, meetings=2)
LEAVER = "owner-of-greedy/greedy"


def test_the_preview_is_what_the_disqualification_does(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen)
    with database.read() as session:
        ladder_id = store.scales.of_season(session, season.id).id
        expected = seasons.preview_removal(session, season.id, LEAVER).changes
        states = {one.state for one in store.seasons.entries(session, season.id)}
    assert states == {EntryState.ENTERED}, "a preview changed something"
    gone = [one for one in expected if one.place_after is None]
    assert [one.bot for one in gone] == [f"{LEAVER} 1"]
    with database.write() as session:
        done = seasons.disqualify(session, season.id, LEAVER, ORGANISER, "two bots in one")
    assert done.changes == expected
    table = ratings.refresh(database, ladder_id)
    assert table is not None
    after = {one.bot: one for one in expected if one.place_after is not None}
    assert [row.name for row in table.rows] == sorted(
        after, key=lambda bot: after[bot].place_after or 0
    )
    for row in table.rows:
        assert row.official == pytest.approx(after[row.name].official_after)
    with database.read() as session:
        entry = store.audit.page(session, subject="season")[0]
    changes: Any = entry.detail["changes"]
    assert (entry.action, entry.reason) == ("season.disqualify", "two bots in one")
    assert len(changes) == 5
    with pytest.raises(LeagueRefusal, match="not entered"), database.read() as session:
        seasons.preview_removal(session, season.id, "nobody/nothing")


def test_a_preview_says_when_nothing_would_be_left(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    plan = SeasonPlan(name="duel", rules="x-nimmt", table=2, boards=2)
    season = season_in(
        database, SeasonState.RUNNING, plan, add_bots(database, ("greedy", "random"))
    )
    with database.read() as session:
        assert seasons.preview_removal(session, season.id, LEAVER).changes == ()
    play_due(database, chosen)
    with database.read() as session:
        changes = seasons.preview_removal(session, season.id, LEAVER).changes
    assert [one.place_after for one in changes] == [None, None]
