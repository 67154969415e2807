"""What authors do with their bots: limits, refusals, and what is written down."""

import threading
from collections.abc import Callable
from functools import partial

import pytest
from sqlmodel import Session

import store as data
from league import authors, seasons
from league import ladder as ladders
from league.audit import LEAGUE, Action
from league.authors.bots import ABOUT_LENGTH
from league.errors import LeagueRefusal, Malformed, NotThere
from league.ladder import LadderPlan
from league.seasons import SeasonPlan
from store import AuditEntry, Bot, Owner, Store

SIX = ["six-nimmt"]
ORGANISER = "the organiser"


@pytest.fixture
def ada(store: Store) -> Owner:
    with store.write() as session:
        return data.accounts.add_owner(session, "ada")


def make(store: Store, ada: Owner, name: str = "greedy", versions: int = 0) -> Bot:
    with store.write() as session:
        bot = authors.create_bot(session, ada, name, SIX, most=9)
        for _ in range(versions):
            version = data.bots.add_version(session, bot.id, program=["x"])
            data.bots.accept_version(session, version.id)
        return bot


def last(store: Store) -> AuditEntry:
    with store.read() as session:
        return data.audit.page(session, limit=1)[0]


def refused(
    store: Store, error: type[LeagueRefusal], says: str, act: Callable[[Session], object]
) -> None:
    with pytest.raises(error, match=says) as caught, store.write() as session:
        act(session)
    assert caught.type is error


def test_a_bot_is_made_once_and_written_down(store: Store, ada: Owner) -> None:
    bot = make(store, ada)
    found = last(store)
    assert (found.action, found.subject_id, found.actor) == (Action.BOT_MADE, bot.id, "ada")
    assert type(found.action) is str
    with pytest.raises(data.Conflict, match="already has"):
        make(store, ada)


def test_what_no_bot_can_have_is_malformed(store: Store, ada: Owner) -> None:
    bot = make(store, ada)
    known = last(store).id
    for rules in ([], ["poker"]):
        create = partial(authors.create_bot, owner=ada, name="other", rules=rules, most=9)
        change = partial(authors.change_bot, bot_id=bot.id, actor=ada, rules=rules)
        for act in (create, change):
            refused(store, Malformed, "one of the games|expected some of", act)
    long = "x" * (ABOUT_LENGTH + 1)
    refused(
        store,
        Malformed,
        f"got {ABOUT_LENGTH + 1} characters",
        lambda s: authors.change_bot(s, bot.id, ada, about=long),
    )
    assert last(store).id == known


def test_of_two_last_bots_that_are_made_at_once_one_is_refused(store: Store, ada: Owner) -> None:
    make(store, ada, "first")
    ready = threading.Barrier(2)
    answers: list[str] = []

    def add(name: str) -> None:
        ready.wait()
        try:
            with store.write() as session:
                authors.create_bot(session, ada, name, SIX, most=2)
            answers.append("made")
        except LeagueRefusal as error:
            answers.append(str(error))

    threads = [threading.Thread(target=add, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answer[:18] for answer in answers) == ["ada has 2 bots, th", "made"]
    with store.read() as session:
        assert data.bots.count_of(session, ada.id) == 2


def test_only_what_is_different_is_written_down(store: Store, ada: Owner) -> None:
    bot = make(store, ada)
    with store.write() as session:
        authors.change_bot(session, bot.id, ada, about="It waits.", rules=SIX)
    assert last(store).detail == {"about": "It waits."}
    both = ["x-nimmt", *SIX, "x-nimmt"]
    with store.write() as session:
        authors.change_bot(session, bot.id, ada, rules=both)
    assert last(store).detail == {"rules": ["x-nimmt", "six-nimmt"]}
    known = last(store).id
    with store.write() as session:
        # In another order it plays the same.
        authors.change_bot(session, bot.id, ada, about="It waits.", rules=both[::-1])
    assert last(store).id == known


def test_a_bot_rests_and_plays_again(store: Store, ada: Owner) -> None:
    bot = make(store, ada, versions=2)
    for number in (None, 1, 2):
        with store.write() as session:
            changed = authors.choose_version(session, bot.id, number, ada)
            assert changed.current_version == number
        assert (last(store).action, last(store).detail) == (
            Action.BOT_VERSION,
            {"version": number},
        )
    with pytest.raises(data.Conflict), store.write() as session:
        authors.choose_version(session, bot.id, 7, ada)


def test_an_author_enters_and_takes_out_only_bots_of_their_own(store: Store, ada: Owner) -> None:
    make(store, ada, versions=1)
    with store.write() as session:
        season = seasons.create(session, SeasonPlan(name="cup", rules="six-nimmt"), ORGANISER)
        other = seasons.create(session, SeasonPlan(name="x", rules="x-nimmt"), ORGANISER)
        data.accounts.add_owner(session, "bob")
        bob = data.accounts.owner_by_handle(session, "bob")
        assert bob is not None
    refused(
        store,
        NotThere,
        "got bot 'greedy', expected one of yours",
        lambda s: authors.enter_season(s, season.id, "greedy", bob),
    )
    refused(
        store,
        LeagueRefusal,
        "plays six-nimmt, not x-nimmt",
        lambda s: authors.enter_season(s, other.id, "greedy", ada),
    )
    with store.write() as session:
        authors.enter_season(session, season.id, "greedy", ada)
    assert (last(store).action, last(store).detail) == (Action.SEASON_ENTER, {"bot": "ada/greedy"})
    with store.write() as session:
        authors.leave_season(session, season.id, "greedy", ada, "it is ill")
    assert (last(store).action, last(store).reason) == (Action.ENTRY_WITHDRAWN, "it is ill")


def test_an_author_goes_back_to_a_ladder_but_not_from_a_disqualification(
    store: Store, ada: Owner
) -> None:
    make(store, ada, versions=1)
    with store.write() as session:
        ladder = ladders.open_ladder(session, LadderPlan(rules="six-nimmt"), ORGANISER)
        authors.leave_ladder(session, ladder.id, "greedy", ada)
        authors.enter_ladder(session, ladder.id, "greedy", ada)
        ladders.take_out(session, ladder.id, "ada/greedy", ORGANISER, "two bots in one")
    refused(
        store,
        LeagueRefusal,
        "is disqualified: two bots in one; only an organiser",
        lambda s: authors.enter_ladder(s, ladder.id, "greedy", ada),
    )
    with store.write() as session:
        ladders.enter(session, ladder.id, "ada/greedy", ORGANISER)
    assert last(store).action == Action.LADDER_ENTER


def test_acts_are_found_again_in_the_log_of_both_databases(store: Store, ada: Owner) -> None:
    """A worker suspends without a line in the log; the clock adds it, once."""
    bot = make(store, ada, versions=1)
    with store.write() as session:
        data.bots.suspend(session, bot.id, "it fell")
    for _ in range(2):
        ladders.watch_failures(store)
    with store.read() as session:
        rows = data.audit.page(session, subject="bot", subject_id=bot.id)
    told = [(row.actor, row.reason) for row in rows if row.action == Action.BOT_SUSPEND]
    assert told == [(LEAGUE, "it fell")]
