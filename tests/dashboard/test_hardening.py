"""What strangers and impatient authors cannot do: fill the memory or the disk, lock others out."""

from collections.abc import Iterator

import pytest
from fastapi import FastAPI

from dashboard.app import create_app
from dashboard.middleware import BODY_BYTES
from dashboard.pages import account
from dashboard.settings import Settings
from store import Store
from tests.dashboard.conftest import PASSWORD, Browser, browser

# Bodies --------------------------------------------------------------------------------------


def test_a_large_document_is_refused_by_its_announced_length(spectator: Browser) -> None:
    answer = spectator.post("/api/v1/tokens", content=b" " * (BODY_BYTES + 1))
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"
    assert str(BODY_BYTES) in answer.json()["detail"]


def test_a_large_document_without_a_length_is_read_only_so_far(spectator: Browser) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(BODY_BYTES // 1024 + 1):
            yield b" " * 1024

    answer = spectator.post("/api/v1/tokens", content=pieces())
    assert answer.status_code == 413
    assert answer.headers["content-type"] == "application/problem+json"


# Limits --------------------------------------------------------------------------------------


def tight(settings: Settings, store: Store) -> FastAPI:
    return create_app(settings.model_copy(update={"sign_in_limit": "2/minute"}), store)


def test_new_accounts_are_counted_by_address_also_from_within_one(
    settings: Settings, store: Store
) -> None:
    with browser(tight(settings, store)) as client:
        answers = [
            client.submit("/sign-up", {"handle": f"new{n}", "password": PASSWORD}, on="/sign-up")
            for n in range(3)
        ]
    assert [answer.status_code for answer in answers] == [303, 303, 429]


def test_guesses_from_elsewhere_do_not_lock_an_owner_out(settings: Settings, store: Store) -> None:
    app = create_app(
        settings.model_copy(update={"sign_in_limit": "2/minute", "trusted_proxies": 1}), store
    )
    right = {"handle": "heron", "password": PASSWORD}
    with browser(app) as stranger, browser(app) as owner:
        stranger.headers["x-forwarded-for"] = "192.0.2.1"
        owner.headers["x-forwarded-for"] = "192.0.2.2"
        guesses = [stranger.submit("/sign-in", right | {"password": "no"}) for _ in range(3)]
        assert [guess.status_code for guess in guesses] == [403, 403, 429]
        assert owner.submit("/sign-in", right).status_code == 303


def test_guesses_from_many_addresses_end_at_the_accounts_own_limit(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account, "ACCOUNT_TRIES", "2/hour")
    app = create_app(settings.model_copy(update={"trusted_proxies": 1}), store)
    with browser(app) as client:
        answers = []
        for number in range(3):
            client.headers["x-forwarded-for"] = f"192.0.2.{number}"
            answers.append(client.submit("/sign-in", {"handle": "heron", "password": "no"}))
    assert [answer.status_code for answer in answers] == [403, 403, 429]


# Odd addresses -------------------------------------------------------------------------------


def test_a_broken_address_to_return_to_is_ignored(spectator: Browser) -> None:
    assert spectator.get("/sign-in", params={"next": "//["}).status_code == 200
