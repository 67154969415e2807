"""What a replay tells before it has been watched: nothing of how it ends."""

from typing import Any

import pytest

import nimmt
from dashboard.viewer import build_payload
from nimmt.simulate import play_game
from tests.dashboard.viewer.samples import KEY, SAMPLES, sample

pytestmark = pytest.mark.browser
EVERYTHING_TOLD = """() => {
    const seen = [document.title, document.body.innerText];
    for (const element of document.querySelectorAll("bull-replay *")) {
        for (const name of ["aria-label", "aria-valuetext", "title", "d"]) {
            seen.push(element.getAttribute(name));
        }
    }
    return seen.filter(Boolean);
}"""
"""All that a page tells to eyes and to screen readers, the lines of its chart among it."""


def other_end(name: str) -> dict[str, Any]:
    """A game of the same bots that begins as the sample does, and ends in another way."""
    rules, options, bots = SAMPLES[name]
    played = tuple("random" if bot != "random" else "house" for bot in bots)
    game = play_game(nimmt.get(rules, options), played, KEY, 0)
    document = game.document(bots, KEY, 0)
    for player, known in zip(document["players"], sample(name)["players"], strict=True):
        player.update(bot=known["bot"], version=known["version"])
    assert document["result"] != sample(name)["result"]
    return document


@pytest.mark.heavy(but="six")
@pytest.mark.parametrize("query", ["", "?p=1"])
@pytest.mark.parametrize("name", ["six", "x", "eleven"])
def test_at_the_first_moment_a_page_tells_nothing_of_the_outcome(
    open_page: Any, browser: Any, site: str, name: str, query: str
) -> None:
    page = open_page(f"{site}/{name}{query}")
    told = page.evaluate(EVERYTHING_TOLD)
    # A game that goes on in another way looks just the same.
    context = browser.new_context(reduced_motion="reduce")
    other = context.new_page()
    links = page.evaluate("document.querySelector('bull-replay').payload.meta.links")
    title = page.title()
    payload = build_payload(other_end(name), title=title, links=links)
    other.route("**/data*", lambda route: route.fulfill(json=payload))
    other.goto(f"{site}/{name}{query}")
    other.wait_for_selector("bull-replay.ready")
    assert other.evaluate(EVERYTHING_TOLD) == told
    # And the measure is worth something: at the end the two differ.
    for one in (page, other):
        one.keyboard.press("End")
    assert page.evaluate(EVERYTHING_TOLD) != other.evaluate(EVERYTHING_TOLD)
    context.close()


def test_chart_and_moves_grow_with_the_game_and_a_switch_shows_everything(
    open_page: Any, site: str
) -> None:
    page = open_page(f"{site}/six?p=2")
    moves = page.locator(".moves li")
    assert moves.count() == 1
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    # What has been shown stays, so that one finds the way back to it.
    assert moves.count() == 3
    assert "Round 1 ·" in page.locator(".when").inner_text()
    page.get_by_label("Show everything").check()
    assert moves.count() > 30
    assert "Round 1 of 4 ·" in page.locator(".when").inner_text()
    # The choice is the reader's, and kept.
    page.reload()
    page.wait_for_selector("bull-replay.ready")
    assert moves.count() > 30
    page.get_by_label("Show everything").uncheck()
    assert moves.count() < 5
