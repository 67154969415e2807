"""The pages in windows of four sizes and both schemes: nothing jumps, nothing is cut off."""

from collections.abc import Iterator
from itertools import product
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from dashboard.settings import Settings
from league import friendlies
from league import seasons as league_seasons
from league.friendlies import FriendlyLimits, FriendlyPlan
from store import Store, accounts
from tests.dashboard.pages.test_browser import sign_in
from tests.dashboard.reviewed import make_reviews
from tests.dashboard.seed import Seeded, play_match
from tests.dashboard.serving import served

Scheme = Literal["light", "dark"]
SIZES: tuple[ViewportSize, ...] = (
    {"width": 1366, "height": 768},
    {"width": 1000, "height": 800},
    {"width": 390, "height": 844},
    {"width": 1920, "height": 1080},
)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
PAGES = (
    "/",
    "/seasons",
    "/seasons/spring",
    "/seasons/summer",
    "/bots/heron/close",
    "/docs",
    "/live",
    "/matches/1",
    "/play",
    "/play/people",
)
OWN_PAGES = ("/friendlies", "/bots/heron/close/losses", "/matches/1/output")
WATCH = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture
def site(settings: Settings, store: Store) -> Iterator[str]:
    with served(settings, store) as url:
        yield url


def settled(page: Page, address: str) -> None:
    """Open a page and wait until its board, if it has one, stands."""
    page.goto(address, wait_until="networkidle")
    if page.locator("bull-replay[stage]").count():
        expect(page.locator("bull-replay[stage].ready")).to_be_visible()


@pytest.mark.heavy
@pytest.mark.timeout(300)
def test_no_page_jumps_or_is_wider_than_its_window(chromium: Browser, site: str) -> None:
    wrong = []
    for size, scheme in product(SIZES, SCHEMES):
        context = chromium.new_context(viewport=size, color_scheme=scheme)
        context.add_init_script(WATCH)
        page = context.new_page()
        for path in PAGES:
            settled(page, site + path)
            shifted = page.evaluate("window.shifted")
            over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if shifted > 0.02 or over > 0:
                wrong.append((path, size, scheme, shifted, over))
        context.close()
    assert wrong == []


@pytest.mark.heavy
@pytest.mark.timeout(300)
def test_no_page_for_authors_and_no_match_that_is_played_is_wider_than_its_window(
    chromium: Browser, site: str, store: Store, seeded: Seeded
) -> None:
    with store.write() as session:
        heron = accounts.owner_by_handle(session, "heron")
        assert heron is not None
        plan = FriendlyPlan(bot="close", opponents=["otter/closer", "lynx/loose"], boards=12)
        limits = FriendlyLimits(at_once=9, per_hour=9, per_day=9, games=1000)
        waits = friendlies.ask(session, plan, heron, limits)[0].match_id
        played = friendlies.ask(session, plan, heron, limits)[0].match_id
    play_match(store, played)
    make_reviews(store, seeded.done)
    wrong = []
    for size, scheme in product(SIZES, SCHEMES):
        context = chromium.new_context(viewport=size, color_scheme=scheme)
        page = context.new_page()
        sign_in(page, site, "heron")
        more = (f"/matches/{waits}", f"/matches/{played}", f"/matches/{seeded.running}/live")
        for path in OWN_PAGES + more:
            # A match that is played never leaves its line alone.
            page.goto(site + path)
            expect(page.get_by_role("heading", level=1)).to_be_attached()
            for box in page.locator("details.ask").all():
                box.evaluate("(one) => { one.open = true; }")
            over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            if over > 0:
                wrong.append((path, size, scheme, over))
        context.close()
    assert wrong == []


@pytest.mark.heavy
def test_the_board_of_the_front_page_plays_by_itself_and_can_be_stopped(
    chromium: Browser, site: str
) -> None:
    page = chromium.new_page(viewport=SIZES[0])
    settled(page, site)
    board = page.locator("bull-replay[stage]")
    caption = board.locator(".caption")
    first = caption.inner_text()
    expect(caption).not_to_have_text(first)
    bottom = board.bounding_box()
    assert bottom is not None
    assert bottom["y"] + bottom["height"] <= SIZES[0]["height"], "the controls are in the window"
    board.get_by_role("button", name="Pause").click()
    now = caption.inner_text()
    page.wait_for_timeout(2500)
    assert caption.inner_text() == now
    assert page.url.rstrip("/") == site, "the address of the front page stays as it is"
    page.close()


@pytest.mark.heavy
def test_the_board_waits_for_readers_who_want_no_motion(chromium: Browser, site: str) -> None:
    context = chromium.new_context(reduced_motion="reduce")
    page = context.new_page()
    settled(page, site)
    expect(page.locator("bull-replay[stage]").get_by_role("button", name="Play")).to_be_visible()
    context.close()


@pytest.mark.heavy
def test_without_scripts_the_front_page_still_leads_to_the_game(
    chromium: Browser, site: str
) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site)
    page.get_by_role("link", name="Watch this game").click()
    expect(page.get_by_role("heading", name="Round 1")).to_be_visible()
    context.close()


@pytest.mark.heavy
def test_on_a_tablet_nothing_is_cut_off_for_organisers(
    chromium: Browser, site: str, store: Store, seeded: Seeded
) -> None:
    with store.write() as session:
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        league_seasons.finish(session, seeded.season_id, boss, early=True)
    page = chromium.new_page(viewport=SIZES[1])
    sign_in(page, site, "boss")
    settled(page, f"{site}/seasons/spring")
    for place in (".nav", ".scroll:has(> .standings)"):
        wide = page.locator(place).first.evaluate("(one) => one.scrollWidth - one.clientWidth")
        assert wide <= 0, place
    page.close()


@pytest.mark.heavy
def test_moments_are_told_in_the_readers_time_zone_by_name(chromium: Browser, site: str) -> None:
    context = chromium.new_context(timezone_id="Asia/Tokyo", locale="en-GB")
    page = context.new_page()
    page.goto(f"{site}/seasons/spring")
    began = page.locator("time[data-exact]").first
    expect(began).to_contain_text("GMT+9")
    assert "UTC" in (began.get_attribute("title") or "")
    sign_in(page, site, "boss")
    page.goto(f"{site}/organiser/create")
    closing = page.get_by_label("When do entries close?")
    expect(page.locator("#freezes_at-help")).to_have_text("In your time zone, GMT+9.")
    closing.fill("2031-05-07T03:30")
    words = "In your time zone, GMT+9, in UTC 2031-05-06 18:30."
    expect(page.locator("#freezes_at-help")).to_have_text(words)
    sent = "(form) => new FormData(form).getAll('freezes_at')"
    form = page.locator("form:has(#freezes_at)")
    assert form.evaluate(sent) == ["2031-05-06T18:30"]
    # What the planner sends back is the same moment, on the same clock.
    page.get_by_role("button", name="Ask the planner").click()
    expect(closing).to_have_value("2031-05-07T03:30")
    expect(page.locator("#freezes_at-help")).to_have_text(words)
    context.close()


@pytest.mark.heavy
def test_without_scripts_dates_are_typed_in_utc(chromium: Browser, site: str) -> None:
    context = chromium.new_context(timezone_id="Asia/Tokyo", java_script_enabled=False)
    page = context.new_page()
    sign_in(page, site, "boss")
    page.goto(f"{site}/organiser/create")
    expect(page.locator("#freezes_at-help")).to_have_text("In UTC.")
    context.close()


@pytest.mark.heavy
def test_the_planner_shows_no_numbers_of_other_rules(chromium: Browser, site: str) -> None:
    page = chromium.new_page()
    sign_in(page, site, "boss")
    page.goto(f"{site}/organiser/create")
    expect(page.locator(".outlook")).to_be_visible()
    page.get_by_label("X nimmt!", exact=True).check()
    expect(page.locator(".outlook")).to_be_hidden()
    expect(page.get_by_text("These numbers were for other rules.")).to_be_visible()
    page.get_by_role("button", name="Ask the planner").click()
    page.close()
