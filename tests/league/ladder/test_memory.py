"""The field in memory: whatever happens, in whatever process, it is what is stored."""

import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from sqlmodel import Session

import store
from league.ladder import memory as memory_module
from league.ladder import queue
from league.ladder.field import FieldState, FieldView, read_state
from league.ladder.memory import LadderFields, LadderMemory
from store import Ladder, Store
from tests.league.ladder.changing import Changing, open_ladder
from tests.migrated import empty_sqlite, template_database
from tests.services import fresh_database

DATABASES = [
    pytest.param("sqlite", id="sqlite"),
    pytest.param("postgres", id="postgres", marks=pytest.mark.postgres),
]
STEPS = 60


@pytest.fixture(scope="module")
def postgres_template(postgres_server: str) -> Iterator[str]:
    with template_database(postgres_server) as name:
        yield name


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        (tmp_path / "league.db").write_bytes(empty_sqlite())
        yield f"sqlite:///{tmp_path}/league.db"
        return
    server = request.getfixturevalue("postgres_server")
    with fresh_database(server, request.getfixturevalue("postgres_template")) as made:
        yield made


@pytest.fixture
def two(url: str, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """Two processes at one database, as far as the database can tell."""
    opened = Store(url, tmp_path / "blobs"), Store(url, tmp_path / "blobs")
    yield opened
    for one in opened:
        one.close()


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Notes every time that a whole field is read into memory."""
    seen: list[int] = []

    def noted(session: Session, ladder: Ladder) -> FieldState:
        seen.append(ladder.id)
        return read_state(session, ladder)

    monkeypatch.setattr(memory_module, "read_state", noted)
    return seen


def check(database: Store, memory: LadderMemory, ladder: Ladder, after: str) -> FieldView:
    """What is remembered is what is stored, and what follows from it is the same."""
    view = memory.look(ladder)
    with database.read() as session:
        rebuilt = FieldView(read_state(session, ladder))
        now = store.database_time(session)
    for name in ("bots", "ratings", "flying", "ends", "thinks"):
        assert getattr(view.state, name) == getattr(rebuilt.state, name), f"{name} after {after}"
    assert view.members(ladder, now) == rebuilt.members(ladder, now), after
    assert view.roster(ladder) == rebuilt.roster(ladder), after
    assert view.moment(ladder, now) == rebuilt.moment(ladder, now), after
    return view


@pytest.mark.parametrize("seed", range(4))
def test_what_is_remembered_is_what_a_new_reading_finds(
    two: tuple[Store, Store], whole: list[int], seed: int
) -> None:
    rng = Random(seed)
    ladder = open_ladder(two[0])
    changing = Changing(ladder, rng)
    memory = LadderMemory(two[0])
    check(two[0], memory, ladder, "the start")
    seen = whole.copy()
    done: list[str] = []
    for _ in range(STEPS):
        if rng.random() < 0.1:
            with rng.choice(two).write() as session:
                changing.act(session)
                # A memory that took in what is not committed would keep it.
                check(two[0], memory, ladder, "what is not committed yet")
                session.rollback()
        with rng.choice(two).write() as session:
            done += [changing.act(session) for _ in range(rng.randrange(1, 4))]
        if rng.random() < 0.7:
            check(two[1], memory, ladder, f"{done[-8:]}")
    check(two[1], memory, ladder, "the end")
    assert whole == seen, "the memory was not brought up to date but read again"
    assert len(set(done)) > 15


@pytest.mark.postgres
def test_transactions_that_end_in_another_order_than_they_began_are_told_once(
    postgres_server: str, postgres_template: str, tmp_path: Path, whole: list[int]
) -> None:
    """On SQLite there are none: writers take turns."""
    with fresh_database(postgres_server, postgres_template) as url:
        here, there = Store(url, tmp_path), Store(url, tmp_path)
        rng = Random(1)
        ladder = open_ladder(here)
        changing = Changing(ladder, rng)
        with here.write() as session:
            for _ in range(8):
                changing.add_bot(session)
        memory = LadderMemory(here)
        check(here, memory, ladder, "the start")
        for number in range(12):
            with there.write() as slow:
                changing.queue(slow)
                changing.add_bot(slow)
                with here.write() as session:
                    for act in (changing.queue, changing.claim, changing.finish, changing.rate):
                        act(session)
                        session.flush()
                check(here, memory, ladder, f"{number}: a transaction is open")
                check(here, memory, ladder, f"{number}: and still is")
                if number % 3 == 2:
                    slow.rollback()
            check(here, memory, ladder, f"{number}: it has ended")
        assert len(whole) == 1
        for one in (here, there):
            one.close()


def until_nobody_is_older(database: Store) -> None:
    """A transaction of another test that began before this point holds the server's horizon back.

    A reader would then rightly read everything once more, and the test would count that.
    """
    ends = time.monotonic() + 60
    while True:
        with database.read(snapshot=True) as session:
            position = store.changes.here(session)
            if store.changes.since(session, position, scale_id=0) is not None:
                return
        assert time.monotonic() < ends, "a transaction has been open for a minute on this server"
        time.sleep(0.05)


def test_a_reader_that_was_away_too_long_reads_everything(
    two: tuple[Store, Store], whole: list[int]
) -> None:
    ladder = open_ladder(two[0])
    changing = Changing(ladder, Random(1))
    memory = LadderMemory(two[0])
    check(two[0], memory, ladder, "the start")
    for _ in range(3):
        with two[1].write() as session:
            changing.add_bot(session)
        with two[1].write() as session:
            assert store.changes.prune(session, kept=-1.0) > 0
            assert store.changes.prune(session, kept=-1.0) == 0
        until_nobody_is_older(two[1])
        before = len(whole)
        check(two[1], memory, ladder, "all changes were removed")
        assert len(whole) == before + 1
        check(two[1], memory, ladder, "nothing")
        with two[1].write() as session:
            changing.add_bot(session)
        check(two[1], memory, ladder, "a change that is kept")
        assert len(whole) == before + 1


def test_many_changes_at_once_are_taken_in_as_well(
    two: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = open_ladder(two[0])
    changing = Changing(ladder, Random(1))
    memory = LadderMemory(two[0])
    for limit in ("MANY_BOTS", "MANY_MATCHES"):
        monkeypatch.setattr(memory_module, limit, 2)
        check(two[0], memory, ladder, "the start")
        with two[1].write() as session:
            for _ in range(6):
                changing.add_bot(session)
            for _ in range(3):
                changing.queue(session)
            changing.claim(session)
            changing.finish(session)
        check(two[0], memory, ladder, limit)


def test_a_failed_look_leaves_nothing_half_done(
    two: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    ladder = open_ladder(two[0])
    changing = Changing(ladder, Random(1))
    memory = LadderMemory(two[0])
    check(two[0], memory, ladder, "the start")
    with two[1].write() as session:
        for _ in range(5):
            changing.add_bot(session)
        changing.queue(session)

    def broken(*_: object) -> None:
        raise ConnectionError

    with monkeypatch.context() as patched:
        patched.setattr("league.ladder.rows.match_rows", broken)
        with pytest.raises(ConnectionError):
            memory.look(ladder)
    check(two[0], memory, ladder, "a failure in the middle of it")


def test_two_clocks_with_memories_of_their_own_keep_the_cap(two: tuple[Store, Store]) -> None:
    ladder = open_ladder(two[0])
    changing = Changing(ladder, Random(1))
    with two[0].write() as session:
        store.workers.beat(session, store.Worker(name="w", slots=4))
        for _ in range(40):
            changing.add_bot(session)
    clocks = [(one, LadderFields(one)) for one in two]
    made = 0
    for turn in range(8):
        database, fields = clocks[turn % 2]
        made += len(queue.queue_matches(database, room=3, fields=fields))
        view = check(database, fields.of(ladder.id), ladder, f"turn {turn}")
        _, flying = view.moment(ladder, store.utc_now())
        assert max(flying) <= ladder.cap
    assert made > 3
