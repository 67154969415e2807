"""The log of changes: who writes it, what it does not note, and when it forgets."""

import sqlalchemy as sa

from store import (
    Change,
    Match,
    MatchKind,
    Store,
    accounts,
    attempts,
    bots,
    changes,
    ladders,
    matches,
)
from store.changes import Position, Topic
from tests.league.world import wait_for
from tests.store.support import OPTIONS, add_season, add_versions, new_match, start

WRITERS = {
    "note_anchor_changed", "note_bot_changed", "note_bot_gone", "note_bot_new",
    "note_entry_changed", "note_entry_gone", "note_entry_new", "note_match_changed",
    "note_match_gone", "note_match_new", "note_owner_changed", "note_seat_changed",
    "note_submission_changed", "note_submission_gone", "note_submission_new",
    "note_version_changed", "note_version_gone", "note_version_new",
}  # fmt: skip


def position(store: Store) -> Position:
    with store.read(snapshot=True) as session:
        return changes.here(session)


def news(store: Store, since: Position, ladder: int = 1) -> dict[Topic, set[int]] | None:
    with store.read(snapshot=True) as session:
        found = changes.since(session, since, ladder)
    return None if found is None else found.keys


def ladder_match(store: Store) -> tuple[int, int]:
    """A queued match of a ladder, and the ladder."""
    with store.write() as session:
        made = ladders.ladder(session, "six-nimmt", OPTIONS, 4, boards=4)
        new = new_match(add_versions(session), kind=MatchKind.LADDER, scale_id=made.id)
        [bell] = matches.queue(session, [new])
    return bell.match_id, made.id


def test_the_newest_schema_has_all_triggers(store: Store) -> None:
    """A migration that rebuilds a table on SQLite loses the triggers of that table."""
    query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    if store.is_postgresql:
        query = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    with store.engine.connect() as connection:
        assert set(connection.execute(sa.text(query)).scalars()) >= WRITERS


def test_a_match_is_noted_when_it_comes_and_goes_and_not_while_it_is_on_its_way(
    store: Store,
) -> None:
    begin = position(store)
    match_id, ladder = ladder_match(store)
    found = news(store, begin, ladder)
    assert found is not None
    assert found[Topic.MATCH] == {match_id}
    now = position(store)
    attempt = start(store, match_id)
    with store.write() as session:
        attempts.heartbeat(session, attempt.token)
        attempts.void(session, attempt.token, "disk")
    assert news(store, now, ladder) == {}, "in flight is in flight"
    with store.write() as session:
        matches.cancel(session, match_id, "why")
    assert news(store, now, ladder) == {Topic.MATCH: {match_id}}
    assert news(store, now, ladder + 1) == {}, "another ladder has nothing to do with it"


def test_matches_of_seasons_and_unrated_ones_are_not_noted(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
        season = add_season(session)
    now = position(store)
    with store.write() as session:
        matches.queue(session, [new_match(versions), new_match(versions, season_id=season.id)])
        session.execute(sa.update(Match).values(state="done"))
    assert news(store, now) == {}


def test_what_is_rolled_back_was_never_there(store: Store) -> None:
    now = position(store)
    with store.write() as session:
        accounts.add_owner(session, "ada")
        add_versions(session, handle="bob")
        session.rollback()
    assert news(store, now) == {}


def test_old_changes_are_removed_and_who_needs_them_is_told(store: Store) -> None:
    begin = position(store)
    with store.write() as session:
        add_versions(session)
        assert changes.prune(session) == 0, "they are new"
        last = session.execute(sa.select(sa.func.max(Change.txid))).scalar_one()
    # On PostgreSQL nothing is behind a reader while anybody on the server still writes.
    wait_for(lambda: last < position(store).horizon)
    now = position(store)
    with store.write() as session:
        assert changes.prune(session, kept=-60.0) > 0
    with store.read() as session:
        assert session.execute(sa.select(sa.func.count()).select_from(Change)).scalar_one() == 0
    assert news(store, begin) is None
    assert news(store, now) == {}
    with store.write() as session:
        bots.suspend(session, 1, "it failed")
    assert news(store, now) == {Topic.BOT: {1}}
