"""Every alarm rings: metrics of real processes before, during and after the fault it is for."""

import re
import shutil
import signal
import subprocess
import threading
import urllib.error
import urllib.request
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import col

import store
from league import seasons
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.wiring import open_store
from store import Match, MatchState, SeasonState, Store, SubmissionKind
from store.matches import LEAGUE_QUEUES
from tests.black_hole import BlackHole, behind_black_hole
from tests.chaos.services import Server, descendants, on_full_disk, own_postgres, own_redis
from tests.deploy.alarms import RULES, Part, Recorder, league, wait
from tests.league.world import ORGANISER, season_in, wait_for

BOTS = ("house/random", "house/lowest")


def plan(name: str, boards: int = 2, meetings: int = 1) -> SeasonPlan:
    return SeasonPlan(
        name=name,
        rules="six-nimmt",
        options={"rounds": 1},
        table=2,
        boards=boards,
        duplicate=False,
        meetings=meetings,
        # Nobody times out however busy the machine is.
        move_ms=60_000,
        bank_ms=600_000,
        start_ms=300_000,
    )


@pytest.mark.heavy
@pytest.mark.redis
@pytest.mark.postgres
@pytest.mark.timeout(900)
def test_every_alarm_rings_for_its_fault_and_none_on_a_calm_day(tmp_path: Path) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("needs promtool: apt install prometheus")
    with (
        own_redis() as (redis, url),
        own_postgres() as (_, database_url),
        behind_black_hole(database_url) as (hole_url, hole),
        league(tmp_path, url, database_url, hole_url) as parts,
        # Closed whatever happens: an open connection would trouble the tests that follow.
        closing(
            open_store(LeagueSettings(data_dir=tmp_path, database_url=database_url))
        ) as database,
    ):
        seen = Recorder([parts[name] for name in ("dashboard", "clock", "files", "worker")])
        for part in seen.parts:
            part.start()
        wait(lambda: in_state(seen, "up") == 1, "the worker is up")
        wait(lambda: seen.value("bullring_broker_problems") == 0, "the clock has left its mark")
        seen.hold("calm")
        no_worker(seen, parts, database)
        no_clock(seen, parts, database)
        swallowed(seen, parts, hole, database)
        no_redis(seen, redis)
        wrong_password(seen, parts)
        wrong_broker(seen, parts)
        no_room(seen, parts, tmp_path / "replays")
        no_files(seen, parts)
        stuck(seen, database)
        crashes(seen, parts, database)
        waiting_submissions(seen, database)
        failing_part(seen, database)
        failing_pages(seen, parts, database)
        slow_database(seen, database)
        full_disk(seen, parts, tmp_path / "replays")
        file = seen.write(tmp_path)
    rung = {alarm for _, alarms in seen.expected for alarm in alarms or ()}
    known = set(re.findall(r"- alert: (\w+)", RULES.read_text(encoding="utf-8")))
    assert rung == known
    asked = subprocess.run(
        [promtool, "test", "rules", str(file)], capture_output=True, text=True, check=False
    )
    told = "\n".join(f"{n}: {state}" for n, (state, _) in enumerate(seen.expected))
    assert asked.returncode == 0, f"{told}\n{asked.stdout}{asked.stderr}"


def test_the_alarm_of_stuck_matches_looks_at_the_queues_of_the_league_alone() -> None:
    found = re.findall(r'bullring_matches\{state="stuck", queue=~"([^"]*)"\}', RULES.read_text())
    assert found == ["|".join(LEAGUE_QUEUES)]


def in_state(seen: Recorder, state: str) -> float:
    found = seen.parts[0].scrape() or {}
    return sum(
        value
        for name, value in found.items()
        if name.startswith("bullring_workers_in_state") and f'state="{state}"' in name
    )


def over(database: Store, season_id: int) -> bool:
    with database.read() as session:
        return store.seasons.season(session, season_id).state is SeasonState.FINISHED


def no_worker(seen: Recorder, parts: dict[str, Part], database: Store) -> None:
    """The worker is gone while a match waits, and waits for a long time."""
    parts["worker"].end()
    season = season_in(database, SeasonState.RUNNING, plan("waits"), BOTS)
    wait(lambda: queued(database) > 0, "the clock queued a match")
    with database.write() as session:
        now = store.database_time(session)
        change = sa.update(Match).where(col(Match.state) == MatchState.QUEUED)
        session.exec(change.values(published_at=now - timedelta(hours=1)))
    seen.hold("no worker", "BullringNoWorker", "BullringDown", "BullringQueueStands")
    parts["worker"].start()
    wait(lambda: over(database, season.id), "the match was played")
    seen.hold("the worker is back")


def queued(database: Store) -> int:
    with database.read() as session:
        found = store.match_lists.matches(session, states=(MatchState.QUEUED,))
    return len(found)


def no_clock(seen: Recorder, parts: dict[str, Part], database: Store) -> None:
    parts["clock"].end(signal.SIGKILL)
    # Minutes pass: what the clock left last gets old.
    with database.write() as session:
        held = store.settings.read(session, "lease:clock")
        assert held is not None
        old = store.database_time(session) - timedelta(minutes=5)
        store.settings.write(session, "lease:clock", {**held, "at": old.isoformat()})
    seen.hold("no clock", "BullringNoClock", "BullringDown")
    parts["clock"].start()
    wait(lambda: 0 <= seen.value("bullring_clock_age_seconds") < 60, "the clock turns")
    wait(lambda: seen.value("bullring_broker_problems") == 0, "it has left its mark again")
    seen.hold("the clock is back")


def swallowed(seen: Recorder, parts: dict[str, Part], hole: BlackHole, database: Store) -> None:
    """Worker and clock wait in vain for the database; they still show their numbers.

    A second worker on a good way then does their work, and hides that one of two is missing.
    """
    season = season_in(database, SeasonState.RUNNING, plan("swallowed"), BOTS)
    hole.swallows.set()
    wait(lambda: seen.value('bullring_check_failed{check="database"') == 1, "the worker noticed")
    # Minutes pass: nothing is heard of either.
    with database.write() as session:
        store.matches.publish(
            session, [one.id for one in store.match_lists.matches(session, season_id=season.id)]
        )
        old = store.database_time(session) - timedelta(minutes=5)
        session.exec(sa.update(store.Worker).values(heartbeat_at=old))
        held = store.settings.read(session, "lease:clock")
        assert held is not None
        store.settings.write(session, "lease:clock", {**held, "at": old.isoformat()})
    seen.hold(
        "a black hole before the database",
        "BullringNoClock",
        "BullringNoWorker",
        "BullringWorkerCutOff",
    )
    parts["second"].start()
    wait(lambda: over(database, season.id), "the second worker played the match")
    wait(lambda: 0 <= seen.value("bullring_clock_age_seconds") < 60, "it is the clock as well")
    wait(lambda: seen.value("bullring_broker_problems") == 0, "it has left its mark")
    seen.hold("one of two workers behind the black hole", "BullringWorkerCutOff")
    parts["second"].end()
    hole.swallows.clear()
    wait(lambda: in_state(seen, "up") == 1, "the worker is heard again")
    wait(lambda: 0 <= seen.value("bullring_clock_age_seconds") < 60, "the clock turns")
    wait(lambda: seen.value("bullring_broker_problems") == 0, "it has left its mark again")
    seen.hold("the database answers")


def no_redis(seen: Recorder, redis: Server) -> None:
    redis.end(signal.SIGKILL)
    wait(lambda: seen.value("bullring_broker_problems") > 0, "somebody misses Redis")
    seen.hold("no Redis", "BullringBrokerAway")
    redis.start()
    wait(lambda: seen.value("bullring_broker_problems") == 0, "Redis is heard again")
    seen.hold("Redis is back")


def wrong_password(seen: Recorder, parts: dict[str, Part]) -> None:
    parts["bad"].start()
    wait(lambda: in_state(seen, "quarantined") == 1, "the bad worker is in quarantine")
    seen.hold("a worker with a wrong password", "BullringWorkerQuarantined")
    parts["bad"].end()
    seen.hold("the bad worker is gone")


def wrong_broker(seen: Recorder, parts: dict[str, Part]) -> None:
    """A worker that listens in another Redis database plays, but no bell reaches it."""
    parts["astray"].start()
    wait(lambda: seen.value("bullring_broker_problems") == 1, "it hears no clock")
    seen.hold("a worker with another Redis database", "BullringBrokerAway")
    parts["astray"].end()
    wait(lambda: seen.value("bullring_broker_problems") == 0, "it is gone")
    seen.hold("that worker is gone")


def no_room(seen: Recorder, parts: dict[str, Part], replays: Path) -> None:
    """A worker whose own disk is full takes no matches."""
    parts["full"].start(*on_full_disk(replays))
    wait(lambda: in_state(seen, "quarantined") == 1, "the full worker is in quarantine")
    seen.hold("a worker with a full disk", "BullringWorkerQuarantined")
    parts["full"].end()
    seen.hold("the full worker is gone")


def no_files(seen: Recorder, parts: dict[str, Part]) -> None:
    parts["files"].end(signal.SIGKILL)
    wait(lambda: in_state(seen, "waiting") == 1, "the worker waits for the files")
    seen.hold("no file service", "BullringServiceAway", "BullringDown")
    parts["files"].start()
    wait(lambda: in_state(seen, "up") == 1, "the worker goes on")
    seen.hold("the file service is back")


def stuck(seen: Recorder, database: Store) -> None:
    season = season_in(database, SeasonState.FROZEN, plan("stuck"), BOTS)
    with database.write() as session:
        (match,) = store.match_lists.matches(session, season_id=season.id)
        store.matches.publish(session, [match.id])
        for _ in range(store.attempts.MAX_FAILURES):
            attempt = store.attempts.claim(session, match.id, "somebody")
            assert attempt is not None
            store.attempts.void(session, attempt.token, "platform fault")
        seasons.start(session, season.id, ORGANISER)
    seen.hold("a stuck match", "BullringStuck")
    with database.write() as session:
        seasons.strike(session, match.id, ORGANISER, "it is not to be played")
    wait(lambda: over(database, season.id), "the season ends")
    seen.hold("the match is struck")


def crashes(seen: Recorder, parts: dict[str, Part], database: Store) -> None:
    """Referees die in mid-match, and matches are taken away from the worker."""
    season = season_in(database, SeasonState.RUNNING, plan("crashes", 1500, 30), BOTS)
    hit: set[int] = set()

    def kill_one() -> bool:
        worker = parts["worker"].process
        assert worker is not None
        match = playing(database, hit)
        for pid, _ in descendants(worker.pid):
            if match is not None and is_referee(pid, worker.pid):
                subprocess.run(["kill", "-9", str(pid)], check=False)
                # A second crash of a match would be examined, which takes time.
                hit.add(match)
                break
        return void(seen) >= 7

    wait(kill_one, "the worker has noticed the end of seven referees", 240)
    seen.hold("referees crash", "BullringAttemptsFail")
    seen.settle()
    seen.hold("they crash no more")
    lose_leases(seen, database)
    with database.write() as session:
        seasons.finish(session, season.id, ORGANISER, early=True)
    wait(lambda: seen.value("bullring_worker_busy") == 0, "the worker let go")
    seen.settle()
    seen.hold("no lease is lost any more")


def is_referee(pid: int, worker: int) -> bool:
    """Whether it plays a match; the zygote, which it was forked from, has the same command."""
    try:
        parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"referee" in words and not (parent == worker and b"referee.zygote" in words)


def void(seen: Recorder) -> float:
    found = [part.scrape() or {} for part in seen.parts]
    return sum(
        value
        for one in found
        for name, value in one.items()
        if name.startswith("bullring_attempts_total") and 'cause="referee"' in name
    )


def playing(database: Store, but: set[int]) -> int | None:
    with database.read() as session:
        found = store.match_lists.matches(session, states=(MatchState.RUNNING,))
    return next((match.id for match in found if match.id not in but), None)


def lose_leases(seen: Recorder, database: Store) -> None:
    taken: set[int] = set()
    before = seen.value("bullring_lease_losses_total")

    def take_one() -> bool:
        match = playing(database, taken)
        if match is not None:
            with database.write() as session:
                row = store.locked(session, Match, match)
                row.lease_until = row.created_at
            taken.add(match)
        return seen.value("bullring_lease_losses_total") >= before + 4

    wait(take_one, "four leases were lost", 240)
    seen.hold("leases are lost", "BullringLeasesLost")


def waiting_submissions(seen: Recorder, database: Store) -> None:
    with database.write() as session:
        owner = store.accounts.add_owner(session, "ada")
        bot = store.bots.add_bot(session, owner.id, "many", ["six-nimmt"])
        made = [
            store.bots.submit(session, owner.id, bot.id, SubmissionKind.REFERENCE, f"x/{n}")[0]
            for n in range(21)
        ]
    seen.hold("submissions wait", "BullringSubmissionsWait")
    with database.write() as session:
        for one in made:
            row = store.locked(session, store.Submission, one.id)
            row.state = store.SubmissionState.REJECTED
    seen.hold("no submission waits")


def rename(database: Store, table: str, name: str) -> None:
    """Rename a table, as soon as whatever still reads it lets go of it."""

    def renamed() -> bool:
        try:
            with database.engine.begin() as connection:
                connection.execute(sa.text(f"ALTER TABLE {table} RENAME TO {name}"))
        except sa.exc.OperationalError:
            return False
        return True

    wait_for(renamed, 180)


def call_ada(database: Store, url: str | None) -> None:
    with database.write() as session:
        owner = store.accounts.owner_by_handle(session, "ada")
        assert owner is not None
        store.locked(session, store.Owner, owner.id).webhook = url


def wait_for_failing_turns(seen: Recorder) -> None:
    """Until one part of the clockwork has failed as often as its alarm needs in a few minutes."""

    def failures() -> dict[str, float]:
        found = [one for part in seen.parts for one in (part.scrape() or {}).items()]
        return {name: n for name, n in found if name.startswith("bullring_tick_failures_total")}

    before = failures()
    wait(
        lambda: any(n > before.get(name, 0.0) + 5 for name, n in failures().items()),
        "a part fails again and again",
    )


def failing_part(seen: Recorder, database: Store) -> None:
    """One part of the clockwork fails at every turn, and the others go on."""
    # Messages are looked for only where an owner has a webhook; nobody is called there.
    call_ada(database, "http://127.0.0.1:1/")
    rename(database, "inbox", "inbox_away")
    failing = "a part of the clockwork fails"
    seen.hold(failing, "BullringClockFails", act=lambda: wait_for_failing_turns(seen))
    rename(database, "inbox_away", "inbox")
    call_ada(database, None)
    seen.settle()
    seen.hold("all parts work")


def failing_pages(seen: Recorder, parts: dict[str, Part], database: Store) -> None:
    """A table is missing for a while: pages fail, and the numbers are still shown."""
    rename(database, "bots", "bots_away")
    page = parts["dashboard"].url.replace("/metrics", "/bots")

    def ask() -> None:
        for _ in range(60):
            with pytest.raises(urllib.error.HTTPError, match="500"):
                urllib.request.urlopen(page, timeout=10)
        wait_for_failing_turns(seen)

    # What needs that table fails in the clock, too.
    seen.hold("pages fail", "BullringPagesFail", "BullringClockFails", act=ask)
    rename(database, "bots_away", "bots")
    seen.settle()
    seen.hold("pages work")


def slow_database(seen: Recorder, database: Store) -> None:
    """Somebody holds a table for a second, again and again."""
    locked, done = threading.Event(), threading.Event()

    def hold_table() -> None:
        with database.engine.begin() as connection:
            # Ours is the one that may wait: the league's own limit on locks would end it here.
            connection.execute(sa.text("SET LOCAL lock_timeout = 0"))
            connection.execute(sa.text("LOCK TABLE matches IN ACCESS EXCLUSIVE MODE"))
            locked.set()
            done.wait(1.5)

    holder = threading.Thread(target=hold_table)
    holder.start()
    assert locked.wait(120), "the table was never free"
    seen.hold("a slow database", "BullringDatabaseSlow")
    done.set()
    holder.join()
    seen.hold("the database is fast again")


def full_disk(seen: Recorder, parts: dict[str, Part], replays: Path) -> None:
    """The pages find a disk with little room where the replays are."""
    parts["dashboard"].end()
    mounted = f'mount -t tmpfs -o size=64m tmpfs {replays} && exec "$@"'
    parts["dashboard"].start("unshare", "-rm", "sh", "-c", mounted, "sh")
    seen.hold("a full disk", "BullringDiskFull")
    parts["dashboard"].end()
    parts["dashboard"].start()
    seen.hold("there is room again")
