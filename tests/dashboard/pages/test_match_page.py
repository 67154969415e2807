"""The page of a match: what is worth watching first, what its numbers mean, how far it is."""

import html
import json
import re
from collections import OrderedDict
from collections.abc import Sequence

import pytest
from sqlmodel import select

from dashboard.app import create_app
from dashboard.services import NoServices
from dashboard.settings import Settings
from dashboard.viewer.highlights import highlights
from league.live import Item
from review import story_of
from store import BlobKind, Match, Store, present, results
from store.tables import Game
from tests.dashboard.conftest import Browser, browser
from tests.dashboard.reviewed import make_reviews
from tests.dashboard.seed import Seeded


def test_a_match_leads_with_its_highlights_and_with_the_best_game(
    spectator: Browser, store: Store
) -> None:
    with store.read() as session:
        blob = results.blob_of(session, 1, BlobKind.REPLAY)
        assert blob is not None
        lines = list(store.blobs.lines(blob.sha256))
    expected = highlights(story_of(json.loads(line)) for line in lines)
    page = html.unescape(spectator.get("/matches/1").text)
    assert len(expected) > 1
    for one in expected:
        assert one.title in page
        assert one.text in page
    best = f"/matches/1/games/{expected[0].pass_no}/{expected[0].game_no}"
    assert re.search(rf'href="{best}">Watch the best game<', page)
    assert page.index("Highlights") < page.index('id="table"') < page.index('id="games"')


def test_every_highlight_leads_to_a_moment_that_its_game_has(spectator: Browser) -> None:
    page = spectator.get("/matches/1").text
    links = re.findall(r'<h3><a href="([^"?]+)(?:\?t=(\d+))?"', page)
    assert links
    for address, at in links:
        steps = spectator.get(f"{address}/data").json()["steps"]
        assert int(at or 0) < sum(len(step["moments"]) for step in steps)


def test_a_match_says_what_its_numbers_mean(spectator: Browser) -> None:
    page = spectator.get("/matches/1").text
    assert "the fewest win" in page
    assert "1 is best" in page


def test_a_mean_place_has_its_error_or_the_page_says_why_not(
    spectator: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = spectator.get("/matches/1").text
    assert "too few games for a ±" in page
    assert 'class="half"' not in page
    halves = [0.11, 0.22, 0.33, 0.44]
    monkeypatch.setattr("dashboard.pages.match.place_halves", lambda *_: halves)
    page = spectator.get("/matches/2").text
    assert sorted(re.findall(r'class="half">±([\d.]+)<', page)) == [f"{one}" for one in halves]
    assert "<b>±</b> is half of its 95 % interval" in page


def test_a_match_whose_replays_are_gone_still_has_a_page(
    spectator: Browser, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The process keeps highlights by the hash of the replays, for other tests too.
    monkeypatch.setattr("dashboard.viewer.load._HIGHLIGHTS", OrderedDict())
    with store.read() as session:
        number = session.exec(select(Game.match_id).where(Game.match_id > 1)).first()
        assert number is not None
        blob = results.blob_of(session, number, BlobKind.REPLAY)
    assert blob is not None
    for file in store.blobs.root.rglob(f"*{blob.sha256}*"):
        file.unlink()
    page = spectator.get(f"/matches/{number}")
    assert page.status_code == 200
    assert "Watch the first game" in page.text


class Halfway(NoServices):
    """A league in which a match has come to its third game."""

    def __init__(self, of: str) -> None:
        self.of = of

    def live(self, match_id: int, after: tuple[int, int]) -> Sequence[Item]:
        older = Item(of="another match", attempt=1, number=0, data={"type": "game", "done": 99})
        games = [
            Item(of=self.of, attempt=1, number=done, data={"type": "game", "done": done})
            for done in range(3)
        ]
        events = Item(of=self.of, attempt=1, number=3, data={"type": "events", "events": []})
        return [older, *games, events]


def test_a_running_match_says_how_far_it_is(
    settings: Settings, store: Store, seeded: Seeded
) -> None:
    with store.read() as session:
        match = present(session, Match, seeded.running)
        games, commitment = match.boards * match.passes, match.commitment
    with browser(create_app(settings, store, Halfway(commitment))) as client:
        page = client.get(f"/matches/{seeded.running}").text
    assert f"2 of {games} games are over" in page
    assert f'<progress max="{games}" value="2"' in page
    assert "Watch it live" in page


@pytest.mark.parametrize("path", ["", "/embed"])
def test_a_replay_page_tells_no_result_before_it_is_asked_to(
    spectator: Browser, settings: Settings, store: Store, path: str
) -> None:
    page = spectator.get(f"/matches/1/games/0/0{path}").text
    with store.read() as session:
        game = session.get(Game, (1, 0, 0))
    assert game is not None
    head, _, body = page.partition("<body")
    for points in (point for point in game.points if point > 9):
        assert not re.search(rf"\b{points}\b", re.sub(r'(?:href|src|content)="/?[^" ]*"', "", head))
    # Without scripts the result is there, closed.
    assert "<details>" in body
    assert "<summary>Result</summary>" in body
    assert not re.search(r"<details[^>]* open", body)


def test_the_rules_of_a_replay_are_a_page_that_exists(spectator: Browser) -> None:
    links = spectator.get("/matches/1/games/0/0/data").json()["meta"]["links"]
    assert spectator.get(links["rules"]).status_code == 200


def test_reviews_add_the_costliest_mistake_and_the_luckiest_win(
    spectator: Browser, store: Store
) -> None:
    assert "The costliest mistake" not in spectator.get("/matches/1").text
    # One game may be without a clear mistake: each league is dealt new cards.
    clear = [
        (step, game)
        for game, review in enumerate(make_reviews(store, 1, games=4))
        for step in review["rounds"][0]["steps"]
        if step["by"] == "bot" and step["mistake"] and step["loss"] > 2 * step["error"]
    ]
    worst, game = max(clear, key=lambda found: float(found[0]["loss"]))
    page = spectator.get("/matches/1").text
    assert "The costliest mistake" in page
    assert f"gives away {worst['loss']:.1f} heads" in page
    assert f"/matches/1/games/0/{game}?d=0.{worst['decision']}" in page
