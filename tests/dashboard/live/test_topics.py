"""Live streams: one look for all, a final state ends them, nobody's slowness costs the others."""

import asyncio
import http.client
import json
from collections.abc import AsyncGenerator

import pytest
import sqlalchemy as sa
import structlog

from dashboard.http import TooMany, TooManyTopics
from dashboard.live import streams
from dashboard.live.topics import MAX_TOPICS, MAX_TOPICS_OF_ONE, Live
from dashboard.settings import Settings
from league import seasons as league_seasons
from store import Store, SubmissionState, attempts, bots, match_lists, matches, seasons
from tests.dashboard.conftest import Browser
from tests.dashboard.seed import Seeded
from tests.dashboard.serving import served


def data_of(event: bytes) -> object:
    lines = event.decode().splitlines()
    found = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return json.loads(found[0]) if found else None


@pytest.mark.anyio
async def test_all_watchers_share_one_look_and_end_with_the_final_state() -> None:
    live = Live(0.01)
    looks = 0

    def look() -> dict[str, object]:
        nonlocal looks
        looks += 1
        return {"n": min(looks, 3), "final": looks >= 3}

    async def follow() -> list[object]:
        return [
            data for event in [e async for e in live.watch("x", look)] if (data := data_of(event))
        ]

    seen = await asyncio.gather(*(follow() for _ in range(20)))
    assert all(one[-1] == {"n": 3, "final": True} for one in seen)
    assert looks == 3
    assert live.watchers == 0


@pytest.mark.anyio
async def test_a_watcher_who_does_not_read_holds_nobody_up() -> None:
    live = Live(0.01)
    states = iter(range(10_000))

    def look() -> dict[str, object]:
        number = next(states)
        return {"n": number, "final": number >= 20}

    slow = live.watch("x", look)
    await anext(slow)
    quick = [event async for event in live.watch("x", look)]
    assert data_of(quick[-1]) == {"n": 20, "final": True}
    # The slow one finds the newest state, not a queue of old ones.
    assert data_of(await anext(slow)) == {"n": 20, "final": True}
    await live.close()


@pytest.mark.anyio
async def test_a_watcher_who_is_blocked_when_the_end_comes_still_gets_it() -> None:
    live = Live(0.01)
    state: dict[str, object] = {"n": 1, "final": False}
    slow = live.watch("x", lambda: state)
    await anext(slow)
    assert data_of(await anext(slow)) == {"n": 1, "final": False}
    state = {"n": 2, "final": True}
    quick = [event async for event in live.watch("x", lambda: state)]
    assert data_of(quick[-1]) == {"n": 2, "final": True}
    assert [data_of(event) async for event in slow] == [{"n": 2, "final": True}]


def test_no_cache_keeps_a_stream_and_no_proxy_holds_it_back(
    settings: Settings, store: Store, seeded: Seeded
) -> None:
    paths = ("/api/v1/seasons/spring/events", f"/api/v1/matches/{seeded.running}/live")
    with served(settings, store) as url:
        for path in paths:
            connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
            connection.request("GET", path)
            answer = connection.getresponse()
            assert answer.getheader("content-type", "").startswith("text/event-stream")
            assert answer.getheader("cache-control") == "no-cache"
            assert answer.getheader("x-accel-buffering") == "no"
            connection.close()


async def open_all(opened: list[AsyncGenerator[bytes, None]]) -> None:
    for stream in opened:
        await anext(stream)


async def close_all(opened: list[AsyncGenerator[bytes, None]]) -> None:
    for stream in opened:
        await stream.aclose()


@pytest.mark.anyio
async def test_there_is_an_end_to_what_can_be_watched() -> None:
    live = Live(10)
    opened = [live.watch(str(number), dict, f"10.0.0.{number}") for number in range(MAX_TOPICS)]
    await open_all(opened)
    # Refused before the answer begins, so that it can say 503.
    with pytest.raises(TooManyTopics):
        live.watch("one more", dict)
    await close_all(opened)
    assert live.watchers == 0


@pytest.mark.anyio
async def test_one_address_cannot_take_the_places_of_everybody(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "MAX_STREAMS_OF_ONE", MAX_TOPICS_OF_ONE + 1)
    live = Live(10)
    opened = [live.watch(str(number), dict, "10.0.0.1") for number in range(MAX_TOPICS_OF_ONE)]
    await open_all(opened)
    with pytest.raises(TooMany, match="from your address"):
        live.watch("one more", dict, "10.0.0.1")
    # One thing more for somebody else, and one of the same things for a neighbour: both are fine.
    more = [live.watch("one more", dict, "10.0.0.2"), live.watch("0", dict, "10.0.0.1")]
    await open_all(more)
    with pytest.raises(TooMany, match="from your address"):
        live.watch("0", dict, "10.0.0.1")
    await close_all(opened + more)
    assert live.watchers == 0


@pytest.mark.anyio
async def test_watchers_keep_their_stream_while_the_database_is_away() -> None:
    live = Live(0.01)
    looks = 0

    def look() -> dict[str, object]:
        nonlocal looks
        looks += 1
        if looks in (2, 3):
            raise sa.exc.OperationalError("select", {}, Exception("connection refused"))
        return {"n": looks, "final": looks > 3}

    with structlog.testing.capture_logs() as logs:
        seen = [data_of(event) async for event in live.watch("x", look)]
    assert seen == [None, {"n": 1, "final": False}, {"n": 4, "final": True}]
    pauses = [entry["again_s"] for entry in logs if entry["log_level"] == "warning"]
    assert pauses == [0.02, 0.04]


@pytest.mark.anyio
async def test_a_look_that_fails_is_logged_and_sends_its_watchers_away_to_come_again() -> None:
    live = Live(0.01)

    def look() -> dict[str, object]:
        raise ZeroDivisionError

    with structlog.testing.capture_logs() as logs:
        seen = [data_of(event) async for event in live.watch("x", look)]
    assert seen == [None]
    assert [entry["log_level"] for entry in logs] == ["error"]
    # Who comes again is looked for again, instead of waiting at a task that has ended.
    assert data_of([e async for e in live.watch("x", lambda: {"final": True})][-1]) == {
        "final": True
    }


def test_the_streams_of_seasons_and_submissions_count_by_address(
    heron: Browser, seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "MAX_STREAMS_OF_ONE", 0)
    for path in (f"submissions/{seeded.submission}", f"seasons/{seeded.season}"):
        answer = heron.get(f"/api/v1/{path}/events")
        assert answer.status_code == 429
        assert answer.headers["retry-after"] == "5"


def test_a_submission_is_followed_to_its_end(heron: Browser, store: Store) -> None:
    with store.write() as session:
        held = bots.claim_submission(session, 3, "worker")
        assert held is not None
        assert held.token is not None
        bots.advance_submission(
            session,
            held.token,
            SubmissionState.REJECTED,
            log="built\n\x1b[31mfailed\x1b[0m\n",
            report={"problem": "no"},
        )
    with heron.stream("GET", "/api/v1/submissions/3/events") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        text = "".join(answer.iter_text())
    assert '"state": "rejected"' in text
    assert "built\\nfailed\\n" in text


def test_another_authors_submission_cannot_be_followed(otter: Browser, seeded: Seeded) -> None:
    path = f"/api/v1/submissions/{seeded.submission}/events"
    assert otter.get(path).status_code == 404


def test_a_rehearsal_does_not_crowd_out_what_everybody_may_watch(
    spectator: Browser, store: Store, seeded: Seeded
) -> None:
    with store.write() as session:
        season = seasons.by_name(session, seeded.draft)
        assert season is not None
        rehearsed = league_seasons.begin_rehearsal(session, season, "test", bots=4)
        hidden = [one.id for one in match_lists.matches(session, season_id=rehearsed.id)]
        matches.publish(session, hidden)
        for match_id in hidden:
            attempts.claim(session, match_id, "w1")
    assert max(hidden) > seeded.running, "the newest matches are those of the rehearsal"
    listed = spectator.get("/api/v1/matches?state=running&limit=1").json()
    assert [one["id"] for one in listed["items"]] == [seeded.running]
    for path in ("/live", "/"):
        text = spectator.get(path).text
        assert f"/matches/{seeded.running}" in text
        assert f"/matches/{max(hidden)}" not in text
