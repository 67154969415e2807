"""A disk that is full while a match is played is the machine's trouble; no match pays for it."""

import errno
import os
from threading import Event
from typing import Any

import pytest

import store
from league.matches import Player
from league.matches.inprocess import InProcessStage
from league.settings import LeagueSettings
from league.worker import tick
from store import Store
from tests.league.arena import add_version, open_ladder

FIELD = ("gap", "lowest", "random", "second")
MORE_THAN_ENOUGH = store.attempts.MAX_FAILURES + 1


class Failing(InProcessStage):
    """A stage that cannot even make a folder."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    async def play(self, *_: Any) -> Any:
        raise OSError(self.number, os.strerror(self.number), "/run/bullring/0123")


def played_often(database: Store, chosen: LeagueSettings, number: int) -> store.Match:
    """A match after more attempts than a match has."""
    for name in FIELD:
        add_version(database, f"owner-of-{name}/{name}", "sample:lowest")
    open_ladder(database)
    [bell] = tick.tick(database, chosen).matches[:1]
    player = Player(database, chosen, Failing(number), "here", Event())
    for _ in range(MORE_THAN_ENOUGH):
        player.play(bell.match_id)
    with database.read() as session:
        return store.present(session, store.Match, bell.match_id)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_brings_no_match_nearer_to_stuck(
    database: Store, chosen: LeagueSettings, number: int
) -> None:
    match = played_often(database, chosen, number)
    assert (match.state, match.failures) == (store.MatchState.QUEUED, 0)
    with database.read() as session:
        tried = store.match_lists.attempts(session, match.id)
    assert len(tried) == MORE_THAN_ENOUGH
    assert not any(one.charged for one in tried)
    assert "No space left" in str(tried[0].reason) or "quota" in str(tried[0].reason).lower()


def test_another_failure_of_the_system_is_a_bug_and_ends_in_a_stuck_match(
    database: Store, chosen: LeagueSettings
) -> None:
    match = played_often(database, chosen, errno.EIO)
    assert match.state is store.MatchState.STUCK
