"""Submitting a whole folder on the page, in a real Chromium: chosen, or dropped as a hand does."""

import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from dashboard.settings import Settings
from store import Store, Submission, present
from tests.dashboard.pages.test_browser import Tab, chromium, sign_in, site

__all__ = ["chromium", "site"]
pytestmark = [pytest.mark.browser, pytest.mark.timeout(300), pytest.mark.heavy]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bot's folder, with things in it that are not sent."""
    made = tmp_path / "my-bot"
    long = "far/" * 30 + "away.txt"
    for name, text in {
        "Dockerfile": "FROM bullring-base\n",
        "bot.py": "print(1)\n" * 100,
        "bot": "#!/bin/sh\n",
        long: "here",
        "__pycache__/bot.pyc": "x",
        "kit/node_modules/a.js": "x",
    }.items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(text)
    return made


def choose(page: Page, folder: Path) -> None:
    page.set_input_files("#folder", folder)


def drop(page: Page, folder: Path) -> None:
    """Drop it as a hand does: by Chromium's own events, with a real folder."""
    page.locator("[data-drop]").scroll_into_view_if_needed()
    box = page.locator("[data-drop]").bounding_box()
    assert box is not None
    at = {"x": box["x"] + 20, "y": box["y"] + 20}
    data = {"items": [], "files": [str(folder)], "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, **at, "data": data})


@pytest.mark.parametrize("how", [choose, drop])
def test_a_whole_folder_is_submitted(
    chromium: Browser,
    site: str,
    store: Store,
    settings: Settings,
    folder: Path,
    how: Callable[[Page, Path], None],
) -> None:
    context = chromium.new_context()
    tab = Tab(context)
    page = tab.page
    sign_in(page, site, "heron")
    page.goto(f"{site}/submit")
    page.get_by_label("One of yours").select_option("close")
    how(page, folder)
    expect(page.locator("[data-drop-text]")).to_contain_text("packed from 4 files")
    page.get_by_role("main").get_by_role("button", name="Submit", exact=True).click()
    expect(page).to_have_url(f"{site}/submissions/4")
    assert tab.complaints == []
    context.close()
    with store.read() as session:
        upload = settings.uploads / str(present(session, Submission, 4).source)
    with tarfile.open(upload) as tar:
        assert {one.name: one.mode for one in tar} == {
            "Dockerfile": 0o644,
            "bot": 0o755,
            "bot.py": 0o644,
            "far/" * 30 + "away.txt": 0o644,
        }
        packed = tar.extractfile("bot.py")
        assert packed is not None
        assert packed.read() == (folder / "bot.py").read_bytes()


def test_a_folder_without_a_dockerfile_is_named_at_once(
    chromium: Browser, site: str, folder: Path
) -> None:
    (folder / "Dockerfile").unlink()
    context = chromium.new_context()
    page = Tab(context).page
    sign_in(page, site, "heron")
    page.goto(f"{site}/submit")
    choose(page, folder)
    expect(page.locator("[data-drop-text]")).to_have_text("my-bot has no Dockerfile at its top.")
    context.close()
