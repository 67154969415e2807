"""A small season, played to its end for the tests of the archive."""

from pathlib import Path

from league import seasons
from league.seasons import SeasonPlan
from store import Store, accounts, match_lists, matches
from tests.dashboard.seed import add_people, add_season, play_match

TITLE = "Spring <b>season</b> & more"


def finished_season(
    folder: Path, *, again: bool = False, leaver: str | None = None
) -> tuple[Store, int]:
    """A store with one season that is over; five matches of four games, one of them `again`.

    A `leaver` is withdrawn after two matches.
    """
    store, season_id = _begun_season(folder)
    with store.write() as session:
        planned = sorted(one.id for one in match_lists.matches(session, season_id=season_id))
        matches.publish(session, planned)
    for number, match_id in enumerate(planned):
        if leaver is not None and number == 2:
            with store.write() as session:
                seasons.withdraw(session, season_id, leaver, "boss", "moved away")
        play_match(store, match_id)
    if again:
        with store.write() as session:
            seasons.play_again(session, planned[0], "boss", "the referee had a bug")
        play_match(store, planned[0])
    _end(store, season_id)
    return store, season_id


def given_up_season(folder: Path) -> tuple[Store, int]:
    """A store with one season that ended before a match was played."""
    store, season_id = _begun_season(folder)
    _end(store, season_id)
    return store, season_id


def called_off_season(folder: Path) -> tuple[Store, int]:
    """A store with one season that ended while it took entries, before its freeze."""
    store = _store(folder)
    with store.write() as session:
        plan = SeasonPlan(name="spring", title=TITLE, rules="six-nimmt")
        season_id = seasons.create(session, plan, "boss").id
        seasons.open_entries(session, season_id, "boss")
        seasons.enter(session, season_id, "heron/close", "boss")
        seasons.call_off(session, season_id, "boss")
    return store, season_id


def _begun_season(folder: Path) -> tuple[Store, int]:
    store = _store(folder)
    return store, add_season(store, "spring", TITLE, boards=4, meetings=1)


def _store(folder: Path) -> Store:
    store = Store(f"sqlite:///{folder / 'bullring.db'}", folder / "replays")
    store.migrate()
    add_people(store, "no password")
    return store


def _end(store: Store, season_id: int) -> None:
    with store.write() as session:
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        seasons.finish(session, season_id, boss, early=True)
