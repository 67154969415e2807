"""Whose clock is whose at a table: a person's time per move gives no bot more time."""

from pathlib import Path

import pytest

from league.matches import plan_of
from league.matches.plan import TableBot
from league.people.attempt import BRIDGE_START_MS, _with_people
from league.people.opening import BOT_TIME, Asker, Board, Terms, open_seated, own_seat
from league.people.opponents import ensure_person
from league.people.table import load_table
from league.settings import LeagueSettings
from referee.plan import MatchPlan
from store import Match, Sitting, Store, present
from store import sittings as tables
from store.sittings import NewSeat
from tests.store.support import OPTIONS, add_versions
from tests.store.test_sittings import claimed

PERSON = 2
"""The seat of the person, between bots."""


def plan_at(store: Store, folder: Path, seconds: float, *, known_board: bool) -> MatchPlan:
    """What the referee is told of a table where people have this time per move."""
    settings = LeagueSettings(data_dir=folder, table_move_seconds=seconds)
    with store.write() as session:
        versions = add_versions(session, 3)
        asker = Asker(person=tables.add_person(session), address_hash="somewhere")
        placed = [(NewSeat(name=f"ada/bot-{at}"), version) for at, version in enumerate(versions)]
        placed.insert(PERSON, (own_seat(asker), ensure_person(session).id))
        board = (
            Board(key=bytes(32), number=3, source={"match": 1, "board": 3}) if known_board else None
        )
        terms = Terms(rules="six-nimmt", options=OPTIONS)
        sitting, _ = open_seated(
            session, settings, asker, terms, placed, one_round=True, board=board
        )
        match_id = sitting.match_id
    loaded = load_table(store, match_id, claimed(store, match_id), game_seconds=600.0)
    with store.read() as session:
        assert present(session, Sitting, match_id).move_ms == seconds * 1000
        match = present(session, Match, match_id)
    bots = [TableBot(name=f"bot-{at}", version=1, image=None, program=("true",)) for at in range(4)]
    plan = plan_of(match, bots, attempt=1, runner="process", watch=False)
    return _with_people(plan, loaded)


@pytest.mark.parametrize("known_board", [False, True])
@pytest.mark.parametrize("seconds", [5.0, 60.0, 3600.0])
def test_the_clock_of_a_bot_is_that_of_the_table_whatever_people_have(
    store: Store, tmp_path: Path, seconds: float, known_board: bool
) -> None:
    plan = plan_at(store, tmp_path, seconds, known_board=known_board)
    assert [bot.person for bot in plan.bots] == [at == PERSON for at in range(4)]
    for at in range(4):
        clock = plan.time_of(at)
        if at == PERSON:
            assert clock.move_ms == seconds * 1000
            assert (clock.bank_ms, clock.start_ms) == (0, BRIDGE_START_MS)
        else:
            assert {"move_ms": clock.move_ms, "bank_ms": clock.bank_ms} == BOT_TIME
