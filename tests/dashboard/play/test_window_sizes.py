"""The pages of a person's game in three windows: nothing scrolls sideways, axe finds nothing."""

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

import nimmt
from dashboard.settings import Settings
from league.people import BoardBot, BoardPerson, PeopleBoard
from league.ratings import PersonRating
from store import JsonDict, Scale, Store
from tests.dashboard.play.desk import PERSON, DeskTable
from tests.dashboard.play.desk_site import Desk, served_desk
from tests.dashboard.play.player import Player
from tests.dashboard.play.test_compare import CODE, table
from tests.dashboard.serving import served

__all__ = ["table"]
pytestmark = [pytest.mark.browser, pytest.mark.heavy, pytest.mark.timeout(300)]
SIZES: tuple[ViewportSize, ...] = (
    {"width": 1366, "height": 768},
    {"width": 1000, "height": 800},
    {"width": 390, "height": 844},
)
LONG = "Bartholomew Featherstonehaugh"
WIDER = "document.documentElement.scrollWidth - innerWidth"
CUT = """() => [...document.querySelectorAll("main button, main .button, main input, main select")]
    .filter((one) => one.checkVisibility() && !one.closest(".scroll"))
    .map((one) => [one.textContent.trim(), one.getBoundingClientRect()])
    .filter(([, at]) => at.width && (at.left < 0 || at.right > innerWidth))
    .map(([name, at]) => [name, at.left, at.right])"""
"""What can be pressed, and stands outside the window."""


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=chromium_path, args=arguments)
        yield browser
        browser.close()


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def site(settings: Settings, store: Store, desk: Desk) -> Iterator[str]:
    with served_desk(settings, store, desk) as url:
        yield url


@pytest.fixture(params=SIZES, ids=lambda size: f"{size['width']}x{size['height']}")
def page(chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    context = chromium.new_context(viewport=request.param, reduced_motion="reduce")
    yield context.new_page()
    context.close()


def faults(page: Page) -> list[Any]:
    """What is wrong with a page as it stands."""
    wider = page.evaluate(WIDER)
    found: list[Any] = [f"{wider} px too wide"] if wider > 0 else []
    found += page.evaluate(CUT)
    # Told from the top: what is below the window counts too.
    for one in Axe().run(page).response["violations"]:
        found.append((one["id"], one["nodes"][0]["html"][:160]))
    return found


def seated(desk: Desk, site: str, page: Page, **more: Any) -> Player:
    """A person at a table of ten whose game goes on."""
    players = (PERSON, *("random",) * 9)
    desk.put(DeskTable("ten", "six-nimmt", {"rounds": 1}, players, **more)).begin()
    player = Player(page)
    player.sit(f"{site}/play/ten")
    assert player.wait()
    return player


def test_choosing_a_game(site: str, page: Page) -> None:
    page.goto(f"{site}/play")
    assert faults(page) == []
    page.get_by_text("Players, length, opponents").click()
    assert faults(page) == []
    page.get_by_role("radio", name="X nimmt!").check()
    assert faults(page) == []


def test_the_form_says_who_takes_the_seats(site: str, page: Page) -> None:
    page.goto(f"{site}/play")
    page.get_by_text("Players, length, opponents").click()
    words = page.locator("[data-free]")
    drawn = "platform bots drawn at random"
    expect(words).to_have_text(f"3 seats are for bots. Pick who sits there below, or get {drawn}.")
    bots = page.get_by_role("checkbox").and_(page.locator("[name=opponent]:visible"))
    bots.nth(0).check()
    expect(words).to_have_text(
        f"3 seats are for bots. You have picked 1; {drawn} take the other 2."
    )
    bots.nth(1).check()
    page.get_by_role("checkbox", name="About as strong as me").check()
    near = "a bot about as strong as you takes the other seat"
    expect(words).to_have_text(f"3 seats are for bots. You have picked 2; {near}.")
    page.get_by_label("Seats at the table").select_option("3")
    expect(words).to_have_text("2 seats are for bots. You have picked all 2.")
    expect(bots.nth(2)).to_be_disabled()
    page.get_by_label("People at the table").select_option("3")
    expect(words).to_have_text("Every seat is for a person, so there is no room for bots.")
    expect(page.locator("[data-summary]")).to_have_text("3 people, one round.")


def test_before_the_game(desk: Desk, site: str, page: Page) -> None:
    players = (PERSON, PERSON, PERSON, "random")
    waits = desk.put(DeskTable("lobby", "six-nimmt", {"rounds": 1}, players))
    waits.state = "lobby"
    page.goto(f"{site}/play/lobby")
    expect(page.get_by_role("status")).to_have_text("2 seats are free.")
    assert faults(page) == []


def test_in_play_and_with_all_that_opens(desk: Desk, site: str, page: Page) -> None:
    player = seated(desk, site, page)
    assert faults(page) == []
    page.get_by_text("Options").click()
    page.get_by_text("The bots' memory").click()
    expect(page.locator(".bots-memory li").first).to_contain_text("up to 256.0 MiB")
    assert faults(page) == []
    page.get_by_text("Leave the table…").click()
    assert faults(page) == []
    page.get_by_text("Options").click()
    page.get_by_role("button", name="How to play").click()
    assert page.evaluate(WIDER) <= 0
    assert player.complaints == []


def test_after_the_game(desk: Desk, site: str, page: Page) -> None:
    player = seated(desk, site, page)
    while player.wait():
        player.by_mouse()
    expect(page.locator(".after")).to_be_visible()
    assert faults(page) == []


def test_both_games_side_by_side(site: str, page: Page, table: JsonDict) -> None:
    page.goto(f"{site}/play/{CODE}/compare")
    expect(page.get_by_role("heading", name="Both games side by side")).to_be_visible()
    for later in page.locator("details").all():
        later.evaluate("(one) => { one.open = true; }")
    assert faults(page) == []


def a_board(number: int) -> PeopleBoard:
    """A board on which something of everything stands."""
    rated = [
        PersonRating(person=f"p{at}", games=1234, rounds=12345, elo=1500.0 + at, half=87.5)
        for at in range(3)
    ]
    return PeopleBoard(
        rules=nimmt.get("six-nimmt", {}).name,
        options=dict(nimmt.get("six-nimmt", {"rounds": 1, "advanced": True}).options),
        table_size=10 - number,
        scale=Scale(rules="six-nimmt", options={}, table_size=10, key=str(number)),
        people=tuple(
            BoardPerson(name=name, is_guest=guest, is_own=not guest, rating=rating)
            for name, guest, rating in zip(
                (LONG, "Ann", None), (True, False, True), rated, strict=True
            )
        ),
        bots=(BoardBot(bot=f"heron/{'long-' * 6}name", version=12, elo=1400.5, half=None),),
        games=3,
        own=PersonRating(person="p9", games=3, rounds=3, elo=None, half=None),
    )


@pytest.mark.parametrize("count", [0, 2])
def test_the_peoples_board(
    settings: Settings, store: Store, page: Page, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    boards = [a_board(number) for number in range(count)]
    monkeypatch.setattr("dashboard.pages.people_board.people.people_boards", lambda *_: boards)
    with served(settings, store) as url:
        page.goto(f"{url}/play/people")
        expect(page.get_by_role("heading", name="People's board")).to_be_visible()
        assert page.get_by_text(LONG).count() == count
        assert faults(page) == []
