"""The queue of matches: who may play what, and that every result counts once."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col

from store import (
    Attempt,
    AttemptState,
    BadOutcome,
    Blob,
    BlobKind,
    Conflict,
    Finish,
    Match,
    MatchOutcome,
    MatchState,
    NotFound,
    Store,
    matches,
    pages,
    present,
    results,
    seasons,
    utc_now,
)
from tests.store.support import (
    add_season,
    add_versions,
    new_match,
    outcome,
    queued_matches,
    replay_lines,
)


def start(store: Store, match_id: int, worker: str = "w1", lease: float = 60) -> Attempt:
    with store.write() as session:
        attempt = matches.claim(session, match_id, worker, lease)
    assert attempt is not None
    return attempt


def finish(store: Store, token: str, result: MatchOutcome | None = None) -> Finish:
    with store.write() as session:
        return matches.finish(session, token, result or outcome())


def match_of(store: Store, match_id: int) -> Match:
    with store.read() as session:
        return present(session, Match, match_id)


def expire(session: Session, match_id: int) -> None:
    """Let a lease run out without waiting for it."""
    past = utc_now() - timedelta(hours=1)
    session.execute(sa.update(Match).where(col(Match.id) == match_id).values(lease_until=past))


def test_a_planned_match_keeps_its_table_and_commits_to_its_key(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
        (match_id,) = matches.plan(session, [new_match(versions[::-1], 7)])
    with store.read() as session:
        match = present(session, Match, match_id)
        seats = pages.seated(session, [match_id])[match_id]
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
        assert pages.matches(session) == []


def test_a_short_key_is_refused(store: Store) -> None:
    with store.write() as session, pytest.raises(Conflict, match="32"):
        matches.plan(session, [new_match(add_versions(session), key=b"short")])


def test_enqueue_goes_by_priority_then_by_creation_and_leaves_what_is_not_due(
    store: Store,
) -> None:
    later = utc_now() + timedelta(days=1)
    with store.write() as session:
        versions = add_versions(session)
        ids = matches.plan(
            session,
            [
                new_match(versions, 0),
                new_match(versions, 1, priority=-1),
                new_match(versions, 2, due_at=later),
                new_match(versions, 3),
            ],
        )
        first = matches.enqueue(session, limit=2)
        rest = matches.enqueue(session, limit=9)
    assert {bell.match_id for bell in first} == {ids[0], ids[1]}
    assert [bell.match_id for bell in rest] == [ids[3]]
    assert {bell.queue for bell in first} == {"season"}


def test_only_one_claim_succeeds(store: Store) -> None:
    (match_id,) = queued_matches(store)
    attempt = start(store, match_id)
    with store.write() as session:
        assert matches.claim(session, match_id, "w2") is None
    assert attempt.number == 1
    match = match_of(store, match_id)
    assert (match.state, match.worker, match.token) == (MatchState.RUNNING, "w1", attempt.token)


@pytest.mark.parametrize("state", ["planned", "cancelled", "unknown"])
def test_what_is_not_queued_cannot_be_claimed(store: Store, state: str) -> None:
    with store.write() as session:
        (match_id,) = matches.plan(session, [new_match(add_versions(session))])
        if state == "cancelled":
            matches.cancel(session, match_id, "not wanted")
        if state == "unknown":
            match_id = 9999
        assert matches.claim(session, match_id, "w1") is None


def test_a_finished_match_has_all_its_results_at_once(store: Store) -> None:
    blob = store.blobs.write(replay_lines())
    with store.write() as session:
        season = add_season(session)
        ladder = seasons.ladder_of(session, season.id)
    (match_id,) = queued_matches(store, season_id=season.id, ladder_id=ladder.id)
    attempt = start(store, match_id)
    assert finish(store, attempt.token, outcome(replay=blob)) is Finish.ACCEPTED
    with store.read() as session:
        match = present(session, Match, match_id)
        seats = [seated.seat for seated in pages.seated(session, [match_id])[match_id]]
        (block,) = results.blocks(session, ladder.id)
        (fault,) = results.faults(session, match_id)
        games = results.games(session, match_id)
        line = results.replay_line(session, match_id, 0, 3)
        progress = seasons.progress(session, season.id)
    assert match.state is MatchState.DONE
    assert (match.token, match.worker, match.lease_until) == (None, None, None)
    assert matches.public_key(match) == match.key.hex()
    assert [seat.points for seat in seats] == [0, 40, 80, 120]
    assert block.versions == tuple(seat.version_id for seat in seats)
    assert (block.match_id, len(block.games), block.games[0].places) == (match_id, 4, (1, 2, 3, 4))
    assert (fault.kind, fault.version_id, fault.attempt) == ("timeout", seats[1].version_id, 1)
    assert [game.seats for game in games][:2] == [[0, 1, 2, 3], [1, 2, 3, 0]]
    assert store.blobs.line(*line) == replay_lines()[3]
    assert (progress.done, progress.total, progress.open) == (1, 1, 0)


def test_finishing_twice_is_harmless(store: Store) -> None:
    (match_id,) = queued_matches(store)
    attempt = start(store, match_id)
    assert finish(store, attempt.token) is Finish.ACCEPTED
    assert finish(store, attempt.token) is Finish.REPEATED
    with store.read() as session:
        assert len(results.games(session, match_id)) == 4


def test_a_stale_attempt_cannot_finish_beat_or_void(store: Store) -> None:
    (match_id,) = queued_matches(store)
    old = start(store, match_id)
    with store.write() as session:
        expire(session, match_id)
        assert matches.reap(session).lost == (match_id,)
    new = start(store, match_id, "w2")
    with store.write() as session:
        assert matches.finish(session, old.token, outcome()) is Finish.REFUSED
        assert matches.heartbeat(session, old.token) is False
        assert matches.void(session, old.token, "late") is None
        assert matches.heartbeat(session, new.token) is True
    assert finish(store, new.token) is Finish.ACCEPTED
    with store.read() as session:
        states = [attempt.state for attempt in pages.attempts(session, match_id)]
    assert states == [AttemptState.LOST, AttemptState.DONE]


def test_a_result_that_does_not_fit_leaves_the_attempt_running(store: Store) -> None:
    (match_id,) = queued_matches(store)
    attempt = start(store, match_id)
    with pytest.raises(BadOutcome, match="4 seats"):
        finish(store, attempt.token, outcome(seats=3))
    short = Blob(sha256="0" * 64, size=1, lines=3)
    with pytest.raises(BadOutcome, match="3 replays for 4 games"):
        finish(store, attempt.token, outcome(replay=short))
    assert match_of(store, match_id).state is MatchState.RUNNING
    assert finish(store, attempt.token) is Finish.ACCEPTED


def test_a_late_finish_before_the_reaper_came_still_counts(store: Store) -> None:
    (match_id,) = queued_matches(store)
    attempt = start(store, match_id)
    with store.write() as session:
        expire(session, match_id)
    assert finish(store, attempt.token) is Finish.ACCEPTED
    with store.write() as session:
        assert matches.reap(session).lost == ()


def test_a_heartbeat_keeps_the_reaper_away(store: Store) -> None:
    (match_id,) = queued_matches(store)
    attempt = start(store, match_id)
    with store.write() as session:
        expire(session, match_id)
        assert matches.heartbeat(session, attempt.token)
        assert matches.reap(session) == matches.Reaped(lost=(), stuck=(), publish=())


def test_three_failures_make_a_match_stuck_and_playing_it_again_frees_it(store: Store) -> None:
    (match_id,) = queued_matches(store)
    with store.write() as session:
        attempt = matches.claim(session, match_id, "w1")
        assert attempt is not None
        evidence: dict[str, object] = {"docker": "gone"}
        state = matches.void(session, attempt.token, "docker", evidence=evidence)
        assert state is MatchState.QUEUED
        assert matches.claim(session, match_id, "w1") is not None
        expire(session, match_id)
        reaped = matches.reap(session)
        assert [bell.match_id for bell in reaped.publish] == [match_id]
        assert matches.claim(session, match_id, "w1") is not None
        expire(session, match_id)
        assert matches.reap(session).stuck == (match_id,)
        assert matches.claim(session, match_id, "w1") is None
        matches.play_again(session, match_id, "docker is back")
        fourth = matches.claim(session, match_id, "w1")
        assert fourth is not None
        assert fourth.number == 4
    with store.read() as session:
        first = pages.attempts(session, match_id)[0]
    assert (first.state, first.reason, first.evidence) == (AttemptState.VOID, "docker", evidence)


def test_a_drained_worker_does_not_bring_a_match_nearer_to_stuck(store: Store) -> None:
    (match_id,) = queued_matches(store)
    for _ in range(5):
        attempt = start(store, match_id)
        with store.write() as session:
            state = matches.void(session, attempt.token, "drained", charged=False)
        assert state is MatchState.QUEUED
    with store.read() as session:
        (rate, *_) = pages.void_rates(session)
    assert (rate.attempts, rate.void, rate.lost) == (5, 0, 0)


def test_the_reaper_takes_the_leases_of_a_worker_known_to_be_dead(store: Store) -> None:
    first, second = queued_matches(store, 2)
    start(store, first, "dead")
    start(store, second, "alive")
    with store.write() as session:
        assert matches.reap(session, dead_worker="dead").lost == (first,)


def test_the_reaper_publishes_again_what_nobody_claims(store: Store) -> None:
    (match_id,) = queued_matches(store)
    with store.write() as session:
        assert matches.reap(session).publish == ()
        old = utc_now() - timedelta(hours=1)
        session.execute(sa.update(Match).values(published_at=old))
        assert [bell.match_id for bell in matches.reap(session).publish] == [match_id]
        assert matches.reap(session).publish == ()


def test_cancelling_a_running_match_fences_its_attempt(store: Store) -> None:
    (match_id,) = queued_matches(store)
    attempt = start(store, match_id)
    with store.write() as session:
        assert matches.cancel(session, match_id, "bot withdrawn")
        assert not matches.cancel(session, match_id, "again")
    assert finish(store, attempt.token) is Finish.REFUSED
    assert match_of(store, match_id).state is MatchState.CANCELLED


def test_playing_again_takes_the_result_back_and_keeps_key_seats_and_record(store: Store) -> None:
    (match_id,) = queued_matches(store)
    blob = store.blobs.write(replay_lines())
    finish(store, start(store, match_id).token, outcome(replay=blob))
    before = match_of(store, match_id)
    with store.write() as session:
        matches.play_again(session, match_id, "referee bug")
    after = match_of(store, match_id)
    with store.read() as session:
        assert results.games(session, match_id) == []
        assert results.faults(session, match_id) == []
        assert results.blob_of(session, match_id) is None
        assert blob.sha256 in results.known_blobs(session)
        seats = pages.seated(session, [match_id])[match_id]
    assert {seat.seat.points for seat in seats} == {0}
    assert (after.state, after.key) == (MatchState.QUEUED, before.key)
    assert matches.public_key(after) is None
    again = start(store, match_id)
    second = store.blobs.write([*replay_lines(3), b"{}"])
    assert finish(store, again.token, outcome(replay=second)) is Finish.ACCEPTED
    with store.read() as session:
        found = results.blob_of(session, match_id, BlobKind.REPLAY)
        assert len(results.faults(session, match_id)) == 1
    assert found is not None
    assert (found.sha256, found.attempt) == (second.sha256, 2)


def test_a_match_that_is_on_its_way_cannot_be_played_again(store: Store) -> None:
    (match_id,) = queued_matches(store)
    with store.write() as session, pytest.raises(Conflict, match="queued"):
        matches.play_again(session, match_id, "impatient")


def test_holding_a_season_takes_queued_matches_back_and_leaves_running_ones(store: Store) -> None:
    with store.write() as session:
        season = add_season(session)
    first, second = queued_matches(store, 2, season_id=season.id)
    start(store, first)
    with store.write() as session:
        assert matches.hold(session, season.id) == 1
        assert matches.claim(session, second, "w1") is None
    with store.read() as session:
        counts = seasons.progress(session, season.id).counts
    assert (counts[MatchState.RUNNING], counts[MatchState.PLANNED]) == (1, 1)


def test_unrated_matches_drop_out_of_the_blocks_and_come_back(store: Store) -> None:
    with store.write() as session:
        ladder = seasons.ladder(session, "six-nimmt", {}, 4, boards=4)
    ids = queued_matches(store, 3, ladder_id=ladder.id)
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
