"""What the pages say: standings, states, empty leagues, caching, static files, feed, docs."""

import re
import socket
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import event

from dashboard.app import create_app
from dashboard.render import Point
from dashboard.render.charts import interval_bar, line_with_band, sparkline, ticks
from dashboard.render.documents import Docs
from dashboard.settings import Settings
from league.services import LeagueServices
from league.settings import LeagueSettings
from store import Match, MatchState, Store, Worker, present, workers
from tests.dashboard.conftest import ORIGIN, Browser, browser
from tests.dashboard.seed import Seeded


def test_standings_show_every_bot_with_its_interval_and_no_invented_certainty(
    spectator: Browser,
) -> None:
    page = spectator.get("/seasons/spring").text
    rows = spectator.get("/api/v1/seasons/spring/standings").json()["rows"]
    assert len(rows) == 8
    for row in rows:
        assert f'href="/bots/{row["bot"]}"' in page
    assert page.count('class="chart interval"') == 8
    if all(row["official_half"] is None for row in rows):
        assert "not measurable" in page
        assert ">settled<" not in page


def test_a_running_match_shows_who_plays_and_no_cards(spectator: Browser, seeded: Seeded) -> None:
    page = spectator.get(f"/matches/{seeded.running}").text
    assert "is being played" in page
    assert "/games/" not in page
    assert "published when the match is done" in page


def test_faults_are_said_in_words(spectator: Browser) -> None:
    faulty = [
        one
        for one in spectator.get("/api/v1/matches?limit=200").json()["items"]
        if any(seat["faults"] for seat in one["seats"])
    ]
    if faulty:
        page = spectator.get(f"/matches/{faulty[0]['id']}").text
        assert "sent an illegal choice" in page


def test_uncontained_matches_say_so(spectator: Browser) -> None:
    assert "uncontained" in spectator.get("/matches/1").text


@pytest.fixture
def empty_app(settings: Settings, tmp_path: Path) -> FastAPI:
    fresh = Store(f"sqlite:///{tmp_path / 'fresh.db'}", tmp_path / "replays")
    fresh.migrate()
    return create_app(settings, fresh)


def test_an_empty_league_has_designed_pages(empty_app: FastAPI) -> None:
    with browser(empty_app) as client:
        assert "Nothing has been played yet" in client.get("/").text
        assert "No season yet" in client.get("/seasons").text
        assert "No bots yet" in client.get("/bots").text
        assert "No matches here" in client.get("/matches").text
        assert ET.fromstring(client.get("/feed.atom").content) is not None
        client.submit("/sign-up", {"handle": "newt", "password": "a fine password"})
        assert "No bots yet" in client.get("/mine").text


def test_error_pages_say_what_to_do(spectator: Browser, heron: Browser) -> None:
    assert "There is nothing here" in spectator.get("/nowhere").text
    assert "Not for you" in heron.get("/organiser").text


def test_the_replay_is_readable_without_scripts(spectator: Browser) -> None:
    page = spectator.get("/matches/1/games/0/0").text
    assert "<bull-replay" in page
    assert "goes to row" in page
    assert page.count("<li>") > 20


def test_pages_for_everybody_are_kept_for_a_moment(settings: Settings, store: Store) -> None:
    app = create_app(settings.model_copy(update={"page_cache_seconds": 60.0}), store)
    with browser(app) as client:
        counted: list[str] = []
        event.listen(store.engine, "before_cursor_execute", lambda *args: counted.append(args[2]))
        first = client.get("/matches/1")
        used = len(counted)
        assert used > 0
        second = client.get("/matches/1")
        assert len(counted) == used
        assert first.text == second.text
        again = client.get("/matches/1", headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304
        client.cookies.set("bullring_theme", "dark")
        assert 'data-theme="dark"' in client.get("/matches/1").text
    with browser(app, "heron") as client:
        page = client.get("/matches/1")
        assert "Sign out" in page.text
        assert page.headers["cache-control"] == "private, no-cache"


def test_static_files_are_kept_for_ever_under_their_hash(spectator: Browser) -> None:
    page = spectator.get("/").text
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', page)
    assert len(addresses) >= 4
    for address in addresses:
        answer = spectator.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    old = re.sub(r"/static/\w+/", "/static/0ld/", addresses[0])
    assert spectator.get(old).headers["cache-control"] == "no-cache"


def test_modules_import_one_another_by_relative_names_that_exist() -> None:
    static = Path(__file__).resolve().parents[3] / "dashboard" / "static" / "js"
    for path in static.glob("*.js"):
        for name in re.findall(r'from "([^"]+)"', path.read_text(encoding="utf-8")):
            assert name.startswith("./")
            assert (path.parent / name).is_file()


def test_a_fixed_number_of_queries_makes_a_page(app: FastAPI, store: Store) -> None:
    """However many rows there are: a query for each of a page's items would show here. A change
    that needs another number writes it here, and people see it in the review."""
    counted: list[str] = []

    def count(*args: object) -> None:
        statement = str(args[2])
        if statement.lstrip().upper().startswith(("SELECT", "WITH")):
            counted.append(statement)

    event.listen(store.engine, "before_cursor_execute", count)
    numbers = {
        # Which game is featured, and how much there is to ask about it, is up to the bots' play.
        "/": range(13, 17),
        "/seasons": 4,
        "/seasons/spring": 14,
        "/bots": 1,
        "/bots/heron/close": 14,
        "/matches": 3,
        "/matches/1": 11,
        "/matches/1/games/0/0": 8,
        "/api/v1/matches": 4,
        "/api/v1/matches/1": 6,
        "/feed.atom": 3,
    }
    with browser(app) as client:
        for path, number in numbers.items():
            counted.clear()
            assert client.get(path).status_code == 200
            expected = number if isinstance(number, range) else [number]
            assert len(counted) in expected, (path, len(counted), *counted)


def test_the_feed_lists_the_latest_results(spectator: Browser) -> None:
    answer = spectator.get("/feed.atom")
    assert answer.headers["content-type"] == "application/atom+xml; charset=utf-8"
    root = ET.fromstring(answer.content)
    space = "{http://www.w3.org/2005/Atom}"
    entries = root.findall(f"{space}entry")
    assert len(entries) > 3
    for one in (root, *entries):
        for name in ("id", "title", "updated"):
            assert (one.findtext(f"{space}{name}") or "").strip(), name
    addresses = [one.findtext(f"{space}id") for one in entries]
    assert len(set(addresses)) == len(addresses)
    assert all((address or "").startswith(ORIGIN) for address in addresses)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("/seasons/spring", "Spring season"),
        ("/matches/1", "Match 1"),
        ("/bots/heron/close", "Rating"),
        ("/matches/1/games/0/0", None),
        ("/docs", None),
    ],
)
def test_a_link_that_is_shown_elsewhere_has_a_picture(
    spectator: Browser, page: str, words: str | None
) -> None:
    body = spectator.get(page).text
    pictures = re.findall(r'<meta property="og:image" content="([^"]+)">', body)
    first = spectator.get(pictures[0].removeprefix(ORIGIN))
    assert first.content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = (int.from_bytes(first.content[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (1200, 630)
    if words is not None:
        card = spectator.get(pictures[1].removeprefix(ORIGIN))
        assert card.headers["content-type"] == "image/svg+xml"
        assert words in "".join(ET.fromstring(card.content).itertext())


def test_a_card_never_shows_more_than_everybody_may_see(boss: Browser, seeded: Seeded) -> None:
    assert boss.get(f"/seasons/{seeded.draft}").status_code == 200
    assert boss.get(f"/seasons/{seeded.draft}/card.svg").status_code == 404


def test_health_and_numbers(spectator: Browser, store: Store) -> None:
    with store.write() as session:
        workers.beat(session, Worker(name="w1"))
    assert spectator.get("/healthz").text == "ok\n"
    assert spectator.get("/api/v1/bots/heron/close").status_code == 200
    assert spectator.get("/readyz").json() == {"ready": True, "problems": {}}
    text = spectator.get("/metrics").text
    assert 'bullring_http_requests_total{method="GET",route="/healthz",status="200"} 1.0' in text
    assert 'route="/api/v1/bots/{owner}/{name}",status="200"} 1.0' in text
    assert "bullring_workers 1.0" in text
    assert "bullring_matches_waiting_for_host 0.0" in text


def test_numbers_of_workers_that_wait_for_their_host(spectator: Browser, store: Store) -> None:
    busy = {"waits": "others took 90% of core 1", "waiting": 2, "not_measured": None}
    blind = {"waits": None, "waiting": 0, "not_measured": "host not measured: no counters"}
    with store.write() as session:
        for name, host in (("w1", busy), ("w2", blind)):
            workers.beat(session, Worker(name=name, detail={"host": host}))
    text = spectator.get("/metrics").text
    assert "bullring_matches_waiting_for_host 2.0" in text
    assert "bullring_workers_not_measured 1.0" in text


def test_a_store_that_does_not_answer_makes_it_not_ready(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(_: Store) -> None:
        raise OSError("gone")

    monkeypatch.setattr(Store, "now", gone)
    with browser(app) as client:
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["problems"] == {"database": "OSError"}


def test_redis_that_is_away_is_named_and_the_pages_are_ready_all_the_same(
    settings: Settings, store: Store
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    answer = asked_if_ready(settings, store, f"redis://127.0.0.1:{port}/0")
    assert answer["ready"]
    assert str(port) in answer["problems"]["broker"]


def test_redis_that_accepts_and_never_answers_is_named_too(
    settings: Settings, store: Store
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        url = f"redis://127.0.0.1:{sock.getsockname()[1]}/0"
        answer = asked_if_ready(settings, store, url)
    assert answer["ready"]
    assert "broker" in answer["problems"]


@pytest.mark.redis
def test_redis_that_answers_is_no_problem(settings: Settings, store: Store, redis_url: str) -> None:
    assert asked_if_ready(settings, store, redis_url) == {"ready": True, "problems": {}}


def asked_if_ready(settings: Settings, store: Store, redis_url: str) -> dict[str, Any]:
    """What /readyz says in a league with this broker."""
    league = LeagueSettings(data_dir=settings.data_dir, redis_url=redis_url, redis_seconds=1.0)
    with browser(create_app(settings, store, LeagueServices(league, store))) as client:
        answer = client.get("/readyz")
    assert answer.status_code == 200, "nobody is to stop sending requests here"
    found: dict[str, Any] = answer.json()
    return found


def test_raw_html_in_documentation_is_shown_not_obeyed(tmp_path: Path) -> None:
    text = "# T<b>\n\n<script>x</script>\n\n[a](javascript:x) [b](api.md#top) <img src=x>\n"
    (tmp_path / "page.md").write_text(text + "\n[c](../README.md)\n")
    (tmp_path / "api.md").write_text("# API\n")
    page = Docs(tmp_path).pages(dict)["page"]
    assert "<script" not in page.html
    assert "<img" not in page.html
    assert 'href="javascript' not in page.html
    assert 'href="/docs/api#top"' in page.html
    assert "README" not in page.html


def test_pages_of_documentation_follow_the_index_and_old_addresses_lead_on(app: FastAPI) -> None:
    with browser(app) as client:
        first = client.get("/docs").text
        old = client.get("/docs/8-api", follow_redirects=False)
        assert client.get("/docs/99-nothing").status_code == 404
    assert (old.status_code, old.headers["location"]) == (301, "/docs/api")
    assert first.index('href="/docs/tutorial"') < first.index('href="/docs/architecture"')


def test_charts_are_well_formed_and_say_what_they_show() -> None:
    points = [Point(x=n, y=1500 + n, low=1490, high=1520, label="<b>") for n in range(5)]
    for chart, drawings in (
        (interval_bar(1500, 1490, 1510, (1400, 1600), 'a<b>"'), 1),
        (interval_bar(1500, None, None, (1500, 1500), "alone"), 1),
        # One for a desk, one for a phone; the style sheet shows one of them.
        (line_with_band(points, "history", marks=[(2, "<v2>")]), 2),
        (sparkline([1, 2, 3], "think"), 1),
    ):
        roots = list(ET.fromstring(f"<div>{chart}</div>"))
        assert [root.attrib["role"] for root in roots] == ["img"] * drawings
        root = roots[-1]
        title = root.find("title")
        assert title is not None
        assert title.text
    assert sparkline([1], "x") == line_with_band(points[:1], "x") == ""
    assert ticks(5, 5) == [5]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/matches/99999", "There is no match 99999."),
        ("/seasons/nothing", "There is no such season; it may have been renamed or deleted."),
        ("/nowhere", "There is nothing at this address."),
    ],
)
def test_what_does_not_exist_is_told_to_people_in_their_words(
    spectator: Browser, address: str, words: str
) -> None:
    answer = spectator.get(address)
    assert answer.status_code == 404
    assert words in answer.text


def test_when_nothing_is_played_the_live_page_begins_with_results(
    app: FastAPI, store: Store, seeded: Seeded
) -> None:
    with store.write() as session:
        present(session, Match, seeded.running).state = MatchState.CANCELLED
    with browser(app) as client:
        page = client.get("/live").text
    assert page.index("Latest results") < page.index("<bull-replay waits")
    assert "Nothing is being played now." in page


def test_the_documentation_opens_with_ways_in_and_every_page_has_one(spectator: Browser) -> None:
    page = spectator.get("/docs").text
    assert page.index('href="/docs/six-nimmt"') < page.index('href="/docs/architecture"')
    inside = spectator.get("/docs/tutorial").text
    slugs = set(re.findall(r'href="/docs/([\w-]+)"', inside)) - {"index"}
    assert slugs <= set(re.findall(r'href="/docs/([\w-]+)"', page))


def test_lists_of_matches_show_the_number_that_decides(spectator: Browser) -> None:
    page = spectator.get("/matches").text
    assert "The number is the mean place" in page
    tables = re.findall(r'<ol class="match-bots">(.*?)</ol>', page, re.S)
    decided = [re.findall(r">([\d.]+)</span>", one) for one in tables]
    for numbers in decided:
        assert numbers == sorted(numbers, key=float)
    assert any(decided)
