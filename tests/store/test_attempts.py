"""Attempts to play a match: one worker holds it, and every result counts once."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col

from store import (
    Attempt,
    AttemptState,
    BadOutcome,
    Blob,
    Finish,
    Match,
    MatchState,
    Store,
    attempts,
    database_time,
    match_lists,
    matches,
    present,
    results,
    scales,
    seasons,
    utc_now,
    workers,
)
from store.matches import LEAGUE_QUEUES as QUEUES
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


def expire(session: Session, match_id: int) -> None:
    """Let a lease run out without waiting for it."""
    past = utc_now() - timedelta(hours=1)
    session.execute(sa.update(Match).where(col(Match.id) == match_id).values(lease_until=past))


def test_only_one_claim_succeeds(store: Store) -> None:
    (match_id,) = queued_matches(store)
    attempt = start(store, match_id)
    with store.write() as session:
        assert attempts.claim(session, match_id, "w2") is None
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
        assert attempts.claim(session, match_id, "w1") is None


def test_finishing_twice_is_harmless(store: Store) -> None:
    (match_id,) = queued_matches(store)
    attempt = start(store, match_id)
    assert finish(store, attempt.token) is Finish.ACCEPTED
    assert finish(store, attempt.token) is Finish.REPEATED
    with store.read() as session:
        assert len(results.games(session, match_id)) == 4


def test_a_finished_match_has_all_its_results_at_once(store: Store) -> None:
    blob = store.blobs.write(replay_lines())
    with store.write() as session:
        season = add_season(session)
        ladder = scales.of_season(session, season.id)
    (match_id,) = queued_matches(store, season_id=season.id, scale_id=ladder.id)
    attempt = start(store, match_id)
    assert finish(store, attempt.token, outcome(replay=blob)) is Finish.ACCEPTED
    with store.read() as session:
        match = present(session, Match, match_id)
        seats = [seated.seat for seated in match_lists.seated(session, [match_id])[match_id]]
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


def test_a_stale_attempt_cannot_finish_beat_or_void(store: Store) -> None:
    (match_id,) = queued_matches(store)
    old = start(store, match_id)
    with store.write() as session:
        expire(session, match_id)
        assert attempts.reap(session).lost == (match_id,)
    new = start(store, match_id, "w2")
    with store.write() as session:
        assert attempts.finish(session, old.token, outcome()) is Finish.REFUSED
        assert attempts.heartbeat(session, old.token) is False
        assert attempts.void(session, old.token, "late") is None
        assert attempts.heartbeat(session, new.token) is True
    assert finish(store, new.token) is Finish.ACCEPTED
    with store.read() as session:
        states = [attempt.state for attempt in match_lists.attempts(session, match_id)]
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
        assert attempts.reap(session).lost == ()


def test_a_heartbeat_keeps_the_reaper_away(store: Store) -> None:
    (match_id,) = queued_matches(store)
    attempt = start(store, match_id)
    with store.write() as session:
        expire(session, match_id)
        assert attempts.heartbeat(session, attempt.token)
        assert attempts.reap(session) == attempts.Reaped(lost=(), stuck=(), publish=())


def test_three_failures_make_a_match_stuck_and_playing_it_again_frees_it(store: Store) -> None:
    (match_id,) = queued_matches(store)
    with store.write() as session:
        attempt = attempts.claim(session, match_id, "w1")
        assert attempt is not None
        evidence: dict[str, object] = {"docker": "gone"}
        state = attempts.void(session, attempt.token, "docker", evidence=evidence)
        assert state is MatchState.QUEUED
        assert attempts.claim(session, match_id, "w1") is not None
        expire(session, match_id)
        reaped = attempts.reap(session)
        assert [bell.match_id for bell in reaped.publish] == [match_id]
        assert attempts.claim(session, match_id, "w1") is not None
        expire(session, match_id)
        assert attempts.reap(session).stuck == (match_id,)
        assert attempts.claim(session, match_id, "w1") is None
        matches.play_again(session, match_id, "docker is back", key=b"f" * 32)
        fourth = attempts.claim(session, match_id, "w1")
        assert fourth is not None
        assert fourth.number == 4
    with store.read() as session:
        first = match_lists.attempts(session, match_id)[0]
    assert (first.state, first.reason, first.evidence) == (AttemptState.VOID, "docker", evidence)


def test_a_drained_worker_does_not_bring_a_match_nearer_to_stuck(store: Store) -> None:
    (match_id,) = queued_matches(store)
    for _ in range(5):
        attempt = start(store, match_id)
        with store.write() as session:
            state = attempts.void(session, attempt.token, "drained", charged=False)
        assert state is MatchState.QUEUED
    with store.read() as session:
        (rate, *_) = match_lists.void_rates(session)
    assert (rate.attempts, rate.void, rate.lost) == (5, 0, 0)


def test_the_reaper_takes_the_leases_of_a_worker_known_to_be_dead(store: Store) -> None:
    first, second = queued_matches(store, 2)
    start(store, first, "dead")
    start(store, second, "alive")
    with store.write() as session:
        assert attempts.reap(session, dead_worker="dead").lost == (first,)


def test_the_reaper_names_what_no_worker_claims_and_keeps_its_waiting_time(
    store: Store,
) -> None:
    (match_id,) = queued_matches(store)
    with store.write() as session:
        assert attempts.reap(session).publish == ()
        old = utc_now() - timedelta(hours=1)
        session.execute(sa.update(Match).values(published_at=old))
        for _ in range(2):
            assert [bell.match_id for bell in attempts.reap(session).publish] == [match_id]
    assert match_of(store, match_id).published_at == old


def test_a_match_that_failed_on_a_worker_is_left_to_the_others_for_a_while(store: Store) -> None:
    first, second = queued_matches(store, 2)
    attempt = start(store, first, "w1")
    with store.write() as session:
        attempts.void(session, attempt.token, "docker")
        assert attempts.next_queued(session, "w2", queues=QUEUES, others=True) == second
        assert attempts.claim(session, second, "w2") is not None
        assert attempts.next_queued(session, "w1", queues=QUEUES, others=True) is None
        assert attempts.next_queued(session, "w1", queues=QUEUES, others=False) == first
        assert attempts.next_queued(session, "w2", queues=QUEUES, others=True) == first
        past = utc_now() - timedelta(seconds=2 * attempts.ELSEWHERE_SECONDS)
        session.execute(sa.update(Attempt).values(finished_at=past))
        assert attempts.next_queued(session, "w1", queues=QUEUES, others=True) == first


def test_only_failures_that_succeed_on_another_worker_count_against_a_worker(store: Store) -> None:
    reasons = ("docker", attempts.REFEREE_CRASHED, "docker", "docker")
    matches_ = queued_matches(store, len(reasons))
    for match_id, reason in zip(matches_, reasons, strict=True):
        attempt = start(store, match_id, "w1")
        with store.write() as session:
            attempts.void(session, attempt.token, reason)
    first, crashed, by_itself, _never = matches_
    for match_id, worker in ((first, "w2"), (crashed, "w2"), (by_itself, "w1")):
        finish(store, start(store, match_id, worker).token)
    with store.read() as session:
        now = database_time(session)
        assert workers.failed_alone(session, "w1", now - timedelta(hours=1)) == 1
        assert workers.failed_alone(session, "w2", now - timedelta(hours=1)) == 0
        assert workers.failed_alone(session, "w1", now) == 0
