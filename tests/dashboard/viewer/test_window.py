"""The viewer in windows of several sizes: controls in sight, nothing cut off, nothing jumps."""

from typing import Any

import pytest

from tests.dashboard.viewer.samples import SAMPLES

pytestmark = [pytest.mark.browser, pytest.mark.heavy]
WINDOWS = {"laptop": (1366, 768), "small": (1000, 800), "phone": (390, 844)}
ON_ITS_SIDE = {"width": 844, "height": 390}
FITS = """() => {
    const viewer = document.querySelector("bull-replay");
    const box = (selector) => document.querySelector(selector).getBoundingClientRect();
    const wrong = [];
    const { height, top } = box(".felt");
    for (let at = 0; at < viewer.moments.length; at += 1 + at % 5) {
        viewer.show(at, 0);
        const bar = box(".transport").height ? box(".transport") : box(".buttons");
        if (bar.bottom > innerHeight) wrong.push([at, "controls", bar.bottom]);
        if (box(".caption").bottom > box(".standing").top) wrong.push([at, "caption"]);
        if (box(".felt").top !== top) wrong.push([at, "the table moves", box(".felt").top, top]);
        if (innerWidth > 700) {
            const felt = box(".felt");
            if (felt.height !== height) wrong.push([at, "the table grows", felt.height, height]);
            const parts = ".seat, .row, .pile, .laid:not([hidden]), .drafting .pool .slot";
            for (const inside of document.querySelectorAll(parts)) {
                const { left, right, bottom } = inside.getBoundingClientRect();
                if (left < felt.left || right > felt.right || bottom > felt.bottom) {
                    wrong.push([at, inside.className, left, right, bottom]);
                }
            }
        }
    }
    return wrong.slice(0, 5);
}"""
"""Whether controls and words are in the window at every moment, and on a large screen the table."""


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", SAMPLES)
def test_the_viewer_fits_the_window(open_page: Any, site: str, name: str, window: str) -> None:
    width, height = WINDOWS[window]
    page = open_page(f"{site}/{name}", viewport={"width": width, "height": height})
    assert page.evaluate(FITS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", ["six", "x", "eleven"])
def test_the_controls_stay_in_sight_on_a_phone_on_its_side(
    open_page: Any, site: str, name: str
) -> None:
    page = open_page(f"{site}/{name}", viewport=ON_ITS_SIDE)
    play = page.get_by_role("button", name="Play", exact=True)
    box = play.bounding_box()
    assert box["y"] + box["height"] <= ON_ITS_SIDE["height"]
    page.locator(".seat").last.scroll_into_view_if_needed()
    assert play.bounding_box()["y"] + box["height"] <= ON_ITS_SIDE["height"]


@pytest.mark.parametrize("name", SAMPLES)
def test_an_embed_fits_the_frame_that_its_code_asks_for(
    open_page: Any, site: str, name: str
) -> None:
    page = open_page(f"{site}/{name}/embed", viewport={"width": 800, "height": 680})
    assert page.evaluate(FITS) == []
    assert page.evaluate("document.documentElement.scrollHeight") <= 680


def test_theatre_fills_the_window_and_escape_gives_the_page_back(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six?t=12", viewport={"width": 1366, "height": 768})
    card = "document.querySelector('.row .card').getBoundingClientRect().width"
    before = page.evaluate(card)
    page.get_by_role("button", name="Theatre").click()
    assert page.evaluate(card) > before
    assert not page.locator(".side").is_visible()
    assert page.locator("bull-replay").bounding_box() == {
        "x": 0,
        "y": 0,
        "width": 1366,
        "height": 768,
    }
    assert page.evaluate(FITS) == []
    page.keyboard.press("Escape")
    assert page.evaluate(card) == before
    page.keyboard.press("t")
    assert page.evaluate(card) > before


def test_the_standing_is_in_order_and_follows_the_points(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six")
    seats = page.locator(".points-chart text.seat-line")
    assert seats.count() == 0, "the chart names lines that lie on each other"
    for _ in range(40):
        page.keyboard.press("ArrowRight")
        points = [int(text) for text in page.locator(".standing b").all_inner_texts()]
        assert points == sorted(points)
    assert points[-1] > 0
    assert seats.count() == 4
    page.keyboard.press("End")
    assert page.locator(".standing .won .name").inner_text() == "matador"


def test_the_decision_on_screen_is_marked_and_none_is_from_an_earlier_turn(
    open_page: Any, site: str
) -> None:
    page = open_page(f"{site}/x")
    wrong = page.evaluate("""() => {
        const viewer = document.querySelector("bull-replay");
        const wrong = [];
        for (const { index, step, turn, round, events, text } of viewer.moments) {
            viewer.show(index, 0);
            const lines = [...document.querySelectorAll(".decisions li")];
            if (lines.length !== 4) wrong.push([index, "lines", lines.length]);
            const list = document.querySelector(".decisions");
            const cut = list.scrollHeight > list.clientHeight && !list.querySelector(".note");
            if (cut) wrong.push([index, "a line is cut"]);
            for (const name of list.querySelectorAll(".name")) {
                const whole = name.parentElement.scrollWidth <= name.parentElement.clientWidth;
                if (!whole) wrong.push([index, "a name is cut", name.textContent]);
            }
            lines.forEach((line, seat) => {
                const free = viewer.decisions.latest(step)[seat].some(({ by }) => by === "bot");
                if (free && line.querySelector(".forced")) wrong.push([index, seat, "not forced"]);
            });
            if (turn === null) continue;
            const now = lines.filter((line) => line.classList.contains("now"));
            const played = viewer.payload.steps.slice(0, step + 1)
                .filter((one) => one.turn === turn && one.round === round)
                .flatMap((one) => one.decisions).filter((one) => one.kind === "card");
            for (const { seat, choice } of played) {
                const words = lines[seat].querySelector("b")?.textContent ?? "";
                if (!words.startsWith(String(choice))) wrong.push([index, seat, words, choice]);
            }
            const all = events[0].event === "reveal";
            if (events[0].event === "round_end") continue;
            if (now.length !== (all ? 4 : 1)) wrong.push([index, text, now.length]);
        }
        return wrong.slice(0, 5);
    }""")
    assert wrong == []
