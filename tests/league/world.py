"""A small league for tests: a store, house bots, a season, a worker."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import nimmt
import store
from league import ratings, seasons
from league.matches import Player
from league.matches.inprocess import InProcessStage
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.worker import Worker, tick
from store import Season, SeasonState, Store

ORGANISER = "the organiser"


def settings(folder: Path, **more: object) -> LeagueSettings:
    given = {"data_dir": folder, "tick_seconds": 0.1, "lease_seconds": 3.0, **more}
    return LeagueSettings.model_validate(given)


WAYS: dict[SeasonState, tuple[Callable[..., Season], ...]] = {
    SeasonState.DRAFT: (),
    SeasonState.OPEN: (seasons.open_entries,),
    SeasonState.FROZEN: (seasons.open_entries, seasons.freeze_season),
    SeasonState.RUNNING: (seasons.open_entries, seasons.freeze_season, seasons.start),
    SeasonState.PAUSED: (seasons.open_entries, seasons.freeze_season, seasons.start, seasons.pause),
}


def season_in(database: Store, state: SeasonState, plan: SeasonPlan, bots: Sequence[str]) -> Season:
    """A season brought to this state step by step."""
    with database.write() as session:
        season = seasons.create(session, plan, ORGANISER)
        for bot in bots:
            seasons.enter(session, season.id, bot, ORGANISER)
        for step in WAYS[state]:
            season = step(session, season.id, ORGANISER)
        return season


def fix_keys(database: Store, season_id: int) -> None:
    """The same boards in every run of a season, match by match; real keys are random."""
    with database.write() as session:
        matches = store.match_lists.matches(session, season_id=season_id, limit=10_000)
        for number, match in enumerate(sorted(matches, key=lambda one: one.id)):
            row = store.locked(session, store.Match, match.id)
            row.key = nimmt.key_from_seed(number)
            row.commitment = nimmt.commitment(row.key)


def play_due(
    database: Store, chosen: LeagueSettings, stage: InProcessStage | None = None, most: int = 10_000
) -> int:
    """Play what is due here and now, without broker and threads; returns how many matches."""
    player = Player(database, chosen, stage or InProcessStage(), "here", Event())
    # Bells that an earlier call left alone are rung for again at once.
    impatient = chosen.model_copy(update={"stale_seconds": 0.0})
    played = 0
    while played < most:
        due = tick.tick(database, impatient).matches
        if not due:
            break
        for bell in due[: most - played]:
            player.play(bell.match_id)
            played += 1
    return played


@contextmanager
def working(
    chosen: LeagueSettings, database: Store, stage: InProcessStage | None = None
) -> Iterator[Worker]:
    worker = Worker(chosen, database, stage or InProcessStage())
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()


def wait_for(what: Callable[[], bool], seconds: float = 60.0) -> None:
    """Until it is so. The limit is against hanging; no timing is tested."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def state_of(database: Store, season_id: int) -> SeasonState:
    with database.read() as session:
        return store.seasons.season(session, season_id).state


def rank(database: Store, season_id: int, bots: Sequence[str]) -> None:
    """Publish standings with these bots first, in this order; the results stay as they are."""
    with database.write() as session:
        season = store.locked(session, Season, season_id)
        table = ratings.read_table(season.standings)
        assert table is not None
        order = {bot: at for at, bot in enumerate(bots)}
        rows = sorted(table.rows, key=lambda row: order.get(row.bot, len(order)))
        ranked = [row.model_copy(update={"place": at}) for at, row in enumerate(rows, start=1)]
        season.standings = table.model_copy(update={"rows": ranked}).model_dump(mode="json")
