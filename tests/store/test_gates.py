"""Gates as rows: who is at one, which versions wait for one, which have had a place."""

from typing import Any

from sqlmodel import Session

from store import (
    Bot,
    Gate,
    GateState,
    MatchKind,
    MatchState,
    Store,
    Version,
    accounts,
    bots,
    gates,
    ladders,
    locked,
    matches,
    present,
)
from tests.store.support import OPTIONS, add_versions, finish, new_match, start


def bot_with_versions(session: Session, count: int) -> tuple[Bot, list[Version]]:
    """A bot whose first version plays; the others are accepted and have no place."""
    owner = accounts.add_owner(session, "bob")
    bot = bots.add_bot(session, owner.id, "mine", ["six-nimmt"])
    made = [bots.add_version(session, bot.id, program=["true"]) for _ in range(count)]
    for version in made:
        bots.accept_version(session, version.id, make_current=version.number == 1)
    return bot, made


def add_gate(session: Session, old: Version, new: Version, **more: Any) -> Gate:
    ladder = ladders.ladder(session, "six-nimmt", OPTIONS, 4, boards=4)
    bot = present(session, Bot, new.bot_id)
    gate = Gate(
        owner_id=bot.owner_id, ladder_id=ladder.id, new_version_id=new.id, old_version_id=old.id,
        rules="six-nimmt", options=OPTIONS, table_size=4, **more,
    )  # fmt: skip
    session.add(gate)
    session.flush()
    return gate


def test_a_version_is_at_its_gate_until_that_is_over(store: Store) -> None:
    with store.write() as session:
        _, (old, new, other) = bot_with_versions(session, 3)
        gate = add_gate(session, old, new)
        add_gate(session, old, other, state=GateState.FAILED)
        assert gates.playing(session, new.id) == gate
        assert gates.playing(session, other.id) is None
        assert gates.all_playing(session) == [gate.id]
        states = gates.states_of_owner(session, gate.owner_id)
        assert sorted(states) == [GateState.FAILED, GateState.PLAYING]
        gate.state = GateState.PASSED
        session.flush()
        assert gates.playing(session, new.id) is None
        assert gates.passed(session, new.bot_id) == [(gate, 2)]


def test_only_accepted_versions_newer_than_the_one_that_plays_wait_for_a_gate(
    store: Store,
) -> None:
    with store.write() as session:
        bot, (first, second, third) = bot_with_versions(session, 3)
        for version in (first, second, third):
            version.gate_due = True
        session.flush()
        assert gates.due(session) == [second, third]
        bots.reject_version(session, third.id, report=None)
        assert gates.due(session) == [second]
        assert gates.wait(session, second, "no ladder is open")
        assert not gates.wait(session, second, "no ladder is open"), "its author is told once"
        assert gates.due(session) == [second]
        gates.settle(session, second)
        assert gates.due(session) == []
        assert second.gate_wait == ""
        bots.set_current(session, bot.id, None)
        second.gate_due = True
        session.flush()
        assert gates.due(session) == [first, second], "of a bot that rests all are newer"


def test_a_version_that_is_accepted_for_a_gate_does_not_play(store: Store) -> None:
    with store.write() as session:
        bot, _ = bot_with_versions(session, 1)
        made = bots.add_version(session, bot.id, program=["true"])
        assert bots.accept_version(session, made.id, gate_due=True).gate_due
        assert locked(session, Bot, bot.id).current_version == 1


def test_a_place_is_had_by_the_first_the_current_and_whoever_played_rated(store: Store) -> None:
    with store.write() as session:
        others = add_versions(session, 3)
        bot, versions = bot_with_versions(session, 4)
        third, fourth = versions[2:]
        plans = [
            new_match([third.id, *others], 1),
            new_match([fourth.id, *others], 2, kind=MatchKind.GATE, rated=False),
        ]
        ids = matches.plan(session, plans)
        matches.publish(session, ids)
    for match_id in ids:
        finish(store, start(store, match_id).token)
    with store.write() as session:
        assert gates.placed(session, present(session, Bot, bot.id)) == {1, 3}
        bots.set_current(session, bot.id, 2)
        assert gates.placed(session, present(session, Bot, bot.id)) == {1, 2, 3}


def test_the_matches_of_gates_are_listed_and_looked_for_by_state(store: Store) -> None:
    with store.write() as session:
        others = add_versions(session, 3)
        _, (old, new) = bot_with_versions(session, 2)
        gate = add_gate(session, old, new)
        assert not gates.has_matches(session, *MatchState)
        plans = [
            new_match([one.id, *others], number, kind=MatchKind.GATE, gate_id=gate.id)
            for number, one in enumerate((new, old))
        ]
        ids = matches.plan(session, [*plans, new_match([old.id, *others], 9)])
        assert [one.id for one in gates.matches_of(session, gate.id)] == ids[:2]
        assert gates.has_matches(session, MatchState.PLANNED)
        matches.publish(session, ids)
        assert not gates.has_matches(session, MatchState.PLANNED)
        assert gates.has_matches(session, MatchState.QUEUED, MatchState.RUNNING)
