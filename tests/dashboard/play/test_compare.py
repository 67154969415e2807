"""Both games of a board side by side: what the page says, and who may see it."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import sync_playwright
from sqlmodel import select

from dashboard.settings import Settings
from store import (
    JsonDict,
    Match,
    MatchKind,
    MatchState,
    Season,
    SeasonState,
    Sitting,
    SittingSeat,
    SittingState,
    Store,
    present,
    sittings,
)
from tests.dashboard.conftest import Browser, browser
from tests.dashboard.play.conftest import House
from tests.dashboard.play.visitor import Frame, Visitor
from tests.dashboard.serving import served

CODE = "side-by-side"
GAMES = [
    pytest.param({"rules": "six-nimmt", "seats": 3, "length": "round"}, id="six-nimmt"),
    pytest.param({"rules": "x-nimmt", "seats": 2, "length": "game"}, id="x-nimmt"),
    pytest.param({"rules": "eleven-nimmt", "seats": 2, "length": "game"}, id="eleven-nimmt"),
]


@pytest.fixture
def table(store: Store) -> JsonDict:
    """A shared table that was played on the board of a game of the season."""
    with store.write() as session:
        query = select(Match).where(Match.kind == MatchKind.SEASON, Match.state == MatchState.DONE)
        match = session.exec(query.order_by(Match.id)).first()  # type: ignore[arg-type]
        assert match is not None
        person = sittings.add_person(session, None)
        source: JsonDict = {"match": match.id, "pass": 0, "game_no": 0, "seat": 1, "board": 0}
        session.add(
            Sitting(
                match_id=match.id, code=CODE, creator_id=person.id, state=SittingState.OVER,
                source=source, shared=True, move_ms=1000,
            )
        )  # fmt: skip
        for seat in range(match.table_size):
            sits = SittingSeat(match_id=match.id, seat=seat, name=f"bot-{seat}")
            if seat == 1:
                sits.for_person, sits.person_id, sits.name = True, person.id, "Guest"
            session.add(sits)
        return source


@pytest.fixture
def reader(app: FastAPI) -> Iterator[Browser]:
    with browser(app) as client:
        yield client


def source_becomes(store: Store, **changes: Any) -> None:
    with store.write() as session:
        sitting = sittings.by_code(session, CODE)
        assert sitting is not None
        for name, value in changes.items():
            setattr(sitting, name, value)


def test_a_shared_table_stands_beside_a_game_that_everybody_may_see(
    reader: Browser, table: JsonDict
) -> None:
    page = reader.get(f"/play/{CODE}/compare")
    assert page.status_code == 200
    assert f'href="/matches/{table["match"]}/games/0/0"' in page.text
    assert f'href="/play/{CODE}/replay"' in page.text
    # It is the same game, so nobody chose differently.
    assert "The games never part in this round" in page.text
    assert f"/play/{CODE}/compare" in reader.get(f"/play/{CODE}/replay").text


def test_a_fresh_board_has_nothing_beside_it(
    reader: Browser, table: JsonDict, store: Store
) -> None:
    source_becomes(store, source=None)
    assert reader.get(f"/play/{CODE}/compare").status_code == 404
    assert "/compare" not in reader.get(f"/play/{CODE}/replay").text


def test_a_private_table_is_compared_for_those_who_sat_there_alone(
    reader: Browser, table: JsonDict, store: Store
) -> None:
    source_becomes(store, shared=False)
    assert reader.get(f"/play/{CODE}/compare").status_code == 403


def test_a_table_that_is_not_over_is_not_compared(
    reader: Browser, table: JsonDict, store: Store
) -> None:
    source_becomes(store, state=SittingState.PLAYING)
    assert reader.get(f"/play/{CODE}/compare").status_code == 404


def test_a_game_that_a_reader_may_not_see_is_not_shown_beside_a_table(
    reader: Browser, table: JsonDict, store: Store, app: FastAPI
) -> None:
    with store.write() as session:
        match = present(session, Match, int(str(table["match"])))
        present(session, Season, match.season_id).state = SeasonState.DRAFT
    assert reader.get(f"/play/{CODE}/compare").status_code == 404
    assert "/compare" not in reader.get(f"/play/{CODE}/replay").text
    with browser(app, "boss") as organiser:
        assert organiser.get(f"/play/{CODE}/compare").status_code == 200


def highest(frame: Frame) -> Any:
    """The last legal choice."""
    legal = frame["legal"]
    if not isinstance(legal, dict):
        return legal[-1]
    return {"take": legal["takes"][-1]} if legal["takes"] and not legal["plays"] else first(legal)


def first(legal: dict[str, Any]) -> Any:
    pile, cards = Random(1).choice(list(legal["plays"].items()))
    return {"play": {pile: cards[-1:]}}


def other_seat(visitor: Visitor, code: str) -> str:
    status, location, body = visitor.form(f"/play/{code}/other-seat", page=f"/play/{code}")
    assert status == 303, body
    return location.removeprefix("/play/")


@pytest.mark.heavy(but="six-nimmt")
@pytest.mark.timeout(300)
@pytest.mark.parametrize("fields", GAMES)
def test_who_plays_a_board_again_sees_both_games(house: House, fields: dict[str, Any]) -> None:
    visitor, stranger = house.visitor(), house.visitor()
    before = visitor.open(**fields)
    visitor.play(before)
    code = other_seat(visitor, before)
    visitor.play(code, highest)
    address = f"/play/{code}/compare"
    assert f'compare="{address}"'.encode() in visitor.request("GET", f"/play/{code}")[2]
    status, _, body = visitor.request("GET", address)
    text = body.decode()
    assert status == 200
    assert f'href="/play/{before}/replay"' in text
    assert "Here the games part" in text
    assert "<bdi>You</bdi>" in text
    assert stranger.request("GET", address)[0] == 403
    # A shared table shows no private game beside it.
    assert visitor.form(f"/play/{code}/share", page=f"/play/{code}/replay")[0] == 303
    assert stranger.request("GET", address)[0] == 403
    assert visitor.form(f"/play/{before}/share", page=f"/play/{before}/replay")[0] == 303
    status, _, body = stranger.request("GET", address)
    assert status == 200
    assert "<bdi>You</bdi>" not in body.decode()
    assert re.search("<bdi>Guest</bdi> chose", body.decode())


@pytest.mark.browser
@pytest.mark.heavy
@pytest.mark.parametrize("width", [1366, 390])
def test_the_page_fits_its_window_and_is_accessible(
    settings: Settings, store: Store, table: JsonDict, chromium_path: str, width: int
) -> None:
    from axe_playwright_python.sync_playwright import Axe

    with served(settings, store) as url, sync_playwright() as playwright:
        browser_ = playwright.chromium.launch(executable_path=chromium_path, args=["--no-sandbox"])
        page = browser_.new_page(viewport={"width": width, "height": 800})
        page.goto(f"{url}/play/{CODE}/compare")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert Axe().run(page).response["violations"] == []
        browser_.close()
