"""Tokens change with what they stand for, and with nothing else; on both databases."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col

from store import (
    Bot,
    Entry,
    EntryState,
    Match,
    Owner,
    RatingPoint,
    Scale,
    Season,
    SeasonState,
    Seat,
    Store,
    Worker,
    attempts,
    ladders,
    matches,
    ratings,
    revisions,
    scales,
    seasons,
    workers,
)
from store.migrate import migrate
from tests.store.support import OPTIONS, add_season, add_versions, new_match, outcome

OF_SEASONS = tuple(
    topic(number)
    for number in (1, 2)
    for topic in (
        revisions.season_topic,
        revisions.season_matches,
        revisions.season_past,
        revisions.season_history,
    )
)
TOPICS = ("seasons", "matches", "names", "ladders", *OF_SEASONS)
Change = Callable[[Session], object]


@pytest.fixture
def league(store: Store) -> Store:
    """Two seasons with two matches each, a ladder, and an attempt at the first match."""
    with store.write() as session:
        versions = add_versions(session)
        for name in ("one", "two"):
            season = add_season(session, name)
            seasons.enter(session, season.id, 1)
            ids = matches.plan(
                session, [new_match(versions, n, season_id=season.id) for n in range(2)]
            )
            matches.publish(session, ids)
        ladders.ladder(session, "six-nimmt", OPTIONS, 4, boards=4)
        attempts.claim(session, 1, "w1")
        played = attempts.claim(session, 2, "w1")
        assert played is not None
        attempts.finish(session, played.token, outcome())
    return store


def changed(store: Store, change: Change) -> set[str]:
    """The topics that a change gives other tokens."""

    def all_tokens() -> dict[str, revisions.Tokens]:
        with store.read() as session:
            return {topic: revisions.tokens(session, [topic]) for topic in TOPICS}

    before = all_tokens()
    with store.write() as session:
        change(session)
    after = all_tokens()
    return {topic for topic in TOPICS if before[topic] != after[topic]}


def _held(session: Session) -> str:
    token = session.get_one(Match, 1).token
    assert token is not None
    return token


def _point(session: Session, scale_id: int) -> None:
    ratings.add_points(session, [RatingPoint(scale_id=scale_id, version_id=1, live=1500.0)])


def _set(row: type[Bot] | type[Owner] | type[Season], name: str, value: object) -> Change:
    return lambda session: setattr(session.get_one(row, 1), name, value)


ONE = {"season:1:matches", "matches"}
CHANGES: dict[str, tuple[Change, set[str]]] = {
    "a result": (lambda s: attempts.finish(s, _held(s), outcome()), ONE),
    "an attempt that is given up": (lambda s: attempts.void(s, _held(s), "disk"), ONE),
    "another match begins": (lambda s: attempts.claim(s, 3, "w1"), {"season:2:matches", "matches"}),
    "a match no longer counts": (lambda s: matches.set_rated(s, [2], False, "struck"), ONE),
    "a lease is renewed": (lambda s: attempts.heartbeat(s, _held(s)), set()),
    "a worker gives a sign": (lambda s: workers.beat(s, Worker(name="w1")), set()),
    "a season moves on": (
        lambda s: seasons.set_state(s, 1, SeasonState.OPEN),
        {"seasons", "season:1"},
    ),
    "standings": (_set(Season, "standings", {"rows": []}), {"seasons", "season:1"}),
    "a bot withdraws": (lambda s: seasons.leave(s, 1, EntryState.WITHDRAWN, ""), {"season:1"}),
    "a bot enters": (lambda s: seasons.enter(s, 2, 2), {"season:2"}),
    "a point of the history": (
        lambda s: _point(s, scales.of_season(s, 2).id),
        {"season:2:history"},
    ),
    "a bot has a new name": (_set(Bot, "name", "other"), {"names"}),
    "a bot says something else": (_set(Bot, "about", "other"), set()),
    "an owner has a new handle": (_set(Owner, "handle", "other"), {"names"}),
    "an owner has a new password": (_set(Owner, "password_hash", "other"), set()),
    "an update without rows": (
        lambda s: s.execute(sa.text("UPDATE matches SET state = 'done' WHERE id = 99")),
        set(),
    ),
    "an update by hand": (
        lambda s: s.execute(sa.text("UPDATE seats SET points = 7 WHERE match_id = 3")),
        {"season:2:matches", "matches"},
    ),
    "a seat with a result, by hand": (
        lambda s: s.execute(sa.text("UPDATE seats SET points = 7 WHERE match_id = 2")),
        {"season:1:matches", "season:1:past", "matches"},
    ),
    "rows that go": (
        lambda s: s.execute(sa.delete(Entry).where(col(Entry.season_id) == 1)),
        {"season:1"},
    ),
    "standings of a ladder": (
        lambda s: s.execute(
            sa.update(Scale).where(col(Scale.season_id).is_(None)).values(standings={})
        ),
        {"ladders"},
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_gives_new_tokens_to_what_it_concerns_and_to_nothing_else(
    league: Store, name: str
) -> None:
    change, expected = CHANGES[name]
    assert changed(league, change) == expected


def test_what_is_rolled_back_changes_no_token(league: Store) -> None:
    def fail() -> None:
        with league.write() as session:
            seasons.leave(session, 1, EntryState.WITHDRAWN, "")
            raise RuntimeError

    with league.read() as session:
        before = revisions.tokens(session, TOPICS)
    with pytest.raises(RuntimeError):
        fail()
    with league.read() as session:
        assert revisions.tokens(session, TOPICS) == before
    # The connection that was rolled back notes the next change all the same.
    assert changed(league, CHANGES["a bot withdraws"][0]) == {"season:1"}


def test_the_slots_of_workers_alive_are_counted_with_the_tokens(league: Store) -> None:
    def slots() -> int:
        with league.read() as session:
            found = revisions.tokens(session, ["seasons"], slots=True)
        return {topic: token for topic, _, token in found}[revisions.SLOTS]

    assert slots() == 0
    with league.write() as session:
        workers.beat(session, Worker(name="w1", slots=3))
    assert slots() == 3
    with league.write() as session:
        workers.sign_off(session, "w1")
    assert slots() == 0


def test_writers_at_the_same_time_do_not_stop_each_other(league: Store) -> None:
    """Each changes both seasons, half of them the other way round."""

    def write(number: int) -> None:
        order = (1, 2) if number % 2 else (2, 1)
        with league.write() as session:
            for season_id in order:
                session.add(
                    RatingPoint(scale_id=scales.of_season(session, season_id).id, version_id=1)
                )
                session.flush()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(80)))
    with league.read() as session:
        assert session.execute(sa.select(sa.func.count()).select_from(RatingPoint)).scalar() == 160


def test_an_upgrade_makes_the_triggers_again_and_new_tokens(database_url: str) -> None:
    migrate(database_url, "0004")
    migrate(database_url)
    store = Store(database_url, ".")
    with store.read() as session:
        before = revisions.tokens(session, [])
    with store.engine.begin() as connection:
        revisions.remove(connection)
    assert changed(store, add_season) == set()
    with store.engine.begin() as connection:
        revisions.install(connection)
    with store.read() as session:
        assert revisions.tokens(session, []) != before
    assert changed(store, lambda s: add_season(s, "two")) == {"seasons", "season:2"}
    store.close()


def test_seats_of_a_match_belong_to_its_season(league: Store) -> None:
    def move(session: Session) -> None:
        seat = session.get_one(Seat, (4, 0))
        seat.substitute = True

    assert changed(league, move) == {"season:2:matches", "matches"}
