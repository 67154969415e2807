"""Two organisers at once, on PostgreSQL: the second one waits, and sees what the first has done."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
import sqlalchemy as sa
from sqlmodel import Session

import store
from league import gate as gates
from league.seasons import again, life, rehearsal
from league.seasons.plan import SeasonPlan
from store import Match, MatchState, Season, SeasonState, Store
from tests.factories import add_bots, open_store
from tests.league.world import ORGANISER, season_in, settings

pytestmark = pytest.mark.postgres
PLAN = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=4)
Act = Callable[[Session, Season], object]


def archive(session: Session, season: Season) -> object:
    return life.archive(session, season.id, ORGANISER)


def play_again(session: Session, season: Season) -> object:
    [stuck] = store.match_lists.matches(session, season_id=season.id, states=(MatchState.STUCK,))
    return again.play_again(session, stuck.id, ORGANISER, "fixed")


def rehearse(session: Session, season: Season) -> object:
    return rehearsal.begin_rehearsal(session, season, ORGANISER, reported=True)


@pytest.fixture
def database(postgres_url: str, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(settings(tmp_path, database_url=postgres_url))
    yield opened
    opened.close()


def finished(database: Store) -> Season:
    """A season that is over but for one stuck match."""
    season = season_in(database, SeasonState.RUNNING, PLAN, add_bots(database))
    with database.write() as session:
        first = store.match_lists.matches(session, season_id=season.id, limit=1)[0]
        life.finish(session, season.id, ORGANISER, early=True)
        store.locked(session, Match, first.id).state = MatchState.STUCK
    return season


def draft(database: Store) -> Season:
    with database.write() as session:
        owner = store.accounts.add_owner(session, "samples")
        sample = store.bots.add_bot(session, owner.id, "random", ["six-nimmt"], is_anchor=True)
        version = store.bots.add_version(session, sample.id, program=["random"])
        store.bots.accept_version(session, version.id)
    return season_in(database, SeasonState.DRAFT, PLAN, add_bots(database))


@pytest.mark.parametrize(
    ("before", "first", "second"),
    [
        (finished, play_again, archive),
        (finished, archive, play_again),
        (draft, rehearse, rehearse),
    ],
)
def test_the_second_waits_for_the_first(
    database: Store, before: Callable[[Store], Season], first: Act, second: Act
) -> None:
    season = before(database)
    with database.write() as session:
        first(session, store.present(session, Season, season.id))
        with database.write() as other:
            row = store.present(other, Season, season.id)
            other.execute(sa.text("SET LOCAL lock_timeout = '50ms'"))
            with pytest.raises(sa.exc.OperationalError, match="lock timeout"):
                second(other, row)
            other.rollback()


def is_waited_for(database: Store) -> bool:
    # A transaction goes on seeing the activity of its first look, so each look has its own.
    waiting = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE wait_event_type = 'Lock' AND datname = current_database()"
    )
    with database.read() as session:
        return bool(session.execute(sa.text(waiting)).scalar_one())


def test_of_two_gate_rules_at_once_none_is_lost(database: Store) -> None:
    [name] = add_bots(database, ("random",))
    with database.write() as session:
        gates.set_rule(session, False, ORGANISER)

    def for_one_bot() -> None:
        with database.write() as other:
            bot = store.bots.find_bot(other, name)
            gates.set_rule(other, False, ORGANISER, bot)

    second = Thread(target=for_one_bot)
    with database.write() as session:
        gates.set_rule(session, True, ORGANISER)
        second.start()
        deadline = time.monotonic() + 60
        while not is_waited_for(database):
            assert time.monotonic() < deadline, "the second organiser does not wait for the first"
            time.sleep(0.01)
    second.join(60)
    with database.read() as session:
        kept = gates.gate_rule(session)
    assert (kept.league, list(kept.bots.values())) == (True, [False])
