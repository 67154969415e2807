"""Following a match live: what is shown when, who comes late or again, and who is slow."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
import sqlalchemy as sa

import dashboard.live.fanout
from dashboard.http import TooMany, TooManyTopics
from dashboard.live.fanout import MAX_SHOWS, MAX_SHOWS_OF_ONE, Shows, read_id
from dashboard.live.reel import AFTER_GAME_SECONDS, Reel
from league.live import Broadcast, Item
from store import MatchState
from tests.league.watched import broadcast_match, told, watched_plan

PLAN = watched_plan(players=3, boards=2)


def record(games: int = 2) -> list[Item]:
    """The whole record of a match."""
    broadcast = Broadcast()
    broadcast_match(broadcast, 7, watched_plan(players=3, boards=games))
    return list(broadcast.since(7))


def play(reel: Reel, seconds: float, start: float = 0.0, pause: float = 0.1) -> list[float]:
    """Let time pass; the moments at which something was shown."""
    times = [start + number * pause for number in range(int(seconds / pause))]
    return [now for now in times if reel.advance(now)]


def test_a_game_that_ran_ahead_is_shown_from_its_begin_at_a_pace_for_people() -> None:
    reel = Reel(7)
    reel.take(record(1))
    shown = play(reel, 120)
    assert reel.finished
    gaps = [after - before for before, after in pairwise(shown)]
    # The deal stays for more than a second, a turn of three cards for longer.
    assert min(gaps) > 0.9
    assert max(gaps) > 3


def test_a_game_in_progress_is_shown_as_it_stands_and_then_as_it_goes_on() -> None:
    items = record(1)
    reel = Reel(7)
    reel.take(items[:6])
    reel.advance(0.0)
    assert reel.count == 5
    reel.take(items[6:7])
    play(reel, 20)
    assert reel.count == 6


def test_the_next_game_is_the_one_that_has_begun_last() -> None:
    items = record(3)
    starts = [at for at, item in enumerate(items) if item.data["type"] == "game"]
    reel = Reel(7)
    reel.take(items[: starts[1] - 1])
    reel.advance(0.0)
    reel.take(items[starts[1] - 1 : starts[2] + 2])
    play(reel, 60, start=1.0)
    assert reel.shown is not None
    assert reel.shown.game.meta["game_no"] == 2


def test_a_gap_in_the_record_ends_the_game_and_the_next_one_is_whole() -> None:
    items = record(2)
    second = [at for at, item in enumerate(items) if item.data["type"] == "game"][1]
    reel = Reel(7)
    reel.take(items[:4])
    reel.advance(0.0)
    reel.take(items[6 : second + 2])
    play(reel, 30 + AFTER_GAME_SECONDS, start=1.0)
    assert reel.shown is not None
    assert reel.shown.game.meta["game_no"] == 1


def test_an_attempt_that_came_to_nothing_leaves_the_screen() -> None:
    reel = Reel(7)
    reel.take(record(1)[:5])
    reel.advance(0.0)
    again = [replace(item, attempt=2) for item in record(1)[:2]]
    reel.take(again)
    assert reel.advance(1.0)
    assert reel.place == (2, 1)
    assert reel.count == 1


def test_who_comes_back_to_another_process_goes_on_in_the_same_game() -> None:
    items = record(2)
    reel = Reel(7, resume=items[5].place)
    reel.take(items)
    reel.advance(0.0)
    assert reel.shown is not None
    assert reel.shown.game.meta["game_no"] == 0
    assert reel.count == 5


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """For the clock of these tests a look every five seconds."""
    monkeypatch.setattr(dashboard.live.fanout, "LOOK_SECONDS", 0.005)


class Clock:
    """Time that runs a thousand times too fast."""

    def __call__(self) -> float:
        return asyncio.get_running_loop().time() * 1000


class World:
    """A record that grows, and the state of its match."""

    def __init__(self) -> None:
        self.broadcast = Broadcast()
        self.state = MatchState.RUNNING
        self.shows = Shows(clock=Clock())
        self.broadcast.begin(7, PLAN)

    def watch(self, last: str | None = None) -> AsyncGenerator[bytes, None]:
        return self.shows.watch(7, self.look, lambda: self.state, read_id(last))

    def look(self, after: tuple[int, int]) -> Sequence[Item]:
        return self.broadcast.since(7, after)

    def finish(self) -> None:
        self.broadcast.end(7, "done")
        self.state = MatchState.DONE


def parsed(event: bytes) -> tuple[str, str | None, Any]:
    """Name, id and data of a server-sent event."""
    fields = dict(line.split(": ", 1) for line in event.decode().strip().splitlines())
    data = json.loads(fields["data"]) if "data" in fields else None
    return fields.get("event", ""), fields.get("id"), data


async def steps_of(
    stream: AsyncGenerator[bytes, None], until: int | None = None
) -> tuple[list[Any], str]:
    """The steps as a browser would have them, and the last event id."""
    steps: list[Any] = []
    last = ""
    async for event in stream:
        name, number, data = parsed(event)
        last = number or last
        if name == "game":
            steps = data["steps"]
        elif name == "steps":
            steps += data["steps"]
        if until is not None and len(steps) >= until:
            break
    return steps, last


@pytest.mark.anyio
async def test_who_is_cut_off_and_comes_back_has_the_same_game_as_who_stayed() -> None:
    world = World()
    first = [message for message in told(PLAN) if message.get("game_no") == 0]
    for message in first:
        world.broadcast.tell(7, message)
    staying = asyncio.create_task(steps_of(world.watch()))
    leaving = world.watch()
    before, last = await steps_of(leaving, until=4)
    await leaving.aclose()
    world.finish()
    stayed, _ = await staying
    # What was missed comes again after the id, and nothing twice.
    back, _ = await steps_of(world.watch(last))
    assert before + back == stayed
    assert len(stayed) > 9
    assert world.shows.watchers == 0


@pytest.mark.anyio
async def test_a_watcher_who_does_not_read_holds_nobody_up_and_gets_the_game_later() -> None:
    world = World()
    slow = world.watch()
    await anext(slow)
    for message in told(PLAN):
        world.broadcast.tell(7, message)
    world.finish()
    quick, _ = await steps_of(world.watch())
    late, _ = await steps_of(slow)
    assert quick[-1]["events"][-1]["event"] == "game_end"
    assert late == quick


@pytest.mark.anyio
async def test_a_watcher_who_is_blocked_at_the_very_end_gets_the_last_steps() -> None:
    world = World()
    messages = list(told(PLAN))
    for message in messages[:6]:
        world.broadcast.tell(7, message)
    slow = world.watch()
    # The event that it was sent last is not read on: the line is full.
    blocked: list[Any] = []
    async for event in slow:
        name, _, data = parsed(event)
        if name == "game":
            blocked = data["steps"]
            break
    assert blocked
    for message in messages[6:]:
        world.broadcast.tell(7, message)
    world.finish()
    quick, _ = await steps_of(world.watch())
    late, _ = await steps_of(slow)
    assert quick[-1]["events"][-1]["event"] == "game_end"
    # Either the rest of the game on screen, or the one that was shown meanwhile from its begin.
    assert late[-1] == quick[-1]


@pytest.mark.anyio
async def test_a_watcher_who_is_blocked_at_a_status_gets_the_last_steps_too() -> None:
    world = World()
    messages = [message for message in told(PLAN) if message.get("game_no") == 0]
    for message in messages[:6]:
        world.broadcast.tell(7, message)
    slow = world.watch()
    steps: list[Any] = []
    async for event in slow:
        name, _, data = parsed(event)
        steps += data["steps"] if name in ("game", "steps") else []
        if name == "status":
            break
    for message in messages[6:]:
        world.broadcast.tell(7, message)
    world.finish()
    quick, _ = await steps_of(world.watch())
    async for event in slow:
        name, _, data = parsed(event)
        steps += data["steps"] if name == "steps" else []
    assert steps == quick


@pytest.mark.anyio
async def test_a_match_whose_worker_dies_after_its_end_ends_for_its_watchers_too() -> None:
    world = World()
    for message in told(PLAN):
        world.broadcast.tell(7, message)
    world.state = MatchState.DONE
    events = [parsed(event) async for event in world.watch()]
    assert events[-1][2]["final"] is True


@pytest.mark.anyio
async def test_there_is_an_end_to_how_many_matches_are_followed() -> None:
    shows = Shows()
    streams = [
        shows.watch(
            number, lambda _: [], lambda: MatchState.RUNNING, None, address=f"10.0.0.{number}"
        )
        for number in range(MAX_SHOWS)
    ]
    for stream in streams:
        await anext(stream)
    with pytest.raises(TooManyTopics):
        shows.watch(-1, lambda _: [], lambda: MatchState.RUNNING, None)
    for stream in streams:
        await stream.aclose()
    assert shows.watchers == 0


@pytest.mark.anyio
async def test_one_address_cannot_take_the_places_of_everybody() -> None:
    shows = Shows()

    def watch(number: int, address: str) -> AsyncGenerator[bytes, None]:
        return shows.watch(number, lambda _: [], lambda: MatchState.RUNNING, None, address=address)

    streams = [watch(number, "10.0.0.1") for number in range(MAX_SHOWS_OF_ONE)]
    for stream in streams:
        await anext(stream)
    with pytest.raises(TooMany, match="from your address"):
        watch(MAX_SHOWS_OF_ONE, "10.0.0.1")
    # A match more for somebody else, and one of the same matches for a neighbour: both are fine.
    streams += [watch(MAX_SHOWS_OF_ONE, "10.0.0.2"), watch(0, "10.0.0.1")]
    for stream in streams[-2:]:
        await anext(stream)
    for stream in streams:
        await stream.aclose()
    assert shows.watchers == 0


@pytest.mark.anyio
async def test_a_match_that_has_not_begun_says_so_and_holds_no_place() -> None:
    shows = Shows()
    stream = shows.watch(7, lambda _: [], lambda: MatchState.QUEUED, None, now=MatchState.QUEUED)
    hello, status = [event async for event in stream]
    assert b"retry: " in hello
    assert parsed(status)[2] == {"state": "queued", "done": 0, "final": False}


@pytest.mark.anyio
async def test_a_database_that_is_away_for_a_moment_ends_no_stream() -> None:
    world = World()
    failures = [sa.exc.OperationalError("select", {}, Exception("restarting"))]

    def state() -> MatchState:
        if failures:
            raise failures.pop()
        return world.state

    broadcast_match(world.broadcast, 7, PLAN)
    world.finish()
    events = [parsed(event) async for event in world.shows.watch(7, world.look, state, None)]
    assert not failures
    assert events[-1][2]["final"] is True


@pytest.mark.anyio
async def test_a_show_that_fails_sends_its_watchers_away_to_come_again() -> None:
    world = World()

    def look(after: tuple[int, int]) -> Sequence[Item]:
        raise RuntimeError("a bug")

    events = [
        parsed(event)
        async for event in world.shows.watch(7, look, lambda: MatchState.RUNNING, None)
    ]
    assert events[-1][2]["final"] is False
    assert world.shows.watchers == 0
    # Who comes next gets a show of their own, not the broken one.
    broadcast_match(world.broadcast, 7, PLAN)
    world.finish()
    steps, _ = await steps_of(world.watch())
    assert steps
