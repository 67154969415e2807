"""Reviews made by a worker: a real child, its progress, its end; and which games are wanted."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import timedelta
from itertools import combinations, permutations
from pathlib import Path

import pytest
from sqlmodel import select

import store
from league.matches import usable_cores
from league.matches.inprocess import InProcessStage
from league.reviews import (
    Featured,
    MatchGame,
    ReviewMaker,
    StoredGame,
    ask_review,
    is_under_way,
    review_of,
)
from league.reviews.wanted import FINAL_GAMES, final_of
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.worker import Worker, match_reviews, tick
from league.worker.bells import Bells
from league.worker.clock import Clock
from league.worker.metrics import WorkerMetrics
from nimmt import replay as nimmt_replay
from review import best_game, digest, stories_of
from store import (
    BlobError,
    Match,
    MatchState,
    Review,
    ReviewReason,
    ReviewState,
    SeasonState,
    Store,
    utc_now,
)
from tests.dashboard.reviewed import AT_ONCE
from tests.ending import started
from tests.factories import add_bots
from tests.league.world import play_due, rank, season_in, wait_for
from tests.review.field_games import ONE_ROUND, field_game

PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=8)
FEW = 64
ROOT = Path(__file__).resolve().parents[3]
MATCH = 1


@pytest.fixture
def played(database: Store, chosen: LeagueSettings) -> int:
    """A season in which everything was played; its id."""
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    play_due(database, chosen)
    return season.id


def ask(database: Store) -> int:
    with database.write() as session:
        return store.reviews.ask(session, MATCH, [(0, 0)], ReviewReason.ASKED)[0].id


def look(database: Store, review_id: int) -> Review:
    with database.read() as session:
        return store.present(session, Review, review_id)


def maker(database: Store, **more: object) -> ReviewMaker:
    more = {"command": AT_ONCE, **more}
    return ReviewMaker(database=database, worker="w1", rollouts=FEW, **more)  # type: ignore[arg-type]


def test_a_review_is_made_by_a_child_and_kept(database: Store, played: int) -> None:
    review_id = ask(database)
    assert maker(database).make_next(threading.Event())
    row = look(database, review_id)
    assert row.state is ReviewState.DONE, row.error
    made = store.reviews.document(row)
    assert made is not None
    with database.read() as session:
        sha256, line = store.results.replay_line(session, MATCH, 0, 0)
        game = store.results.games(session, MATCH)[0]
        key = store.present(session, Match, MATCH).key
    replay = json.loads(database.blobs.line(sha256, line))
    assert made["replay"] == digest(nimmt_replay.reveal(replay, key))
    assert [one["points"] for one in made["seats"]] == list(game.points)
    assert row.done == row.total == len(replay["rounds"][0]["decisions"])
    luckiest = row.summary["luckiest"]
    assert isinstance(luckiest, dict)
    assert game.places[luckiest["seat"]] == 1
    assert not maker(database).make_next(threading.Event())


def test_a_replay_of_no_match_is_reviewed_from_its_file(database: Store) -> None:
    document = field_game(ONE_ROUND, 2, 3)
    blob = database.blobs.write([json.dumps(document).encode()], plain=True)
    game = StoredGame(sha256=blob.sha256)
    asked = ask_review(database, game)
    assert ask_review(database, game).id == asked.id
    assert is_under_way(asked)
    assert maker(database).make_next(threading.Event())
    with database.read() as session:
        row = review_of(session, game)
        assert row is not None
        made = store.reviews.document(row)
    assert made is not None, row.error
    assert made["replay"] == digest(document)


def test_a_file_that_is_gone_fails_its_review_and_says_so(database: Store) -> None:
    asked = ask_review(database, StoredGame(sha256="ab" * 32))
    assert maker(database).make_next(threading.Event())
    row = look(database, asked.id)
    assert row.state is ReviewState.FAILED
    assert "ab" * 32 in row.error
    assert not is_under_way(row)


def test_a_game_of_a_match_is_asked_for_in_the_same_way(database: Store, played: int) -> None:
    game = MatchGame(match_id=MATCH, pass_no=0, game_no=1)
    with database.read() as session:
        assert not is_under_way(review_of(session, game))
    asked = ask_review(database, game)
    with database.read() as session:
        found = review_of(session, game)
    assert found is not None
    assert (found.id, found.game_no) == (asked.id, 1)
    with pytest.raises(store.NotFound):
        ask_review(database, MatchGame(match_id=MATCH, pass_no=0, game_no=999))


def test_a_worker_that_stops_leaves_its_review_to_the_next(database: Store, played: int) -> None:
    review_id = ask(database)
    stopping = threading.Event()
    stopping.set()
    assert maker(database).make_next(stopping)
    assert look(database, review_id).state is ReviewState.WAITING
    assert look(database, review_id).tries == 0


def test_a_child_that_dies_fails_its_review_with_its_last_words(
    database: Store, played: int
) -> None:
    review_id = ask(database)
    dying = (sys.executable, "-c", "import sys; sys.exit('out of cards')")
    assert maker(database, command=dying).make_next(threading.Event())
    row = look(database, review_id)
    assert row.state is ReviewState.FAILED
    assert "out of cards" in row.error


def test_a_worker_makes_what_is_asked_for_while_it_plays(
    database: Store, played: int, chosen: LeagueSettings
) -> None:
    review_id = ask(database)
    worker = Worker(
        chosen,
        database,
        InProcessStage(),
        work=[match_reviews(maker(database).make_next)],
    )
    worker.start()
    try:
        wait_for(lambda: look(database, review_id).state is ReviewState.DONE)
    finally:
        worker.stop()


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="needs affinities")
def test_the_child_uses_its_own_cores_and_steps_back() -> None:
    core = usable_cores()[-1]
    before = os.nice(0)
    script = (
        f"import os, review.child as child; child.step_back([{core}]);"
        "print(os.sched_getaffinity(0), os.nice(0), os.sched_getscheduler(0) == os.SCHED_IDLE)"
    )
    assert _run(script) == f"{{{core}}} {min(19, before + 10)} True"
    idle = "os.sched_getscheduler(0) == os.SCHED_IDLE"
    assert _run(f"import os, review.child as c; c.step_back([]); print({idle})") == "True"


def _run(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_child_ends_with_whoever_started_it(database: Store, played: int) -> None:
    with database.read() as session:
        sha256, line = store.results.replay_line(session, MATCH, 0, 0)
    replay = json.loads(database.blobs.line(sha256, line))
    request = {"replay": replay, "seed": 0, "rollouts": 10_000_000}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
    with started([sys.executable, "-m", "review.child"], cwd=ROOT, **pipes) as child:
        child.communicate(json.dumps(request).encode() + b"\n", timeout=60)
    assert child.returncode == 1


def test_the_best_game_of_the_last_match_is_wanted_once(database: Store, played: int) -> None:
    featured = Featured(database)
    with database.read() as session:
        [last] = store.match_lists.latest(session, limit=1)
        sha256 = store.results.replay_line(session, last.id, 0, 0)[0]
    assert last.finished_at is not None
    minute = last.finished_at.replace(second=0, microsecond=0)
    stories = stories_of(map(json.loads, database.blobs.lines(sha256)))
    best = best_game(stories)
    assert (best.pass_no, best.game_no) != (0, 0), "the first game would prove nothing"

    # The front page shows a match when the minute in which it ended is over.
    made = featured.want(minute + timedelta(seconds=90))
    assert made is not None
    row = look(database, made)
    assert row.reason is ReviewReason.FEATURED
    assert (row.match_id, row.pass_no, row.game_no) == (last.id, best.pass_no, best.game_no)
    assert featured.want(minute + timedelta(seconds=90)) is None
    assert Featured(database).want(minute + timedelta(seconds=90)) is None


def test_no_game_is_featured_before_its_minute_is_over_or_while_many_reviews_wait(
    database: Store, played: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.read() as session:
        ended = [one.finished_at for one in store.match_lists.latest(session, limit=100)]
    first, last = (one.replace(second=0, microsecond=0) for one in (ended[-1], ended[0]) if one)
    assert Featured(database).want(first) is None
    ask(database)
    monkeypatch.setattr("league.reviews.wanted.FEATURED_WAITING", 1)
    assert Featured(database).want(last + timedelta(minutes=1)) is None


def test_no_game_is_featured_while_a_match_is_shown_live(database: Store, played: int) -> None:
    with database.write() as session:
        [last] = store.match_lists.latest(session, limit=1)
        assert last.finished_at is not None
        moment = last.finished_at + timedelta(minutes=2)
        other = next(one for one in session.exec(select(Match)) if one.id != last.id)
        other.state = MatchState.RUNNING
    featured = Featured(database)
    assert featured.want(moment) is None
    with database.write() as session:
        store.present(session, Match, other.id).state = MatchState.DONE
    assert featured.want(moment) is not None


def test_a_featured_game_is_looked_for_again_after_a_file_could_not_be_read(
    database: Store, played: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with database.read() as session:
        [last] = store.match_lists.latest(session, limit=1)
    assert last.finished_at is not None
    moment = last.finished_at + timedelta(minutes=2)
    featured = Featured(database)

    def unread(_sha256: str) -> Iterator[bytes]:
        raise BlobError("the file service is down")

    with monkeypatch.context() as patched:
        patched.setattr(database.blobs, "lines", unread)
        assert featured.want(moment) is None
    assert featured.want(moment) is not None


def test_the_clock_has_the_featured_game_reviewed(
    database: Store, played: int, chosen: LeagueSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    rung: list[tuple[int, ...]] = []
    with database.write() as session:
        for match in session.exec(select(Match)):
            match.finished_at = utc_now() - timedelta(minutes=5)
    bells = Bells(chosen)
    monkeypatch.setattr(bells, "ring", lambda due: rung.append(due.reviews))
    Clock(chosen, database, "w1", bells, WorkerMetrics()).feature()
    with database.read() as session:
        wanted = session.exec(select(Review.id)).all()
    assert rung == [tuple(wanted)]
    assert len(wanted) == 1


def tables(database: Store, season_id: int) -> dict[int, set[str]]:
    """Who met in which match of a season."""
    with database.read() as session:
        ids = [one.id for one in store.match_lists.matches(session, season_id=season_id)]
        found = store.match_lists.seated(session, ids)
    return {match_id: {seat.bot for seat in found[match_id]} for match_id in ids}


def test_the_final_of_a_season_is_reviewed_once_its_standings_are_up_to_date(
    database: Store, played: int
) -> None:
    with database.read() as session:
        assert store.seasons.season(session, played).state is SeasonState.FINISHED
        assert store.reviews.next_wanted(session) is None
    tick.refresh_ratings(database)
    with database.read() as session:
        final = final_of(session, store.seasons.season(session, played))
        assert final is not None
        rows = store.reviews.of_matches(session, [final.match_id])
    assert len(rows) == FINAL_GAMES
    assert {row.reason for row in rows} == {ReviewReason.FINAL}


def test_the_last_meeting_of_the_two_best_is_the_final(database: Store, played: int) -> None:
    tick.refresh_ratings(database)
    met = tables(database, played)
    for first, second in permutations(sorted(set.union(*met.values())), 2):
        both = [match_id for match_id, bots in met.items() if {first, second} <= bots]
        if both:
            rank(database, played, [first, second])
            with database.read() as session:
                final = final_of(session, store.seasons.season(session, played))
            assert final is not None
            assert (final.match_id, final.rival.bot) == (max(both), second)


def test_the_final_of_two_that_never_met_is_against_the_next_best(
    database: Store, played: int
) -> None:
    tick.refresh_ratings(database)
    met = tables(database, played)
    bots = sorted(set.union(*met.values()))
    apart = [two for two in combinations(bots, 2) if not any({*two} <= at for at in met.values())]
    assert apart, "two tables of four have no room for all pairs of five bots"
    first, second = apart[0]
    third, *_ = (bot for bot in bots if bot not in apart[0])
    rank(database, played, [first, second, third])
    with database.read() as session:
        final = final_of(session, store.seasons.season(session, played))
    assert final is not None
    assert (final.first.bot, final.rival.bot, final.rival.place) == (first, third, 3)
    assert final.match_id == max(one for one, at in met.items() if {first, third} <= at)
