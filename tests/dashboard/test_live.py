"""Live streams: one look for all, a final state ends them, nobody's slowness costs the others."""

import asyncio
import json

import pytest

from dashboard.live import MAX_TOPICS, Live, TooManyTopics
from league import rehearsal
from store import Season, Store, bots, matches, pages, present
from tests.dashboard.conftest import Browser
from tests.dashboard.seed import Seeded


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
async def test_there_is_an_end_to_what_can_be_watched() -> None:
    live = Live(10)
    streams = [live.watch(str(number), dict) for number in range(MAX_TOPICS)]
    for stream in streams:
        await anext(stream)
    with pytest.raises(TooManyTopics):
        await anext(live.watch("one more", dict))
    for stream in streams:
        await stream.aclose()
    assert live.watchers == 0


def test_a_submission_is_followed_to_its_end(heron: Browser, store: Store) -> None:
    with store.write() as session:
        held = bots.claim_submission(session, 3, "worker")
        assert held is not None
        assert held.token is not None
        bots.advance_submission(
            session,
            held.token,
            bots.SubmissionState.REJECTED,
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
        season = present(session, Season, seeded.season_id)
        rehearsed = rehearsal.begin(session, season, "test", bots=4)
        hidden = [one.id for one in pages.matches(session, season_id=rehearsed.id)]
        matches.publish(session, hidden)
        for match_id in hidden:
            matches.claim(session, match_id, "w1")
    assert max(hidden) > seeded.running, "the newest matches are those of the rehearsal"
    listed = spectator.get("/api/v1/matches?state=running&limit=1").json()
    assert [one["id"] for one in listed["items"]] == [seeded.running]
    for path in ("/live", "/"):
        text = spectator.get(path).text
        assert f"/matches/{seeded.running}" in text
        assert f"/matches/{max(hidden)}" not in text
