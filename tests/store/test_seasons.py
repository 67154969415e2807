"""Seasons, ladders, ratings, workers, and what pages list."""

from datetime import timedelta

import pytest
import sqlalchemy as sa
from sqlmodel import col

from store import (
    METADATA,
    Conflict,
    EntryState,
    MatchKind,
    MatchState,
    Rating,
    RatingPoint,
    SeasonState,
    Store,
    Version,
    Worker,
    WorkerState,
    attempts,
    ladders,
    match_lists,
    matches,
    present,
    ratings,
    scales,
    seasons,
    utc_now,
    workers,
)
from tests.store.support import OPTIONS, add_season, add_versions, new_match, outcome


def play(store: Store, match_id: int) -> None:
    with store.write() as session:
        attempt = attempts.claim(session, match_id, "w1")
        assert attempt is not None
        attempts.finish(session, attempt.token, outcome())


def test_a_season_has_a_scale_of_its_own(store: Store) -> None:
    with store.write() as session:
        season = add_season(session)
        shared = ladders.ladder(session, "six-nimmt", OPTIONS, 4, boards=100)
        again = ladders.ladder(session, "six-nimmt", dict(reversed(OPTIONS.items())), 4, boards=9)
        own = scales.of_season(session, season.id)
        assert shared.id == again.id != own.id
        assert scales.scale(session, shared.id).season_id is None
        assert ladders.ladders(session) == [shared]
        with pytest.raises(Conflict, match="taken"):
            add_season(session)


def test_bots_enter_while_the_season_is_open(store: Store) -> None:
    with store.write() as session:
        season = add_season(session)
        versions = [present(session, Version, ident) for ident in add_versions(session)]
        seasons.set_state(session, season.id, SeasonState.OPEN)
        entry = seasons.enter(session, season.id, versions[0].bot_id)
        assert seasons.enter(session, season.id, versions[0].bot_id).id == entry.id
        seasons.leave(session, entry.id, EntryState.WITHDRAWN, "on holiday")
        assert seasons.entries(session, season.id, only_entered=True) == []
        seasons.enter(session, season.id, versions[0].bot_id)
        other = seasons.enter(session, season.id, versions[1].bot_id)
        seasons.leave(session, other.id, EntryState.DISQUALIFIED, "copied")
        with pytest.raises(Conflict, match="disqualified"):
            seasons.enter(session, season.id, versions[1].bot_id)
        seasons.pin(session, entry.id, versions[0].id)
        seasons.set_state(session, season.id, SeasonState.FROZEN)
        with pytest.raises(Conflict, match="frozen"):
            seasons.enter(session, season.id, versions[2].bot_id)
        seasons.enter(session, season.id, versions[3].bot_id, is_anchor=True)
    with store.read() as session:
        (first, anchor) = seasons.entries(session, season.id, only_entered=True)
        assert (first.version_id, anchor.is_anchor) == (versions[0].id, True)
        assert seasons.season(session, season.id).frozen_at is not None


def test_commitments_and_matches_of_an_entrant_are_in_creation_order(store: Store) -> None:
    with store.write() as session:
        season = add_season(session)
        versions = add_versions(session, 5)
        plans = [new_match(versions[:4], 1), new_match(versions[1:], 2), new_match(versions[:4], 3)]
        plans = [
            new_match(list(plan.versions), number, season_id=season.id)
            for number, plan in enumerate(plans)
        ]
        ids = matches.plan(session, plans)
        matches.cancel(session, ids[2], "withdrawn")
        assert [ident for ident, _ in seasons.commitments(session, season.id)] == ids
        assert len({text for _, text in seasons.commitments(session, season.id)}) == 3
        found = seasons.matches_of_version(session, season.id, versions[0])
        told = [(one.match_id, one.number, one.state) for one in found]
        assert told == [(ids[0], 0, MatchState.PLANNED), (ids[2], 0, MatchState.CANCELLED)]
        assert seasons.progress(session, season.id).total == 2


def test_a_rehearsal_is_removed_without_a_trace_and_a_season_is_not(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
    before = row_counts(store)
    with store.write() as session:
        season = add_season(session)
        scale = scales.of_season(session, season.id)
        plan = new_match(versions, kind=MatchKind.REHEARSAL, season_id=season.id, scale_id=scale.id)
        (match_id,) = matches.plan(session, [plan])
        matches.publish(session, [match_id])
        ratings.save(session, scale.id, [Rating(scale_id=scale.id, version_id=versions[0])])
    play(store, match_id)
    with store.write() as session:
        assert seasons.remove(session, season.id) == 1
    assert row_counts(store) == before
    with store.write() as session:
        season = add_season(session)
        matches.plan(session, [new_match(versions, season_id=season.id)])
        with pytest.raises(Conflict, match="matches that count"):
            seasons.remove(session, season.id)


def row_counts(store: Store) -> dict[str, int]:
    with store.engine.connect() as connection:
        return {
            table.name: connection.execute(
                sa.select(sa.func.count()).select_from(table)
            ).scalar_one()
            for table in METADATA.sorted_tables
        }


def test_ratings_are_replaced_and_listed_best_first(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
        ladder = ladders.ladder(session, "six-nimmt", OPTIONS, 4, boards=4)
        rows = [Rating(scale_id=ladder.id, version_id=ident) for ident in versions]
        rows[1].official, rows[2].official = 1510.0, 1550.0
        ratings.save(session, ladder.id, rows)
    with store.write() as session:
        newer = Rating(scale_id=ladder.id, version_id=versions[3], live=1600.0, blocks=7)
        ratings.save(session, ladder.id, [newer])
    with store.read() as session:
        table = ratings.table(session, ladder.id)
        order = [row.version_id for row in table]
        assert order == [versions[2], versions[1], versions[3], versions[0]]
        assert (table[2].live, table[2].blocks) == (1600.0, 7)
    with store.write() as session:
        only = Rating(scale_id=ladder.id, version_id=versions[0], official=1.0)
        ratings.replace_all(session, ladder.id, [only])
        assert len(ratings.table(session, ladder.id)) == 1


def test_the_history_gives_the_latest_points_oldest_first(store: Store) -> None:
    with store.write() as session:
        first, second, *_ = add_versions(session)
        ladder = ladders.ladder(session, "six-nimmt", OPTIONS, 4, boards=4)
        ratings.add_points(
            session,
            [
                RatingPoint(scale_id=ladder.id, version_id=ident, live=1500.0 + step)
                for step in range(5)
                for ident in (first, second)
            ],
        )
        points = ratings.history(session, ladder.id, [first], limit=3)
        assert [point.live for point in points] == [1502.0, 1503.0, 1504.0]


def test_matches_are_paged_by_cursor_without_gaps(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session, 8)
        tables = [versions[:4], versions[4:], versions[2:6]]
        ids = matches.plan(session, [new_match(tables[n % 3], n) for n in range(20)])
        bot_id = present(session, Version, versions[3]).bot_id
    with store.read() as session:

        def walk(bot_id: int | None = None, version_id: int | None = None) -> list[int]:
            seen: list[int] = []
            before = None
            while page := match_lists.matches(
                session, bot_id=bot_id, version_id=version_id, before=before, limit=3
            ):
                seen += [match.id for match in page]
                before = seen[-1]
            return seen

        assert walk() == ids[::-1]
        expected = [ident for n, ident in enumerate(ids) if n % 3 != 1][::-1]
        assert walk(bot_id=bot_id) == expected
        assert walk(version_id=versions[3]) == expected
        assert match_lists.matches(session, states=[MatchState.DONE]) == []


def test_the_front_page_shows_what_ended_last(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
        ids = matches.plan(session, [new_match(versions, n) for n in range(3)])
        matches.publish(session, ids)
    for match_id in (ids[2], ids[0]):
        play(store, match_id)
    with store.read() as session:
        assert {match.id for match in match_lists.latest(session)} == {ids[0], ids[2]}
        faults = match_lists.faults_of(session, [versions[1]])
        assert [fault.match_id for fault in faults] == [ids[0], ids[2]]
        rates = match_lists.void_rates(session)
        assert [(rate.attempts, rate.void, rate.lost) for rate in rates] == [(2, 0, 0)] * 4


def test_workers_are_alive_while_they_beat(store: Store) -> None:
    with store.write() as session:
        workers.beat(session, Worker(name="w1", slots=2, queues=["season"]))
        workers.beat(session, Worker(name="w2", state=WorkerState.DRAINING))
        workers.beat(session, Worker(name="w3"))
        workers.sign_off(session, "w3")
        assert [worker.name for worker in workers.alive(session)] == ["w1", "w2"]
        past = utc_now() - timedelta(hours=1)
        session.execute(sa.update(Worker).where(col(Worker.name) == "w1").values(heartbeat_at=past))
        assert [worker.name for worker in workers.alive(session)] == ["w2"]
    with store.write() as session:
        workers.beat(session, Worker(name="w1", busy=1))
    with store.read() as session:
        assert [worker.busy for worker in workers.alive(session)] == [1, 0]


def test_the_last_sign_of_a_dead_worker_stays_and_is_listed_for_an_hour(store: Store) -> None:
    def last_sign(name: str, ago: timedelta) -> None:
        at = utc_now() - ago
        session.execute(sa.update(Worker).where(col(Worker.name) == name).values(heartbeat_at=at))

    with store.write() as session:
        for name in ("here", "dead", "missed", "forgotten"):
            workers.beat(session, Worker(name=name))
        last_sign("dead", timedelta(minutes=50))
        last_sign("missed", timedelta(hours=5))
        last_sign("forgotten", timedelta(days=2))
        workers.sign_off(session, "dead")
    with store.read() as session:
        listed = workers.recent(session)
        assert [worker.name for worker in listed] == ["here", "dead", "missed"]
        assert utc_now() - listed[1].heartbeat_at > timedelta(minutes=49)
    with store.write() as session:
        last_sign("dead", timedelta(minutes=70))
        assert [worker.name for worker in workers.recent(session)] == ["here", "missed"]


def test_the_queues_are_counted(store: Store) -> None:
    with store.write() as session:
        versions = add_versions(session)
        plans = [new_match(versions, n, queue="gate" if n else "season") for n in range(3)]
        ids = matches.plan(session, plans)
        matches.publish(session, ids)
        attempts.claim(session, ids[1], "w1")
        assert workers.queue_sizes(session) == {
            ("season", MatchState.QUEUED): 1,
            ("gate", MatchState.QUEUED): 1,
            ("gate", MatchState.RUNNING): 1,
        }
        assert [attempt.match_id for attempt in workers.unfinished(session, "w1")] == [ids[1]]


def test_a_match_that_is_stuck_counts_until_its_season_is_over(store: Store) -> None:
    with store.write() as session:
        season = add_season(session)
        [match_id] = matches.plan(session, [new_match(add_versions(session), season_id=season.id)])
        matches.publish(session, [match_id])
        for failures in range(3):
            assert workers.waiting(session).failures == failures
            attempt = attempts.claim(session, match_id, "w1")
            assert attempt is not None
            attempts.void(session, attempt.token, "the worker was unwell")
        assert workers.waiting(session).failures == 0, "nobody tries it any more"
        assert workers.queue_sizes(session) == {("season", MatchState.STUCK): 1}
        season.state = SeasonState.FINISHED
        session.flush()
        assert workers.queue_sizes(session) == {}
