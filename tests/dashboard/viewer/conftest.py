"""A real Chromium, pages with sample replays, and an eye on what the console says."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.dashboard.viewer.serve_samples import serving

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NETWORK_CHANGED = "net::ERR_NETWORK_CHANGED"
"""What Chromium says of all it was loading when an interface came or went: a test beside this one
started containers with a network."""
LOADS = 5


@pytest.fixture(scope="module")
def browser(chromium_path: str) -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs the e2e extra")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serving() as url:
        yield url


def load(page: Any, url: str, errors: list[str]) -> None:
    """Go there; once more when this machine's network changed meanwhile, and only then."""
    before = len(errors)
    for _ in range(LOADS):
        try:
            page.goto(url)
        except Exception as error:
            if NETWORK_CHANGED not in str(error):
                raise
            continue
        if not any(NETWORK_CHANGED in text for text in errors[before:]):
            return
        del errors[before:]
    pytest.fail(f"the network changed at each of {LOADS} loads of {url}")


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    """Opens pages; afterwards no console may hold an error, and no page have thrown one."""
    contexts: list[Any] = []
    errors: list[str] = []

    def note(line: Any) -> None:
        if line.type in ("error", "warning"):
            errors.append(line.text)

    def opened(url: str, *, ready: bool = True, **options: Any) -> Any:
        options.setdefault("reduced_motion", "reduce")
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", note)
        load(page, url, errors)
        if ready:
            page.wait_for_selector("bull-replay.ready")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
