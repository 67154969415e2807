"""Who may ask for which friendly match, how often, and what becomes of it."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session, col

import store as data
from league import friendlies
from league.audit import Action
from league.authors import change_bot
from league.errors import LeagueRefusal, Malformed, NotAllowed, NotThere, TooOften
from league.friendlies import FriendlyLimits, FriendlyPlan
from league.given import take
from store import Friendly, Match, MatchKind, MatchState, Owner, Store
from tests.factories import add_platform_bots

LIMITS = FriendlyLimits(at_once=2, per_hour=3, per_day=4, games=100)
SIX, X = "six-nimmt", "x-nimmt"


def add_bot(store: Store, handle: str, name: str, rules: list[str], versions: int = 1) -> int:
    """A bot with accepted versions, and its owner where there is none yet."""
    with store.write() as session:
        owner = data.accounts.owner_by_handle(session, handle)
        owner = owner or data.accounts.add_owner(session, handle)
        bot = data.bots.add_bot(session, owner.id, name, rules)
        for _ in range(versions):
            made = data.bots.add_version(session, bot.id, program=["random"])
            data.bots.accept_version(session, made.id)
        return bot.id


@pytest.fixture
def ada(store: Store) -> Owner:
    """An author with two bots; another author's bot, and two of the platform."""
    add_platform_bots(store, ["gap", "random"], [SIX, X])
    add_bot(store, "ada", "greedy", [SIX, X], versions=3)
    add_bot(store, "ada", "mild", [X])
    add_bot(store, "bob", "sharp", [SIX])
    with store.read() as session:
        found = data.accounts.owner_by_handle(session, "ada")
    assert found is not None
    return found


def ask(store: Store, owner: Owner, *opponents: str, **more: Any) -> Match:
    limits = more.pop("limits", LIMITS)
    given = {"bot": "greedy", "opponents": list(opponents), "boards": 4} | more
    plan = take(FriendlyPlan, given)
    with store.write() as session:
        row, bell = friendlies.ask(session, plan, owner, limits)
        assert bell.queue == "friendly"
        return data.present(session, Match, row.match_id)


def table(store: Store, match: Match) -> list[tuple[str, int]]:
    with store.read() as session:
        seats = data.match_lists.seated(session, [match.id])[match.id]
    return [(seat.bot, seat.version) for seat in seats]


def bot_id(store: Store, name: str) -> int:
    with store.read() as session:
        found = data.bots.find_bot(session, name)
    assert found is not None
    return found.id


def test_a_match_is_queued_apart_unrated_and_written_down(store: Store, ada: Owner) -> None:
    match = ask(store, ada, "gap", "random", "bob/sharp")
    assert (match.kind, match.state, match.queue) == (
        MatchKind.PRACTICE,
        MatchState.QUEUED,
        "friendly",
    )
    assert not match.rated
    assert (match.scale_id, match.season_id, match.gate_id) == (None, None, None)
    assert (match.rules, match.table_size, match.boards, match.passes) == (SIX, 4, 4, 1)
    names = [("ada/greedy", 3), ("house/gap", 1), ("house/random", 1), ("bob/sharp", 1)]
    assert table(store, match) == names
    with store.read() as session:
        entry = data.audit.page(session, limit=1)[0]
        row = data.friendlies.find(session, match.id)
    assert (entry.action, entry.subject_id, entry.actor) == (Action.FRIENDLY_ASK, match.id, "ada")
    assert entry.detail == {"table": [f"{name}@{number}" for name, number in names], "rules": SIX}
    assert row is not None
    assert (row.owner_id, row.shared) == (ada.id, False)


def test_old_versions_of_ones_own_play_against_each_other(store: Store, ada: Owner) -> None:
    match = ask(store, ada, "greedy@1", bot="greedy@2", rules=X)
    assert table(store, match) == [("ada/greedy", 2), ("ada/greedy", 1)]
    assert (match.passes, match.boards) == (2, 4), "a table of two plays every board twice"


def test_boards_fill_whole_laps_of_the_table(store: Store, ada: Owner) -> None:
    assert ask(store, ada, "gap", "gap", "random", boards=5, rules=SIX).boards == 8


@pytest.mark.parametrize(
    ("opponents", "more", "error", "says"),
    [
        (["nobody"], {}, NotThere, "got opponent 'nobody'"),
        (["bob/blunt"], {}, NotThere, "OWNER/NAME of a bot that exists"),
        (["gap"], {"bot": "sharp"}, NotThere, "expected one of yours"),
        (["gap"], {"bot": "bob/sharp"}, NotThere, "expected one of yours"),
        (["bob/sharp@1"], {}, NotAllowed, "only the version that plays"),
        (["gap"], {"bot": "greedy@9"}, LeagueRefusal, "no version 9 that may play"),
        (["gap"], {"bot": "greedy@x"}, Malformed, "NAME@3"),
        (["gap"], {}, Malformed, "name the rules: all of them play six-nimmt, x-nimmt"),
        (["mild", "bob/sharp"], {}, Malformed, "there are none that all play"),
        (["bob/sharp"], {"rules": X}, LeagueRefusal, "bob/sharp does not play x-nimmt"),
        (["gap"], {"rules": "go"}, Malformed, "go"),
        (["gap"], {"rules": X, "options": {"rounds": 1}}, Malformed, "rounds"),
        (["gap"] * 9, {"rules": X}, Malformed, "players"),
        (["gap"] * 3, {"rules": SIX, "boards": 101}, LeagueRefusal, "at most 100"),
        (["gap"], {"boards": 0}, Malformed, "got 0, expected a whole number from 1"),
        ([], {}, Malformed, "opponents"),
    ],
)
def test_what_cannot_be_played_is_refused_with_what_to_do(
    store: Store,
    ada: Owner,
    opponents: list[str],
    more: dict[str, Any],
    error: type[LeagueRefusal],
    says: str,
) -> None:
    with pytest.raises(error, match=says) as caught:
        ask(store, ada, *opponents, **more)
    assert caught.type is error
    with store.read() as session:
        assert data.friendlies.page(session) == []


def test_a_bot_whose_owner_said_no_is_left_alone_but_by_its_owner(store: Store, ada: Owner) -> None:
    bob = add_bot(store, "bob", "shy", [SIX])
    for number in (bob, bot_id(store, "ada/greedy")):
        with store.write() as session:
            change_bot(session, number, "its owner", friendlies=False)
    with pytest.raises(NotAllowed, match="bob/shy takes no friendly matches"):
        ask(store, ada, "bob/shy")
    assert table(store, ask(store, ada, "greedy@1", rules=SIX))[1] == ("ada/greedy", 1)


def test_who_does_not_play_here_plays_no_friendly_either(store: Store, ada: Owner) -> None:
    with store.write() as session:
        data.bots.suspend(session, bot_id(store, "bob/sharp"), "crashed the referee")
    with pytest.raises(LeagueRefusal, match="suspended: crashed the referee"):
        ask(store, ada, "bob/sharp")
    with store.write() as session:
        data.bots.suspend(session, bot_id(store, "bob/sharp"), None)
        data.bots.set_current(session, bot_id(store, "bob/sharp"), None)
    with pytest.raises(LeagueRefusal, match="no version that plays"):
        ask(store, ada, "bob/sharp")
    with store.write() as session:
        data.bots.set_current(session, bot_id(store, "bob/sharp"), 1)
        session.execute(
            sa.update(Owner).where(col(Owner.handle) == "bob").values(disabled_at=data.utc_now())
        )
    with pytest.raises(LeagueRefusal, match="its account is closed"):
        ask(store, ada, "bob/sharp")


def end(store: Store, match: Match) -> None:
    with store.write() as session:
        data.matches.cancel(session, match.id, "test")


def test_quotas_count_what_is_open_and_what_was_asked_for(store: Store, ada: Owner) -> None:
    first, second = (ask(store, ada, "gap", rules=SIX) for _ in range(2))
    with pytest.raises(LeagueRefusal, match="2 friendly matches of ada wait or are played") as one:
        ask(store, ada, "gap", rules=SIX)
    assert one.type is LeagueRefusal
    end(store, first)
    end(store, ask(store, ada, "gap", rules=SIX))
    end(store, second)
    with pytest.raises(TooOften, match="3 friendly matches of ada in the last hour") as caught:
        ask(store, ada, "gap", rules=SIX)
    assert 3500 < caught.value.retry_after <= 3600
    with store.write() as session:
        past = data.database_time(session) - timedelta(hours=2)
        session.execute(sa.update(Friendly).values(created_at=past))
    end(store, ask(store, ada, "gap", rules=SIX))
    with pytest.raises(TooOften, match="4 friendly matches of ada in the last 24 hours") as later:
        ask(store, ada, "gap", rules=SIX)
    assert later.value.retry_after == pytest.approx(22 * 3600, abs=100)


def test_a_league_may_play_none(store: Store, ada: Owner) -> None:
    none = FriendlyLimits(at_once=2, per_hour=0, per_day=4, games=100)
    with pytest.raises(NotAllowed, match="plays no friendly matches"):
        ask(store, ada, "gap", rules=SIX, limits=none)


def test_of_many_that_ask_at_once_only_as_many_as_allowed_get_one(store: Store, ada: Owner) -> None:
    got: list[object] = []

    def try_it() -> None:
        try:
            got.append(ask(store, ada, "gap", rules=SIX))
        except LeagueRefusal as error:
            got.append(error)

    threads = [threading.Thread(target=try_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(one, Match) for one in got) == LIMITS.at_once
    assert len(got) == 6


def test_only_its_author_calls_a_match_off_or_shares_it(store: Store, ada: Owner) -> None:
    match = ask(store, ada, "bob/sharp")
    with store.read() as session:
        bob = data.accounts.owner_by_handle(session, "bob")
    assert bob is not None
    acts: list[Callable[[Session, Owner], object]] = [
        lambda session, who: friendlies.cancel(session, match.id, who),
        lambda session, who: friendlies.set_shared(session, match.id, who, True),
    ]
    for act in acts:
        with pytest.raises(NotThere, match="expected one of yours"), store.write() as session:
            act(session, bob)
    with store.write() as session:
        assert friendlies.set_shared(session, match.id, ada, True).shared
        friendlies.cancel(session, match.id, ada)
    with store.read() as session:
        assert data.present(session, Match, match.id).state is MatchState.CANCELLED
        written = [one.action for one in data.audit.page(session, limit=2)]
    assert written == [Action.FRIENDLY_CANCEL, Action.FRIENDLY_SHARE]
    with pytest.raises(LeagueRefusal, match="nothing to call off"), store.write() as session:
        friendlies.cancel(session, match.id, ada)


@pytest.mark.parametrize("running", [False, True])
def test_an_organiser_calls_off_a_match_of_others(store: Store, ada: Owner, running: bool) -> None:
    match = ask(store, ada, "bob/sharp")
    with store.write() as session:
        boss = data.accounts.add_owner(session, "boss")
        attempt = data.attempts.claim(session, match.id, "w1") if running else None
    with store.write() as session:
        friendlies.cancel(session, match.id, boss, as_organiser=True)
    with store.read() as session:
        assert data.present(session, Match, match.id).state is MatchState.CANCELLED
        [written] = data.audit.page(session, limit=1)
        assert (written.action, written.actor) == (Action.FRIENDLY_CANCEL, "boss")
        assert written.detail == {"by": "organiser"}
        assert data.friendlies.asked(session, ada.id).open == 0
    if attempt is not None:
        with store.write() as session:
            assert not data.attempts.heartbeat(session, attempt.token), "its worker has to stop"
    with pytest.raises(NotThere, match="expected one that exists"), store.write() as session:
        friendlies.cancel(session, 999, boss, as_organiser=True)


def test_a_list_has_the_newest_first_and_says_how_many_wait_before(
    store: Store, ada: Owner
) -> None:
    first, second = (ask(store, ada, "gap", rules=SIX) for _ in range(2))
    with store.read() as session:
        rows = data.friendlies.page(session, owner_id=ada.id)
        assert [match.id for _, match in rows] == [second.id, first.id]
        assert [data.friendlies.ahead(session, match) for _, match in rows] == [1, 0]
        older = data.friendlies.page(session, owner_id=ada.id, before=second.id)
        assert [match.id for _, match in older] == [first.id]
        assert data.friendlies.page(session, owner_id=ada.id + 1) == []
    assert [bell.match_id for bell in friendlies.waiting_bells(store)] == [first.id, second.id]
