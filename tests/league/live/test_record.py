"""The record of running matches: public, bounded, and copied without ever holding a match up."""

import json
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis

from league.live.record import KEEP_GAMES, KEEP_MATCHES, Broadcast, Item
from league.live.relay import OVER_SECONDS, RedisRecords, Relay, from_pipe, to_pipe, to_redis
from league.matches import Player
from league.matches.inprocess import InProcessStage
from league.seasons import SeasonPlan
from nimmt import commitment
from store import SeasonState, matches
from tests.factories import add_bots, open_store
from tests.league.watched import broadcast_match, told, watched_plan
from tests.league.world import season_in, settings, wait_for

PLAN = watched_plan(boards=5)


@pytest.mark.parametrize("rules", ["six-nimmt", "eleven-nimmt", "x-nimmt"])
def test_a_record_says_who_plays_and_nothing_that_is_hidden(rules: str) -> None:
    plan = watched_plan(3, 2, rules)
    broadcast = Broadcast()
    broadcast_match(broadcast, 7, plan)
    items = broadcast.since(7)
    assert [item.number for item in items] == list(range(items[0].number, items[-1].number + 1))
    game = items[0].data
    assert game["players"] == [{"bot": f"bot/{n}", "version": None} for n in (0, 1, 2)]
    assert items[-1].data == {"type": "over", "how": "done", "done": 2}
    assert plan.key not in json.dumps([item.data for item in items])
    for item in items:
        events: Any = item.data.get("events", [])
        for event in events:
            hidden = event["event"] == "move" and event["why"] == "deal"
            if hidden and (event["dst"] == "draw" or event["dst"].startswith("hand:")):
                assert set(event["cards"]) == {0}


def test_old_games_are_dropped_whole_and_old_matches_after_them() -> None:
    broadcast = Broadcast()
    for match_id in range(KEEP_MATCHES + 5):
        broadcast.begin(match_id, PLAN)
        broadcast.end(match_id, "void")
    broadcast_match(broadcast, 1000, PLAN)
    assert len(broadcast.matches()) == KEEP_MATCHES
    items = broadcast.since(1000)
    assert items[0].data["type"] == "game"
    assert [item.data["type"] for item in items].count("game") == KEEP_GAMES


def test_an_attempt_that_came_to_nothing_is_followed_by_a_new_record(tmp_path: Path) -> None:
    chosen = settings(tmp_path)
    database = open_store(chosen)
    plan = SeasonPlan(name="spring", rules="six-nimmt", options={"rounds": 1}, boards=4)
    season_in(database, SeasonState.RUNNING, plan, add_bots(database))
    broadcast, stage = Broadcast(), InProcessStage()
    stage.fail = lambda plan: plan.attempt == 1
    player = Player(database, chosen, stage, "here", threading.Event(), broadcast)
    with database.write() as session:
        matches.publish(session, [1])
    ends = []
    for _ in range(2):
        player.play(1)
        ends.append([(item.attempt, item.data["how"]) for item in broadcast.since(1)])
    assert ends == [[(1, "void")], [(2, "done")]]


class Flaky:
    """A line that is dead at first."""

    def __init__(self) -> None:
        self.alive = threading.Event()
        self.tried = threading.Event()
        self.got: list[Item] = []

    def __call__(self, match_id: int, items: Sequence[Item]) -> None:
        self.tried.set()
        if not self.alive.is_set():
            raise redis.ConnectionError("nobody listens")
        self.got += items


def test_a_dead_line_holds_no_match_up_and_nothing_of_the_game_is_lost() -> None:
    broadcast, line = Broadcast(), Flaky()
    relay = Relay(broadcast, line)
    broadcast.begin(7, PLAN)
    messages = list(told(PLAN))
    for message in messages[:8]:
        broadcast.tell(7, message)
    assert line.tried.wait(30)
    for message in messages[8:11]:
        broadcast.tell(7, message)
    line.alive.set()
    wait_for(lambda: line.got == list(broadcast.since(7)))
    relay.close()


def test_a_message_that_makes_no_sense_costs_nobody_a_match() -> None:
    broadcast = Broadcast()
    broadcast.begin(7, PLAN)
    broadcast.tell(7, {"type": "event", "pass": 9, "game_no": 9, "events": []})
    broadcast.tell(8, {"type": "event"})
    assert not broadcast.since(7)


def test_another_match_with_the_number_of_a_removed_one_has_a_record_of_its_own() -> None:
    there, here, sent = Broadcast(), Broadcast(), threading.Event()

    def send(match_id: int, items: Sequence[Item]) -> None:
        for item in items:
            here.put(match_id, item)
        sent.set()

    relay = Relay(there, send)
    broadcast_match(there, 7, PLAN)
    assert sent.wait(30)
    wait_for(lambda: list(here.since(7)) == list(there.since(7)))
    other = replace(PLAN, key="11" * 32)
    there.begin(7, other)
    for message in list(told(other))[:3]:
        there.tell(7, message)
    wait_for(lambda: list(here.since(7)) == list(there.since(7)))
    relay.close()
    assert {item.of for item in here.since(7)} == {commitment(bytes.fromhex(other.key))}


@pytest.mark.redis
def test_redis_carries_the_record_to_other_processes(redis_url: str) -> None:
    broadcast = Broadcast()
    relay = Relay(broadcast, to_redis(redis_url))
    broadcast_match(broadcast, 7, PLAN)
    records = RedisRecords(redis_url)
    wait_for(lambda: bool(records.since(7)) and records.since(7)[-1].data["type"] == "over")
    relay.close()
    whole = list(broadcast.since(7))
    assert list(records.since(7))[-len(whole) :] == whole
    assert list(records.since(7, whole[4].place)) == whole[5:]
    # What was sent already is refused and not doubled.
    to_redis(redis_url)(7, whole[3:])
    assert list(records.since(7, whole[4].place)) == whole[5:]


@pytest.mark.redis
def test_redis_keeps_few_games_and_a_match_that_is_over_for_a_short_time(redis_url: str) -> None:
    plan = watched_plan(boards=40)
    broadcast, send = Broadcast(), to_redis(redis_url)
    client = redis.Redis.from_url(redis_url)
    broadcast.begin(9, plan)
    place, count = (0, 0), 0
    for message in told(plan):
        broadcast.tell(9, message)
        if items := broadcast.since(9, place):
            send(9, items)
            place, count = items[-1].place, count + len(items)
    # Redis trims by whole pieces, so a few entries more may stay.
    kept = client.xlen("bullring:live:9")
    assert len(broadcast.since(9)) <= kept < count / 3
    assert client.ttl("bullring:live:9") > OVER_SECONDS
    broadcast.end(9, "done")
    send(9, broadcast.since(9, place))
    assert 0 < client.ttl("bullring:live:9") <= OVER_SECONDS


def test_without_redis_there_is_nothing_to_read() -> None:
    assert RedisRecords("redis://127.0.0.1:1/0").since(7) == []


def test_a_pipe_carries_the_record_to_the_process_with_the_pages() -> None:
    reads, writes = os.pipe()
    there, here = Broadcast(), Broadcast()
    broadcast_match(there, 7, PLAN)
    listener = threading.Thread(target=from_pipe, args=(reads, here))
    listener.start()
    to_pipe(writes)(7, there.since(7))
    os.close(writes)
    listener.join(30)
    assert list(here.since(7)) == list(there.since(7))
