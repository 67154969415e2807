"""Cleaning up after tables that ended long ago: what goes and what stays; on both databases."""

import sqlalchemy as sa
from sqlmodel import Session, select

from store import Match, Seat, Sitting, SittingSeat, Store, old_tables, people_games
from store import sittings as tables
from store.old_tables import Cleaned
from store.tables import SittingDecision, SittingFrame
from tests.store.test_sittings import claimed, opened

LONG_AGO, NEVER = -60.0, 3600.0
"""Ages at which a table that has just ended is old, and is not."""


def played(store: Store, frames: int = 5, handle: str = "ada") -> int:
    """A table whose person left after two decisions."""
    match_id, _ = opened(store, handle=handle)
    token = claimed(store, match_id)
    with store.write() as session:
        tables.begin_playing(session, match_id, token)
        sent = [(0, number, {"type": "events", "n": number}) for number in range(1, frames + 1)]
        tables.add_frames(session, match_id, sent)
        tables.add_decisions(session, match_id, [(1, {"seat": 0}), (2, {"seat": 1})])
        tables.put_choice(session, match_id, 0, 1, 41)
        tables.leave(session, match_id, 0)
        assert tables.close(session, match_id, "its person left")
    return match_id


def frames_of(session: Session, match_id: int) -> list[int]:
    return [number for number, _ in tables.frames(session, match_id, 0)]


def test_of_an_old_game_the_ends_stay_and_it_still_counts(store: Store) -> None:
    match_id = played(store)
    with store.write() as session:
        before = people_games.counted(session)
        assert old_tables.clean(session, kept=NEVER) == Cleaned()
        assert old_tables.clean(session, kept=LONG_AGO) == Cleaned(looked=1, emptied=4)
    with store.read() as session:
        assert frames_of(session, match_id) == [1, 5]
        assert tables.decisions(session, match_id) == [{"seat": 0}]
        assert tables.find_choice(session, match_id, 0, 1) is not None
        assert [game.match_id for game in before] == [match_id]
        assert people_games.counted(session) == before
    with store.write() as session:
        assert old_tables.clean(session, kept=LONG_AGO).emptied == 0


def test_a_table_closed_before_its_first_card_goes_and_an_open_one_stays(store: Store) -> None:
    left, _ = opened(store, people=2)
    with store.write() as session:
        tables.tell(session, left, {"type": "closed"})
        assert tables.close(session, left, "nobody came")
        assert len(tables.seats(session, left)) == 4
        assert old_tables.clean(session, kept=LONG_AGO).removed == (left,)
    with store.read() as session:
        for table in (Sitting, SittingSeat, SittingFrame, SittingDecision, Match, Seat):
            assert session.exec(select(table)).first() is None, table


def test_open_tables_are_never_cleaned(store: Store) -> None:
    match_id, _ = opened(store)
    with store.write() as session:
        tables.tell(session, match_id, {"type": "paused"})
        assert old_tables.clean(session, kept=LONG_AGO) == Cleaned()
        assert frames_of(session, match_id) == [1]


def test_each_turn_goes_on_where_the_last_one_ended(store: Store) -> None:
    ids = [played(store, 3, handle) for handle in ("ada", "bob", "eve")]
    seen: list[int] = []
    for _ in range(2):
        with store.write() as session:
            assert old_tables.clean(session, kept=LONG_AGO, most=2).looked in (1, 2)
            seen = [one for one in ids if frames_of(session, one) == [1, 3]]
    assert seen == ids
    with store.write() as session:
        assert old_tables.clean(session, kept=LONG_AGO, most=2) == Cleaned(looked=2), "from the top"


def test_a_turn_that_finds_nothing_to_remove_writes_nothing(store: Store) -> None:
    """The clock comes by for as long as there are old tables."""
    played(store)
    said: list[str] = []
    with store.write() as session:
        assert old_tables.clean(session, kept=LONG_AGO).emptied > 0

    def note(_: object, __: object, statement: str, *___: object) -> None:
        said.append(statement.split()[0])

    sa.event.listen(store.engine, "before_cursor_execute", note)
    with store.write() as session:
        assert old_tables.clean(session, kept=LONG_AGO) == Cleaned(looked=1)
    assert said
    assert not {"DELETE", "UPDATE", "INSERT"} & set(said)
