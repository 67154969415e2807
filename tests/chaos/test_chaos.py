"""Seasons that lose nothing: workers, Redis and PostgreSQL die in mid-match, the table is the same.

The small season runs always, the one of 60 matches where every service is required (.ci/run), and
the one of 300 with --long.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import store
from store import AttemptState, MatchState, SeasonState
from tests.chaos.rig import Rig, outcome, rig, start_season, state_of, undisturbed, wait_for

in_ci = pytest.mark.skipif(
    os.environ.get("BULLRING_REQUIRE") != "all",
    reason="takes minutes: runs with BULLRING_REQUIRE=all, as in .ci/run",
)
Hurt = Callable[[Rig], None]
EVERYTHING: tuple[Hurt, ...] = (
    Rig.double_messages,
    Rig.kill_redis,
    Rig.jump_clock,
    Rig.restart_database,
    Rig.lose_messages,
    Rig.fill_disk,
    Rig.empty_redis,
    Rig.crash_database,
)


@pytest.mark.timeout(900)
def test_an_embedded_league_killed_in_mid_match_goes_on_where_it_was(tmp_path: Path) -> None:
    run(tmp_path, bots=3, meetings=1, kills=2, workers=1, hurts=(), embedded=True)


@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(900)
def test_two_workers_and_one_killed_give_the_table_of_an_undisturbed_season(tmp_path: Path) -> None:
    run(tmp_path, bots=3, meetings=2, kills=1, workers=2, hurts=())


@in_ci
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(1800)
def test_sixty_matches_survive_twenty_kills_and_everything_else_that_can_fail(
    tmp_path: Path,
) -> None:
    run(tmp_path, bots=6, meetings=4, kills=20, workers=3, hurts=EVERYTHING)


@pytest.mark.long
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(3600)
def test_three_hundred_matches_survive_sixty_kills(tmp_path: Path) -> None:
    run(tmp_path, bots=6, meetings=20, kills=60, workers=3, hurts=EVERYTHING * 4)


def run(
    folder: Path,
    *,
    bots: int,
    meetings: int,
    kills: int,
    workers: int,
    hurts: tuple[Hurt, ...],
    embedded: bool = False,
) -> None:
    total = bots * (bots - 1) // 2 * meetings
    with rig(folder / "hurt", embedded=embedded) as league:
        season_id = start_season(league.database, bots, meetings)
        for _ in range(workers):
            league.start_worker()
        hurt(league, season_id, kills, list(hurts))
        while state_of(league.database, season_id) is not SeasonState.FINISHED:
            assert all(worker.process.poll() is None for worker in league.workers)
            wait_for_a_moment(league, season_id)
        league.stop_workers()
        check_each_result_counts_once(league, season_id, total)
        assert len(league.hits) >= kills
        assert league.left_behind == set(), "a bot or a referee outlived its worker"
        disturbed = outcome(league.database, season_id)
    calm = undisturbed(folder / "calm", bots, meetings)
    assert disturbed["games"] == calm["games"]
    assert disturbed["table"] == calm["table"]


def hurt(league: Rig, season_id: int, kills: int, hurts: list[Hurt]) -> None:
    """Kill workers in mid-match one after another, and do all the rest in between."""
    every = max(1, kills // (len(hurts) + 1))
    while len(league.hits) < kills or hurts:
        assert state_of(league.database, season_id) is SeasonState.RUNNING, (
            f"the season was over after {len(league.hits)} kills with {len(hurts)} hurts to come"
        )
        if len(league.hits) < kills and league.kill_in_mid_match():
            tell(f"kill {len(league.hits)} hit match {league.hits[-1].match_id}")
            league.start_worker()
        if hurts and len(league.hits) >= min(kills, every):
            every += max(1, kills // (len(hurts) + 1))
            tell(hurts[0].__name__)
            hurts.pop(0)(league)
        time.sleep(0.1)


def tell(what: str) -> None:
    """Shown when the test fails."""
    print(f"{time.strftime('%T')} {what}")


def wait_for_a_moment(league: Rig, season_id: int) -> None:
    over = time.monotonic() + 2
    wait_for(
        lambda: (
            time.monotonic() > over or state_of(league.database, season_id) is SeasonState.FINISHED
        )
    )


def check_each_result_counts_once(league: Rig, season_id: int, total: int) -> None:
    killed = {(hit.match_id, hit.attempt) for hit in league.hits}
    with league.database.read() as session:
        matches = store.pages.matches(session, season_id=season_id, limit=10_000)
        blocks = list(store.results.blocks(session, matches[0].ladder_id or 0))
        assert len(matches) == total
        for match in matches:
            attempts = store.pages.attempts(session, match.id)
            states = [attempt.state for attempt in attempts]
            told = [(attempt.state.value, attempt.reason) for attempt in attempts]
            assert match.state is MatchState.DONE, told
            assert states.count(AttemptState.DONE) == 1, told
            assert states[-1] is AttemptState.DONE, told
            assert AttemptState.RUNNING not in states, told
            assert [attempt.number for attempt in attempts] == list(range(1, len(states) + 1))
            assert len(store.results.games(session, match.id)) == match.boards
            for attempt in attempts:
                if (match.id, attempt.number) in killed:
                    assert attempt.state is AttemptState.LOST, told
                    assert len(attempts) > 1, "the kill did not hit a running match"
    assert len(blocks) == len({(block.match_id, block.number) for block in blocks}) == 2 * total
