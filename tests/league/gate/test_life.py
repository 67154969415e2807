"""Version gates in the league: what is better passes and plays, what is worse is stopped."""

from typing import Any

import pytest

import store
from league.errors import LeagueRefusal
from league.gate import evidence, life
from league.gate.verdict import GateSettings
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.worker import tick
from store import Gate, GateState, Match, MatchKind, MatchState, SeasonState, Store
from tests.factories import add_bots
from tests.league.arena import add_version, open_ladder, play_some
from tests.league.world import ORGANISER, season_in

FIELD = ("house", "highest", "taker", "mine")
"""Three opponents, and a bot of ours whose versions the tests choose."""
BOT = "owner-of-mine/mine"
QUICK = GateSettings(gain=2.0, budget_blocks=400)


def at_the_gate(database: Store, old: str, new: str, asked: GateSettings = QUICK) -> Gate:
    """A bot whose current version plays like `old`, and whose next one plays like `new`."""
    ladder = open_ladder(database)
    first = add_version(database, BOT, old)
    second = add_version(database, BOT, new)
    with database.write() as session:
        store.bots.set_current(session, first.bot_id, first.number)
        gate = life.open_gate(session, ladder.id, BOT, second.number, ORGANISER, asked=asked)
        # Only the gate is of interest here.
        store.ladders.set_state(session, ladder.id, store.LadderState.CLOSED)
    return gate


def now(database: Store, gate: Gate) -> tuple[Gate, int | None]:
    with database.read() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        return store.present(session, Gate, gate.id), bot.current_version


def test_a_clearly_better_version_passes_and_takes_the_place(
    database: Store, chosen: LeagueSettings
) -> None:
    gate = at_the_gate(database, "random", "greedy")
    play_some(database, chosen, 160)
    found, current = now(database, gate)
    assert found.state is GateState.PASSED, found.report
    assert current == 3
    report = found.report or {}
    assert report["verdict"] == "pass"
    assert int(str(report["games"])) >= 2 * 4 * 20, "a verdict before 20 blocks"
    company: Any = report["company"]
    panel = {one["opponent"] for one in company["opponents"]}
    assert panel == {"owner-of-house/house", "owner-of-highest/highest", "owner-of-taker/taker"}
    assert all(one["gain"] > 0 and one["blocks"] >= 20 for one in company["opponents"])
    with database.read() as session:
        owner = store.accounts.owner_by_handle(session, "owner-of-mine")
        assert owner is not None
        message = store.inbox.messages(session, owner.id)[0]
        assert message.kind == "gate.passed"
        assert "owner-of-taker/taker" in message.body, "the verdict names the opponents"
        waiting = store.match_lists.matches(session, gate_id=gate.id, limit=1000)
    assert {match.state for match in waiting} <= {MatchState.DONE, MatchState.CANCELLED}


def test_the_panel_has_no_twins_of_the_two_and_no_build_twice(database: Store) -> None:
    ladder = open_ladder(database)
    add_bots(database, ("greedy", "random", "greedy-two"))
    first = add_version(database, BOT, "random", fingerprint="files:old")
    second = add_version(database, BOT, "greedy", fingerprint="files:new")
    add_version(database, "owner-of-greedy/greedy", "greedy", fingerprint="files:new")
    add_version(database, "owner-of-random/random", "random", fingerprint="files:old")
    add_version(database, "owner-of-taker/taker", "taker", fingerprint="files:taker")
    add_version(database, "owner-of-greedy-two/greedy-two", "taker", fingerprint="files:taker")
    with database.write() as session:
        store.bots.set_current(session, first.bot_id, first.number)
        gate = life.open_gate(session, ladder.id, BOT, second.number, ORGANISER)
        pool: Any = gate.settings["pool"]
        bots = [store.present(session, store.Version, one).bot_id for one in pool]
        names = sorted(store.bots.full_names(session, bots).values())
    assert names == ["owner-of-highest/highest", "owner-of-house/house", "owner-of-taker/taker"]


def test_a_version_that_was_let_play_meanwhile_is_not_replaced_by_an_older_one(
    database: Store, chosen: LeagueSettings
) -> None:
    gate = at_the_gate(database, "random", "greedy")
    newest = add_version(database, BOT, "greedy")
    play_some(database, chosen, 160)
    found, current = now(database, gate)
    assert found.state is GateState.PASSED, found.report
    assert current == newest.number, "the gate of an older version took its place"
    with database.read() as session:
        owner = store.accounts.owner_by_handle(session, "owner-of-mine")
        assert owner is not None
        told = store.inbox.messages(session, owner.id)[0].body
    assert f"Version {newest.number} has been chosen since, and keeps the place." in told


def test_a_clearly_worse_version_is_stopped_and_the_old_one_plays_on(
    database: Store, chosen: LeagueSettings
) -> None:
    gate = at_the_gate(database, "greedy", "random")
    play_some(database, chosen, 160)
    found, current = now(database, gate)
    assert found.state is GateState.FAILED, found.report
    assert current == 2


def test_a_gate_ends_undecided_when_its_budget_is_spent(
    database: Store, chosen: LeagueSettings
) -> None:
    asked = GateSettings(gain=0.01, budget_blocks=20)
    gate = at_the_gate(database, "greedy", "greedy", asked)
    play_some(database, chosen, 40)
    found, current = now(database, gate)
    assert found.state is GateState.UNDECIDED, found.report
    assert current == 2
    assert "budget" in str((found.report or {})["words"])


@pytest.mark.heavy
def test_both_versions_meet_the_same_opponents_on_boards_of_their_own_and_nothing_is_rated(
    database: Store, chosen: LeagueSettings
) -> None:
    gate = at_the_gate(database, "greedy", "random")
    play_some(database, chosen, 4)
    with database.read() as session:
        matches = sorted(
            store.match_lists.matches(session, gate_id=gate.id, limit=100), key=lambda one: one.id
        )
        seats = store.match_lists.seated(session, [match.id for match in matches])
    assert {match.kind for match in matches} == {MatchKind.GATE}
    assert not any(match.rated or match.scale_id for match in matches)
    assert len({match.key for match in matches}) == len(matches), "boards were used twice"
    by_step: dict[int, list[list[int]]] = {}
    for match in matches:
        table = [seat.version_id for seat in seats[match.id]]
        by_step.setdefault(match.round_no or 0, []).append(table)
    for new, old in by_step.values():
        assert (new[0], old[0]) == (gate.new_version_id, gate.old_version_id)
        assert new[1:] == old[1:]


def test_attempts_of_an_owner_share_the_error_budget(database: Store) -> None:
    gate = at_the_gate(database, "random", "greedy")
    assert gate.settings["attempt"] == 1
    first = evidence.verdict(gate, [])
    open_ladder(database)
    with pytest.raises(LeagueRefusal, match="already"), database.write() as session:
        life.open_gate(session, gate.ladder_id, BOT, 3, ORGANISER)
    with database.write() as session:
        life.cancel(session, gate.id, ORGANISER, "changed my mind")
        again = life.open_gate(session, gate.ladder_id, BOT, 3, ORGANISER)
        with pytest.raises(LeagueRefusal, match="over"):
            life.cancel(session, gate.id, ORGANISER, "twice")
    assert again.settings["attempt"] == 2, "a cancelled attempt was free"
    assert evidence.verdict(again, []).alpha < first.alpha / 2


def test_a_gate_gives_up_when_its_matches_get_stuck(
    database: Store, chosen: LeagueSettings
) -> None:
    gate = at_the_gate(database, "random", "greedy")
    for _ in range(life.MOST_LOST + 1):
        life.advance(database)
        with database.write() as session:
            for match in store.match_lists.matches(session, gate_id=gate.id, limit=1000):
                store.locked(session, Match, match.id).state = MatchState.STUCK
    life.advance(database)
    found, current = now(database, gate)
    assert (found.state, current) == (GateState.UNDECIDED, 2)


@pytest.mark.heavy
def test_a_season_goes_on_while_gates_are_played(database: Store, chosen: LeagueSettings) -> None:
    names = [
        *add_bots(database, ("greedy", "random")),
        "owner-of-house/house",
        "owner-of-taker/taker",
    ]
    plan = SeasonPlan(
        name="cup", rules="six-nimmt", options={"rounds": 1}, table=4, boards=4, meetings=20
    )
    season_in(database, SeasonState.RUNNING, plan, names)
    ladder = open_ladder(database)
    newer = [add_version(database, BOT, "greedy") for _ in range(2)]
    with database.write() as session:
        for version in newer:
            life.open_gate(session, ladder.id, BOT, version.number, "ada", old=1)
    kinds: list[MatchKind] = []
    queue: list[int] = []
    for _ in range(12):
        # Many ticks pass while one match is being played.
        for _ in range(5):
            queue += [bell.match_id for bell in tick.tick(database, chosen).matches]
        with database.write() as session:
            match = store.present(session, Match, queue.pop(0))
            kinds.append(match.kind)
            store.matches.cancel(session, match.id, "as if it were over")
    assert kinds.count(MatchKind.SEASON) >= 4, kinds
    assert kinds.count(MatchKind.GATE) >= 3, kinds
    assert kinds.count(MatchKind.LADDER) >= 3, kinds


def test_one_owner_has_few_gates_at_once_and_an_organiser_may_open_more(database: Store) -> None:
    ladder = open_ladder(database)
    newer = [add_version(database, BOT, "greedy") for _ in range(life.MOST_OF_ONE + 1)]
    with database.write() as session:
        for version in newer[:-1]:
            life.open_gate(session, ladder.id, BOT, version.number, "ada", old=1)
        last = newer[-1].number
        with pytest.raises(LeagueRefusal, match="3 gates of owner-of-mine are playing"):
            life.open_gate(session, ladder.id, BOT, last, "ada", old=1)
        life.open_gate(session, ladder.id, BOT, last, ORGANISER, old=1, as_organiser=True)
