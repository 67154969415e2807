"""Pages that all readers share: whatever changes, a kept page is the one that would be drawn now,
and nobody is shown what is another reader's."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any, cast

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from sqlalchemy import event
from sqlmodel import Session, SQLModel

from dashboard.app import create_app
from dashboard.pages.page import Ctx
from dashboard.render import text
from dashboard.services import NoServices
from dashboard.settings import Settings
from dashboard.viewer import payload_for
from league import authors, ratings, seasons
from league.live import Item
from store import (
    BlobKind,
    Bot,
    Entry,
    Game,
    Match,
    MatchState,
    Owner,
    Season,
    SeasonState,
    Seat,
    Store,
    Version,
    Worker,
    accounts,
    attempts,
    bots,
    ladders,
    match_lists,
    matches,
    present,
    results,
    scales,
    utc_now,
    workers,
)
from store import seasons as store_seasons
from tests.dashboard.conftest import Browser, browser
from tests.dashboard.seed import Seeded
from tests.store.support import outcome

READERS = (None, "heron", "otter", "boss")
ADDRESSES = (
    "/",
    "/seasons/spring",
    "/seasons/spring?after=3",
    "/seasons/summer",
    "/seasons/secret-plan",
    "/matches/1/games/0/0",
    "/matches/1/games/0/0?seat=1",
    "/matches/1/games/0/0/data",
)


class Clock:
    """The clock of all pages."""

    def __init__(self) -> None:
        self.now = utc_now()

    def __call__(self) -> datetime:
        return self.now


class Heard(NoServices):
    """A league in which some matches can be followed live."""

    def __init__(self) -> None:
        self.of: dict[int, str] = {}

    def live(self, match_id: int, after: tuple[int, int]) -> list[Item]:
        """One entry of those that are heard."""
        of = self.of.get(match_id)
        return [Item(of=of, attempt=1, number=1, data={})] if of else []


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A league, two dashboards that keep pages and one that keeps none."""

    store: Store
    seeded: Seeded
    clock: Clock
    heard: Heard
    keeping: tuple[dict[str | None, Browser], ...]
    fresh: dict[str | None, Browser]

    def pages(self, clients: dict[str | None, Browser]) -> dict[str, str]:
        """What every reader sees at every address."""
        seen = {}
        for reader, client in clients.items():
            for address in ADDRESSES:
                answer = client.get(address)
                body = re.sub(r'name="csrf" value="[^"]+"', "", answer.text)
                seen[f"{reader} {address}"] = f"{answer.status_code} {body}"
        return seen

    def check(self, what: str) -> dict[str, str]:
        """All dashboards say the same."""
        expected = self.pages(self.fresh)
        # Of the second dashboard one reader is enough: it has heard of no change at all.
        one: dict[str | None, Browser] = {"heron": self.keeping[1]["heron"]}
        for clients in (self.keeping[0], one):
            got = self.pages(clients)
            different = [address for address in got if got[address] != expected[address]]
            assert not different, f"after {what}: {different}"
        return expected


@pytest.fixture
def world(
    settings: Settings, store: Store, seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> Iterator[World]:
    clock, heard = Clock(), Heard()
    monkeypatch.setattr(text, "utc_now", clock)
    others = [Store(settings.database, settings.blobs) for _ in range(2)]
    none = settings.model_copy(update={"page_shelf_bytes": 0})
    apps = [
        create_app(settings, store, heard),
        create_app(settings, others[0], heard),
        create_app(none, others[1], heard),
    ]
    with ExitStack() as stack:
        clients = [
            {reader: stack.enter_context(browser(app, reader)) for reader in READERS}
            for app in apps
        ]
        yield World(
            store=store,
            seeded=seeded,
            clock=clock,
            heard=heard,
            keeping=(clients[0], clients[1]),
            fresh=clients[2],
        )
    for other in others:
        other.close()


Change = Callable[[World, Session], object]


def boss(session: Session) -> Owner:
    found = accounts.owner_by_handle(session, "boss")
    assert found is not None
    return found


def spring(session: Session) -> Season:
    found = store_seasons.by_name(session, "spring")
    assert found is not None
    return found


def summer_enters(world: World, session: Session) -> None:
    summer = store_seasons.by_name(session, "summer")
    heron = accounts.owner_by_handle(session, "heron")
    assert summer is not None
    assert heron is not None
    authors.enter_season(session, summer.id, "dice", heron)


def set_on(table: type[Bot] | type[Version], ident: int, **values: object) -> Change:
    def change(_world: World, session: Session) -> None:
        row = cast(SQLModel, session.get_one(table, ident))
        for name, value in values.items():
            setattr(row, name, value)

    return change


def passes(**time: int) -> Change:
    def change(world: World, _session: Session) -> None:
        world.clock.now += timedelta(**time)

    return change


def is_heard(world: World, session: Session) -> None:
    running = present(session, Match, world.seeded.running)
    world.heard.of[running.id] = running.commitment


def stuck(world: World, session: Session) -> None:
    present(session, Match, world.seeded.waiting).state = MatchState.STUCK


def ladder_opens(_world: World, session: Session) -> None:
    row = ladders.ladder(session, "six-nimmt", {"rounds": 1}, 4, boards=4)
    scales.scale(session, row.id).standings = spring(session).standings


STORY: dict[str, Change] = {
    "a worker comes": lambda w, s: workers.beat(s, Worker(name="w1", slots=3)),
    "a match is heard": is_heard,
    "a minute passes": passes(seconds=61),
    "the worker goes": lambda w, s: workers.sign_off(s, "w1"),
    "a bot is renamed": set_on(Bot, 3, name="nearest"),
    "an owner is renamed": lambda w, s: setattr(
        accounts.owner_by_handle(s, "lynx"), "handle", "puma"
    ),
    "a version has another number": set_on(Version, 3, number=7),
    "a bot is suspended": lambda w, s: bots.suspend(s, 5, "it hides"),
    "a bot enters another season": summer_enters,
    "an attempt fails": lambda w, s: attempts.void(
        s, str(present(s, Match, w.seeded.running).token), "disk", charged=False
    ),
    "a bot withdraws": lambda w, s: seasons.withdraw(
        s, w.seeded.season_id, "otter/closer", boss(s), "tired"
    ),
    "a bot is disqualified": lambda w, s: seasons.disqualify(
        s, w.seeded.season_id, "puma/loose", boss(s), "cheated"
    ),
    "a result no longer counts": lambda w, s: matches.set_rated(s, [2], False, "struck"),
    "a season pauses": lambda w, s: seasons.pause(s, w.seeded.season_id, boss(s)),
    "a season goes on": lambda w, s: seasons.resume(s, w.seeded.season_id, boss(s)),
    "a match is stuck": stuck,
    "an organiser strikes it": lambda w, s: seasons.strike(s, w.seeded.waiting, boss(s), "no"),
    "a season gets other words": lambda w, s: setattr(spring(s), "about", "<b>New</b> words"),
    "a season gets a date": lambda w, s: setattr(
        spring(s), "ends_at", w.clock.now + timedelta(hours=30)
    ),
    "hours pass": passes(hours=3),
    "a ladder opens": ladder_opens,
    "a draft is opened": lambda w, s: setattr(
        store_seasons.by_name(s, "secret-plan"), "state", SeasonState.OPEN
    ),
    "a match is played again": lambda w, s: seasons.play_again(s, 1, boss(s), "a bug"),
    "days pass": passes(days=3),
}


@pytest.mark.heavy
@pytest.mark.timeout(600)
def test_whatever_changes_a_kept_page_is_the_one_that_would_be_drawn_now(world: World) -> None:
    with world.store.write() as session:
        # So that there is something to say about the time that is left.
        session.execute(sa.update(Match).values(seconds=900.0))
    before = world.check("the start")
    for what, change in STORY.items():
        with world.store.write() as session:
            change(world, session)
        now = world.check(what)
        if what != "a bot is suspended":
            assert now != before, f"{what} is on no page, so nothing was tried"
        before = now
    with world.store.write() as session:
        attempt = attempts.claim(session, 1, "w1")
        assert attempt is not None
        attempts.finish(session, attempt.token, outcome())
    assert world.check("a result arrives") != before
    before = world.check("nothing")
    ratings.refresh(world.store, 1)
    assert world.check("new standings") != before
    with world.store.write() as session:
        spring(session).state = SeasonState.FINISHED
    assert "Final standings" in world.check("the season ends")["None /seasons/spring"]


def any_change(rng: Random, session: Session) -> str:
    """One of the columns that pages show, of any row, in a statement of its own."""
    shown: list[tuple[type[SQLModel], str, list[Any]]] = [
        (Match, "state", [MatchState.DONE, MatchState.RUNNING, MatchState.QUEUED]),
        (Match, "rated", [True, False]),
        (Match, "round_no", [0, 5, 9]),
        (Match, "seconds", [1.0, 200.0]),
        (Season, "title", ["A", "B & C"]),
        (Season, "state", [SeasonState.RUNNING, SeasonState.OPEN, SeasonState.FINISHED]),
        (Season, "table_size", [3, 4]),
        (Entry, "reason", ["x", "y"]),
        (Bot, "is_anchor", [True, False]),
        (Seat, "places", [4.0, 8.0, 12.0]),
        (Seat, "points", [4.0, 8.0, 12.0]),
        (Version, "number", [11, 12]),
    ]
    table, name, values = rng.choice(shown)
    key = sa.inspect(table).primary_key[0]
    rows = session.execute(sa.select(key)).scalars().all()
    row, value = rng.choice(rows), rng.choice(values)
    session.execute(sa.update(table).where(key == row).values({name: value}))
    return f"{table.__name__}.{name} of {row} = {value!r}"


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.heavy)])
def test_changes_in_any_order_leave_no_old_page_behind(world: World, seed: int) -> None:
    rng = Random(seed)
    done = []
    for _ in range(8):
        with world.store.write() as session:
            done.append(any_change(rng, session))
        world.clock.now += timedelta(seconds=rng.choice([0, 0, 20, 4000]))
        world.check(f"{done} with seed {seed}")


@pytest.mark.heavy
def test_results_that_stream_in_leave_no_old_page_behind(world: World) -> None:
    """Each in two steps, as in a league; the search for upsets has seen the ones before."""
    with world.store.write() as session:
        for match_id in (1, 2, 3):
            seasons.play_again(session, match_id, boss(session), "a bug")
    ratings.refresh(world.store, 1)
    before = world.check("the start")
    for match_id in (3, 1, 2):
        with world.store.write() as session:
            attempt = attempts.claim(session, match_id, "w1")
            assert attempt is not None
        begun = world.check(f"match {match_id} begins")
        with world.store.write() as session:
            attempts.finish(session, attempt.token, outcome())
        world.clock.now += timedelta(seconds=7)
        now = world.check(f"match {match_id} is done")
        assert now != begun != before
        before = now


def test_a_result_draws_only_the_parts_that_show_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []
    draw = Ctx.draw

    def noted(ctx: Ctx, template: str, *args: Any, **values: Any) -> str:
        drawn.append(template)
        return draw(ctx, template, *args, **values)

    monkeypatch.setattr(Ctx, "draw", noted)
    client = world.keeping[0]["heron"]

    def parts(address: str) -> set[str]:
        drawn.clear()
        client.get(address)
        return set(drawn)

    assert {"season.html", "season/race.html"} < parts("/seasons/spring")
    assert {"home.html", "home/latest.html"} < parts("/")
    with world.store.write() as session:
        token = str(present(session, Match, world.seeded.running).token)
        attempts.finish(session, token, outcome())
    season = parts("/seasons/spring")
    assert {"season/progress.html", "season/schedule.html"} <= season
    assert not season & {"season.html", "season/race.html", "season/trust.html"}
    front = parts("/")
    assert {"home/latest.html", "home/running.html", "home/progress.html"} <= front
    assert "home.html" not in front


def test_nobody_is_shown_what_is_another_readers(world: World) -> None:
    with world.store.write() as session:
        summer = store_seasons.by_name(session, "summer")
        assert summer is not None
        session.execute(sa.update(Bot).values(rules=["x-nimmt"]))
    readers = world.keeping[0]
    own = {"heron": "close", "otter": "closer"}
    # Whoever comes first, the page they leave behind has nothing of theirs.
    for order in (("heron", "otter", None, "boss"), ("boss", None, "otter", "heron")):
        for reader in order:
            front = readers[reader].get("/").text
            season = readers[reader].get("/seasons/spring").text
            entering = readers[reader].get("/seasons/summer").text
            for name, bot in own.items():
                mine = reader == name
                assert (f'class="who-name">{name}<' in front) is mine
                assert (f'class="who-name">{name}<' in season) is mine
                assert (f'aria-label="Withdraw {name}/{bot}"' in season) is mine
                assert (f'<option value="{bot}">' in entering) is mine
            assert ("Sign out" in front) is (reader is not None)
            assert ("Run this season" in season) is (reader == "boss")
            assert ('href="/organiser"' in season) is (reader == "boss")
            draft = readers[reader].get(f"/seasons/{world.seeded.draft}").status_code
            assert draft == (200 if reader == "boss" else 404)


def test_forms_on_shared_pages_carry_the_readers_own_token(world: World) -> None:
    def token(reader: str) -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', world.keeping[0][reader].get("/").text)
        assert found
        return found[1]

    foreign, own = token("heron"), token("otter")
    otter = world.keeping[0]["otter"]
    headers = {"origin": "http://testserver"}
    assert otter.post("/sign-out", data={"csrf": foreign}, headers=headers).status_code == 403
    left = otter.post("/sign-out", data={"csrf": own}, headers=headers, follow_redirects=False)
    assert left.status_code == 303


def notes_in(store: Store, match_id: int, game: Game) -> dict[str, int]:
    """How many notes of each owner's bots a game has."""
    counts: dict[str, int] = {}
    with store.read() as session:
        seats = {one.number: one for one in match_lists.seated(session, [match_id])[match_id]}
        blob = results.blob_of(session, match_id, BlobKind.NOTES)
    assert blob is not None
    for entry in map(json.loads, store.blobs.lines(blob.sha256)):
        if entry["game_no"] == game.game_no:
            owner = seats[game.seats[entry["seat"]]].bot.split("/")[0]
            counts[owner] = counts.get(owner, 0) + len(entry["notes"])
    return counts


def test_notes_stay_with_those_who_may_read_them(world: World, store: Store) -> None:
    with store.read() as session:
        games = {one: results.games(session, one)[0] for one in range(1, 9)}
    found = {one: notes_in(store, one, game) for one, game in games.items()}
    match_id = next(one for one, counts in found.items() if counts.keys() & {"heron", "otter"})
    counts = found[match_id]
    place = f"/matches/{match_id}/games/0/{games[match_id].game_no}"
    readers = world.keeping[0]
    for order in (("boss", "heron", "otter", None), (None, "otter", "heron", "boss")):
        for reader in order:
            data = readers[reader].get(f"{place}/data").text
            page = readers[reader].get(place).text
            expected = sum(counts.values()) if reader == "boss" else counts.get(reader or "", 0)
            assert data.count('"note":') == page.count("<q>") == expected, reader
    assert '"note":' not in readers["heron"].get(f"{place}/export").text


def test_a_page_that_was_kept_needs_one_query_for_everybody(
    app: FastAPI, store: Store, seeded: Seeded
) -> None:
    asked: list[str] = []

    def note(*args: object) -> None:
        if str(args[2]).lstrip().upper().startswith(("SELECT", "WITH")):
            asked.append(str(args[2]))

    event.listen(store.engine, "before_cursor_execute", note)
    with browser(app, "heron") as heron, browser(app) as spectator:
        for address in ("/", "/seasons/spring", "/matches/1/games/0/0"):
            heron.get(address)
            spectator.get(address)
            asked.clear()
            spectator.get(address)
            assert len(asked) == 1, address
            asked.clear()
            heron.get(address)
            # Who is signed in, and whether the page still holds.
            assert len(asked) == 2, address


def test_the_page_and_its_viewer_share_one_document(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    built: list[object] = []

    def counted(*args: Any, **named: Any) -> dict[str, Any]:
        built.append(args)
        return payload_for(*args, **named)

    monkeypatch.setattr("dashboard.pages.replay.payload_for", counted)
    with browser(app) as client:
        for part in ("", "/data", "/embed", "/export"):
            assert client.get(f"/matches/1/games/0/0{part}").status_code == 200
    assert len(built) == 1


def test_a_compressed_page_is_the_plain_one(world: World) -> None:
    for reader, client in world.keeping[0].items():
        for address in ("/", "/seasons/spring", "/matches/1/games/0/0/data"):
            bodies = []
            for encoding in ("gzip", "identity"):
                answer = client.get(address, headers={"accept-encoding": encoding})
                assert (answer.headers.get("content-encoding") == "gzip") is (encoding == "gzip")
                bodies.append(re.sub(r'name="csrf" value="[^"]+"', "", answer.text))
            assert bodies[0] == bodies[1], (reader, address)


def test_an_unchanged_page_is_not_sent_twice_to_those_who_are_not_signed_in(
    spectator: Browser, heron: Browser
) -> None:
    first = spectator.get("/")
    assert first.headers["cache-control"] == "public, no-cache"
    again = spectator.get("/", headers={"if-none-match": first.headers["etag"]})
    assert again.status_code == 304
    signed_in = heron.get("/", headers={"if-none-match": first.headers["etag"]})
    assert (signed_in.status_code, signed_in.headers["cache-control"]) == (
        200,
        "private, no-cache",
    )
    assert "etag" not in signed_in.headers
    spectator.cookies.set("bullring_theme", "dark")
    assert 'data-theme="dark"' in spectator.get("/").text
