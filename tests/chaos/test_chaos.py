"""Seasons that lose nothing: workers, Redis and PostgreSQL die in mid-match, the table is the same.

The small season runs always, the one of 60 matches where every service is required (.ci/run), and
the one of 300 with --long.
"""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

import store
from store import AttemptState, MatchState, SeasonState
from tests.chaos.rig import Rig, rig
from tests.chaos.season import hold_back, let_go, outcome, start_season, state_of, undisturbed

Hurt = Callable[[Rig], None]
SILENCE = 300.0
"""Seconds without a match to kill after which the league hangs; a limit, not a measure."""
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


@pytest.mark.heavy
@pytest.mark.timeout(900)
def test_an_embedded_league_killed_in_mid_match_goes_on_where_it_was(tmp_path: Path) -> None:
    run(tmp_path, bots=3, meetings=2, kills=2, workers=1, hurts=(), embedded=True)


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(900)
def test_two_workers_and_one_killed_give_the_table_of_an_undisturbed_season(tmp_path: Path) -> None:
    run(tmp_path, bots=3, meetings=2, kills=1, workers=2, hurts=())


@pytest.mark.heavy
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
        season_id = league.season_id = start_season(league.database, bots, meetings)
        hold_back(league.database, season_id)
        for _ in range(workers):
            league.start_worker()
        hurt(league, season_id, kills, hurts)
        tell("all is done to it")
        let_go(league.database, season_id, total)
        while state_of(league.database, season_id) is not SeasonState.FINISHED:
            league.check_workers()
            time.sleep(0.2)
        tell("the season is over")
        league.stop_workers()
        check_each_result_counts_once(league, season_id, total)
        assert len(league.hits(AttemptState.LOST)) >= kills
        assert league.left_behind == set(), "a bot or a referee outlived its worker"
        disturbed = outcome(league.database, season_id)
    calm = undisturbed(folder / "calm", bots, meetings)
    assert disturbed["faults"] == calm["faults"] == []
    assert disturbed["games"] == calm["games"]
    assert disturbed["table"] == calm["table"]


def hurt(league: Rig, season_id: int, kills: int, hurts: tuple[Hurt, ...]) -> None:
    """Kill workers in mid-match one after another, and do all the rest in between."""
    # How many kills come before each of the others.
    turns = [kills * (number + 1) // (len(hurts) + 1) for number in range(len(hurts))]
    to_come = list(zip(turns, hurts, strict=True))
    last = time.monotonic()
    while to_come or len(league.hits(AttemptState.LOST)) < kills:
        assert state_of(league.database, season_id) is SeasonState.RUNNING, (
            f"the season was over after {len(league.hits())} kills, {len(to_come)} hurts to come"
        )
        league.check_workers()
        assert time.monotonic() - last < SILENCE, league.told()
        league.feed()
        hits = len(league.hits())
        if hits < kills and league.kill_in_mid_match():
            tell(f"kill {hits + 1} in match {league.kills[-1].match_id}")
            last = time.monotonic()
        if to_come and hits >= to_come[0][0]:
            _, act = to_come.pop(0)
            tell(act.__name__)
            act(league)
            tell("done")
            last = time.monotonic()
        time.sleep(0.05)


def tell(what: str) -> None:
    """Shown when the test fails."""
    print(f"{time.strftime('%T')} {what}")


def check_each_result_counts_once(league: Rig, season_id: int, total: int) -> None:
    killed = {kill.match_id for kill in league.hits()}
    with league.database.read() as session:
        matches = store.match_lists.matches(session, season_id=season_id, limit=10_000)
        blocks = list(store.results.blocks(session, matches[0].scale_id or 0))
        assert len(matches) == total
        for match in matches:
            attempts = store.match_lists.attempts(session, match.id)
            states = [attempt.state for attempt in attempts]
            told = [(attempt.state.value, attempt.reason) for attempt in attempts]
            assert match.state is MatchState.DONE, told
            assert states.count(AttemptState.DONE) == 1, told
            assert states[-1] is AttemptState.DONE, told
            assert AttemptState.RUNNING not in states, told
            assert [attempt.number for attempt in attempts] == list(range(1, len(states) + 1))
            assert len(store.results.games(session, match.id)) == match.boards
            if match.id in killed:
                assert states[0] is AttemptState.LOST, told
                assert len(attempts) > 1, "the kill did not hit a running match"
    assert len(blocks) == len({(block.match_id, block.number) for block in blocks}) == 2 * total
