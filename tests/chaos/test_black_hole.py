"""A database connection that swallows everything and stays open: workers and clock time out, say
so, and play on when it is gone. What it must ring is in `tests/deploy/test_alerts.py`."""

from pathlib import Path
from typing import Any

import pytest

from store import SeasonState, WorkerState
from tests.black_hole import behind_black_hole
from tests.chaos.rig import Rig, WorkerProcess, rig
from tests.chaos.season import hold_back, let_go, start_season, wait_for
from tests.chaos.season import state_of as season_state
from tests.chaos.test_broken_worker import check_outcome, end_of

SHORT: dict[str, Any] = {
    "BULLRING_DATABASE_CONNECT_SECONDS": "2",
    "BULLRING_DATABASE_LOCK_SECONDS": "2",
    "BULLRING_DATABASE_STATEMENT_SECONDS": "3",
}
BOTS, MEETINGS = 3, 4
TOTAL = BOTS * (BOTS - 1) // 2 * MEETINGS


def given_up(worker: WorkerProcess, what: str, since: int) -> int:
    """How often a worker has said that it waited in vain."""
    lines = [line for line in worker.lines[since:] if f'"event": "{what}"' in line]
    return sum("did not answer" in line or "timeout expired" in line for line in lines)


def season_in_reserve(league: Rig) -> int:
    """A season of which only as many matches are due as there are workers to play them."""
    season_id = league.season_id = start_season(league.database, BOTS, MEETINGS)
    hold_back(league.database, season_id)
    return season_id


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(900)
def test_workers_and_clock_behind_a_black_hole_time_out_and_the_season_ends_right_after_it(
    tmp_path: Path,
) -> None:
    with (
        rig(tmp_path / "hurt") as league,
        behind_black_hole(league.settings.database) as (url, hole),
    ):
        season_id = season_in_reserve(league)
        workers = [
            league.start_worker(may_be_clock=True, BULLRING_DATABASE_URL=url, **SHORT)
            for _ in range(2)
        ]
        let_go(league.database, season_id, 2)
        wait_for(league.playing, "a match is played")
        heard = {worker.pid: len(worker.lines) for worker in workers}
        hole.swallows.set()
        let_go(league.database, season_id, TOTAL)
        for worker in workers:
            # Twice: whoever waits for ever says it never, whoever is frozen afterwards once.
            for what in ("clock missed a turn", "no sign of life"):
                wait_for(
                    lambda: given_up(worker, what, heard[worker.pid]) >= 2,  # noqa: B023
                    f"worker {worker.pid} said twice: {what}",
                )
        league.check_workers()
        assert season_state(league.database, season_id) is SeasonState.RUNNING
        hole.swallows.clear()
        end_of(league, season_id)
        check_outcome(league, season_id, tmp_path / "calm", BOTS, MEETINGS)


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(900)
def test_the_others_play_on_while_one_worker_is_behind_a_black_hole_and_it_returns(
    tmp_path: Path,
) -> None:
    with (
        rig(tmp_path / "hurt") as league,
        behind_black_hole(league.settings.database) as (url, hole),
    ):
        season_id = season_in_reserve(league)
        lost = league.start_worker(may_be_clock=True, BULLRING_DATABASE_URL=url, **SHORT)
        let_go(league.database, season_id, 1)
        wait_for(lambda: lost.pid in league.playing(), "it plays a match")
        hole.swallows.set()
        for _ in range(2):
            league.start_worker()
        let_go(league.database, season_id, TOTAL)
        end_of(league, season_id)
        check_outcome(league, season_id, tmp_path / "calm", BOTS, MEETINGS)
        wait_for(lambda: given_up(lost, "no sign of life", 0), "it noticed")
        hole.swallows.clear()
        over = league.database.now()

        def is_back() -> bool:
            row = league.row_of(lost)
            return row is not None and row.state is WorkerState.UP and row.heartbeat_at > over

        wait_for(is_back, "it takes matches again")
