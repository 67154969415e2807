"""A live page that the Back button brings back as it was left: it goes on, and misses nothing."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from dashboard.settings import Settings
from store import Match, Store, match_lists, present
from tests.dashboard.live.test_safety import TURNS, Playing
from tests.dashboard.seed import Seeded
from tests.dashboard.serving import served
from tests.league.watched import told
from tests.league.world import wait_for

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120), pytest.mark.heavy]
RETURNED = "() => addEventListener('pageshow', ({ persisted }) => { window.kept = persisted })"


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    """A browser that keeps pages for the Back button, as people's browsers do."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path,
            args=["--no-sandbox", "--disable-dev-shm-usage"],
            ignore_default_args=["--disable-back-forward-cache"],
        )
        yield browser
        browser.close()


@pytest.fixture
def playing(store: Store, seeded: Seeded) -> Playing:
    with store.read() as session:
        match = present(session, Match, seeded.running)
        names = [seat.bot for seat in match_lists.seated(session, [match.id])[match.id]]
    return Playing(match, names)


def go_away_and_back(page: Page, site: str) -> None:
    page.evaluate(RETURNED)
    here = page.url
    page.goto(f"{site}/docs")
    page.evaluate("history.back()")
    # A page that is brought back is not loaded.
    page.wait_for_url(here, wait_until="commit")
    # Without the cache the page would be a new one, and prove nothing.
    assert page.evaluate("window.kept") is True


def steps(page: Page) -> int:
    count: Any = page.evaluate("document.querySelector('bull-replay').payload?.steps.length ?? 0")
    return int(count)


def test_a_live_game_goes_on_after_the_back_button(
    chromium: Browser, settings: Settings, store: Store, playing: Playing
) -> None:
    quick = settings.model_copy(update={"live_speed": 20.0})
    with served(quick, store, playing) as site:
        page = chromium.new_context().new_page()
        page.goto(f"{site}/matches/{playing.match_id}/live")
        wait_for(lambda: steps(page) > 2)
        before = steps(page)
        go_away_and_back(page, site)
        assert steps(page) == before
        for message in islice(told(playing.plan), TURNS + 1, TURNS + 4):
            playing.broadcast.tell(playing.match_id, message)
        wait_for(lambda: steps(page) > before)
        page.context.close()


def test_a_season_page_follows_again_after_the_back_button(
    chromium: Browser, settings: Settings, store: Store
) -> None:
    with served(settings, store) as site:
        page = chromium.new_context().new_page()
        page.goto(f"{site}/seasons/spring")
        assert page.locator("[data-live]").count() > 0
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        go_away_and_back(page, site)
        wait_for(lambda: any(url.endswith("/seasons/spring/events") for url in asked))
        page.context.close()
