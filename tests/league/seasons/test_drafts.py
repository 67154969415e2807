"""A draft can be corrected or dropped: changed as it was made, deleted but for a log line."""

from typing import Any

import pytest
import sqlalchemy as sa

import store
from league.errors import LeagueRefusal
from league.seasons import drafts, life, rehearsal, removals, rows
from league.seasons.plan import SeasonPlan, amended, plan_from
from store import Season, SeasonState, Store
from tests.factories import add_bots
from tests.league.world import ORGANISER, WAYS, season_in

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=4)
DIFFERENT: dict[str, Any] = {
    "name": "summer", "rules": "x-nimmt", "options": {}, "title": "Summer cup", "about": "Hot.",
    "table": 3, "boards": 9, "duplicate": False, "meetings": 2, "places": [1], "budget": 40,
    "move_ms": 50, "bank_ms": 500,
    **{name: life.read_date(f"2031-0{month}-01") for month, name in enumerate(life.DATES, 1)},
}  # fmt: skip


def edited(database: Store, season: Season, **given: Any) -> dict[str, drafts.Change]:
    with database.write() as session:
        return drafts.edit(session, season.id, given, ORGANISER)


def now(database: Store, season: Season) -> Season:
    with database.read() as session:
        return store.seasons.season(session, season.id)


def without(database: Store, *skipped: str) -> dict[str, list[tuple[object, ...]]]:
    with database.read() as session:
        return {
            table.name: [tuple(row) for row in session.execute(sa.select(table))]
            for table in store.METADATA.sorted_tables
            if table.name not in skipped and table.info.get("backed_up", True)
        }


def add_sample(database: Store) -> None:
    with database.write() as session:
        house = store.accounts.add_owner(session, "house", is_house=True)
        bot = store.bots.add_bot(session, house.id, "random", ["six-nimmt"], is_anchor=True)
        version = store.bots.add_version(session, bot.id, program=["random"])
        store.bots.accept_version(session, version.id)


def test_a_draft_changed_in_everything_is_the_one_that_would_have_been_made(
    database: Store,
) -> None:
    season = season_in(database, SeasonState.DRAFT, amended(PLAN, {"duplicate": True}), ())
    assert set(edited(database, season, **DIFFERENT)) == set(rows.as_choices(season))
    with database.write() as session:
        plan = plan_from({**DIFFERENT, "name": "other"})
        fresh = rows.as_choices(drafts.create(session, plan, ORGANISER))
        assert rows.as_choices(store.seasons.season(session, season.id)) == {
            **fresh, "name": "summer"}  # fmt: skip
        other = store.seasons.by_name(session, "other")
        assert other is not None
        old, new = (store.scales.of_season(session, one) for one in (season.id, other.id))
        for name in ("rules", "options", "table_size"):
            assert getattr(old, name) == getattr(new, name)
        assert old.key == f"x-nimmt/3/{{}}/season:{season.id}"
        assert store.seasons.by_name(session, "spring") is None


def test_what_is_not_given_stays_and_what_is_usual_stays_usual(database: Store) -> None:
    season = season_in(database, SeasonState.DRAFT, PLAN, ())
    changed = edited(database, season, table=2, bank_ms=7)
    assert {word: (one.before, one.after) for word, one in changed.items()} == {
        "table": (4, 2), "duplicate": (False, True), "bank_ms": (1000, 7)}  # fmt: skip
    found = now(database, season)
    assert (found.time, found.options["rounds"]) == ({"move_ms": 100, "bank_ms": 7}, 1)
    assert edited(database, season, table=2) == {}
    edited(database, season, rules="eleven-nimmt")
    assert now(database, season).options == {"next_start": "fewest"}
    with database.read() as session:
        [last] = store.audit.page(session, limit=1)
    assert (last.action, last.detail["rules"]) == (
        "season.edit", {"before": "six-nimmt", "after": "eleven-nimmt"})  # fmt: skip


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"name": "taken"}, "is taken"),
        ({"name": "Spring!"}, "lower-case"),
        ({"table": 11}, "11"),
        ({"rules": "x-nimmt"}, "do not play x-nimmt are entered: owner-of-highest"),
        ({"budget": 4}, "give the places"),
        ({"ends_at": life.read_date("2020-01-01")}, "is in the past"),
    ],
)
def test_a_change_that_could_not_have_been_made_changes_nothing(
    database: Store, wrong: dict[str, Any], words: str
) -> None:
    season = season_in(database, SeasonState.DRAFT, PLAN, add_bots(database, rules=["six-nimmt"]))
    season_in(database, SeasonState.DRAFT, SeasonPlan(name="taken", rules="x-nimmt"), ())
    before = without(database)
    with pytest.raises((LeagueRefusal, store.Conflict), match=words):
        edited(database, season, title="New", **wrong)
    assert without(database) == before


def test_entrants_can_rely_on_what_they_entered_for(database: Store) -> None:
    season = season_in(database, SeasonState.OPEN, PLAN, add_bots(database))
    edited(database, season, title="A cup", about="Bring tea.", freezes_at=DIFFERENT["freezes_at"])
    assert now(database, season).title == "A cup"
    for given in ({"boards": 8}, {"name": "other"}, {"title": "x", "move_ms": 1}):
        with pytest.raises(LeagueRefusal, match="its entrants rely on"):
            edited(database, season, **given)
    with database.write() as session:
        WAYS[SeasonState.FROZEN][1](session, season.id, ORGANISER)
    with pytest.raises(LeagueRefusal, match="is frozen; its plan can be changed before the freeze"):
        edited(database, season, title="Too late")
    assert now(database, season).title == "A cup"


def test_only_a_draft_is_deleted_and_with_it_goes_all_but_the_audit_log(database: Store) -> None:
    add_sample(database)
    bots = add_bots(database)
    before = without(database, "audit_log")
    season = season_in(database, SeasonState.DRAFT, PLAN, bots)
    with database.write() as session:
        removals.withdraw(session, season.id, bots[0], ORGANISER, "a rest")
        rehearsal.begin_rehearsal(session, season, ORGANISER)
        store.locked(session, Season, season.id).rehearsed = {"good": True}
    drafts.delete(database, season.id, ORGANISER)
    assert without(database, "audit_log") == before
    with database.read() as session:
        [last] = store.audit.page(session, limit=1)
    assert (last.action, last.subject_id) == ("season.delete", season.id)
    assert last.detail == {**rows.as_choices(season), "entries": len(bots) - 1}
    with pytest.raises(store.NotFound), database.write() as session:
        rehearsal.begin_rehearsal(session, season, ORGANISER)
    opened = season_in(database, SeasonState.OPEN, PLAN, bots)
    with pytest.raises(LeagueRefusal, match="is open; only a draft can be deleted"):
        drafts.delete(database, opened.id, ORGANISER)
    assert now(database, opened).state is SeasonState.OPEN


def test_no_new_season_or_entry_takes_over_what_the_log_says_of_a_deleted_one(
    database: Store,
) -> None:
    bots = add_bots(database)
    gone = season_in(database, SeasonState.DRAFT, PLAN, bots)
    with database.write() as session:
        out = store.seasons.entries(session, gone.id)[-1].id
        removals.withdraw(session, gone.id, bots[-1], ORGANISER, "a rest")
    drafts.delete(database, gone.id, ORGANISER)
    season = season_in(database, SeasonState.DRAFT, PLAN, bots)
    with database.read() as session:
        acts = store.audit.page(session, subject="season", subject_id=season.id)
        entries = {entry.id for entry in store.seasons.entries(session, season.id)}
    assert {act.action for act in acts} == {"season.create", "season.enter"}
    assert len(acts) == 1 + len(bots)
    assert out not in entries


def test_a_rehearsal_is_never_of_another_plan(database: Store) -> None:
    add_sample(database)
    season = season_in(database, SeasonState.DRAFT, PLAN, ())
    with database.write() as session:
        rehearsal.begin_rehearsal(session, season, ORGANISER)
        store.locked(session, Season, season.id).rehearsed = {"good": True}
    edited(database, season, title="Only words")
    with pytest.raises(LeagueRefusal, match="stop it, or wait"):
        edited(database, season, boards=8)
    rehearsal.stop_rehearsal(database, season.id, ORGANISER)
    with database.read() as session:
        assert rehearsal.last_rehearsal_report(session, season.id)
    edited(database, season, boards=8)
    with database.read() as session:
        assert rehearsal.last_rehearsal_report(session, season.id) is None, (
            "it spoke of another season"
        )


def test_every_field_of_a_plan_can_be_read_back_from_its_season(database: Store) -> None:
    plan = plan_from(DIFFERENT)
    with database.write() as session:
        made = drafts.create(session, plan, ORGANISER)
        back = rows.plan_of(made)
    different = [one for one in SeasonPlan.model_fields if getattr(plan, one) != getattr(back, one)]
    assert different == []
