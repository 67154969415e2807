"""Where a bot loses points, on a page: asked for, followed while it is made, read by its author."""

import re
from html import unescape

import pytest

from dashboard.app import create_app
from dashboard.settings import Settings
from league.reviews import draw_sample
from store import Match, ReviewReason, ReviewState, Store, bots, reviews
from tests.dashboard.conftest import Browser, browser
from tests.dashboard.reviewed import make_reviews

BOT = "/bots/heron/close"
PAGE = f"{BOT}/losses"


def text_of(page: str) -> str:
    return unescape(re.sub(r"<[^>]+>", " ", page))


def blunder_in_the_sample(store: Store) -> str:
    """Whatever these bots did, one decision of the sample is now a blunder; its address."""
    with store.write() as session:
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        game = draw_sample(session, bot.id, 3).games[0]
        row = reviews.of_game(session, game.match_id, game.pass_no, game.game_no)
        assert row is not None
        review = reviews.document(row)
        assert review is not None
        own = [step for step in review["rounds"][0]["steps"] if step["seat"] == game.seat]
        own[0] |= {"by": "bot", "mistake": True, "loss": 50.0, "error": 0.1}
        row.state, row.worker = ReviewState.WORKING, "here"
        session.flush()
        assert reviews.finish(session, row.id, "here", review, {})
    place = f"/matches/{game.match_id}/games/{game.pass_no}/{game.game_no}"
    return f"{place}?d=0.{own[0]['decision']}"


@pytest.mark.parametrize("size", ["0", "x", "000000020999999", "9" * 5000])
def test_a_sample_out_of_bounds_is_refused(heron: Browser, size: str) -> None:
    assert heron.get(f"{PAGE}?sample={size}").status_code == 422


@pytest.mark.heavy
def test_an_author_asks_follows_and_reads(heron: Browser, store: Store) -> None:
    assert PAGE in heron.get(BOT).text
    before = heron.get(PAGE).text
    assert re.search(r"Review \d+ random games", before)
    assert "<progress" not in before
    asked = heron.submit(PAGE, {"sample": "3"}, on=PAGE)
    assert (asked.status_code, asked.headers["location"]) == (303, f"{PAGE}?sample=3")
    under_way = heron.get(f"{PAGE}?sample=3").text
    assert "0 of 3 games reviewed, 3 to go." in under_way
    # The part that says how far it is comes again by itself.
    assert 'data-fresh="losses"' in under_way
    make_reviews(store, 1, 0)
    where = blunder_in_the_sample(store)
    done = heron.get(f"{PAGE}?sample=3").text
    assert "data-fresh" not in done
    assert "3 games, drawn at random from" in text_of(done)
    assert "By phase of the round" in done
    assert "The others" in done
    links = re.findall(r'href="(/matches/\d+/games/\d+/\d+\?d=\d+\.\d+)"', done)
    assert links[0] == where
    assert all(heron.get(link).status_code == 200 for link in links)


def test_the_page_says_what_the_api_says(heron: Browser, store: Store) -> None:
    heron.submit(PAGE, {"sample": "3"}, on=PAGE)
    make_reviews(store, 1, 0)
    told = heron.get("/api/v1" + BOT + "/review?sample=3").json()
    page = text_of(heron.get(f"{PAGE}?sample=3").text)
    for one in told["costliest"]:
        assert f"Match {one['match']}, game {one['game_no'] + 1}, turn {one['turn'] + 1}" in page
        assert one["played"] in page
    for group in told["groups"]:
        if group["by"] == "phase":
            assert f"{group['own']['mean']:.2f}".replace("-", "−") in page


def test_a_larger_sample_is_offered_as_far_as_there_are_games(heron: Browser, store: Store) -> None:
    heron.submit(PAGE, {"sample": "1"}, on=PAGE)
    make_reviews(store, 1, 0)
    page = heron.get(f"{PAGE}?sample=1").text
    population = int(re.search(r"at random from (\d+)", page)[1])  # type: ignore[index]
    assert ("Review 20 games" in page) == (population >= 20)
    assert "Review 100 games" not in page
    assert "one game" in page


def test_only_the_author_and_organisers_see_it(
    spectator: Browser, otter: Browser, boss: Browser, heron: Browser
) -> None:
    assert spectator.get(PAGE, follow_redirects=False).status_code == 303
    assert otter.get(PAGE).status_code == 404
    assert PAGE not in otter.get(BOT).text
    assert boss.get(PAGE).status_code == 200
    assert heron.get(f"{PAGE}?sample=101").status_code == 422
    assert heron.get(f"{PAGE}?sample=x").status_code == 422


def test_samples_are_limited_and_known_ones_are_free(settings: Settings, store: Store) -> None:
    with browser(create_app(settings, store), "heron") as client:
        statuses = [
            client.submit(PAGE, {"sample": str(size)}, on=PAGE).status_code
            for size in (1, 2, 3, 4, 5, 6, 6, 7)
        ]
    assert statuses == [303] * 7 + [429]


def test_a_failed_review_can_be_asked_for_again(heron: Browser, store: Store) -> None:
    heron.submit(PAGE, {"sample": "2"}, on=PAGE)
    with store.write() as session:
        wanted = reviews.next_wanted(session)
        assert wanted is not None
        row = reviews.claim(session, wanted, "w1")
        assert row is not None
        assert row.reason is ReviewReason.SAMPLE
        reviews.fail(session, row.id, "w1", "no luck")
    make_reviews(store, 1, 0)
    page = heron.get(f"{PAGE}?sample=2").text
    assert "1 of 2 games have no review yet" in text_of(page)
    assert "Review them" in page


def test_every_game_has_a_table_of_its_own(heron: Browser, store: Store) -> None:
    heron.submit(PAGE, {"sample": "3"}, on=PAGE)
    make_reviews(store, 1, 0)
    blunder_in_the_sample(store)
    alone = text_of(heron.get(f"{PAGE}?sample=3").text)
    assert "6 nimmt!: 3 games" in alone
    assert "After a draft" not in alone
    with store.write() as session:
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        drawn = [one.match_id for one in draw_sample(session, bot.id, 3).games]
        match = session.get(Match, drawn[0])
        assert match is not None
        # Whatever was played, it now counts as a game with a draft.
        match.options = {**match.options, "advanced": True}
    of_it = drawn.count(drawn[0])
    page = text_of(heron.get(f"{PAGE}?sample=3").text)
    assert f"6 nimmt!, with draft: {of_it} game" in page
    assert ("6 nimmt!: " in page) == (of_it < 3)
    assert "compare with the others, not with points" in page
    assert "shows only those that also lose when all play at random" in page
    # The costliest is of that game, and its version stands in a column of its own.
    row = re.search(r"<tbody>\s*<tr>(.*?)</tr>", heron.get(f"{PAGE}?sample=3").text, re.S)
    assert row is not None
    cells = re.findall(r'<td class="tablet">(.*?)</td>', row[1])
    assert cells[1:] == ["6 nimmt!, with draft", "v1"]
    assert ", v" not in cells[0]
