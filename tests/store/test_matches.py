"""The queue of matches: planned, due, held, cancelled, played again, counted or not."""

import pytest
import sqlalchemy as sa
from sqlmodel import select

from nimmt.keys import commitment
from store import (
    BlobKind,
    Block,
    Conflict,
    Finish,
    Match,
    MatchState,
    NotFound,
    Store,
    Version,
    attempts,
    ladders,
    match_lists,
    matches,
    present,
    results,
    seasons,
)
from tests.store.support import (
    add_season,
    add_versions,
    finish,
    match_of,
    new_match,
    outcome,
    queued_matches,
    replay_lines,
    start,
)


def test_a_planned_match_keeps_its_table_and_commits_to_its_key(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
        (match_id,) = matches.plan(session, [new_match(versions[::-1], 7)])
    with store.read() as session:
        match = present(session, Match, match_id)
        seats = match_lists.seated(session, [match_id])[match_id]
    assert match.state is MatchState.PLANNED
    assert [seat.version_id for seat in seats] == versions[::-1]
    assert [seat.bot for seat in seats] == ["ada/bot-3", "ada/bot-2", "ada/bot-1", "ada/bot-0"]
    assert match.commitment.startswith("sha256:")
    assert matches.public_key(match) is None
    assert match.key.hex() not in repr(match)


def test_planning_with_an_unknown_version_changes_nothing(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
    plans = [new_match(versions), new_match([*versions[:3], 777])]
    with pytest.raises(NotFound, match="777"), store.write() as session:
        matches.plan(session, plans)
    with store.read() as session:
        assert match_lists.matches(session) == []


def test_a_short_key_is_refused(store: Store) -> None:
    with store.write() as session, pytest.raises(Conflict, match="32"):
        matches.plan(session, [new_match(add_versions(session), key=b"short")])


def test_enqueue_goes_by_creation_and_takes_each_match_once(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
        ids = matches.plan(session, [new_match(versions, number) for number in range(3)])
        first = matches.enqueue(session, limit=2)
        rest = matches.enqueue(session, limit=9)
    assert {bell.match_id for bell in first} == {ids[0], ids[1]}
    assert [bell.match_id for bell in rest] == [ids[2]]
    assert {bell.queue for bell in first} == {"season"}


def test_cancelling_a_running_match_fences_its_attempt(store: Store) -> None:
    (match_id,) = queued_matches(store)
    attempt = start(store, match_id)
    with store.write() as session:
        assert matches.cancel(session, match_id, "bot withdrawn")
        assert not matches.cancel(session, match_id, "again")
    assert finish(store, attempt.token) is Finish.REFUSED
    assert match_of(store, match_id).state is MatchState.CANCELLED


FRESH = b"f" * 32


def test_playing_a_done_match_again_takes_its_result_back_on_fresh_boards(
    store: Store,
) -> None:
    (match_id,) = queued_matches(store)
    blob = store.blobs.write(replay_lines())
    finish(store, start(store, match_id).token, outcome(replay=blob))
    before = match_of(store, match_id)
    with store.write() as session:
        matches.play_again(session, match_id, "referee bug", key=FRESH)
    after = match_of(store, match_id)
    with store.read() as session:
        assert results.games(session, match_id) == []
        assert results.faults(session, match_id) == []
        assert results.blob_of(session, match_id) is None
        assert blob.sha256 in results.known_blobs(session)
        seats = match_lists.seated(session, [match_id])[match_id]
    assert {seat.seat.points for seat in seats} == {0}
    assert (after.state, after.key) == (MatchState.QUEUED, FRESH)
    assert after.commitment == commitment(FRESH) != before.commitment
    assert matches.public_key(after) is None
    again = start(store, match_id)
    second = store.blobs.write([*replay_lines(3), b"{}"])
    assert finish(store, again.token, outcome(replay=second)) is Finish.ACCEPTED
    with store.read() as session:
        found = results.blob_of(session, match_id, BlobKind.REPLAY)
        assert len(results.faults(session, match_id)) == 1
    assert found is not None
    assert (found.sha256, found.attempt) == (second.sha256, 2)


def test_a_match_whose_key_never_left_keeps_its_boards(store: Store) -> None:
    (match_id,) = queued_matches(store)
    before = match_of(store, match_id)
    with store.write() as session:
        matches.cancel(session, match_id, "a slip")
        matches.play_again(session, match_id, "after all", key=FRESH)
    after = match_of(store, match_id)
    assert (after.key, after.commitment) == (before.key, before.commitment)


def test_a_match_that_is_on_its_way_cannot_be_played_again(store: Store) -> None:
    (match_id,) = queued_matches(store)
    with store.write() as session, pytest.raises(Conflict, match="queued"):
        matches.play_again(session, match_id, "impatient", key=FRESH)


def test_holding_a_season_takes_queued_matches_back_and_leaves_running_ones(store: Store) -> None:
    with store.write() as session:
        season = add_season(session)
    first, second = queued_matches(store, 2, season_id=season.id)
    start(store, first)
    with store.write() as session:
        assert matches.hold(session, season.id) == 1
        assert attempts.claim(session, second, "w1") is None
    with store.read() as session:
        counts = seasons.progress(session, season.id).counts
    assert (counts[MatchState.RUNNING], counts[MatchState.PLANNED]) == (1, 1)


def test_unrated_matches_drop_out_of_the_blocks_and_come_back(store: Store) -> None:
    with store.write() as session:
        ladder = ladders.ladder(session, "six-nimmt", {}, 4, boards=4)
    ids = queued_matches(store, 3, scale_id=ladder.id)
    for match_id in reversed(ids):
        finish(store, start(store, match_id).token)

    def order() -> list[int]:
        with store.read() as session:
            return [block.match_id for block in results.blocks(session, ladder.id)]

    assert order() == ids
    with store.write() as session:
        matches.set_rated(session, ids[1:2], False, "disqualified")
    assert order() == [ids[0], ids[2]]
    with store.write() as session:
        matches.set_rated(session, ids, True, "")
    with store.read() as session:
        rest = list(results.blocks(session, ladder.id, after=(ids[0], 0)))
    assert [block.match_id for block in rest] == ids[1:]


def test_an_error_of_the_database_does_not_tell_the_keys_of_matches(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
    key = b"of 32 bytes, not for any reader."
    # No such season: the rows are refused with all that was to be in them.
    wrong = new_match(versions, season_id=77, key=key)
    with pytest.raises(sa.exc.IntegrityError) as refused, store.write() as session:
        matches.plan(session, [wrong])
    assert "INSERT INTO match" in str(refused.value)
    assert repr(key) not in str(refused.value)
    assert key.hex() not in str(refused.value)


def test_all_that_a_season_waits_for_is_cancelled_at_once(store: Store) -> None:
    with store.write() as session:
        season = add_season(session)
        versions = add_versions(session)
        plans = [new_match(versions, number, season_id=season.id) for number in range(4)]
        ids = matches.plan(session, plans)
        matches.publish(session, ids[:3])
    held = start(store, ids[0])
    finish(store, start(store, ids[1]).token)
    with store.write() as session:
        assert matches.cancel_open(session, season.id, "the season ended") == 3
        assert matches.cancel_open(session, season.id, "again") == 0
    assert finish(store, held.token) is Finish.REFUSED
    with store.read() as session:
        counts = seasons.progress(session, season.id).counts
    assert (counts[MatchState.CANCELLED], counts[MatchState.DONE]) == (3, 1)


def test_the_next_tick_rings_for_a_match_that_was_queued_without_a_broker(store: Store) -> None:
    (match_id,) = queued_matches(store)
    with store.write() as session:
        assert attempts.reap(session).publish == ()
        matches.ring_later(session, match_id)
    with store.write() as session:
        assert [bell.match_id for bell in attempts.reap(session).publish] == [match_id]


def test_a_substitute_takes_a_seat_keeps_the_key_and_stays_out_of_the_blocks(store: Store) -> None:
    [match_id] = queued_matches(store)
    with store.write() as session:
        key = present(session, Match, match_id).key
        [other] = add_versions(session, 1, "house")
        attempt = attempts.claim(session, match_id, "worker")
        assert attempt is not None
        assert matches.substitute(session, match_id, 1, other, "a bot was disqualified")
        assert attempts.finish(session, attempt.token, outcome()) is Finish.REFUSED
    with store.read() as session:
        match = present(session, Match, match_id)
        assert (match.state, match.key, match.token) == (MatchState.QUEUED, key, None)
        seats = match_lists.seated(session, [match_id])[match_id]
        assert [(one.version_id == other, one.seat.substitute) for one in seats] == [
            (False, False), (True, True), (False, False), (False, False)
        ]  # fmt: skip
    with store.write() as session:
        again = attempts.claim(session, match_id, "worker")
        assert again is not None
        assert attempts.finish(session, again.token, outcome()) is Finish.ACCEPTED
        assert not matches.substitute(session, match_id, 0, other, "too late")
    with store.read() as session:
        [block, *_] = session.exec(select(Block).where(Block.match_id == match_id)).all()
    assert other not in block.versions
    assert block.games[0][:2] == [[1, 2, 3], [0, 20, 30]]


def test_last_meetings_count_rated_matches_and_nobody_who_only_sat_in(store: Store) -> None:
    with store.write() as session:
        season = add_season(session)
    ids = queued_matches(store, 4, season_id=season.id)
    with store.write() as session:
        bots_of = [seat.bot_id for seat in match_lists.seated(session, ids)[ids[0]]]
        [house] = add_versions(session, 1, "house")
        assert matches.substitute(session, ids[1], 1, house, "a bot was disqualified")
        matches.set_rated(session, ids[2:3], False, "struck")
    for match_id in ids[:3]:
        finish(store, start(store, match_id).token)
    with store.read() as session:
        found = match_lists.last_meetings(session, season.id, bots_of[0])
        elsewhere = match_lists.last_meetings(session, season.id + 1, bots_of[0])
        stand_in = present(session, Version, house).bot_id
        none = match_lists.last_meetings(session, season.id, stand_in)
    assert found == {bots_of[1]: ids[0], bots_of[2]: ids[1], bots_of[3]: ids[1]}
    assert elsewhere == none == {}
