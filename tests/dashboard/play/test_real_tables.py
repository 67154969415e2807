"""A person in a real Chromium at a real table: worker, referee, bridge and bots behind it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ViewportSize,
    expect,
    sync_playwright,
)

from league.services import LeagueServices
from league.settings import LeagueSettings
from league.wiring import make_worker, open_store
from store import bots, people_games
from tests.dashboard.play.conftest import House, table_settings
from tests.dashboard.play.player import ASKED, PATIENCE_MS, Player
from tests.dashboard.play.test_hints import is_assisted
from tests.dashboard.serving import served

pytestmark = [pytest.mark.browser, pytest.mark.heavy, pytest.mark.timeout(600)]
USUAL_MS = 5000
"""How long Playwright's `expect` waits unless it is told otherwise."""
LAPTOP: ViewportSize = {"width": 1366, "height": 768}
PHONE: ViewportSize = {"width": 390, "height": 844}
OUTSIDE = """() => [...document.querySelectorAll("[data-hint], .ask-text, .own-buttons button")]
    .map((one) => one.getBoundingClientRect())
    .filter((at) => at.left < 0 || at.right > innerWidth || at.bottom > innerHeight)
    .map((at) => [at.left, at.right, at.bottom])"""
"""What does not fit the window."""


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=chromium_path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture(autouse=True)
def patient() -> Iterator[None]:
    """Workers, referees and bots share a busy machine with other tests."""
    expect.set_options(timeout=PATIENCE_MS)
    yield
    expect.set_options(timeout=USUAL_MS)


def newcomer(chromium: Browser, window: ViewportSize = LAPTOP) -> BrowserContext:
    context = chromium.new_context(viewport=window, reduced_motion="reduce")
    context.set_default_timeout(PATIENCE_MS)
    return context


def choose_game(player: Player, house: House, title: str) -> None:
    page = player.page
    page.goto(f"{house.url}/play")
    page.get_by_role("radio", name=title).check()


def play(player: Player) -> None:
    at = 0
    while player.wait():
        player.by_mouse(at)
        at += 1


def test_one_click_on_the_front_page_leads_to_the_first_card(
    chromium: Browser, house: House
) -> None:
    player = Player(newcomer(chromium).new_page())
    player.page.goto(house.url)
    player.page.get_by_role("link", name="Play against the bots").click()
    player.ready()
    player.wait()
    assert len(player.hand()) == 10
    play(player)
    assert "point" in player.verdict()
    player.page.get_by_role("button", name="Review this game").click()
    expect(player.page.locator("bull-review")).not_to_contain_text("No review now")
    player.page.get_by_role("link", name="Watch the replay").click()
    player.page.wait_for_selector("bull-replay.ready")
    player.page.get_by_role("button", name="Review", exact=True).click()
    expect(player.page.locator(".review")).to_be_visible()
    expect(player.page.locator(".review")).not_to_contain_text("No review now")
    player.page.context.close()
    assert player.complaints == []


@pytest.mark.parametrize("title", ["6 nimmt!", "11 nimmt!", "X nimmt!"])
def test_every_game_is_played_to_its_end(chromium: Browser, house: House, title: str) -> None:
    player = Player(newcomer(chromium, PHONE if title == "X nimmt!" else LAPTOP).new_page())
    choose_game(player, house, title)
    player.page.get_by_role("button", name="Deal the cards").click()
    player.ready()
    play(player)
    assert "point" in player.verdict()
    player.page.context.close()
    assert player.complaints == []


def test_two_people_meet_by_a_link(chromium: Browser, house: House) -> None:
    host, guest = (Player(newcomer(chromium).new_page()) for _ in range(2))
    choose_game(host, house, "6 nimmt!")
    host.page.get_by_text("Players, length, opponents").click()
    host.page.get_by_label("People at the table").select_option("2")
    expect(host.page.locator("[data-summary]")).to_have_text("2 people and 2 bots, one round.")
    host.page.get_by_role("button", name="Deal the cards").click()
    link = host.page.locator("#table-link").inner_text()
    guest.page.goto(link)
    guest.page.get_by_role("button", name="Take a seat").click()
    for player in (host, guest):
        player.ready()
    players = (host, guest)
    hands = [set(player.hand()) for player in players if player.wait()]
    assert not hands[0] & hands[1]
    while not all(player.over for player in players):
        for player in players:
            if player.page.locator(ASKED).count():
                player.by_mouse()
        host.page.wait_for_timeout(50)
    assert "point" in host.verdict()
    for player in players:
        player.page.context.close()
        assert player.complaints == []


def test_a_stranger_is_told_that_the_table_is_not_theirs(chromium: Browser, house: House) -> None:
    player = Player(newcomer(chromium).new_page())
    player.page.goto(house.url)
    player.page.get_by_role("link", name="Play against the bots").click()
    player.ready()
    address = player.page.url
    stranger = newcomer(chromium).new_page()
    answer = stranger.goto(address)
    assert answer is not None
    assert answer.status == 403
    expect(stranger.get_by_role("main")).to_contain_text("belongs to others")
    player.page.context.close()
    stranger.context.close()


def test_a_server_that_was_restarted_costs_the_person_nothing(
    chromium: Browser, tmp_path: Path
) -> None:
    settings = table_settings(tmp_path / "data")
    store = open_store(LeagueSettings.model_validate(settings.model_dump()))
    worker = make_worker(settings, store)
    worker.start()
    player = Player(newcomer(chromium).new_page())
    services = LeagueServices(settings, store)
    try:
        with served(settings, store, services) as url:
            player.page.goto(url)
            player.page.get_by_role("link", name="Play against the bots").click()
            player.ready()
            player.wait()
            player.by_mouse(5)
            player.wait()
        expect(player.page.locator(".notice")).to_contain_text("The connection is lost")
        with served(settings, store, services, port=int(url.rpartition(":")[2])):
            expect(player.page.locator(".notice")).to_contain_text("Connected again")
            play(player)
            assert "point" in player.verdict()
    finally:
        player.page.context.close()
        worker.stop()
        store.close()
    assert player.complaints == []


def test_a_bot_that_crashes_does_not_stop_the_game(chromium: Browser, house: House) -> None:
    with house.store.write() as session:
        bot = bots.find_bot(session, "house/lowest")
        assert bot is not None
        broken = bots.add_version(session, bot.id, program=["false"])
        bots.accept_version(session, broken.id)
    player = Player(newcomer(chromium).new_page())
    player.page.goto(f"{house.url}/play?rules=six-nimmt&opponent=house/lowest")
    player.page.locator("#seats").select_option("3")
    player.page.get_by_role("button", name="Deal the cards").click()
    player.ready()
    assert "lowest" in player.page.locator(".others").inner_text()
    play(player)
    assert "point" in player.verdict()
    player.page.context.close()
    assert player.complaints == []


@pytest.mark.parametrize("window", [LAPTOP, PHONE])
def test_a_hint_is_confirmed_marks_every_choice_and_makes_the_game_assisted(
    chromium: Browser, house: House, window: ViewportSize
) -> None:
    player = Player(newcomer(chromium, window).new_page())
    choose_game(player, house, "6 nimmt!")
    player.page.get_by_role("button", name="Deal the cards").click()
    player.ready()
    player.wait()
    page, code = player.page, player.page.url.rpartition("/")[2]
    page.get_by_role("button", name="Hint", exact=True).click()
    expect(page.locator(".ask-text")).to_contain_text("does not count for your rating")
    assert page.locator("[data-hint]").count() == 0
    assert not is_assisted(house, code)
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".mine .hand [data-hint]")).to_have_count(10)
    expect(page.locator(".ask-text")).to_contain_text("Estimate: about")
    marks = [str(one.get_attribute("data-hint")) for one in page.locator("[data-hint]").all()]
    assert "best" in marks
    assert all(mark == "best" or float(mark) >= 0 for mark in marks)
    assert is_assisted(house, code)
    assert page.evaluate(OUTSIDE) == []
    play(player)
    expect(page.locator(".outcome")).to_contain_text("does not count for a rating")
    with house.store.read() as session:
        assert people_games.counted(session) == []
    page.context.close()
    assert player.complaints == []
