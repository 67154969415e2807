"""Suspensions: what they are decided by, what a worker leaves to be told, what lifts them."""

from dataclasses import replace

from store import Bot, MatchKind, Store, Version, audit, bots, matches, present, suspensions
from tests.store.support import add_versions, finish, new_match, outcome, start

SUSPEND, LIFT = "bot.suspend", "bot.lift"


def ladder_matches(store: Store, versions: list[int], outs: list[bool]) -> None:
    """Ladder matches in which the first bot of the table was out, or not."""
    for number, out in enumerate(outs):
        with store.write() as session:
            new = new_match(versions, number, kind=MatchKind.LADDER)
            [match_id] = matches.plan(session, [new])
            matches.publish(session, [match_id])
        played = outcome()
        first, *others = played.seats
        seats = (replace(first, out_games=2 if out else 0), *others)
        finish(store, start(store, match_id).token, replace(played, seats=seats))


def first_bot(store: Store, versions: list[int]) -> Bot:
    with store.read() as session:
        return present(session, Bot, present(session, Version, versions[0]).bot_id)


def test_whoever_was_out_lately_is_looked_at(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
    bot = first_bot(store, versions)
    ladder_matches(store, versions, [True, False, False, True, False])
    with store.write() as session:
        assert [one.id for one in suspensions.suspects(session, latest=5)] == [bot.id]
        assert suspensions.suspects(session, latest=1) == []
        assert suspensions.outs(session, bot, latest=10, lifted_by=LIFT) == [
            True,
            False,
            False,
            True,
            False,
        ]
        assert suspensions.outs(session, bot, latest=2, lifted_by=LIFT) == [True, False]
        bots.suspend(session, bot.id, "it fails")
        assert suspensions.suspects(session, latest=5) == []


def test_a_new_version_begins_without_the_failures_of_the_old_one(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
    bot = first_bot(store, versions)
    ladder_matches(store, versions, [True, True])
    with store.write() as session:
        newer = bots.add_version(session, bot.id, program=["true"])
        bots.accept_version(session, newer.id)
        assert (
            suspensions.outs(session, present(session, Bot, bot.id), latest=10, lifted_by=LIFT)
            == []
        )


def test_what_was_before_a_lifted_suspension_is_forgiven(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
    bot = first_bot(store, versions)
    ladder_matches(store, versions, [True, True])
    with store.write() as session:
        audit.record(session, LIFT, "bot", bot.id, actor="the organiser")
    ladder_matches(store, versions, [True])
    with store.read() as session:
        assert suspensions.outs(session, bot, latest=10, lifted_by=LIFT) == [True]


def test_a_suspension_without_its_audit_entry_has_still_to_be_told(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
    bot = first_bot(store, versions)
    with store.write() as session:
        audit.record(session, SUSPEND, "bot", bot.id, actor="long ago")
        assert suspensions.unannounced(session, told_by=SUSPEND) == []
    with store.write() as session:
        bots.suspend(session, bot.id, "it brings the referee down")
    with store.write() as session:
        assert suspensions.unannounced(session, told_by=SUSPEND) == [bot.id]
        audit.record(session, SUSPEND, "bot", bot.id, actor="the league")
    with store.read() as session:
        assert suspensions.unannounced(session, told_by=SUSPEND) == []


def test_only_a_version_accepted_after_the_suspension_lifts_it(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
    bot = first_bot(store, versions)
    with store.write() as session:
        bots.suspend(session, bot.id, "it fails")
    with store.write() as session:
        assert suspensions.fixed(session) == []
        newer = bots.add_version(session, bot.id, program=["true"])
        bots.accept_version(session, newer.id)
    with store.read() as session:
        assert suspensions.fixed(session) == [bot.id]
