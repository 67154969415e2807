"""The front page: a board that plays, who leads, what comes next, and two ways in."""

import re
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from fastapi import FastAPI

from dashboard.app import create_app
from dashboard.pages.home import by_interest
from dashboard.render import text
from dashboard.services import NoServices
from dashboard.settings import Settings
from league.live import Item
from store import Match, Season, SeasonState, Store, accounts, present, seasons, utc_now
from tests.dashboard.conftest import Browser, browser
from tests.dashboard.seed import Seeded


class Playing(NoServices):
    """Something is heard of one match."""

    def __init__(self, match_id: int, item: Item) -> None:
        self.match_id, self.item = match_id, item

    def live(self, match_id: int, after: tuple[int, int]) -> Sequence[Item]:
        return [self.item] if match_id == self.match_id else []


def test_when_nothing_can_be_followed_the_best_game_of_the_last_match_plays(
    spectator: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = utc_now() + timedelta(minutes=2)
    monkeypatch.setattr(text, "utc_now", lambda: soon)
    page = spectator.get("/").text
    found = re.search(r'<bull-replay embedded stage src="([^"]+)"', page)
    assert found
    payload = spectator.get(found[1]).json()
    assert payload["steps"]
    assert "js/replay/view.js" in page
    last = spectator.get("/api/v1/matches?state=done&limit=1").json()["items"][0]["id"]
    best = spectator.get(f"/matches/{last}").text
    assert found[1].removesuffix("/data") in best


def test_looking_at_pages_writes_nothing(
    spectator: Browser, settings: Settings, seeded: Seeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = utc_now() + timedelta(minutes=2)
    monkeypatch.setattr(text, "utc_now", lambda: soon)

    def everything() -> list[str]:
        database = sqlite3.connect(settings.data_dir / "bullring.db")
        try:
            return list(database.iterdump())
        finally:
            database.close()

    before = everything()
    assert "/data" in spectator.get("/").text, "a game is featured"
    for path in (f"/seasons/{seeded.season}", f"/matches/{seeded.done}", "/live", "/bots"):
        assert spectator.get(path).status_code == 200
    assert everything() == before


def test_while_results_stream_in_the_featured_match_stays_for_a_minute(
    app: FastAPI, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    minute = datetime(2031, 5, 6, 18, 30, tzinfo=UTC)
    now = [minute + timedelta(seconds=20)]
    monkeypatch.setattr(text, "utc_now", lambda: now[0])

    def finish(match_id: int, at: datetime) -> None:
        with store.write() as session:
            present(session, Match, match_id).finished_at = at

    def featured(client: Browser) -> int:
        found = re.search(r'embedded stage src="/matches/(\d+)/games', client.get("/").text)
        assert found
        return int(found[1])

    with browser(app) as client:
        finish(1, minute - timedelta(seconds=5))
        assert featured(client) == 1
        for later, match_id in ((3, 2), (9, 3)):
            finish(match_id, minute + timedelta(seconds=later))
            assert featured(client) == 1
        now[0] = minute + timedelta(seconds=60)
        assert featured(client) == 3


def test_the_featured_game_is_not_given_away(spectator: Browser) -> None:
    page = spectator.get("/").text
    stage = page[page.index('class="arena-stage"') : page.index("</bull-replay>")]
    for word in ("decided", "shared win", "wins", "points"):
        assert word not in stage


def test_a_match_that_can_be_followed_is_on_the_board(
    settings: Settings, store: Store, seeded: Seeded
) -> None:
    with store.read() as session:
        commitment = present(session, Match, seeded.running).commitment
    item = Item(of=commitment, attempt=1, number=0, data={"type": "game"})
    app = create_app(settings, store, Playing(seeded.running, item))
    with browser(app) as client:
        page = client.get("/").text
    assert f'<bull-replay embedded stage src="/api/v1/matches/{seeded.running}/live"' in page
    assert "js/replay/live.js" in page
    assert "Watch live" in page


def test_what_is_heard_of_a_match_that_is_gone_puts_nothing_on_the_board(
    settings: Settings, store: Store, seeded: Seeded
) -> None:
    item = Item(of="another", attempt=1, number=0, data={"type": "game"})
    with browser(create_app(settings, store, Playing(seeded.running, item))) as client:
        assert "/live" not in re.findall(r"<bull-replay[^>]*>", client.get("/").text)[0]


def test_the_front_page_says_who_leads_what_is_next_and_leads_in(
    app: FastAPI, store: Store
) -> None:
    closes = datetime(2031, 5, 6, 18, 30, tzinfo=UTC)
    with store.write() as session:
        summer = seasons.by_name(session, "summer")
        assert summer is not None
        summer.freezes_at = closes
    with browser(app) as client:
        page = client.get("/").text
    assert "In the lead" in page
    assert "entries close <time" in page
    assert "6 May 2031, 18:30 UTC" in page
    assert 'href="/submit">Enter your bot' in page
    assert "Watch this game" in page


def test_what_is_on_comes_first_and_archives_last() -> None:
    states = [
        SeasonState.ARCHIVED,
        SeasonState.OPEN,
        SeasonState.FINISHED,
        SeasonState.RUNNING,
        SeasonState.DRAFT,
    ]
    made = [
        Season(id=at, name=f"s{at}", rules="x", table_size=4, boards=4, state=state)
        for at, state in enumerate(states)
    ]
    assert [one.state for one in by_interest(made)] == [
        SeasonState.RUNNING,
        SeasonState.OPEN,
        SeasonState.FINISHED,
        SeasonState.ARCHIVED,
    ]


def test_an_archived_season_does_not_lead_the_front_page(
    app: FastAPI, store: Store, seeded: Seeded
) -> None:
    with store.write() as session:
        row = present(session, Season, seeded.season_id)
        row.state = SeasonState.ARCHIVED
        assert accounts.owner_by_handle(session, "boss") is not None
    with browser(app) as client:
        page = client.get("/").text
    assert "In the lead" not in page
    assert "The last season" in page
