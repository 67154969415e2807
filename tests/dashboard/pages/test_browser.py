"""The pages in a real Chromium: signing in, submitting, phone width, keyboard, axe, no scripts."""

import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect, sync_playwright

from dashboard.settings import Settings
from league import gate as gates
from league import ladder as ladders
from store import Store, SubmissionState, bots
from tests.dashboard.seed import PASSWORD
from tests.dashboard.serving import served

Scheme = Literal["light", "dark"]
PHONE: ViewportSize = {"width": 390, "height": 844}
DESK: ViewportSize = {"width": 1280, "height": 900}
PUBLIC = (
    "/",
    "/seasons",
    "/seasons/spring",
    "/seasons/spring/fairness",
    "/seasons/summer",
    "/live",
    "/bots",
    "/bots/heron/close",
    "/matches",
    "/matches/1",
    "/matches/1/games/0/0",
    "/play",
    "/play/people",
    "/docs",
    "/sign-in",
    "/sign-up",
)
PRIVATE = (
    "/submit",
    "/submissions/1",
    "/submissions/3",
    "/mine",
    "/bots/heron/close",
    "/bots/heron/close/manage",
    "/bots/heron/close/losses",
    "/friendlies",
    "/matches/1/output",
    "/account",
)
ORGANISER = (
    "/organiser",
    "/organiser/audit",
    "/organiser/create",
    "/organiser/create?preset=league",
    "/organiser/ladders/open",
    "/organiser/seasons/spring",
    "/organiser/seasons/summer",
    "/organiser/seasons/summer/edit",
    "/organiser/seasons/secret-plan/edit",
    "/organiser/seasons/secret-plan/delete",
    "/organiser/seasons/spring/disqualify?bot=heron/close",
    "/seasons/spring/fairness?look=1",
    "/nowhere",
)
# Contrast inside the animated table is the viewer's own test.
AXE = {"exclude": [["bull-replay"]]}


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
    """The dashboard on a loopback port; its address."""
    with served(settings, store) as url:
        yield url


class Tab:
    """A page that remembers what its console complained about."""

    def __init__(self, context: BrowserContext) -> None:
        self.page: Page = context.new_page()
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on(
            "console",
            lambda message: (
                self.complaints.append(message.text) if message.type == "error" else None
            ),
        )

    def open(self, address: str) -> Page:
        self.complaints.clear()
        self.page.goto(address)
        return self.page


def sign_in(page: Page, site: str, handle: str) -> None:
    page.goto(f"{site}/sign-in")
    page.get_by_label("Name").fill(handle)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("main").get_by_role("button", name="Sign in").click()
    expect(page).to_have_url(f"{site}/mine")


def violations(page: Page) -> list[str]:
    found = Axe().run(page, context=AXE).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in found]


def ladder_pages(store: Store) -> tuple[str, ...]:
    """The pages of a ladder on which something of everything is to be seen."""
    with store.write() as session:
        made = ladders.open_ladder(session, ladders.LadderPlan(rules="six-nimmt"), "test")
        ladders.take_out(session, made.id, "otter/closer", "test", "it peeked")
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        bots.suspend(session, bot.id, "it crashed")
        gates.set_rule(session, True, "test", bot)
        waits = bots.add_version(session, bot.id, program=["true"])
        assert gates.accept_version(session, waits.id)
    desk = f"/organiser/ladders/{made.id}"
    return desk, f"{desk}/disqualify?bot=heron/close", f"/ladders/{made.id}"


@pytest.mark.heavy
@pytest.mark.timeout(300)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_accessible_fits_a_phone_and_has_no_errors(
    chromium: Browser, site: str, store: Store, scheme: Scheme
) -> None:
    wrong: dict[str, object] = {}
    desk = ORGANISER + ladder_pages(store)
    for who, paths in ((None, PUBLIC), ("heron", PRIVATE), ("boss", desk)):
        # Wide in one scheme and narrow in the other, then narrow for all: both are looked at.
        context = chromium.new_context(
            viewport=PHONE if scheme == "dark" else DESK,
            color_scheme=scheme,
            reduced_motion="reduce",
        )
        tab = Tab(context)
        if who is not None:
            sign_in(tab.page, site, who)
        for path in paths:
            page = tab.open(site + path)
            complaints = [one for one in tab.complaints if "404" not in one or path != "/nowhere"]
            problems = violations(page) + complaints
            page.set_viewport_size(PHONE)
            spill = page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            if spill > 0:
                problems.append(f"{spill} px too wide for a phone")
            page.set_viewport_size(PHONE if scheme == "dark" else DESK)
            if problems:
                wrong[path] = problems
        context.close()
    assert wrong == {}


def test_an_author_submits_a_file_and_follows_its_check(
    chromium: Browser, site: str, store: Store, tmp_path: Path
) -> None:
    context = chromium.new_context()
    tab = Tab(context)
    page = tab.page
    sign_in(page, site, "heron")
    page.get_by_role("link", name="Submit", exact=True).click()
    packed = tmp_path / "bot.tar.gz"
    (tmp_path / "Dockerfile").write_text("FROM scratch\n")
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(tmp_path / "Dockerfile", "Dockerfile")
    page.get_by_label("One of yours").select_option("close")
    page.get_by_label("Choose the file").set_input_files(str(packed))
    expect(page.locator("[data-drop-text]")).to_contain_text("bot.tar.gz")
    page.get_by_role("main").get_by_role("button", name="Submit", exact=True).click()
    expect(page).to_have_url(f"{site}/submissions/4")
    expect(page.locator("[aria-current=step]")).to_have_text("received")

    with store.write() as session:
        held = bots.claim_submission(session, 4, "worker")
        assert held is not None
        token = held.token
        assert token is not None
        bots.advance_submission(session, token, SubmissionState.CHECKING, log="step 1 <b>of</b> 2")
    expect(page.locator("[aria-current=step]")).to_have_text("checking")
    expect(page.locator("[data-live-log]")).to_have_text("step 1 <b>of</b> 2")
    with store.write() as session:
        bots.advance_submission(
            session, token, SubmissionState.REJECTED, report={"problem": "It never answered."}
        )
    expect(page.get_by_text("It never answered.")).to_be_visible()
    assert tab.complaints == []
    context.close()


def test_a_refused_upload_says_why_beside_the_form(chromium: Browser, site: str) -> None:
    context = chromium.new_context()
    page = Tab(context).page
    sign_in(page, site, "heron")
    page.goto(f"{site}/submit")
    page.get_by_label("One of yours").select_option("close")
    page.get_by_role("main").get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("needs a file")
    context.close()


def test_the_pages_work_without_javascript(chromium: Browser, site: str, tmp_path: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    sign_in(page, site, "heron")
    (tmp_path / "bot.tar").write_bytes(b"data")
    page.goto(f"{site}/submit")
    page.get_by_label("One of yours").select_option("close")
    page.get_by_label("Choose the file").set_input_files(str(tmp_path / "bot.tar"))
    page.get_by_role("main").get_by_role("button", name="Submit", exact=True).click()
    expect(page).to_have_url(f"{site}/submissions/4")
    expect(page.get_by_role("status")).to_contain_text("Received")
    page.goto(f"{site}/matches/1/games/0/0")
    expect(page.get_by_role("heading", name="Round 1")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    context.close()


def test_everything_is_reached_by_keyboard(chromium: Browser, site: str) -> None:
    context = chromium.new_context()
    page = context.new_page()
    page.goto(site)
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to the content")
    page.keyboard.press("Enter")
    expect(page.locator(":focus")).to_have_attribute("id", "main")
    page.goto(f"{site}/sign-in")
    names = []
    for _ in range(12):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.id || document.activeElement.innerText"))
    assert names.index("handle") < names.index("password")
    page.locator("#handle").focus()
    page.keyboard.type("heron")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{site}/mine")
    context.close()


def test_the_switch_of_light_and_dark_is_remembered(chromium: Browser, site: str) -> None:
    context = chromium.new_context(color_scheme="light")
    page = context.new_page()
    page.goto(site)
    button = page.get_by_role("button", name="Switch between light and dark")
    button.click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.goto(f"{site}/bots")
    # The server drew it so: no flash of the other scheme.
    assert 'data-theme="dark"' in (page.content().split(">", 2)[1])
    context.close()


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1000, 800), (390, 844)])
def test_a_replay_has_its_controls_in_the_window(
    chromium: Browser, site: str, width: int, height: int
) -> None:
    context = chromium.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    page = context.new_page()
    page.goto(f"{site}/matches/1/games/0/0")
    play = page.get_by_role("button", name="Play", exact=True)
    expect(play).to_be_visible()
    box = play.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
