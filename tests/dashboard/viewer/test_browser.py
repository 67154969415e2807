"""The viewer in a real Chromium: keys, links, perspectives, phone width, calm, without scripts."""

import re
from pathlib import Path
from typing import Any

import pytest

from dashboard.viewer import build_payload, export_html
from tests.dashboard.viewer.samples import SAMPLES, sample

sync_api = pytest.importorskip("playwright.sync_api", reason="needs the e2e extra")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs the e2e extra")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.heavy(but="in_five_pictures[draft]"),
]


def moment(page: Any) -> int:
    return int(page.locator(".scrub").input_value())


def caption(page: Any) -> str:
    return str(page.locator(".caption").inner_text())


@pytest.mark.parametrize("name", SAMPLES)
def test_every_moment_of_every_game_can_be_shown(open_page: Any, site: str, name: str) -> None:
    page = open_page(f"{site}/{name}")
    laid_out = page.evaluate("""() => {
        const viewer = document.querySelector("bull-replay");
        const wrong = [];
        const forth = [...viewer.moments.keys()];
        const back = forth.filter((at) => at % 7 === 0).reverse();
        for (const at of [...forth, ...back]) {
            viewer.show(at, 0);
            for (const [name, zone] of viewer.board.zones) {
                if (name === "draw") continue;
                const cards = viewer.moments[at].table.zones[name] ?? [];
                const elements = [...zone.element.children];
                const drawn = elements.map((card) => parseInt(card.textContent) || 0);
                if (String(drawn) !== String(cards)) wrong.push([at, name, drawn, cards]);
            }
        }
        return wrong;
    }""")
    assert laid_out == []


def test_keys_lead_to_a_moment_and_the_address_follows(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six")
    page.keyboard.press("ArrowRight")
    assert moment(page) == 1
    assert caption(page).startswith("All turn up a card")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("3")
    page.keyboard.press("+")
    at = moment(page)
    assert "Round 2 ·" in page.locator(".when").inner_text()
    page.wait_for_url(f"**/six?t={at}&p=2&speed=2")
    seen = caption(page)
    page.reload()
    page.wait_for_selector("bull-replay.ready")
    assert (moment(page), caption(page)) == (at, seen)
    page.keyboard.press("End")
    assert "wins with" in caption(page)
    page.keyboard.press("Home")
    assert moment(page) == 0


def test_a_link_shows_the_moment_it_names(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/x?t=12&p=2&speed=2")
    assert moment(page) == 12
    assert page.locator(".choices select").nth(0).input_value() == "2"
    assert page.locator(".choices select").nth(1).input_value() == "2"
    assert page.locator(".seat-2 .hand .card.back").count() == 0
    assert page.locator("section.seat-1 .hand .card.back").count() > 0


def test_keys_are_left_alone_while_somebody_types(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six")
    page.locator("#search").focus()
    page.keyboard.type("a 2?")
    page.keyboard.press("ArrowRight")
    assert moment(page) == 0
    assert page.locator("#search").input_value() == "a 2?"
    assert page.locator("dialog[open]").count() == 0


def test_the_question_mark_opens_the_help_and_escape_closes_it(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six")
    page.keyboard.press("?")
    assert page.locator("dialog[open] kbd").count() > 8
    page.keyboard.press("ArrowRight")
    assert moment(page) == 0
    page.keyboard.press("Escape")
    assert page.locator("dialog[open]").count() == 0


@pytest.mark.parametrize("name", ["six", "draft", "x", "eleven", "six/embed"])
def test_the_rules_are_one_click_away_in_five_pictures(
    open_page: Any, site: str, name: str
) -> None:
    page = open_page(f"{site}/{name}", viewport={"width": 800, "height": 680})
    page.keyboard.press(" ")
    page.get_by_role("button", name="How to play").click()
    # The game waits meanwhile.
    assert page.locator(".caption").get_attribute("aria-live") == "polite"
    pictures = page.locator("dialog[open]").get_by_role("img")
    assert pictures.count() == 5
    for number in range(5):
        assert pictures.nth(number).locator("g.l-card").count() > 0
    outside = page.evaluate("""() => [...document.querySelectorAll("svg.lesson")].flatMap((one) => {
        const box = one.getBoundingClientRect();
        return [...one.querySelectorAll("g, rect, text")].filter((part) => {
            const { left, right, top, bottom } = part.getBoundingClientRect();
            return left < box.left || right > box.right || top < box.top || bottom > box.bottom;
        }).map((part) => part.textContent);
    })""")
    assert outside == []
    page.get_by_role("button", name="Back to the game").click()
    assert page.locator("dialog[open]").count() == 0


def test_the_embed_code_names_the_page_for_frames(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six")
    page.get_by_role("button", name="Embed").click()
    code = page.get_by_label("Embed code").input_value()
    assert code.startswith(f'<iframe src="{site}/six/embed" title="6 nimmt!')
    framed = open_page(f"{site}/six/embed?t=5")
    assert moment(framed) == 5
    assert not framed.locator(".side").is_visible()


def test_scrubbing_and_the_chart_lead_to_any_moment(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/eleven")
    page.locator(".scrub").fill("150")
    assert moment(page) == 150
    page.get_by_label("Show everything").check()
    page.locator(".points-chart").click(position={"x": 200, "y": 40})
    assert moment(page) != 150
    page.locator(".moves button").nth(3).click()
    assert page.locator(".moves [aria-current]").inner_text() == caption(page)


def test_playing_goes_on_and_pausing_stops_it(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six?speed=8", reduced_motion="no-preference")
    page.keyboard.press(" ")
    sync_api.expect(page.locator(".scrub")).to_have_value(re.compile(r"[4-9]|\d\d"))
    page.keyboard.press(" ")
    stopped = moment(page)
    page.wait_for_timeout(400)
    assert moment(page) == stopped
    page.wait_for_url(f"**t={stopped}**")


def test_one_seat_sees_the_other_hands_face_down(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six?t=1")
    assert page.locator(".card.back").count() == 0
    page.locator(".choices select").nth(1).select_option("3")
    assert page.locator("section.seat-3 .hand .card.back").count() == 0
    for seat in range(3):
        hand = page.locator(f"section.seat-{seat} .hand .card")
        assert hand.count() == page.locator(f"section.seat-{seat} .hand .card.back").count() == 9


def test_a_page_for_one_seat_offers_no_other_eyes(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/x?seat=1")
    assert page.locator(".choices select").count() == 1
    page.keyboard.press("a")
    page.keyboard.press("1")
    assert page.locator("section.seat-0 .hand .card:not(.back)").count() == 0
    assert page.locator("section.seat-1 .hand .card.back").count() == 0


def test_cards_glide_unless_the_reader_wants_calm(open_page: Any, site: str) -> None:
    moving = "[...document.querySelectorAll('.card')].some((card) => card.getAnimations().length)"
    lively = open_page(f"{site}/six", reduced_motion="no-preference")
    lively.keyboard.press("ArrowRight")
    assert lively.evaluate(moving)
    calm = open_page(f"{site}/six", reduced_motion="reduce")
    calm.keyboard.press("ArrowRight")
    assert not calm.evaluate(moving)


@pytest.mark.parametrize("name", ["six", "six-ten", "x", "eleven-seven", "draft"])
def test_a_phone_needs_no_sideways_scrolling(open_page: Any, site: str, name: str) -> None:
    size = {"width": 360, "height": 740}
    page = open_page(f"{site}/{name}?t=20", viewport=size, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    small = page.evaluate("""() => [...document.querySelectorAll(".control, .choices button")]
        .map((button) => button.getBoundingClientRect())
        .filter((box) => box.width < 24 || box.height < 40).length""")
    assert small == 0


def test_a_swipe_over_the_table_leads_on(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six", has_touch=True)
    page.evaluate("""() => {
        const table = document.querySelector(".felt");
        const touch = (x) => new Touch({ identifier: 1, target: table, clientX: x, clientY: 300 });
        table.dispatchEvent(new TouchEvent("touchstart", { changedTouches: [touch(300)] }));
        table.dispatchEvent(new TouchEvent("touchend", { changedTouches: [touch(200)] }));
    }""")
    assert moment(page) == 1


def test_the_words_of_a_move_are_announced_but_not_while_playing(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six")
    assert page.locator(".caption").get_attribute("aria-live") == "polite"
    page.keyboard.press(" ")
    assert page.locator(".caption").get_attribute("aria-live") == "off"
    page.keyboard.press(" ")
    assert page.locator(".caption").get_attribute("aria-live") == "polite"


@pytest.mark.heavy
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "path", ["six?t=15", "x?t=61", "eleven?t=120&p=1", "draft?t=9", "six/embed"]
)
def test_axe_finds_nothing(open_page: Any, site: str, path: str, scheme: str) -> None:
    page = open_page(f"{site}/{path}", color_scheme=scheme)
    results = axe.Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


@pytest.mark.heavy
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["six", "x", "eleven"])
def test_axe_finds_nothing_in_the_rules(open_page: Any, site: str, name: str, scheme: str) -> None:
    page = open_page(f"{site}/{name}", color_scheme=scheme)
    page.keyboard.press("h")
    results = axe.Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


def test_without_scripts_the_result_and_all_moves_can_be_read(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six", ready=False, java_script_enabled=False)
    text = page.locator("bull-replay").inner_text()
    assert "All turn up a card" in text
    assert "so slow-and-steady must take one: row 1" in text
    assert page.locator("bull-replay h2").all_inner_texts()[0] == "Round 1"
    result = page.locator("bull-replay details table")
    assert not result.is_visible()
    page.get_by_text("Result", exact=True).click()
    assert "Place" in result.inner_text()


def test_a_note_is_shown_as_text_and_never_as_markup(open_page: Any, site: str) -> None:
    page = open_page(f"{site}/six?t=1")
    assert page.locator(".note").nth(0).inner_text() == "note <b>0</b>"


@pytest.mark.parametrize("name", ["six", "x", "eleven", "draft"])
def test_an_exported_file_works_offline_from_disk(
    open_page: Any, tmp_path: Path, name: str
) -> None:
    file = tmp_path / "replay.html"
    file.write_text(export_html(build_payload(sample(name))))
    page = open_page(file.as_uri() + "?t=3", offline=True)
    assert moment(page) == 3
    page.keyboard.press("ArrowRight")
    assert moment(page) == 4
    page.keyboard.press("End")
    assert "wins with" in caption(page)
    assert page.locator(".share a").count() == 0


def test_data_that_cannot_be_fetched_leaves_the_readable_list(browser: Any, site: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.route("**/data*", lambda route: route.fulfill(status=503, body="busy"))
    page.goto(f"{site}/six")
    page.wait_for_selector("bull-replay.failed")
    assert "the server answered 503" in page.locator(".failure").inner_text()
    assert page.locator(".replay-plain li").nth(1).is_visible()
    context.close()
