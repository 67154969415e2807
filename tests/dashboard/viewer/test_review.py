"""A review in the viewer: offered, followed, and never ahead of what has been shown."""

from collections.abc import Iterator
from typing import Any

import pytest

import store as league_store
from dashboard.settings import Settings
from store import ReviewState, Store
from tests.dashboard.reviewed import make_reviews
from tests.dashboard.serving import served

sync_api = pytest.importorskip("playwright.sync_api", reason="needs the e2e extra")

pytestmark = [
    pytest.mark.browser,
    pytest.mark.heavy(but="nothing_is_told"),
]
GAME = "/matches/1/games/0/0"
MARKS = ".marks .mark"


@pytest.fixture
def site(settings: Settings, store: Store) -> Iterator[str]:
    with served(settings, store) as url:
        yield url


def mistakes(review: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"round": number, **step}
        for number, part in enumerate(review["rounds"])
        for step in part["steps"]
        if step["by"] == "bot" and step["mistake"] and step["loss"] > 2 * step["error"]
    ]


def with_a_blunder(store: Store, *, by_last: bool = False) -> dict[str, Any]:
    """A review in which, whatever these bots did, a card of the third turn is a blunder; or the
    last card that the last of all chose."""
    [review] = make_reviews(store, 1)
    steps: list[dict[str, Any]] = review["rounds"][0]["steps"]
    cards = [step for step in steps if step["kind"] == "card"]
    if by_last:
        seat = max(review["seats"], key=lambda one: one["points"])["seat"]
        late = [step for step in cards if step["seat"] == seat][-1]
    else:
        late = next(step for step in cards if step["turn"] == 2)
    late |= {"by": "bot", "mistake": True, "loss": 50.0, "error": 0.1}
    with store.write() as session:
        row = league_store.reviews.of_game(session, 1, 0, 0)
        assert row is not None
        row.state, row.worker = ReviewState.WORKING, "here"
        session.flush()
        assert league_store.reviews.finish(session, row.id, "here", review, {})
    return review


def test_a_review_is_offered_asked_for_and_shown_when_it_is_done(
    open_page: Any, site: str, store: Store
) -> None:
    page = open_page(site + GAME)
    page.get_by_role("button", name="Review", exact=True).click()
    page.get_by_role("button", name="Review this game").click()
    page.get_by_text("Waiting for a worker.").wait_for()
    assert page.locator("progress").is_visible()
    with store.write() as session:
        row = league_store.reviews.of_game(session, 1, 0, 0)
        assert row is not None
        league_store.reviews.claim(session, row.id, "w1")
        league_store.reviews.advance(session, row.id, "w1", 7, 44)
    page.get_by_text("7 of 44 decisions reviewed.").wait_for()
    with store.write() as session:
        league_store.reviews.give_back(session, row.id, "w1")
    make_reviews(store, 1)
    page.locator(".review-body").wait_for()
    assert not page.locator(".review-offer").is_visible()


def test_nothing_is_told_before_it_has_been_shown(open_page: Any, site: str, store: Store) -> None:
    review = with_a_blunder(store)
    wrong = mistakes(review)
    assert wrong
    page = open_page(site + GAME)
    page.get_by_role("button", name="Review", exact=True).click()
    page.locator(".review-body").wait_for()
    assert page.locator(MARKS).count() == 0
    assert page.locator(".expected-chart .stretch").count() == 0
    assert page.locator("table.ledger").count() == 0
    page.keyboard.press("End")
    assert page.locator(MARKS).count() == len(wrong)
    rows = page.locator("table.ledger tbody tr")
    assert rows.count() == 4
    told = [float(cell) for cell in rows.nth(0).locator(".points").all_inner_texts()]
    assert told == [review["seats"][0]["points"]]
    assert "luck and the others" in page.locator("table.ledger thead").inner_text()
    drawn = page.locator(".expected-chart .stretch.cost, .expected-chart .stretch.gain").count()
    assert drawn > 0
    # One seat's eyes see that seat's mistakes alone.
    page.keyboard.press("1")
    assert page.locator(MARKS).count() == sum(step["seat"] == 0 for step in wrong)


def test_the_end_shows_the_winner_whoever_erred_last(
    open_page: Any, site: str, store: Store
) -> None:
    with_a_blunder(store, by_last=True)
    page = open_page(site + GAME)
    page.get_by_role("button", name="Review", exact=True).click()
    page.locator(".review-body").wait_for()
    page.keyboard.press("End")
    winner = page.locator(".standing .won .chip").first.inner_text()
    assert page.locator(".pick[aria-pressed=true]").inner_text() == winner


def test_show_everything_shows_every_mark_at_once(open_page: Any, site: str, store: Store) -> None:
    review = with_a_blunder(store)
    page = open_page(site + GAME)
    page.locator(".marks").wait_for(state="attached")
    page.get_by_label("Show everything").check()
    page.locator(MARKS).first.wait_for(state="attached")
    assert page.locator(MARKS).count() == len(mistakes(review))


def test_a_link_names_a_decision_and_its_alternatives_stand_beside_it(
    open_page: Any, site: str, store: Store
) -> None:
    review = with_a_blunder(store)
    cards = [step for step in mistakes(review) if step["kind"] == "card"]
    worst = max(cards, key=lambda step: step["loss"])
    page = open_page(f"{site}{GAME}?d={worst['round']}.{worst['decision']}")
    # The review is open already, at the seat that decided.
    page.locator(".review-body").wait_for()
    assert f"{worst['loss']:.1f}" in page.locator(".verdict").inner_text()
    assert page.locator(".alternatives .played b").inner_text() == str(worst["choice"])
    assert page.locator(".decisions .cost").count() >= 1


def test_the_next_turning_point_is_a_key_away(open_page: Any, site: str, store: Store) -> None:
    with_a_blunder(store)
    page = open_page(site + GAME)
    page.locator(".marks").wait_for(state="attached")
    page.locator(".review-body:not([hidden])").wait_for(state="attached")
    page.keyboard.press("n")
    first = int(page.locator(".scrub").input_value())
    assert first > 0
    assert page.locator(".review-body").is_visible()
    page.keyboard.press("n")
    assert int(page.locator(".scrub").input_value()) >= first


def test_a_review_stands_on_any_page_with_its_ledger_and_the_costliest_decisions(
    open_page: Any, site: str, store: Store
) -> None:
    page = open_page(site + GAME)
    names = [f"player {seat}" for seat in range(4)]
    page.evaluate(
        """async ([src, names, game]) => {
          const viewer = document.querySelector('script[src*="js/replay/view.js"]').src;
          await import(viewer.replace("view.js", "review_box.js"));
          const box = document.createElement("bull-review");
          box.setAttribute("src", src);
          box.setAttribute("seat", "0");
          box.setAttribute("names", JSON.stringify(names));
          box.setAttribute("game", game);
          box.setAttribute("you", "");
          document.querySelector("main").prepend(box);
        }""",
        [f"/api/v1{GAME}/review", names, GAME],
    )
    box = page.locator("bull-review")
    box.get_by_role("button", name="Review this game").click()
    box.get_by_text("Waiting for a worker.").wait_for()
    review = with_a_blunder(store)
    box.locator("table.ledger").wait_for()
    assert box.locator("table.ledger tbody tr").count() == 4
    assert box.locator(".ledger-words").inner_text().startswith("You: an ordinary player")
    assert f"That makes {review['seats'][0]['points']} point" in box.inner_text()
    own = sorted(
        (one for one in mistakes(review) if one["seat"] == 0), key=lambda one: -one["loss"]
    )
    lines = box.locator(".costliest li")
    assert lines.count() == min(3, len(own))
    for at, one in enumerate(own[:3]):
        href = lines.nth(at).locator("a").get_attribute("href")
        assert href == f"{GAME}?d={one['round']}.{one['decision']}"
