"""The page of the people's board: names by consent only, and one's own row."""

import pytest
from fastapi import FastAPI

from store import Store
from tests.dashboard.conftest import Browser, browser


@pytest.fixture
def guest(app: FastAPI) -> Browser:
    return browser(app)


def test_an_empty_board_says_what_to_do(spectator: Browser) -> None:
    page = spectator.get("/play/people")
    assert page.status_code == 200
    assert "Nobody has played a game that counts" in page.text


def test_a_guest_chooses_a_name_and_takes_it_back(guest: Browser, store: Store) -> None:
    fields = {"name": "Ann <b>", "shown": "1"}
    answer = guest.submit("/play/people/name", fields, on="/play/people")
    assert answer.status_code == 303
    page = guest.get("/play/people").text
    assert "You are shown as Ann &lt;b&gt;." in page
    assert "<b>Ann &lt;b&gt;</b>" in page
    guest.submit("/play/people/name", {"name": "Ann"}, on="/play/people")
    assert "Nobody sees your name" in guest.get("/play/people").text


def test_the_name_of_an_account_is_refused_and_the_form_kept(guest: Browser) -> None:
    answer = guest.submit("/play/people/name", {"name": "heron", "shown": "1"}, on="/play/people")
    assert answer.status_code == 422
    assert "is the name of an account here" in answer.text
    assert 'value="heron"' in answer.text


def test_an_author_is_offered_the_own_handle(heron: Browser) -> None:
    assert 'value="heron"' in heron.get("/play/people").text
    answer = heron.submit("/play/people/name", {"name": "Heron", "shown": "1"}, on="/play/people")
    assert answer.status_code == 303
    assert "You are shown as" in heron.get("/play/people").text
