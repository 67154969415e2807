"""Tables outlive workers and pages; whoever leaves or stays away is played for."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from league.people import close_abandoned
from league.services import LeagueServices
from league.settings import LeagueSettings
from league.wiring import make_worker, open_store
from nimmt.verify import verify
from store import (
    Attempt,
    Bot,
    Match,
    MatchState,
    Sitting,
    SittingState,
    Store,
    match_lists,
    present,
    results,
    sittings,
)
from store.columns import utc_now
from tests.dashboard.play.conftest import House, table_settings
from tests.dashboard.play.test_whole_games import what_the_seat_may_see
from tests.dashboard.play.visitor import Frame, Visitor, lowest
from tests.dashboard.serving import served
from tests.ending import started

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.timeout(300)
TERMS: dict[str, Any] = {"rules": "six-nimmt", "seats": 4, "length": "round"}


def table_of(store: Store, code: str) -> tuple[Sitting, Match]:
    with store.read() as session:
        sitting = sittings.by_code(session, code)
        assert sitting is not None
        return sitting, present(session, Match, sitting.match_id)


def document_of(store: Store, match_id: int) -> dict[str, Any]:
    with store.read() as session:
        sha256, line = results.replay_line(session, match_id, 0, 0)
    found: dict[str, Any] = json.loads(store.blobs.line(sha256, line))
    return found


def wait_until(what: Callable[[], bool], seconds: float = 180.0) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


@contextmanager
def worker_process(data_dir: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker in a process of its own, as `bullring worker` starts it."""
    env = {
        **os.environ,
        "BULLRING_DATA_DIR": str(data_dir),
        "BULLRING_LEASE_SECONDS": "3",
        "BULLRING_TICK_SECONDS": "0.2",
        "BULLRING_FAIR_HOST": "false",
    }
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    command = [sys.executable, "-m", "cli", "worker", "--drain", "5"]
    with started(command, cwd=ROOT, env=env, **quiet) as child:
        yield child


def play_on(visitor: Visitor, code: str, at_ask: int, interrupt: Callable[[], None]) -> list[Frame]:
    """Play a table to its end; `interrupt` comes before the answer to one of the asks."""
    token = visitor.token(f"/play/{code}")
    frames = []
    for name, _, data in visitor.stream(code):
        if name != "frame":
            continue
        frames.append(data)
        if data["type"] == "ask":
            if data["ask"] == at_ask and len([1 for f in frames if f["type"] == "ask"]) == at_ask:
                interrupt()
            # The open ask is asked again by the next worker, and has been answered already.
            visitor.choose(code, token, data["ask"], lowest(data))
    return frames


@pytest.mark.heavy
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "drained"])
def test_a_table_goes_on_at_another_worker(tmp_path: Path, end: signal.Signals) -> None:
    settings = table_settings(tmp_path / "data", lease_seconds=3.0)
    store = open_store(LeagueSettings.model_validate(settings.model_dump()))
    second = make_worker(settings, store)
    with (
        served(settings, store, LeagueServices(settings, store)) as url,
        worker_process(settings.data_dir) as first,
    ):

        def interrupt() -> None:
            first.send_signal(end)
            first.wait()
            second.start()

        visitor = Visitor(url)
        code = visitor.open(**TERMS)
        try:
            frames = play_on(visitor, code, 4, interrupt)
        finally:
            second.stop()
    kinds = [frame["type"] for frame in frames]
    assert (kinds.count("start"), kinds.count("paused"), kinds[-1]) == (1, 1, "over")
    asks = [frame["ask"] for frame in frames if frame["type"] == "ask"]
    assert sorted(set(asks)) == list(range(1, asks[-1] + 1))
    _, match = table_of(store, code)
    assert (match.state, match.attempts, match.failures) == (MatchState.DONE, 2, 0)
    document = document_of(store, match.id)
    verify(document)
    # Every answer was given once and stands, and no event was told twice.
    [seat] = [frame["seat"] for frame in frames if frame["type"] == "start"]
    own = [one for one in document["rounds"][0]["decisions"] if one["seat"] == seat]
    chosen = {frame["ask"]: frame["choice"] for frame in frames if frame["type"] == "answered"}
    made = [one["choice"] for one in own if one["by"] == "bot"]
    assert made == [chosen[number] for number in sorted(chosen)]
    with store.read() as session:
        kept: list[Frame] = [frame for _, frame in sittings.frames(session, match.id, seat)]
    events = [one for frame in kept if frame["type"] == "events" for one in frame["events"]]
    assert events == what_the_seat_may_see(document, seat)[0]
    store.close()


@pytest.mark.heavy
def test_new_pages_show_the_same_table(tmp_path: Path) -> None:
    settings = table_settings(tmp_path / "data")
    store = open_store(LeagueSettings.model_validate(settings.model_dump()))
    worker = make_worker(settings, store)
    worker.start()
    try:
        with served(settings, store) as url:
            visitor = Visitor(url)
            code = visitor.open(**TERMS)
            seen = []
            for name, number, data in visitor.stream(code):
                if name == "frame":
                    seen.append((number, data))
                    if data["type"] == "ask":
                        break
        # Those pages are gone; others come, with another port and the same store.
        with served(settings, store) as url:
            visitor.url = url
            again = []
            for name, number, data in visitor.stream(code):
                if name == "frame":
                    again.append((number, data))
                    if data["type"] == "ask":
                        break
            assert again == seen
            frames = visitor.play(code)
            assert frames[-1][1]["type"] == "over"
            assert [number for number, _ in frames] == list(range(1, len(frames) + 1))
    finally:
        worker.stop()
        store.close()


def test_only_tables_that_one_still_sits_at_are_offered_again(house: House) -> None:
    visitor, friend = house.visitor(), house.visitor()
    # Both wait for one more person, so that none of them ends meanwhile.
    kept, left = visitor.open(**TERMS, people=2), visitor.open(**TERMS, people=3)
    assert friend.form(f"/play/{left}/join", page=f"/play/{left}")[0] == 303
    page = visitor.request("GET", "/play")[2].decode()
    assert "You are already at 2 tables" in page
    assert re.findall(r'href="/play/([^"/]+)">Continue 6 nimmt!', page) == [left, kept]
    others = re.findall("Continue 6 nimmt!</a>(?: with <bdi>([^<]*)</bdi>)?, opened <time", page)
    assert [len(re.findall("Guest", one)) for one in others] == [1, 0]
    assert "Guest 2" in others[0]
    assert visitor.form(f"/play/{left}/leave", page=f"/play/{left}")[0] == 303
    page = visitor.request("GET", "/play")[2].decode()
    assert "You are already at a table" in page
    assert f'href="/play/{kept}"' in page
    assert f'href="/play/{left}"' not in page


@pytest.mark.heavy
def test_whoever_leaves_is_played_for_to_the_end(house: House) -> None:
    visitor = house.visitor()
    code = visitor.open(**TERMS)
    stream = visitor.stream(code)
    next(data for name, _, data in stream if name == "frame" and data["type"] == "ask")
    assert visitor.form(f"/play/{code}/leave", page=f"/play/{code}")[0] == 303
    last = [data for name, _, data in stream if name == "frame"][-1]
    assert last["type"] == "over"
    sitting, match = table_of(house.store, code)
    assert sitting.state is SittingState.OVER
    document = document_of(house.store, match.id)
    verify(document)
    with house.store.read() as session:
        [seat] = [one.seat for one in sittings.seats(session, match.id) if one.for_person]
    assert document["players"][seat]["out"]["fault"] == "left"
    assert visitor.choose(code, visitor.token(f"/play/{code}"), 1, 5)[0] == 409


@pytest.mark.heavy
@pytest.mark.parametrize("house", [{"table_move_seconds": 1.0}], indirect=True)
def test_whoever_stays_away_is_warned_and_replaced_and_the_table_ends(house: House) -> None:
    visitor = house.visitor()
    code = visitor.open(**TERMS)
    frames = [data for name, _, data in visitor.stream(code) if name == "frame"]
    kinds = [frame["type"] for frame in frames if frame["type"] not in ("events", "start")]
    miss = ["ask", "warning", "answered"]
    assert kinds == [*miss, *miss, *miss, "warning", "over"]
    answered = [frame for frame in frames if frame["type"] == "answered"]
    assert {(frame["by"], frame["why"]) for frame in answered} == {("platform", "time")}
    assert [frame["left"] for frame in frames if frame["type"] == "warning"] == [3, 2, 1, 0]
    sitting, match = table_of(house.store, code)
    assert sitting.state is SittingState.OVER
    verify(document_of(house.store, match.id))


@pytest.mark.parametrize("house", [{"table_game_seconds": 20.0}], indirect=True)
def test_a_game_that_takes_too_long_is_played_on_for_its_person(house: House) -> None:
    """The person answers once, and then thinks about the second card for ever."""
    visitor = house.visitor()
    code = visitor.open(**TERMS)
    token = visitor.token(f"/play/{code}")
    frames: list[Frame] = []
    for name, _, data in visitor.stream(code):
        if name == "frame":
            frames.append(data)
            if data["type"] == "ask" and data["ask"] == 1:
                visitor.choose(code, token, 1, lowest(data))
    asks = [frame for frame in frames if frame["type"] == "ask"]
    assert all(frame["move_ms"] <= 20_000 for frame in asks), "no more than the game has left"
    assert all(frame["deadline"] == frame["ends"] for frame in asks)
    texts = [frame["text"] for frame in frames if frame["type"] == "warning"]
    assert any("This game may take" in text for text in texts)
    assert "The time for this game is over: the platform plays on for you." in texts
    answered = [frame for frame in frames if frame["type"] == "answered"]
    assert answered[0]["by"] == "person"
    assert (answered[-1]["by"], answered[-1]["why"]) == ("platform", "time")
    assert frames[-1]["type"] == "over"
    sitting, match = table_of(house.store, code)
    assert sitting.state is SittingState.OVER
    verify(document_of(house.store, match.id))


@pytest.mark.parametrize("house", [{"table_move_seconds": 2.0}], indirect=True)
def test_whoever_comes_back_plays_on(house: House) -> None:
    """Two missed asks, an answer, two more missed ones: nobody is sent away."""
    visitor = house.visitor()
    code = visitor.open(**TERMS)
    token = visitor.token(f"/play/{code}")
    by = []
    for name, _, data in visitor.stream(code):
        if name != "frame":
            continue
        if data["type"] == "ask" and data["ask"] not in (1, 2, 4, 5):
            visitor.choose(code, token, data["ask"], lowest(data))
        if data["type"] == "answered":
            by.append(data["by"])
    assert by[:5] == ["platform", "platform", "person", "platform", "platform"]
    assert set(by[5:]) == {"person"}


def test_two_people_meet_by_a_link(house: House) -> None:
    ada, bob = house.visitor(), house.visitor()
    code = ada.open(**{**TERMS, "seats": 3}, people=2)
    assert table_of(house.store, code)[0].state is SittingState.LOBBY
    stranger = house.visitor()
    assert stranger.request("GET", f"/play/{code}/stream")[0] == 403
    assert bob.form(f"/play/{code}/join", page=f"/play/{code}")[0] == 303
    # All have come, so it begins; a third one finds no seat.
    assert stranger.form(f"/play/{code}/join")[0] == 409
    assert stranger.request("GET", f"/play/{code}")[0] == 403
    with ThreadPoolExecutor(2) as both:
        played = list(both.map(lambda who: who.play(code), (ada, bob)))
    hands: list[set[int]] = []
    for frames in played:
        [start] = [frame for _, frame in frames if frame["type"] == "start"]
        people = {one["name"] for one in start["players"] if one["kind"] == "person"}
        assert people == {"Guest", "Guest 2"}
        asks = [frame for _, frame in frames if frame["type"] == "ask"]
        assert {frame["view"]["seat"] for frame in asks} == {start["seat"]}
        hands.append({card for frame in asks for card in frame["view"]["hand"]})
    assert not hands[0] & hands[1]
    assert played[0][-1][1]["points"] == played[1][-1][1]["points"]


@pytest.mark.heavy
def test_a_table_begins_without_those_who_have_not_come(house: House) -> None:
    ada = house.visitor()
    code = ada.open(**TERMS, people=3)
    late = house.visitor()
    assert late.form(f"/play/{code}/begin", page=f"/play/{code}")[0] == 403, "not at this table"
    assert ada.form(f"/play/{code}/begin", page=f"/play/{code}")[0] == 303
    frames = ada.play(code)
    kinds = [one["kind"] for one in frames[0][1]["players"]]
    assert sorted(kinds) == ["bot", "bot", "bot", "person"]
    assert frames[-1][1]["type"] == "over"


@pytest.mark.heavy
@pytest.mark.parametrize("house", [{"table_slots": 0, "tables_per_address": 3}], indirect=True)
def test_limits_by_person_and_by_address_are_said_plainly(house: House) -> None:
    ada, bob = house.visitor(), house.visitor()
    codes = [ada.open(**TERMS), ada.open(**TERMS)]
    status, _, body = ada.form("/play", **TERMS)
    assert status == 422
    assert b"you have 2 open tables already" in body
    bob.open(**TERMS)
    status, _, body = bob.form("/play", **TERMS)
    assert b"your address has 3 open tables already" in body
    # Who leaves a table that has not begun closes it, and has room again.
    assert ada.form(f"/play/{codes[0]}/leave")[0] == 303
    assert table_of(house.store, codes[0])[1].state is MatchState.CANCELLED
    ada.open(**TERMS)


@pytest.mark.parametrize("house", [{"table_slots": 0}], indirect=True)
def test_a_table_at_which_nobody_waits_is_closed(house: House) -> None:
    ada = house.visitor()
    code = ada.open(**TERMS)
    assert close_abandoned(house.store, 60.0) == []
    wait_until(lambda: close_abandoned(house.store, 0.5) != [])
    sitting, match = table_of(house.store, code)
    assert sitting.state is SittingState.CLOSED
    assert match.state is MatchState.CANCELLED
    events = list(ada.stream(code))
    assert [data["type"] for name, _, data in events if name == "frame"] == ["closed"]
    assert events[-1][0] == "end"


@pytest.mark.heavy
def test_a_board_is_played_again_from_another_seat_and_from_any_replay(house: House) -> None:
    ada = house.visitor()
    code = ada.open(**TERMS)
    ada.play(code)
    _, match = table_of(house.store, code)
    first = document_of(house.store, match.id)
    status, location, body = ada.form(f"/play/{code}/other-seat", page=f"/play/{code}")
    assert status == 303, body
    other = location.removeprefix("/play/")
    frames = ada.play(other)
    sitting, second_match = table_of(house.store, other)
    second = document_of(house.store, second_match.id)
    assert not sitting.ratable
    assert sitting.source is not None
    assert second["rounds"][0]["deal"] == first["rounds"][0]["deal"]
    assert frames[0][1]["seat"] != next(
        at for at, one in enumerate(first["players"]) if one["bot"].endswith("person")
    )
    verify(second)
    status, location, body = ada.form(f"/play/{code}/again", page=f"/play/{code}")
    assert status == 303, body
    third = location.removeprefix("/play/")
    ada.play(third)
    sitting, third_match = table_of(house.store, third)
    assert sitting.ratable
    assert sitting.source is None
    fresh = document_of(house.store, third_match.id)
    assert fresh["rounds"][0]["deal"] != first["rounds"][0]["deal"]
    names = sorted(one["bot"] for one in first["players"])
    assert sorted(one["bot"] for one in fresh["players"]) == names
    with house.store.read() as session:
        attempts = match_lists.attempts(session, third_match.id)
    assert [type(one) for one in attempts] == [Attempt]


@pytest.mark.heavy
def test_a_bot_that_may_not_sit_any_more_is_replaced_when_a_game_is_played_again(
    house: House,
) -> None:
    ada = house.visitor()
    code = ada.open(**TERMS)
    ada.play(code)
    _, match = table_of(house.store, code)
    gone = next(
        one["bot"]
        for one in document_of(house.store, match.id)["players"]
        if not one["bot"].endswith("person")
    )
    with house.store.write() as session:
        bot = session.exec(select(Bot).where(Bot.name == gone.split("/")[1])).one()
        bot.suspended_at = utc_now()
        session.add(bot)
    for act in ("again", "other-seat"):
        status, location, body = ada.form(f"/play/{code}/{act}", page=f"/play/{code}")
        assert status == 303, body
        sitting, _ = table_of(house.store, location.removeprefix("/play/"))
        with house.store.read() as session:
            names = [seat.name for seat in sittings.seats(session, sitting.match_id)]
        assert gone not in names
