"""The season that is disturbed, all that it came to, and the same season with nothing going wrong.

Its matches are kept in reserve and let go a few at a time, so that it cannot be over before all
has been done to it, however fast the machine is.
"""

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import nimmt
import store
from botkit import Bot, Question
from league import ratings, seasons
from league.matches import TableBot
from league.matches.inprocess import InProcessStage
from league.seasons import SeasonPlan
from league.settings import LeagueSettings
from league.wiring import open_store
from nimmt import TurnOptions
from nimmt.simple import Legal, Player
from store import MatchState, SeasonState, Store
from tests.league.world import fix_keys, play_due

BOTS = ("random", "lowest", "highest", "gap", "slotrisk", "leastcost")
ORGANISER = "the organiser"
RESERVE = "nobody yet"
"""Who holds the matches that are kept in reserve."""


def start_season(database: Store, bots: int, meetings: int) -> int:
    """A running season of duels with known keys; `bots * (bots - 1) / 2 * meetings` matches."""
    plan = SeasonPlan(
        name="chaos",
        rules="six-nimmt",
        options={"rounds": 1},
        table=2,
        boards=4,
        duplicate=False,
        meetings=meetings,
        # Nobody times out however busy the machine is, so that every run has the same results.
        move_ms=60_000,
        bank_ms=600_000,
        start_ms=300_000,
    )
    with database.write() as session:
        season = seasons.create(session, plan, ORGANISER)
        for name in BOTS[:bots]:
            seasons.enter(session, season.id, f"house/{name}", ORGANISER)
        seasons.open_entries(session, season.id, ORGANISER)
        seasons.freeze_season(session, season.id, ORGANISER)
    fix_keys(database, season.id)
    with database.write() as session:
        seasons.start(session, season.id, ORGANISER)
    return season.id


def hold_back(database: Store, season_id: int) -> None:
    """Make all matches a reserve: leased to a worker that does not exist, for a long time."""
    with database.write() as session:
        for match in _matches(database, season_id):
            row = store.locked(session, store.Match, match.id)
            row.state, row.worker = MatchState.RUNNING, RESERVE
            row.lease_until = datetime.now(UTC) + timedelta(days=1)


def let_go(database: Store, season_id: int, fresh: int) -> None:
    """Let so many matches go that `fresh` have not been tried more than once."""
    open_ = [match for match in _matches(database, season_id) if not match.state.is_final]
    free = sum(match.worker != RESERVE and match.attempts <= 1 for match in open_)
    reserve = [match.id for match in open_ if match.worker == RESERVE]
    with database.write() as session:
        for match_id in reserve[: max(0, fresh - free)]:
            row = store.locked(session, store.Match, match_id)
            row.state, row.worker, row.lease_until = MatchState.PLANNED, None, None


def _matches(database: Store, season_id: int) -> list[store.Match]:
    with database.read() as session:
        found = store.match_lists.matches(session, season_id=season_id, limit=10_000)
    return sorted(found, key=lambda match: match.id)


def outcome(database: Store, season_id: int) -> dict[str, Any]:
    """All that a season came to, for comparing two of them."""
    with database.read() as session:
        ladder_id = store.scales.of_season(session, season_id).id
    assert ratings.refresh(database, ladder_id) is not None
    matches = _matches(database, season_id)
    with database.read() as session:
        games = [
            (place, game.board, game.seats, game.points, game.places, game.out)
            for place, match in enumerate(matches)
            for game in store.results.games(session, match.id)
        ]
        faults = [
            (place, fault.seat, fault.kind, fault.cause)
            for place, match in enumerate(matches)
            for fault in store.results.faults(session, match.id)
        ]
        stored = store.seasons.season(session, season_id).standings or {}
    chance = {"median_ms", "worst_ms", "void_rate"}
    rows: Any = stored["rows"]
    shown = {
        "rows": [{k: v for k, v in row.items() if k not in chance} for row in rows],
        "crosstable": stored["crosstable"],
    }
    # As lines, because a difference of two such texts can be read.
    table = json.dumps(shown, sort_keys=True, indent=1).splitlines()
    return {"faults": faults, "games": games, "table": table}


def undisturbed(folder: Path, bots: int, meetings: int) -> dict[str, Any]:
    """The same season with the same bots in this process, where nothing can go wrong."""
    chosen = LeagueSettings(data_dir=folder, database_url=None, redis_url=None)
    database = open_store(chosen)
    season_id = start_season(database, bots, meetings)
    play_due(database, chosen, InProcessStage(make=sample))
    assert state_of(database, season_id) is SeasonState.FINISHED
    found = outcome(database, season_id)
    database.close()
    return found


def sample(bot: TableBot, rules: nimmt.Rules, rng: Random) -> Player:
    """The sample bot that a house version starts as a process, for one game in this one."""
    assert bot.program is not None
    module = import_module(f"sample_bots.{bot.program[-1].removeprefix('sample:')}.bot")
    [kind] = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, Bot) and value is not Bot
    ]
    made: Bot = kind()
    made.rules, made.rng = rules, rng

    def choose(kind: str, view: nimmt.View, legal: Legal) -> nimmt.Choice:
        assert not isinstance(legal, TurnOptions), "the season is one of 6 nimmt!"
        made.legal = tuple(legal)
        return made.choose(Question(made, kind, view, made.legal))

    return choose


def state_of(database: Store, season_id: int) -> SeasonState:
    with database.read() as session:
        return store.seasons.season(session, season_id).state


def running(database: Store) -> list[store.Match]:
    """The matches that are being played."""
    with database.read() as session:
        found = store.match_lists.matches(session, states=(MatchState.RUNNING,), limit=10_000)
    return [match for match in found if match.worker != RESERVE]


def wait_for(what: Callable[[], object], told: str, seconds: float = 300.0) -> None:
    """Until it is so. The limit is against hanging; no timing is tested."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"it did not happen that {told}"
        time.sleep(0.05)
