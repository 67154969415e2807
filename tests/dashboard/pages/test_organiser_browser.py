"""A whole season by an organiser who has only the page, played by an embedded worker."""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import store as data
from dashboard import http
from dashboard.settings import Settings
from league.bots import ensure_house
from league.matches import TableBot
from league.matches.inprocess import InProcessStage
from league.services import LeagueServices
from referee.plan import MatchPlan
from referee.result import MatchResult
from store import Role, Store, accounts
from tests.dashboard.pages.test_browser import sign_in, violations
from tests.dashboard.seed import PASSWORD
from tests.dashboard.serving import served
from tests.factories import open_store
from tests.league.world import settings, working

FIRST = 4
"""So many matches are played before the stage waits for the organiser."""
LIMIT = 60_000
"""Milliseconds; against hanging on a busy machine, no speed is tested."""
BOTS = ("random", "highest", "lowest", "gap", "leastcost", "slotrisk")


class PatientStage(InProcessStage):
    """Plays a few matches at once and the others only when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    async def play(
        self,
        plan: MatchPlan,
        bots: Sequence[TableBot],
        on_event: Callable[[dict[str, Any]], None] | None,
    ) -> MatchResult:
        while len(self.played) >= FIRST and not self.go.is_set():
            await asyncio.sleep(0.05)
        return await super().play(plan, bots, on_event)


@pytest.fixture
def chromium(chromium_path: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield browser
        browser.close()


@pytest.fixture
def league(tmp_path: Path) -> Iterator[tuple[str, Store, PatientStage]]:
    """Pages and worker over one store, with the house's bots and an organiser."""
    chosen = settings(tmp_path)
    database = open_store(chosen)
    with database.write() as session:
        ensure_house(session)
        secret = http.hash_password(PASSWORD)
        accounts.add_owner(session, "boss", password_hash=secret, role=Role.ORGANISER)
    stage = PatientStage()
    site = Settings(data_dir=tmp_path, page_cache_seconds=0, live_seconds=0.05)
    services = LeagueServices(chosen, database)
    with working(chosen, database, stage), served(site, database, services) as url:
        yield url, database, stage
        stage.go.set()
    database.close()


def accessible(page: Page) -> None:
    """Without violations in both schemes."""
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        # Buttons change their colour softly; half-way there is no contrast to be judged.
        page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished))")
        assert violations(page) == [], f"{page.url} in {scheme}"


def press(page: Page, name: str) -> None:
    page.get_by_role("main").get_by_role("button", name=name, exact=True).click()


def confirm(page: Page, step: str) -> None:
    """By way of the page that says what the step will do."""
    page.get_by_role("link", name=f"{step}…").click()
    accessible(page)
    press(page, step)


def make_the_season(page: Page) -> None:
    """From the desk to an open season with six bots in it."""
    page.get_by_role("link", name="Organiser", exact=True).click()
    page.get_by_role("link", name="New season").first.click()
    page.get_by_label("Short name").fill("cup")
    page.get_by_label("What is it called?").fill("The Cup")
    page.get_by_label("How many bots do you expect?").fill(str(len(BOTS)))
    page.get_by_text("More: games, time").click()
    page.get_by_label("after").check()
    page.get_by_label("Boards in a match").fill("8")
    page.get_by_label("Every two bots meet").fill("3")
    press(page, "Ask the planner")
    expect(page.get_by_label("What is it called?")).to_have_value("The Cup")
    # 6 bots at tables of 4, every pair 3 times: 3 * 15 / 6 tables.
    expect(page.locator(".planner-facts dd").first).to_have_text("8")
    accessible(page)
    press(page, "Make the draft")
    press(page, "Open entries")
    for bot in BOTS:
        page.get_by_role("checkbox", name=f"house/{bot} house").check()
    press(page, "Enter the chosen")
    expect(page.get_by_role("table").first.locator("tbody tr")).to_have_count(len(BOTS))
    accessible(page)


def disqualify(page: Page, bot: str, reason: str) -> None:
    """By way of the page that shows what it changes."""
    page.get_by_role("link", name=f"Disqualify {bot}").click()
    expect(page.get_by_role("table").locator("tbody tr")).to_have_count(len(BOTS))
    expect(page.locator("tr.gone")).to_contain_text(bot)
    accessible(page)
    page.get_by_label("Reason").fill(reason)
    press(page, f"Disqualify {bot}")
    expect(page.get_by_role("status")).to_contain_text(f"{bot} is disqualified")


@pytest.mark.browser
@pytest.mark.heavy
@pytest.mark.timeout(240)
def test_an_organiser_with_only_the_page_runs_a_season_from_the_form_to_the_archive(
    chromium: Browser, league: tuple[str, Store, PatientStage]
) -> None:
    url, database, stage = league
    context = chromium.new_context(reduced_motion="reduce")
    context.set_default_timeout(LIMIT)
    page = context.new_page()
    sign_in(page, url, "boss")
    make_the_season(page)
    confirm(page, "Freeze")
    confirm(page, "Start")
    # The desk follows by itself.
    done = page.get_by_text(re.compile(rf"^{FIRST} of \d+ matches done\."))
    expect(done).to_be_visible(timeout=LIMIT)
    accessible(page)
    disqualify(page, "house/lowest", "It talked to its neighbour.")

    page.get_by_text("Finish…").click()
    press(page, "Finish")
    expect(page.get_by_role("alert")).to_contain_text("still to be played")
    page.get_by_text("Finish…").click()
    page.get_by_label("and cancel what is not played yet").check()
    press(page, "Finish")
    expect(page.get_by_role("status")).to_have_text("The Cup is finished.")
    stage.go.set()
    confirm(page, "Archive")
    expect(page.locator("[aria-current=step]")).to_have_text("archived", ignore_case=True)
    page.get_by_role("link", name="Public page").click()
    expect(page.get_by_text("It talked to its neighbour.")).to_be_visible()
    accessible(page)
    with database.read() as session:
        acts = {row.action for row in data.audit.page(session) if row.actor == "boss"}
    steps = ("create", "open", "enter", "freeze", "start", "disqualify", "finish", "archive")
    assert acts >= {f"season.{step}" for step in steps}
    context.close()
