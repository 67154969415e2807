"""A referee that crashes twice in one match: the bot behind it is found, nobody else suffers."""

import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import col, select

import store
from league import ladder as ladders
from league.ladder import LadderPlan, queue
from league.matches import referee_start
from league.matches.attempt import Player
from league.matches.culprit import CONTROL, CRASHED, PLAYED
from league.matches.inprocess import InProcessStage
from league.matches.plan import TableBot
from league.matches.sandboxed import SandboxStage
from league.matches.stage import RefereeFailed, Stage, VoidMatch
from league.settings import LeagueSettings
from referee.plan import MatchPlan
from referee.result import MatchResult
from sandbox.owner import Owner
from sandbox.process import ProcessSandbox
from store import Attempt, Store
from tests.league.arena import PLAN, open_ladder

CULPRIT = "owner-of-highest/highest"
WRITES_CRASH = """
from botkit import Bot, run

class Crasher(Bot):
    def choose_card(self, view):
        self.note("crash")
        return min(view.hand)

run(Crasher)
"""


class CrashingStage(InProcessStage):
    """The referee crashes whenever one of these programs is at the table."""

    def __init__(self, *programs: str) -> None:
        super().__init__()
        self.programs = programs
        self.tables: list[list[str]] = []

    async def play(self, plan: MatchPlan, bots: Sequence[TableBot], on_event: Any) -> MatchResult:
        self.tables.append([bot.name for bot in bots])
        if any((bot.program or ("",))[-1] in self.programs for bot in bots):
            raise RefereeFailed("Traceback: a bug of ours")
        return await super().play(plan, bots, on_event)


def add(database: Store, full_name: str, *program: str) -> None:
    """A bot that plays 6 nimmt!; those of the house are anchor bots."""
    handle, _, name = full_name.partition("/")
    with database.write() as session:
        owner = store.accounts.owner_by_handle(session, handle)
        if owner is None:
            owner = store.accounts.add_owner(session, handle, is_house=handle == "house")
        anchor = handle == "house"
        bot = store.bots.add_bot(session, owner.id, name, ["six-nimmt"], is_anchor=anchor)
        version = store.bots.add_version(session, bot.id, program=list(program))
        store.bots.accept_version(session, version.id)


@pytest.fixture
def field(database: Store) -> None:
    """Four bots, and two anchor bots beside them."""
    for name in ("highest", "greedy", "random", "taker"):
        add(database, f"owner-of-{name}/{name}", name)
    for name in ("lowest", "house"):
        add(database, f"house/{name}", f"sample:{name}")


def make_match(database: Store, plan: LadderPlan = PLAN) -> int:
    opened = open_ladder(database, plan)
    with database.write() as session:
        # With this seed the culprit is not the last at the table: a search can stop before the end.
        [bell] = queue.make_matches(session, opened.id, 1, seed=5)
    return bell.match_id


def play(
    database: Store, chosen: LeagueSettings, stage: Stage, match_id: int, times: int
) -> list[Attempt]:
    """Try a match so often; its attempts."""
    player = Player(database, chosen, stage, "here", Event())
    for _ in range(times):
        player.play(match_id)
    with database.read() as session:
        return store.match_lists.attempts(session, match_id)


def suspended(database: Store) -> list[str]:
    with database.read() as session:
        query = select(store.Bot.id).where(col(store.Bot.suspended_at).is_not(None))
        return sorted(store.bots.full_names(session, session.exec(query).all()).values())


@pytest.mark.usefixtures("field")
def test_the_bot_with_which_the_referee_crashes_again_is_suspended(
    database: Store, chosen: LeagueSettings
) -> None:
    stage = CrashingStage("highest")
    match_id = make_match(database)
    [first] = play(database, chosen, stage, match_id, 1)
    assert (first.reason, len(stage.tables)) == (RefereeFailed.REASON, 1)
    assert suspended(database) == [], "one crash is nobody's fault"
    _, second = play(database, chosen, stage, match_id, 1)
    assert suspended(database) == [CULPRIT]
    assert second.evidence is not None
    assert second.evidence["traceback"] == "Traceback: a bug of ours"
    found: Any = second.evidence["examination"]
    assert found.pop(CULPRIT) == CRASHED
    assert found.pop(CONTROL) == PLAYED
    assert set(found.values()) == {PLAYED}
    # Both attempts, the anchor bots among themselves, and each of the four alone with them.
    assert len(stage.tables) == 2 + 1 + 4
    for table in stage.tables[3:]:
        assert sum(not name.startswith("house/") for name in table) == 1
    for _ in range(2):
        ladders.watch_failures(database)
    with database.read() as session:
        bot = store.bots.find_bot(session, CULPRIT)
        assert bot is not None
        assert [one.kind for one in store.inbox.messages(session, bot.owner_id)] == [
            "bot.suspended"
        ]
        assert store.results.games(session, match_id) == [], "a game of the examination counts"


@pytest.mark.usefixtures("field")
def test_a_bug_that_needs_no_bot_suspends_nobody(database: Store, chosen: LeagueSettings) -> None:
    stage = CrashingStage("highest", "sample:lowest")
    attempts = play(database, chosen, stage, make_match(database), 2)
    assert attempts[1].evidence is not None
    assert attempts[1].evidence["examination"] == {CONTROL: CRASHED}
    assert suspended(database) == []


@pytest.mark.usefixtures("field")
def test_a_crash_that_does_not_come_again_suspends_nobody(
    database: Store, chosen: LeagueSettings
) -> None:
    class Twice(CrashingStage):
        async def play(self, plan: MatchPlan, bots: Any, on_event: Any) -> MatchResult:
            self.programs = ("highest",) if len(self.tables) < 2 else ()
            return await super().play(plan, bots, on_event)

    match_id = make_match(database)
    attempts = play(database, chosen, Twice(), match_id, 3)
    assert [one.state.value for one in attempts] == ["void", "void", "done"]
    assert suspended(database) == []


@pytest.mark.usefixtures("field")
def test_a_search_that_is_broken_off_keeps_the_crash_and_what_it_has_found(
    database: Store, chosen: LeagueSettings
) -> None:
    class Breaking(CrashingStage):
        async def play(self, plan: MatchPlan, bots: Any, on_event: Any) -> MatchResult:
            if CULPRIT in suspended(database):
                raise sa.exc.OperationalError("select", {}, Exception("the database is away"))
            return await super().play(plan, bots, on_event)

    attempts = play(database, chosen, Breaking("highest"), make_match(database), 2)
    assert [one.reason for one in attempts] == [RefereeFailed.REASON] * 2
    assert suspended(database) == [CULPRIT]
    evidence: Any = attempts[1].evidence
    assert evidence["traceback"] == "Traceback: a bug of ours"
    assert evidence["examination"][CULPRIT] == CRASHED
    assert len(evidence["examination"]) < 5, "the search went on after it was broken off"


@pytest.mark.usefixtures("field")
def test_other_voids_are_not_examined(database: Store, chosen: LeagueSettings) -> None:
    stage = InProcessStage()
    stage.fail = lambda _: True
    match_id = make_match(database)
    attempts = play(database, chosen, stage, match_id, 2)
    assert len(stage.played) == len(attempts) == 2
    assert issubclass(RefereeFailed, VoidMatch)


@pytest.mark.usefixtures("field")
def test_once_found_a_culprit_is_not_looked_for_again(
    database: Store, chosen: LeagueSettings
) -> None:
    stage = CrashingStage("highest")
    match_id = make_match(database)
    attempts = play(database, chosen, stage, match_id, 3)
    assert len(stage.tables) == 2 + 1 + 4 + 1
    assert attempts[2].evidence == {"traceback": "Traceback: a bug of ours"}
    with database.read() as session:
        assert store.present(session, store.Match, match_id).state is store.MatchState.STUCK


@pytest.mark.heavy
def test_a_real_referee_that_dies_of_a_note(
    database: Store, chosen: LeagueSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same with processes: a referee that has a bug, and a bot whose notes find it."""
    monkeypatch.setattr(referee_start, "REFEREE", "tests.league.crashing_referee")
    file = tmp_path / "crasher.py"
    file.write_text(WRITES_CRASH)
    add(database, CULPRIT, sys.executable, str(file))
    add(database, "ada/innocent", "sample:gap")
    add(database, "house/lowest", "sample:lowest")
    plan = LadderPlan(
        rules="six-nimmt",
        options={"rounds": 1},
        table=2,
        boards=1,
        move_ms=60_000,
        bank_ms=600_000,
        start_ms=100_000,
    )
    owner = Owner()
    try:
        stage = SandboxStage(ProcessSandbox, owner)
        attempts = play(database, chosen, stage, make_match(database, plan), 2)
    finally:
        owner.close()
    assert [one.reason for one in attempts] == [RefereeFailed.REASON] * 2
    assert attempts[1].evidence is not None
    assert "a bug that this note has found" in str(attempts[1].evidence["traceback"])
    assert attempts[1].evidence["examination"] == {
        CONTROL: PLAYED,
        CULPRIT: CRASHED,
        "ada/innocent": PLAYED,
    }
    assert suspended(database) == [CULPRIT]
