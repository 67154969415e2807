"""The ladder: matches come by themselves, everybody plays, and the table says what is known."""

from typing import Any

import pytest

import store
from league import gate as gates
from league.errors import LeagueRefusal
from league.ladder import LadderPlan, life, queue
from league.ratings import gather, ladder_fairness, read_table
from league.settings import LeagueSettings
from league.worker import tick
from store import MatchKind, MatchState, Store
from tests.factories import BOTS, add_bots, add_platform_bots, open_store
from tests.league.arena import PLAN, add_version, add_worker, open_ladder, order, play_some, rows
from tests.league.world import ORGANISER, settings

NAMES = ("greedy", "house", "random", "highest", "greedy-two", "random-two", "highest-two")


def plays(database: Store, ladder_id: int) -> dict[str, int]:
    """Matches of every bot on the ladder."""
    with database.read() as session:
        matches = store.match_lists.matches(session, scale_id=ladder_id, limit=1000)
        seats = store.match_lists.seated(session, [match.id for match in matches])
    names = [seat.bot.partition("/")[2] for table in seats.values() for seat in table]
    return {name: names.count(name) for name in set(names)}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Store, int]:
    """A ladder of seven bots after sixty matches."""
    # Neither lease nor bell runs out, however slow the machine is.
    patient = {"lease_seconds": 600.0, "stale_seconds": 600.0}
    chosen = settings(tmp_path_factory.mktemp("ladder"), **patient)
    database = open_store(chosen)
    add_bots(database, NAMES)
    made = open_ladder(database)
    assert play_some(database, chosen, 60) == 60
    return database, made.id


def test_a_ladder_runs_by_itself_nobody_starves_and_the_order_is_sensible(
    played: tuple[Store, int],
) -> None:
    counts = plays(*played)
    assert set(counts) == set(NAMES)
    assert min(counts.values()) >= 60 * 4 / len(NAMES) / 3, counts
    places = order(*played)
    assert set(places) == set(NAMES)
    # Greedy looks at what a card costs; random does not. The gap is several points per round.
    assert max(map(places.index, ("greedy", "greedy-two"))) < min(
        map(places.index, ("random", "random-two"))
    )


def test_the_tables_mix_and_the_published_table_says_so(played: tuple[Store, int]) -> None:
    database, ladder_id = played
    with database.read() as session:
        ladder = store.present(session, store.Ladder, ladder_id)
        scale = store.scales.scale(session, ladder_id)
    table = read_table(scale.standings)
    assert table is not None
    assert table.mixing is not None
    assert (table.mixing.matches, table.mixing.bots, table.mixing.possible) == (60, 7, 35)
    assert table.mixing.repeats <= table.mixing.by_chance + 4 * table.mixing.by_chance**0.5
    assert table.mixing.meetings_min > 0
    assert "different tables" in ladder_fairness(database, ladder).balance
    assert "tables drawn evenly" in table.estimates


@pytest.mark.heavy
def test_two_copies_of_one_bot_share_a_letter(played: tuple[Store, int]) -> None:
    found = {row["bot"]: row for row in rows(*played)}
    assert all(found[name]["official_half"] is not None for name in NAMES), "not measurable"
    assert set(found["greedy"]["group"]) & set(found["greedy-two"]["group"])
    assert not set(found["greedy"]["group"]) & set(found["random"]["group"]), "none was separated"
    for name in ("greedy", "greedy-two"):
        assert found[name]["badge"] != "settled"


def test_bots_of_one_owner_never_share_a_table(database: Store, chosen: LeagueSettings) -> None:
    add_bots(database, ("house", "random", "greedy", "highest"))
    with database.write() as session:
        owner = store.accounts.owner_by_handle(session, "owner-of-random")
        assert owner is not None
        for name in ("second", "third"):
            bot = store.bots.add_bot(session, owner.id, name, ["six-nimmt"])
            version = store.bots.add_version(session, bot.id, program=["random"])
            store.bots.accept_version(session, version.id)
    made = open_ladder(database, LadderPlan(rules="six-nimmt", table=3, boards=1))
    play_some(database, chosen, 25)
    with database.read() as session:
        matches = store.match_lists.matches(session, scale_id=made.id, limit=100)
        tables = store.match_lists.seated(session, [match.id for match in matches]).values()
    assert len(tables) >= 25
    for table in tables:
        owners = [seat.bot.partition("/")[0] for seat in table]
        assert len(set(owners)) == len(owners), owners


def test_nothing_is_made_on_a_closed_ladder_or_without_a_worker(
    database: Store, chosen: LeagueSettings
) -> None:
    add_bots(database)
    with database.write() as session:
        made = life.open_ladder(session, PLAN, ORGANISER)
    assert tick.tick(database, chosen).matches == ()
    add_worker(database)
    assert tick.tick(database, chosen).matches != ()
    with database.write() as session:
        life.close(session, made.id, ORGANISER)
    play_some(database, chosen, 10)
    assert tick.tick(database, chosen).matches == ()
    with pytest.raises(LeagueRefusal, match="closed"), database.write() as session:
        life.close(session, made.id, ORGANISER)


def test_a_bot_has_no_more_matches_in_flight_than_the_cap(database: Store) -> None:
    add_bots(database)
    made = open_ladder(database)
    for _ in range(5):
        queue.queue_matches(database, room=20)
    with database.read() as session:
        queued = store.match_lists.matches(session, scale_id=made.id, limit=100)
        seats = store.match_lists.seated(session, [match.id for match in queued])
    names = [seat.bot for table in seats.values() for seat in table]
    assert max(names.count(name) for name in names) == 2
    assert {match.kind for match in queued} == {MatchKind.LADDER}
    assert {match.state for match in queued} == {MatchState.QUEUED}


def test_a_ladder_gets_one_match_even_when_a_season_fills_the_queue(database: Store) -> None:
    add_bots(database)
    open_ladder(database)
    assert len(queue.queue_matches(database, room=-3)) == 1
    assert queue.queue_matches(database, room=-3) == []


def test_a_new_version_starts_at_the_old_elo_and_takes_its_place(
    database: Store, chosen: LeagueSettings
) -> None:
    add_bots(database)
    made = open_ladder(database)
    play_some(database, chosen, 25)
    with database.read() as session:
        before = {row.version_id: row.live for row in store.ratings.table(session, made.id)}
        bot = store.bots.find_bot(session, "owner-of-random/random")
        assert bot is not None
        old = store.bots.versions(session, bot.id)[0]
    new = add_version(database, "owner-of-random/random", "random")
    play_some(database, chosen, 12)
    with database.read() as session:
        material = gather(session, made.id)
    assert material.line.successors[str(new.id)] == str(old.id)
    first = next(step for step in material.live().history if step.bot == str(new.id))
    assert first.before == pytest.approx(before[old.id], abs=60)
    assert first.before < 1470, "it did not inherit"
    versions = [row["version_id"] for row in rows(database, made.id)]
    assert new.id in versions
    assert old.id not in versions


def test_the_same_build_again_keeps_its_results(database: Store, chosen: LeagueSettings) -> None:
    names = add_bots(database)
    made = open_ladder(database)
    add_version(database, names[2], "random", fingerprint="files:one")
    play_some(database, chosen, 10)
    again = add_version(database, names[2], "random", fingerprint="files:one")
    play_some(database, chosen, 4)
    with database.read() as session:
        row = next(r for r in store.ratings.table(session, made.id) if r.version_id == again.id)
        bot = store.bots.find_bot(session, names[2])
        assert bot is not None
        done = store.match_lists.matches(
            session, scale_id=made.id, bot_id=bot.id, states=(MatchState.DONE,), limit=1000
        )
    assert row.games == 20 * len(done), "results from before it was sent in again are missing"


def test_a_bot_that_no_longer_plays_the_rules_has_no_place(
    database: Store, chosen: LeagueSettings
) -> None:
    names = add_bots(database)
    made = open_ladder(database)
    play_some(database, chosen, 6)
    assert "greedy" in order(database, made.id)
    with database.write() as session:
        bot = store.bots.find_bot(session, names[BOTS.index("greedy")])
        assert bot is not None
        gates.set_rules(session, bot, ["x-nimmt"], as_organiser=False)
    play_some(database, chosen, 3)
    assert "greedy" not in order(database, made.id)


def test_house_bots_fill_tables_without_a_place_until_they_are_entered(
    database: Store, chosen: LeagueSettings
) -> None:
    names = add_bots(database, ("greedy", "random"))
    add_platform_bots(database, ("highest", "taker"))
    made = open_ladder(database)
    play_some(database, chosen, 6)
    assert set(order(database, made.id)) == {"greedy", "random"}
    with database.write() as session:
        life.enter(session, made.id, "house/highest", ORGANISER)
        assert store.ladders.field_of(session, made.id).entries
    play_some(database, chosen, 2)
    assert set(order(database, made.id)) == {"greedy", "random", "highest"}
    with pytest.raises(LeagueRefusal, match="reason"), database.write() as session:
        life.take_out(session, made.id, names[0], ORGANISER, " ")


def test_one_ladder_for_each_rules_options_and_table_size(database: Store) -> None:
    first = open_ladder(database)
    assert open_ladder(database).id == first.id
    other = open_ladder(database, LadderPlan(rules="six-nimmt", table=4))
    assert other.id != first.id
    with pytest.raises(LeagueRefusal, match="11"), database.write() as session:
        life.open_ladder(session, LadderPlan(rules="six-nimmt", table=11), ORGANISER)


def test_the_published_table_says_how_well_its_predictions_hold(
    played: tuple[Store, int],
) -> None:
    with played[0].read() as session:
        table: Any = store.scales.scale(session, played[1]).standings
    bins = table["calibration"]
    assert bins
    assert sum(one["games"] for one in bins) > 0
    assert all(one["low"] <= one["predicted"] <= one["high"] for one in bins)
