"""An archive opened from the file system in a real Chromium: no server, no console error."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from dashboard.archive import from_store, write_folder
from tests.dashboard.archived import finished_season
from tests.dashboard.pages.test_browser import Tab, violations

pytestmark = pytest.mark.heavy(but="test_a_reader_goes_from_the_standings_to_a_card_on_the_table")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("archive")
    store, season_id = finished_season(root)
    write_folder(from_store(store, season_id), root / "spring")
    store.close()
    return root / "spring"


@pytest.fixture(scope="module")
def chromium(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


def test_a_reader_goes_from_the_standings_to_a_card_on_the_table(
    chromium: Browser, folder: Path
) -> None:
    context = chromium.new_context(reduced_motion="reduce")
    tab = Tab(context)
    page = tab.open((folder / "index.html").as_uri())
    expect(page.get_by_role("heading", level=1)).to_have_text("Spring <b>season</b> & more")
    expect(page.get_by_role("table", name="Standings of")).to_be_visible()
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Matches").click()
    page.get_by_role("link", name="Match 2", exact=True).click()
    page.get_by_role("link", name="Game 3", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("6 nimmt! · match 2 · game 3")
    expect(page.locator("bull-replay.ready")).to_be_visible()
    assert page.locator("bull-replay .card").count() > 20
    page.keyboard.press("End")
    expect(page.locator("bull-replay .caption")).to_contain_text(
        re.compile("wins with|share the win")
    )
    page.get_by_role("link", name="Next game").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("6 nimmt! · match 2 · game 4")
    assert tab.complaints == []
    context.close()


@pytest.mark.heavy
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_of_an_archive_are_accessible_and_fit_a_phone(
    chromium: Browser, folder: Path, scheme: Literal["light", "dark"]
) -> None:
    context = chromium.new_context(
        viewport={"width": 390, "height": 844},
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    tab = Tab(context)
    wrong: dict[str, object] = {}
    for name in ("index.html", "matches.html", "matches/1.html", "replays/1.html"):
        page = tab.open((folder / name).as_uri())
        spill = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        # Before axe looks: it fetches the style sheet by itself, which the policy forbids.
        problems = [*tab.complaints, *["too wide"] * (spill > 0)]
        if problems := problems + violations(page):
            wrong[name] = problems
    assert wrong == {}
    context.close()


def test_a_game_that_is_not_there_is_said_in_words(chromium: Browser, folder: Path) -> None:
    context = chromium.new_context()
    page = Tab(context).open((folder / "replays/1.html").as_uri() + "?game=77")
    expect(page.get_by_role("alert")).to_contain_text("there is no game 77, only 0 to 3")
    context.close()
