"""A ladder and its worker for tests: matches are played here and now, without broker or threads."""

from collections.abc import Sequence
from threading import Event
from typing import Any

import store
from league import ladder as ladders
from league.ladder import LadderPlan
from league.matches import Player, SandboxStage
from league.matches.inprocess import InProcessStage
from league.settings import LeagueSettings
from league.worker import tick
from store import Ladder, Store
from tests.league.world import ORGANISER

PLAN = LadderPlan(rules="six-nimmt", options={"rounds": 1}, table=4, boards=20)


def add_worker(database: Store, slots: int = 1) -> None:
    """A worker that is alive, as far as the store knows."""
    with database.write() as session:
        store.workers.beat(session, store.Worker(name="here", slots=slots))


def open_ladder(database: Store, plan: LadderPlan = PLAN) -> Ladder:
    add_worker(database)
    with database.write() as session:
        return ladders.open_ladder(session, plan, ORGANISER)


def add_version(
    database: Store, full_name: str, program: str, fingerprint: str | None = None
) -> store.Version:
    """A new accepted version of a bot, which is its current one from now on."""
    with database.write() as session:
        bot = store.bots.find_bot(session, full_name)
        assert bot is not None
        made = store.bots.add_version(session, bot.id, program=[program], fingerprint=fingerprint)
        return store.bots.accept_version(session, made.id)


def play_some(
    database: Store,
    chosen: LeagueSettings,
    matches: int,
    stage: InProcessStage | SandboxStage | None = None,
    rate_every: int = 5,
) -> int:
    """Let the clockwork make matches and play up to so many; ratings are refreshed on the way."""
    player = Player(database, chosen, stage or InProcessStage(), "here", Event())
    played = 0
    while played < matches:
        due = tick.tick(database, chosen).matches
        if not due:
            break
        for bell in due:
            player.play(bell.match_id)
            played += 1
            if played % rate_every == 0:
                tick.refresh_ratings(database)
    tick.refresh_ratings(database)
    return played


def rows(database: Store, ladder_id: int) -> list[dict[str, Any]]:
    """The rows of the published table, best first; bots without their owners."""
    with database.read() as session:
        table: Any = store.scales.scale(session, ladder_id).standings or {"rows": []}
    return [{**row, "bot": row["bot"].partition("/")[2]} for row in table["rows"]]


def order(database: Store, ladder_id: int) -> Sequence[str]:
    """The bots of the published table, best first."""
    return [row["bot"] for row in rows(database, ladder_id)]
