"""When the referee crashes twice in one match: whose message was it?

Each bot plays the boards of the match once more, alone with anchor bots. With whom the referee
crashes again is suspended; nobody is when it crashes among anchor bots too. No game here counts.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle, islice

import structlog
from sqlmodel import Session

import store
from league.matches.plan import TableBot
from league.matches.stage import RefereeFailed, Stage, VoidMatch
from referee.plan import MatchPlan, PlannedBot
from store import Match, Store

LOG = structlog.get_logger("league")
PLAYED, CRASHED, VOID = "the referee did not crash", "the referee crashed again", "void"
CONTROL = "anchor bots alone"


async def examine(
    database: Store,
    stage: Stage,
    match: Match,
    plan: MatchPlan,
    bots: Sequence[TableBot],
    found: store.JsonDict,
) -> None:
    """Look for the bot behind a crash, if it is not the first of this match.

    Called while the attempt still holds its match. What is found goes into `found` and has its
    consequence table by table, because the search may be broken off.
    """
    anchors = await asyncio.to_thread(_anchors, database, match, bots)
    if not anchors:
        return
    table = list(islice(cycle(anchors), len(bots)))
    found[CONTROL] = await _try(stage, plan, table)
    if found[CONTROL] != PLAYED:
        return
    for seat, bot in enumerate(bots):
        alone = [bot if place == seat else anchor for place, anchor in enumerate(table)]
        found[bot.name] = await _try(stage, plan, alone)
        if found[bot.name] == CRASHED:
            await asyncio.to_thread(_suspend, database, match.id, bot.name)


def _anchors(database: Store, match: Match, bots: Sequence[TableBot]) -> list[TableBot]:
    """Who keeps the others company; empty where there is nothing to examine."""
    with database.read() as session:
        if not _crashed_before(session, match.id):
            return []
        known = [store.bots.find_bot(session, bot.name) for bot in bots]
        if any(bot is not None and bot.suspended_at is not None for bot in known):
            # It has been found already; its other matches need no second examination.
            return []
        playable = [
            (bot, version)
            for bot, version in store.bots.playable(session, match.rules)
            if bot.is_anchor and version.program is not None
        ]
        names = store.bots.full_names(session, [bot.id for bot, _ in playable])
        return [
            TableBot(
                name=names[bot.id],
                version=version.number,
                image=None,
                program=tuple(version.program or ()),
            )
            for bot, version in playable
        ]


def _crashed_before(session: Session, match_id: int) -> bool:
    attempts = store.match_lists.attempts(session, match_id)
    return any(one.reason == RefereeFailed.REASON for one in attempts)


async def _try(stage: Stage, plan: MatchPlan, table: Sequence[TableBot]) -> str:
    """Play the boards of the match at this table: the same seats, deals and seeds."""
    seated = tuple(PlannedBot(name=bot.name, version=bot.version) for bot in table)
    try:
        await stage.play(replace(plan, bots=seated, watch=False), table, None)
    except RefereeFailed:
        return CRASHED
    except VoidMatch as error:
        return f"{VOID}: {error.reason}"
    return PLAYED


def _suspend(database: Store, match_id: int, name: str) -> None:
    why = f"the referee crashed in match {match_id}, and again when it played alone there"
    with database.write() as session:
        found = store.bots.find_bot(session, name)
        if found is not None and found.suspended_at is None:
            # The clockwork tells the author; a worker sees no accounts.
            store.bots.suspend(session, found.id, why)
