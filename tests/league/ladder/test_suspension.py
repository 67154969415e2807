"""Bots that keep failing: suspended, told, and back with a new version."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import store
from league.ladder import suspension
from league.matches import TableBot
from league.matches.inprocess import InProcessStage
from league.settings import LeagueSettings
from referee.plan import MatchPlan
from referee.result import MatchResult
from store import Store
from tests.factories import BOTS
from tests.league.arena import add_version, open_ladder, play_some
from tests.league.world import ORGANISER

FIELD = BOTS
BOT = "owner-of-random/random"


class FailingStage(InProcessStage):
    """A stage on which the programs called `random` are out of every game."""

    async def play(self, plan: MatchPlan, bots: Any, on_event: Any) -> MatchResult:
        result = await super().play(plan, bots, on_event)
        failing = [place for place, bot in enumerate(bots) if self.fails(bot)]
        games = tuple(
            replace(game, out=tuple(bot in failing for bot in game.seats)) for game in result.games
        )
        return replace(result, games=games)

    def fails(self, bot: TableBot) -> bool:
        return bot.program == ("random",)


def bot_of(database: Store) -> store.Bot:
    with database.read() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        return bot


def inbox(database: Store) -> list[str]:
    with database.read() as session:
        return [one.kind for one in store.inbox.messages(session, bot_of(database).owner_id)]


@pytest.mark.heavy
def test_a_bot_that_keeps_failing_is_suspended_told_and_back_with_a_new_version(
    database: Store, chosen: LeagueSettings
) -> None:
    made = open_ladder(database)
    play_some(database, chosen, 12, FailingStage())
    bot = bot_of(database)
    assert bot.suspended_at is not None
    assert inbox(database) == ["bot.suspended"]
    with database.read() as session:
        done = store.match_lists.matches(session, scale_id=made.id, bot_id=bot.id)
        entry = store.audit.page(session, subject="bot")[0]
    # Up to three in a row, and what was queued when the third ended.
    assert 3 <= len(done) <= 4
    assert (entry.action, entry.reason) == ("bot.suspend", suspension.WHY)
    others = [one for one in _names(database) if one != BOT]
    assert len(others) == 4, "an innocent bot was suspended"
    add_version(database, BOT, "greedy")
    assert suspension.watch_failures(database) == [bot.id]
    assert bot_of(database).suspended_at is None
    assert inbox(database)[0] == "bot.lifted"
    before = len(done)
    play_some(database, chosen, 12, FailingStage())
    with database.read() as session:
        assert len(store.match_lists.matches(session, scale_id=made.id, bot_id=bot.id)) > before


def _names(database: Store) -> list[str]:
    with database.read() as session:
        bots = [bot.id for bot, _ in store.bots.playable(session, "six-nimmt")]
        return list(store.bots.full_names(session, bots).values())


def test_what_was_forgiven_does_not_suspend_again(database: Store, chosen: LeagueSettings) -> None:
    open_ladder(database)
    play_some(database, chosen, 12, FailingStage())
    with database.write() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        suspension.lift(session, bot, ORGANISER, "our network was down")
    assert suspension.watch_failures(database) == []
    assert bot_of(database).suspended_at is None


def test_a_worker_whose_clock_is_fast_neither_repeats_a_notice_nor_lifts_a_suspension(
    database: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store.bots, "utc_now", lambda: datetime.now(UTC) + timedelta(hours=1))
    bot = bot_of(database)
    add_version(database, BOT, "greedy")
    monkeypatch.undo()
    with database.write() as session:
        store.bots.suspend(session, bot.id, "it fails")
    assert suspension.watch_failures(database) == [], "the version was accepted before"
    assert inbox(database) == ["bot.suspended"]
    monkeypatch.setattr(store.bots, "utc_now", lambda: datetime.now(UTC) + timedelta(hours=1))
    with database.write() as session:
        store.bots.suspend(session, bot.id, "it fails again")
    for _ in range(2):
        suspension.watch_failures(database)
    assert inbox(database) == ["bot.suspended"] * 2


def test_organisers_are_told_about_house_bots(database: Store) -> None:
    with database.write() as session:
        head = store.accounts.add_owner(session, "head", role=store.Role.ORGANISER)
        house = store.accounts.add_owner(session, "house", is_house=True)
        bot = store.bots.add_bot(session, house.id, "sample", ["six-nimmt"], is_anchor=True)
        suspension.suspend(session, bot, ORGANISER, "it fails")
        assert [one.title for one in store.inbox.messages(session, head.id)] == [
            "house/sample is suspended"
        ]
        assert store.inbox.messages(session, house.id) == []
