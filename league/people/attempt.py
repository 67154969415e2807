"""Playing one table: as a match is played, but it goes on where the attempt before it ended.

A table is given to another worker only when its own one drains or dies. Whatever else goes wrong
closes it: nobody wants to play the same cards again.
"""

import asyncio
from dataclasses import dataclass, replace

import structlog
from sqlmodel import Session

import store
from league.matches import Cause, Player, SandboxStage, VoidMatch, plan_of
from league.people.bell import BELL, FRAMES
from league.people.table import Loaded, Table, load_table
from referee.plan import MatchPlan, TimeControl, one_pass
from store import Finish, MatchState

LOG = structlog.get_logger("league")
BRIDGE_START_MS = 60_000
LEASE_SECONDS = 15.0
"""Shorter than that of other matches: somebody sits and waits when a worker dies."""
MAX_ATTEMPTS = 5
"""A table that this many workers had to leave is closed."""
BROKEN = "Something went wrong on our side, and this table cannot go on. We are sorry."


@dataclass(slots=True)
class TablePlayer(Player):
    """Plays tables with people for one worker."""

    referee_uid: int | None = None
    _table: Table | None = None

    async def _attempt(self, match_id: int, attempt: store.Attempt) -> Finish:
        match, bots = self._load(match_id)
        if attempt.number > MAX_ATTEMPTS:
            raise VoidMatch(f"{MAX_ATTEMPTS} workers had to leave this table", cause=Cause.BUG)
        async with self._lease(attempt.token):
            loaded = await asyncio.to_thread(
                load_table,
                self.database,
                match_id,
                attempt.token,
                game_seconds=self.settings.table_game_seconds,
                uid=self.referee_uid,
            )
            self._table = table = loaded.table
            runner, start_ms = self.stage.runner, self.settings.start_ms
            plan = plan_of(
                match, bots, attempt=attempt.number, runner=runner, watch=False, start_ms=start_ms
            )
            plan = _with_people(plan, loaded)
            assert isinstance(self.stage, SandboxStage)
            async with table.kept():
                result = await self.stage.attended(table).play(plan, bots, None)
            if not result.complete:
                raise VoidMatch("the referee stopped before the last card")
            finish = await self._deliver(attempt.token, match, len(bots), result)
        BELL.ring((FRAMES, match_id))
        return finish

    def _save(self, session: Session, token: str, outcome: store.MatchOutcome) -> Finish:
        """The result, its last frames and the end of the table, all or nothing."""
        finish = store.attempts.finish(session, token, outcome)
        table = self._table
        if finish is Finish.ACCEPTED and table is not None:
            [game] = outcome.games
            code = store.present(session, store.Sitting, table.match_id).code
            table.end(
                {
                    "type": "over",
                    "points": list(game.points),
                    "places": list(game.places),
                    "replay": f"/play/{code}/replay",
                }
            )
            table.store_new(session)
            store.sittings.finish(session, table.match_id)
        return finish

    def _void(self, token: str, error: VoidMatch) -> MatchState | None:
        """Leave the table to another worker, or close it."""
        self.told(error.cause.value)
        try:
            with self.database.write() as session:
                match_id = store.attempts.match_of(session, token)
                if error.cause is Cause.STOPPED or match_id is None:
                    return store.attempts.void(session, token, error.reason, charged=False)
                store.attempts.void(
                    session, token, error.reason, evidence=error.evidence, charged=False
                )
                store.sittings.tell(session, match_id, {"type": "closed", "text": BROKEN})
                store.sittings.close(session, match_id, error.reason)
            BELL.ring((FRAMES, match_id))
        except Exception as failure:
            # The reaper ends the attempt when its lease runs out.
            LOG.warning("table not given back", error=str(failure)[:200])
        return None


def _with_people(plan: MatchPlan, loaded: Loaded) -> MatchPlan:
    """The plan of a match as one of a table: who is a person, and what was decided before."""
    clock = TimeControl(move_ms=loaded.move_ms, bank_ms=0, start_ms=BRIDGE_START_MS)
    bots = [
        replace(bot, person=True, time=clock) if seat in loaded.people else bot
        for seat, bot in enumerate(plan.bots)
    ]
    passes = one_pass(len(bots), 1, first=loaded.board)
    given = loaded.given
    return replace(plan, bots=tuple(bots), passes=passes, given_decisions=given, in_flight=1)
