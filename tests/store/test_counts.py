"""Counts of a season's matches equal a recount, whatever has changed; on both databases."""

from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
import sqlalchemy as sa
from alembic import command
from sqlmodel import Session, col, select

from store import Match, MatchState, Seat, Store, attempts, matches, seasons
from store.engine import make_engine, normal_url
from store.migrate import migrate, migration_config
from tests.store.support import add_season, add_versions, new_match, outcome

STATES = list(MatchState)


@pytest.fixture
def league(store: Store) -> Store:
    """Two seasons with a dozen matches each, and a match of no season."""
    with store.write() as session:
        versions = add_versions(session)
        for name in ("one", "two"):
            season = add_season(session, name)
            new = [new_match(versions, n, season_id=season.id) for n in range(12)]
            matches.publish(session, matches.plan(session, new))
        matches.plan(session, [new_match(versions, 99)])
    return store


def check(store: Store, seasons_there: tuple[int, ...] = (1, 2)) -> None:
    with store.read() as session:
        counted = {one: seasons.progress(session, one) for one in seasons_there}
        assert seasons.kept_progress(session, seasons_there) == counted


def any_change(rng: Random, session: Session) -> None:
    """One of the ways in which matches change, legal or by hand."""
    ids = list(session.exec(select(Match.id)).all())
    one, other = rng.choice(ids), rng.choice(ids)
    act = rng.randrange(7)
    if act == 0:
        attempt = attempts.claim(session, one, "w1")
        if attempt is not None and rng.random() < 0.7:
            attempts.finish(session, attempt.token, outcome())
    elif act == 1:
        matches.set_rated(session, [one, other], rng.random() < 0.5, "why")
    elif act == 2:
        values = {"state": rng.choice(STATES), "rated": rng.random() < 0.5}
        session.execute(sa.update(Match).where(col(Match.id).in_([one, other])).values(values))
    elif act == 3:
        season = rng.choice([1, 2, None])
        session.execute(sa.update(Match).where(col(Match.id) == one).values(season_id=season))
    elif act == 4:
        session.execute(sa.update(Match).where(col(Match.season_id) == 1).values(rated=True))
    elif act == 5:
        versions = [seat[0] for seat in session.execute(sa.text("SELECT id FROM versions"))]
        number = 1000 + rng.randrange(10**6)
        matches.plan(session, [new_match(versions, number, season_id=rng.choice([1, 2]))])
    else:
        matches.cancel(session, one, "why")


@pytest.mark.parametrize("seed", range(4))
def test_counts_equal_a_recount_after_changes_in_any_order(league: Store, seed: int) -> None:
    class Undo(Exception):
        pass

    rng = Random(seed)
    check(league)
    for _ in range(25):
        try:
            with league.write() as session:
                for _ in range(rng.randrange(1, 4)):
                    any_change(rng, session)
                if rng.random() < 0.2:
                    with session.begin_nested() as savepoint:
                        any_change(rng, session)
                        savepoint.rollback()
                if rng.random() < 0.2:
                    raise Undo
        except Undo:
            pass
        check(league)


def test_matches_that_are_deleted_are_counted_no_more(league: Store) -> None:
    with league.write() as session:
        own = sa.select(col(Match.id)).where(col(Match.season_id) == 1)
        session.execute(sa.delete(Seat).where(col(Seat.match_id).in_(own)))
        session.execute(sa.delete(Match).where(col(Match.season_id) == 1))
    with league.read() as session:
        kept = seasons.kept_progress(session, [1, 2])
    assert kept[1].total == 0
    assert kept[2].total == 12


def test_writers_at_the_same_time_lose_no_count(league: Store) -> None:
    """Each changes both seasons, half of them the other way round."""

    def write(number: int) -> None:
        order = (1, 2) if number % 2 else (2, 1)
        with league.write() as session:
            for season_id in order:
                match_id = 12 * (season_id - 1) + 1 + number
                matches.set_rated(session, [match_id], False, "why")
                session.flush()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(12)))
    check(league)


def test_an_upgrade_counts_what_is_there(league: Store, migrated_url: str) -> None:
    engine = make_engine(normal_url(migrated_url), foreign_keys=False)
    with engine.begin() as connection:
        config = migration_config()
        config.attributes["connection"] = connection
        command.downgrade(config, "0008")
    engine.dispose()
    migrate(migrated_url)
    check(league)
