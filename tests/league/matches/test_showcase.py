"""Showcase matches: the same table on fresh boards, not rated, one game at a time and paced."""

from pathlib import Path

import pytest

import store
from league.errors import LeagueRefusal
from league.matches.plan import SHOWCASE_PACE_MS, TableBot, plan_of
from league.matches.showcase import add_showcase
from league.seasons import SeasonPlan
from store import Match, MatchKind, MatchState, SeasonState
from tests.factories import add_bots, open_store
from tests.league.world import ORGANISER, play_due, season_in, settings

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=4)


def test_a_table_plays_once_more_for_people_to_watch(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    season_in(database, SeasonState.FROZEN, PLAN, add_bots(database))
    with database.write() as session:
        number = add_showcase(session, 1, ORGANISER, games=2)
    with database.read() as session:
        match, first = (store.present(session, Match, one) for one in (number, 1))
        tables = store.match_lists.seated(session, [1, number])
    assert (match.kind, match.rated, match.season_id) == (MatchKind.SHOWCASE, False, None)
    assert match.key != first.key
    names = [seat.bot for seat in tables[number]]
    assert names == [seat.bot for seat in tables[1]]
    bots = [TableBot(name=name, version=1, image=None, program=None) for name in names]
    plan = plan_of(match, bots, attempt=1, runner="process", watch=True)
    assert (plan.in_flight, plan.pace_ms, len(plan.passes)) == (1, SHOWCASE_PACE_MS, 1)
    # The clockwork finds it without a bell; the frozen season behind it does not begin.
    assert play_due(database, chosen) == 1
    with database.read() as session:
        assert store.present(session, Match, number).state is MatchState.DONE


def test_only_a_match_that_exists_has_a_table(tmp_path: Path) -> None:
    database = open_store(settings(tmp_path))
    with database.write() as session, pytest.raises(LeagueRefusal, match="99"):
        add_showcase(session, 99, ORGANISER)
