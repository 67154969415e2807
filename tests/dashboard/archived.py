"""A small season, played to its end for the tests of the archive."""

from pathlib import Path

from league import seasons
from store import Store, accounts, matches, pages
from tests.dashboard.seed import add_people, add_season, play_match

TITLE = "Spring <b>season</b> & more"


def finished_season(folder: Path) -> tuple[Store, int]:
    """A store with one season that is over; five matches of four games."""
    store = Store(f"sqlite:///{folder / 'bullring.db'}", folder / "replays")
    store.migrate()
    add_people(store, "no password")
    season_id = add_season(store, "spring", TITLE, boards=4, meetings=1)
    with store.write() as session:
        planned = sorted(one.id for one in pages.matches(session, season_id=season_id))
        matches.publish(session, planned)
    for match_id in planned:
        play_match(store, match_id)
    with store.write() as session:
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        seasons.finish(session, season_id, boss)
    return store, season_id
