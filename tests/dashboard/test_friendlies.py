"""Friendly matches by API and page: who sees one, what it shows, and what is refused."""

import re
from typing import Any

import pytest
from fastapi import FastAPI
from httpx2 import Response

from dashboard.app import create_app
from dashboard.settings import Settings
from store import Store, attempts, bots
from tests.dashboard.conftest import Browser, api_token, browser
from tests.dashboard.seed import play_match

TABLE = ["otter/closer", "lynx/loose", "lowest"]
WANTED = {
    "bot": "close",
    "opponents": TABLE,
    "rules": "six-nimmt",
    "options": {"rounds": 1},
    "boards": 24,
}


class Author:
    """An author who works with tokens."""

    def __init__(self, app: FastAPI, store: Store, handle: str) -> None:
        self.client = Browser(app, base_url="http://testserver")
        self.headers = api_token(store, handle, "read", "manage")

    def get(self, path: str) -> Response:
        return self.client.get(f"/api/v1{path}", headers=self.headers)

    def post(self, path: str, body: object = None) -> Response:
        return self.client.post(f"/api/v1{path}", json=body, headers=self.headers)


@pytest.fixture
def author(app: FastAPI, store: Store) -> Author:
    return Author(app, store, "heron")


def asked(author: Author, **changes: Any) -> dict[str, Any]:
    answer = author.post("/friendlies", WANTED | changes)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


@pytest.fixture
def played(author: Author, store: Store) -> int:
    match_id = int(asked(author)["match"])
    play_match(store, match_id)
    return match_id


def addresses(match_id: int) -> list[str]:
    """All that shows something of a match."""
    api = f"/api/v1/matches/{match_id}"
    return [
        f"/matches/{match_id}",
        f"/matches/{match_id}/games/0/0",
        f"/matches/{match_id}/games/0/0/data",
        f"/matches/{match_id}/live",
        api,
        f"{api}/games",
        f"{api}/games/0/0/replay",
        f"{api}/replays",
        f"/api/v1/friendlies/{match_id}",
    ]


def test_a_match_that_waits_says_how_many_are_before_it(author: Author) -> None:
    first, second = asked(author), asked(author)
    assert (first["state"], first["ahead"], second["ahead"]) == ("queued", 0, 1)
    assert (first["games"], first["games_over"]) == (24, None)
    assert [seat["bot"] for seat in first["seats"]] == [
        "heron/close",
        "otter/closer",
        "lynx/loose",
        "house/lowest",
    ]
    assert first["seats"][0]["points_per_round"] is None
    items = author.get("/friendlies").json()["items"]
    assert [one["match"] for one in items] == [second["match"], first["match"]]
    assert author.get("/friendlies?bot=dice").json()["items"] == []
    assert author.get("/friendlies?bot=nobody").status_code == 404


def test_the_result_has_intervals_and_the_page_the_same_numbers(
    author: Author, heron: Browser, played: int
) -> None:
    found = author.get(f"/friendlies/{played}").json()
    assert found["state"] == "done"
    own = found["seats"][0]
    assert own["games"] == 24
    assert own["points_half"] > 0
    assert sum(seat["win_share"] for seat in found["seats"]) == pytest.approx(1.0)
    page = heron.get(f"/matches/{played}").text
    low, high = (own["points_per_round"] + sign * own["points_half"] for sign in (-1, 1))
    assert f"{low:.2f} to {high:.2f}" in page.replace("−", "-")
    assert "friendly" in re.sub("<[^>]+>", "", page)
    assert "practice" not in page
    listed = heron.get("/friendlies").text
    assert f"±{own['points_half']:.2f}" in listed


def test_the_author_reads_the_log_of_the_own_bot_and_not_that_of_others(
    author: Author, played: int
) -> None:
    answer = author.get(f"/matches/{played}/output")
    assert [one["bot"] for one in answer.json()] == ["heron/close"]
    assert author.get(f"/matches/{played}/output?bot=otter/closer").status_code == 403


@pytest.mark.parametrize("who", [None, "otter", "lynx"])
def test_nobody_else_sees_it_until_it_is_shared(
    app: FastAPI, store: Store, author: Author, played: int, who: str | None
) -> None:
    with browser(app, who) as client:
        for address in addresses(played):
            answer = client.get(address)
            assert answer.status_code == 404, address
            assert "closer" not in answer.text
        assert author.post(f"/friendlies/{played}/share", {"shared": True}).json()["shared"]
        for address in addresses(played):
            assert client.get(address).status_code == 200, address
        seen = client.get(f"/matches/{played}").text
        assert f'action="/friendlies/{played}' not in seen
        assert f"/matches/{played}" not in client.get("/matches?state=all").text
        author.post(f"/friendlies/{played}/share", {"shared": False})
        for address in addresses(played):
            assert client.get(address).status_code == 404, address


def test_organisers_see_it(boss: Browser, heron: Browser, played: int) -> None:
    for address in addresses(played):
        assert boss.get(address).status_code == 200, address
        assert heron.get(address).status_code == 200, address


def test_a_token_without_read_sees_nothing(app: FastAPI, store: Store, played: int) -> None:
    client = Browser(app, base_url="http://testserver")
    blind = api_token(store, "heron", "submit")
    assert client.get(f"/api/v1/friendlies/{played}", headers=blind).status_code == 404
    assert client.get("/api/v1/friendlies", headers=blind).status_code == 403
    assert client.get("/api/v1/friendlies").status_code == 401


def test_others_can_neither_share_nor_call_off(
    app: FastAPI, store: Store, author: Author, otter: Browser
) -> None:
    made = asked(author)["match"]
    other = Author(app, store, "otter")
    assert other.post(f"/friendlies/{made}/cancel").status_code == 404
    assert other.post(f"/friendlies/{made}/share", {"shared": True}).status_code == 404
    answer = otter.submit(f"/friendlies/{made}/cancel", on="/friendlies")
    assert answer.status_code == 404
    assert author.get(f"/friendlies/{made}").json()["state"] == "queued"


def test_an_organiser_calls_off_a_match_of_others_by_page_and_api(
    app: FastAPI, store: Store, author: Author, boss: Browser
) -> None:
    first, second = (asked(author)["match"] for _ in range(2))
    page = boss.get(f"/matches/{first}").text
    assert f'action="/friendlies/{first}/cancel"' in page
    answer = boss.submit(f"/friendlies/{first}/cancel", on=f"/matches/{first}")
    assert answer.status_code < 400
    client = Browser(app, base_url="http://testserver")
    path = f"/api/v1/friendlies/{second}/cancel"
    assert client.post(path, headers=api_token(store, "boss", "manage")).status_code == 404
    assert client.post(path, headers=api_token(store, "boss", "organise")).status_code == 200
    for made in (first, second):
        assert author.get(f"/friendlies/{made}").json()["state"] == "cancelled"
    assert f'action="/friendlies/{first}/cancel"' not in boss.get(f"/matches/{first}").text


@pytest.mark.parametrize("page", ["/friendlies", "/matches/{}"])
@pytest.mark.parametrize("state", ["queued", "running"])
def test_calling_off_says_what_happens_before_it_asks(
    author: Author, heron: Browser, store: Store, page: str, state: str
) -> None:
    made = asked(author)["match"]
    if state == "running":
        with store.write() as session:
            assert attempts.claim(session, made, "w") is not None
    shown = heron.get(page.format(made)).text
    # One closed box holds the only form, below its words.
    [box] = re.findall(r'<details class="ask">.*?</details>', shown, re.DOTALL)
    form = f'action="/friendlies/{made}/cancel"'
    assert shown.count(form) == box.count(form) == 1
    lost = "what was played of it is lost"
    assert (lost in box) == (state == "running")
    assert ("It will not be played." in box) == (state == "queued")
    assert box.index("This cannot be undone") < box.index('<button class="primary danger"')


def test_a_match_that_came_to_nothing_says_why(author: Author, store: Store) -> None:
    made = asked(author)["match"]
    for _ in range(3):
        with store.write() as session:
            attempt = attempts.claim(session, made, "w")
            assert attempt is not None
            attempts.void(session, attempt.token, "Docker does not answer")
    found = author.get(f"/friendlies/{made}").json()
    assert (found["state"], found["reason"]) == ("stuck", "Docker does not answer")


@pytest.fixture
def strict(settings: Settings, store: Store) -> FastAPI:
    limits = {"friendlies_at_once": 1, "friendlies_per_hour": 2}
    return create_app(settings.model_copy(update=limits), store)


def test_quotas_refuse_with_the_time_to_wait(strict: FastAPI, store: Store) -> None:
    author = Author(strict, store, "heron")
    play_match(store, asked(author)["match"])
    made = asked(author)["match"]
    full = author.post("/friendlies", WANTED)
    assert full.status_code == 409
    assert "1 friendly match of heron" in full.json()["detail"]
    author.post(f"/friendlies/{made}/cancel")
    often = author.post("/friendlies", WANTED)
    assert often.status_code == 429
    assert 3000 < int(often.headers["retry-after"]) <= 3600


def test_an_opponent_that_takes_none_is_neither_offered_nor_played(
    author: Author, heron: Browser, otter: Browser, store: Store
) -> None:
    assert '"otter/closer"' in heron.get("/friendlies").text
    answer = otter.submit("/bots/otter/closer/friendlies", {"friendlies": "0"}, on="/mine")
    assert answer.status_code == 303
    assert "It takes no friendly matches." in otter.get("/mine").text
    assert '"otter/closer"' not in heron.get("/friendlies").text
    refused = author.post("/friendlies", WANTED)
    assert refused.status_code == 403
    assert "otter/closer takes no friendly matches" in refused.json()["detail"]
    assert author.get("/bots/otter/closer").json()["friendlies"] is False
    with store.read() as session:
        bot = bots.find_bot(session, "otter/closer")
    assert bot is not None
    assert bot.current_version == 1, "it plays on in the league"


def test_a_form_that_does_not_fit_comes_back_as_it_was(heron: Browser) -> None:
    fields = {"bot": "dice@1", "opponent-1": "nobody/here", "boards": "12", "rounds": "x"}
    answer = heron.submit("/friendlies", fields, on="/friendlies")
    assert answer.status_code == 409
    assert "rounds" in answer.text
    answer = heron.submit("/friendlies", fields | {"rounds": "1"}, on="/friendlies")
    assert "nobody/here" in answer.text
    assert 'value="12"' in answer.text
    assert "dice@1&#34; selected" in answer.text or 'value="dice@1" selected' in answer.text


def test_the_page_of_a_bot_leads_to_a_match_against_it(heron: Browser, spectator: Browser) -> None:
    page = heron.get("/bots/otter/closer").text
    assert "/friendlies?against=otter/closer" in page.replace("%2F", "/")
    form = heron.get("/friendlies?against=otter/closer").text
    assert re.search(r'name="opponent-1"[^>]+value="otter/closer"', form)
    assert "/friendlies" not in spectator.get("/bots/otter/closer").text


def test_without_an_account_there_is_no_page(spectator: Browser) -> None:
    answer = spectator.get("/friendlies", follow_redirects=False)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in")
