"""The kinds of work beside the league's matches: checks, reviews, friendlies, tables."""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager

import structlog

import store
from league.matches import Player, match_name
from league.people import TablePlayer
from league.worker.broker import (
    CHECK,
    CHECKS,
    FRIENDLIES,
    FRIENDLY,
    REVIEW,
    REVIEWS,
    SIT,
    TABLES,
)
from league.worker.standing import Standing
from league.worker.work import Work, WorkSlots
from store import Store

TABLE_POLL_SECONDS = 0.5
"""Seconds; a person has just sat down and waits."""


def submission_checks(database: Store, check: Callable[[int], object]) -> Work:
    """Build and check submissions, one at a time."""

    def check_waiting(slots: WorkSlots) -> bool:
        with database.read() as session:
            waiting = store.bots.unclaimed_submissions(session)
        for submission_id in waiting:
            if not slots.standing.takes:
                break
            with slots.busy():
                check(submission_id)
        # What another worker has claimed, or none may check here, is still in that list.
        return False

    return Work(
        name="checks",
        task=CHECK,
        queues=(CHECKS,),
        do_next=check_waiting,
        failure="no submission checked",
    )


def match_reviews(make_next: Callable[[threading.Event], bool]) -> Work:
    """Make reviews, one at a time.

    `make_next` makes the next one that is wanted, or leaves it when the event is set; it says
    whether one was wanted.
    """

    def review_next(slots: WorkSlots) -> bool:
        with slots.busy():
            return make_next(slots.standing.draining)

    return Work(
        name="reviews",
        task=REVIEW,
        queues=(REVIEWS,),
        do_next=review_next,
        failure="no review made",
        # Whatever it is, matches go on; the lease gives the review to another.
        needs_examination=False,
    )


def friendly_matches(database: Store, player_for: Callable[[Standing], Player], slots: int) -> Work:
    """Play friendly matches in slots of their own, so that no match of the league waits for one."""

    def play_next(own: WorkSlots) -> bool:
        with database.read() as session:
            if not store.attempts.any_queued(session, (FRIENDLIES,)):
                return False
        player = player_for(own.standing)
        with own.busy():
            attempt = player.claim_next()
            if attempt is None:
                return False
            with structlog.contextvars.bound_contextvars(match=match_name(attempt.match_id)):
                player.play_claimed(attempt)
        return True

    return Work(
        name="friendlies",
        task=FRIENDLY,
        queues=(FRIENDLIES,),
        do_next=play_next,
        failure="no friendly match played",
        slots=slots,
        # One that is under way when its worker leaves is played elsewhere.
        is_awaited=False,
    )


def people_tables(
    database: Store,
    seated: Callable[[threading.Event], AbstractContextManager[TablePlayer]],
    count: int,
) -> Work:
    """Play tables with people, `count` at the same time.

    `seated` gives a player that leaves its table to another worker when the event is set.
    """

    def play_next(slots: WorkSlots) -> bool:
        with database.read() as session:
            if not store.attempts.any_queued(session, (TABLES,)):
                return False
        with slots.busy(), seated(slots.standing.draining) as player:
            attempt = player.claim_next()
            if attempt is None:
                return False
            player.play_claimed(attempt)
        return True

    return Work(
        name="tables",
        task=SIT,
        queues=(TABLES,),
        do_next=play_next,
        failure="no table played",
        slots=count,
        poll_seconds=TABLE_POLL_SECONDS,
    )
