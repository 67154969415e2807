"""Ladders and their scales: made once, opened and closed, bots entered and taken out."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from store import (
    Bot,
    Conflict,
    EntryState,
    LadderState,
    Store,
    Version,
    accounts,
    bots,
    ladders,
    locked,
    present,
    scales,
)
from tests.store.support import OPTIONS, add_versions


def made(store: Store) -> int:
    with store.write() as session:
        return ladders.ladder(session, "six-nimmt", OPTIONS, 4, boards=8).id


def a_bot(store: Store) -> Bot:
    with store.write() as session:
        version = present(session, Version, add_versions(session, 1)[0])
        return present(session, Bot, version.bot_id)


def a_platform_bot(store: Store) -> Bot:
    with store.write() as session:
        house = accounts.add_owner(session, "house", is_house=True)
        return bots.add_bot(session, house.id, "sample", ["six-nimmt"], is_anchor=True)


def test_a_ladder_has_the_id_of_its_scale_and_is_made_once(store: Store) -> None:
    first = made(store)
    assert made(store) == first
    with store.write() as session:
        scale = scales.scale(session, first)
        assert scale.key == scales.scale_key("six-nimmt", OPTIONS, 4)
        assert scale.season_id is None
        other = ladders.ladder(session, "six-nimmt", OPTIONS, 5, boards=10)
        assert [one.id for one in ladders.ladders(session)] == [first, other.id]
        assert ladders.ladders(session, only_open=True) == []


def test_only_open_ladders_are_listed_when_they_are_asked_for(store: Store) -> None:
    ladder_id = made(store)
    with store.write() as session:
        assert ladders.set_state(session, ladder_id, LadderState.OPEN).is_open
        assert [one.id for one in ladders.ladders(session, only_open=True)] == [ladder_id]
        assert not ladders.set_state(session, ladder_id, LadderState.PAUSED).is_open
        assert ladders.ladders(session, only_open=True) == []


def test_a_bot_is_in_until_somebody_takes_it_out_and_back_when_it_is_entered(store: Store) -> None:
    ladder_id, bot = made(store), a_bot(store)
    with store.write() as session:
        field = ladders.field_of(session, ladder_id)
        assert field.competes(bot)
        assert not field.is_out(bot.id)
        ladders.take_out(session, ladder_id, bot, EntryState.WITHDRAWN, "a rest")
    with store.write() as session:
        field = ladders.field_of(session, ladder_id)
        assert field.state(bot.id) is EntryState.WITHDRAWN
        assert field.reason(bot.id) == "a rest"
        assert ladders.enter(session, ladder_id, bot).left_at is None
        field = ladders.field_of(session, ladder_id)
        assert (field.is_out(bot.id), field.reason(bot.id)) == (False, "")


def test_an_author_cannot_turn_a_disqualification_into_a_withdrawal(store: Store) -> None:
    ladder_id, bot = made(store), a_bot(store)
    with store.write() as session:
        ladders.take_out(session, ladder_id, bot, EntryState.WITHDRAWN, "a rest")
        ladders.take_out(session, ladder_id, bot, EntryState.DISQUALIFIED, "it cheats")
        with pytest.raises(Conflict, match=r"ada/bot-0 is already disqualified: it cheats"):
            ladders.take_out(session, ladder_id, bot, EntryState.WITHDRAWN, "a rest")
        assert ladders.field_of(session, ladder_id).reason(bot.id) == "it cheats"


def test_a_platform_bot_fills_tables_until_it_is_entered(store: Store) -> None:
    ladder_id, bot = made(store), a_platform_bot(store)
    with store.write() as session:
        assert not ladders.field_of(session, ladder_id).competes(bot)
        ladders.take_out(session, ladder_id, bot, EntryState.DISQUALIFIED, "it is broken")
        assert not ladders.field_of(session, ladder_id).competes(bot)
        ladders.enter(session, ladder_id, bot)
        assert ladders.field_of(session, ladder_id).competes(bot)
        ladders.take_out(session, ladder_id, bot, EntryState.WITHDRAWN, "a rest")
        assert ladders.field_of(session, ladder_id).competes(bot), "it plays for a place when back"


def test_acts_on_one_bot_at_the_same_moment_leave_one_entry(store: Store) -> None:
    ladder_id, bot = made(store), a_bot(store)

    def act(number: int) -> None:
        with store.write() as session:
            own = locked(session, Bot, bot.id)
            if number % 2:
                ladders.enter(session, ladder_id, own)
            else:
                ladders.take_out(session, ladder_id, own, EntryState.WITHDRAWN, f"for {number}")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(act, range(8)))
    with store.read() as session:
        assert list(ladders.field_of(session, ladder_id).entries) == [bot.id]
