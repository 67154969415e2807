""" "Why is my bot not playing?": every answer is produced by the state of a stored league."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from sqlmodel import select

import store
from league.ladder import LadderPlan, life, queue, why
from league.ladder.why import WhyNot
from store import Ladder, Store, SubmissionKind, Version, VersionState
from tests.league.arena import PLAN, add_version, add_worker
from tests.league.world import ORGANISER

FIELD = ("house", "highest", "greedy", "random", "taker")
BOT = "owner-of-random/random"
SEED = 1
Act = Callable[[Store, Ladder], None]


def nothing(database: Store, made: Ladder) -> None:
    """Everything is as it should be."""


def fill(database: Store, made: Ladder) -> None:
    """All the matches the field can have in flight; who is left over is drawn, hence the seed."""
    with database.write() as session:
        queue.make_matches(session, made.id, 40, seed=SEED)


def no_current(database: Store, state: VersionState | None) -> None:
    with database.write() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        bot.current_version = None
        for version in store.bots.versions(session, bot.id):
            if state is None:
                session.delete(version)
            else:
                store.locked(session, Version, version.id).state = state


def submit_bot(database: Store, made: Ladder) -> None:
    no_current(database, None)
    with database.write() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        store.bots.submit(session, bot.owner_id, bot.id, SubmissionKind.IMAGE_ARCHIVE, "upload")


def suspend(database: Store, made: Ladder) -> None:
    with database.write() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        store.bots.suspend(session, bot.id, "it crashed and crashed")


def take_out(by_author: bool) -> Act:
    def act(database: Store, made: Ladder) -> None:
        with database.write() as session:
            life.take_out(session, made.id, BOT, ORGANISER, "a reason", by_author=by_author)

    return act


def change_rules(database: Store, made: Ladder) -> None:
    with database.write() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        bot.rules = ["x-nimmt"]


def twin(database: Store, made: Ladder) -> None:
    add_version(database, "owner-of-greedy/greedy", "random", fingerprint="files:same")
    add_version(database, BOT, "random", fingerprint="files:same")


def reject_others(database: Store, made: Ladder) -> None:
    with database.write() as session:
        for bot, version in store.bots.playable(session, "six-nimmt"):
            if bot.name not in ("random", "house"):
                store.locked(session, Version, version.id).state = VersionState.REJECTED


def twin_of_a_build_sent_again(database: Store, made: Ladder) -> None:
    """The one who had it first sends it again after it was copied."""
    add_version(database, "owner-of-greedy/greedy", "random", fingerprint="files:same")
    add_version(database, BOT, "random", fingerprint="files:same")
    add_version(database, "owner-of-greedy/greedy", "random", fingerprint="files:same")


def close(database: Store, made: Ladder) -> None:
    with database.write() as session:
        life.close(session, made.id, ORGANISER)


def no_worker(database: Store, made: Ladder) -> None:
    with database.write() as session:
        store.workers.sign_off(session, "here")


def fill_only(database: Store, made: Ladder) -> None:
    with database.write() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        bot.is_anchor = True


def fill_slowly(database: Store, made: Ladder) -> None:
    """It has filled a seat before, and thought for a minute where a minute is promised."""
    with database.write() as session:
        queue.make_matches(session, made.id, 40, seed=SEED)
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        for match in store.match_lists.matches(session, bot_id=bot.id):
            store.locked(session, store.Match, match.id).state = store.MatchState.DONE
            for seat in session.exec(select(store.Seat).where(store.Seat.match_id == match.id)):
                seat.games = match.boards
                seat.think_ms = 60_000.0 if seat.bot_id == bot.id else 1.0
    fill_only(database, made)


CASES: list[tuple[WhyNot, Act]] = [
    (WhyNot.ITS_TURN_COMES, nothing),
    (WhyNot.AT_CAP, fill),
    (WhyNot.CHECKING, submit_bot),
    (WhyNot.CHECKING, lambda database, _: no_current(database, VersionState.CHECKING)),
    (WhyNot.REJECTED, lambda database, _: no_current(database, VersionState.REJECTED)),
    (WhyNot.WITHDRAWN, lambda database, _: no_current(database, VersionState.ACCEPTED)),
    (WhyNot.NOT_ENTERED, lambda database, _: no_current(database, None)),
    (WhyNot.OTHER_RULES, change_rules),
    (WhyNot.ONLY_FILLS, fill_only),
    (WhyNot.TOO_SLOW_TO_FILL, fill_slowly),
    (WhyNot.SUSPENDED, suspend),
    (WhyNot.WITHDRAWN, take_out(by_author=True)),
    (WhyNot.DISQUALIFIED, take_out(by_author=False)),
    (WhyNot.TWIN_PLAYS, twin),
    (WhyNot.TWIN_PLAYS, twin_of_a_build_sent_again),
    (WhyNot.TOO_FEW_BOTS, reject_others),
    (WhyNot.LADDER_PAUSED, close),
    (WhyNot.NO_WORKER, no_worker),
]


def opened(database: Store) -> Ladder:
    add_worker(database)
    with database.write() as session:
        return life.open_ladder(session, PLAN, ORGANISER)


def reason(database: Store, made: Ladder, number: int | None = None) -> WhyNot:
    with database.read() as session:
        now = store.present(session, Ladder, made.id)
        return why.why_idle(session, now, BOT, number).reason


@pytest.mark.parametrize(("expected", "act"), CASES)
def test_every_state_has_its_reason(database: Store, expected: WhyNot, act: Act) -> None:
    made = opened(database)
    act(database, made)
    assert reason(database, made) is expected


def test_an_older_version_is_superseded(database: Store) -> None:
    made = opened(database)
    add_version(database, BOT, "random")
    assert reason(database, made, number=1) is WhyNot.SUPERSEDED
    assert reason(database, made, number=2) is WhyNot.ITS_TURN_COMES
    with pytest.raises(store.NotFound, match="version 9"):
        reason(database, made, number=9)


def test_every_reason_is_produced_by_some_test() -> None:
    assert {case[0] for case in CASES} | {WhyNot.SUPERSEDED} == set(WhyNot)


def test_the_answer_as_data_holds_the_reason_somebody_wrote(database: Store) -> None:
    made = opened(database)
    take_out(by_author=False)(database, made)
    with database.read() as session:
        found = why.why_idle(session, store.present(session, Ladder, made.id), BOT).to_json()
    assert found["reason"] == "DISQUALIFIED"
    assert found["detail"] == "a reason"
    assert found["bot"] == BOT


def test_a_bot_that_was_taken_out_is_not_drawn_until_it_is_back(database: Store) -> None:
    made = opened(database)
    take_out(by_author=True)(database, made)
    for _ in range(5):
        queue.queue_matches(database, room=20)
    with database.read() as session:
        bot = store.bots.find_bot(session, BOT)
        assert bot is not None
        assert store.match_lists.matches(session, scale_id=made.id) != []
        assert store.match_lists.matches(session, bot_id=bot.id) == []
    with database.write() as session:
        life.enter(session, made.id, BOT, ORGANISER)
    assert reason(database, made) is not WhyNot.WITHDRAWN


def test_the_promise_is_what_was_chosen_or_what_the_fleet_can_hold(database: Store) -> None:
    add_worker(database, slots=2)
    with database.write() as session:
        chosen = life.open_ladder(
            session, LadderPlan(rules="six-nimmt", longest_wait=123.0), ORGANISER
        )
        free = life.open_ladder(session, LadderPlan(rules="six-nimmt", table=5), ORGANISER)
    with database.read() as session:
        assert why.why_idle(session, chosen, BOT).longest_wait == 123.0
        # One lap of five bots at tables of five takes 60 s on two slots; four times that is safe.
        assert why.why_idle(session, free, BOT).longest_wait == 120.0


def test_the_promise_counts_the_time_that_matches_hold_their_slot(database: Store) -> None:
    add_worker(database)
    with database.write() as session:
        made = life.open_ladder(
            session, PLAN.model_copy(update={"table": 5, "boards": 5}), ORGANISER
        )
        [bell] = queue.make_matches(session, made.id, 1, seed=SEED)
        row = store.locked(session, store.Match, bell.match_id)
        # Played in ten seconds; with the start of its bots and the storing it took a hundred.
        row.state, row.seconds = store.MatchState.DONE, 10.0
        row.started_at = row.created_at
        row.finished_at = row.created_at + timedelta(seconds=100)
    with database.read() as session:
        assert why.why_idle(session, made, BOT).longest_wait == 400.0
