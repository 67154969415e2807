"""What strangers and impatient authors cannot do: fill the memory or the disk, lock others out."""

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

import httpx2
import pytest
import structlog
from fastapi import FastAPI
from sqlmodel import select

from dashboard import reads
from dashboard.api.common import encode_cursor
from dashboard.app import create_app
from dashboard.http import devices
from dashboard.http.limits import Limiter, TooMany
from dashboard.http.middleware import BODY_BYTES
from dashboard.settings import Settings
from league.authors.tokens import issue_token
from store import (
    InvitationKind,
    Match,
    Owner,
    Season,
    Seat,
    Store,
    accounts,
    bots,
    locked,
    match_lists,
    utc_now,
)
from tests.dashboard.conftest import Browser, api_token, browser
from tests.dashboard.seed import PASSWORD, Seeded
from tests.dashboard.serving import served

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


def test_guesses_from_many_addresses_are_slowed_down_and_never_the_owners_browser(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "ACCOUNT_TRIES", "2/hour")
    monkeypatch.setattr(devices, "ACCOUNT_SLOW", "1/minute")
    app = create_app(settings.model_copy(update={"trusted_proxies": 1}), store)
    with browser(app) as client:
        answers = []
        for number in range(5):
            client.headers["x-forwarded-for"] = f"192.0.2.{number}"
            answers.append(client.submit("/sign-in", {"handle": "heron", "password": "no"}))
        client.headers["x-forwarded-for"] = "192.0.2.99"
        elsewhere = client.submit("/sign-in", {"handle": "otter", "password": PASSWORD})
    assert [answer.status_code for answer in answers] == [403, 403, 403, 429, 429]
    # A minute at the most, where it once was an hour.
    assert int(answers[-1].headers["retry-after"]) <= 60
    assert elsewhere.status_code == 303, "other accounts have nothing to do with it"


def test_a_right_password_clears_what_was_counted_for_the_account(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "ACCOUNT_TRIES", "2/hour")
    monkeypatch.setattr(devices, "ACCOUNT_SLOW", "1/day")
    app = create_app(settings.model_copy(update={"trusted_proxies": 1}), store)
    codes = []
    with browser(app) as client:
        # Each from another address, so that only the account's own count can slow them down.
        for number, password in enumerate(["no", PASSWORD, "no", PASSWORD]):
            client.headers["x-forwarded-for"] = f"192.0.2.{number}"
            client.cookies.clear()
            answer = client.submit("/sign-in", {"handle": "heron", "password": password})
            codes.append(answer.status_code)
            client.cookies.clear()
        for number in range(2):
            client.headers["x-forwarded-for"] = f"192.0.2.{100 + number}"
            answer = client.submit("/sign-in", {"handle": "heron", "password": "no"})
            codes.append(answer.status_code)
    assert codes == [403, 303, 403, 303, 403, 403]


def test_one_address_cannot_make_an_account_wait_elsewhere(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(devices, "PAIR_TRIES", "2/hour")
    monkeypatch.setattr(devices, "PAIR_SLOW", "1/minute")
    loose = {"sign_in_limit": "1000/minute", "trusted_proxies": 1}
    app = create_app(settings.model_copy(update=loose), store)
    wrong = {"handle": "heron", "password": "no"}
    with browser(app) as stranger, browser(app) as owner:
        stranger.headers["x-forwarded-for"] = "192.0.2.1"
        owner.headers["x-forwarded-for"] = "192.0.2.2"
        guesses = [stranger.submit("/sign-in", wrong).status_code for _ in range(5)]
        assert guesses == [403, 403, 403, 429, 429]
        assert owner.submit("/sign-in", wrong | {"password": PASSWORD}).status_code == 303


def test_a_browser_that_was_signed_in_before_is_never_locked_out_by_others(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PAIR_TRIES", "PAIR_SLOW", "ACCOUNT_TRIES", "ACCOUNT_SLOW"):
        monkeypatch.setattr(devices, name, "1/hour")
    app = create_app(settings.model_copy(update={"sign_in_limit": "5/minute"}), store)
    right = {"handle": "heron", "password": PASSWORD}
    with browser(app) as owner, browser(app) as stranger, browser(app) as other:
        assert owner.submit("/sign-in", right).status_code == 303
        owner.submit("/sign-out")
        for _ in range(8):
            # From the same address: only the cookie tells them apart.
            last = stranger.submit("/sign-in", right | {"password": "no"})
        assert last.status_code == 429
        assert owner.submit("/sign-in", right).status_code == 303
        # The cookie is for its own account, and made by nobody else.
        other.cookies.set("bullring_device", owner.cookies["bullring_device"])
        assert other.submit("/sign-in", {**right, "handle": "otter"}).status_code == 429
        other.cookies.set("bullring_device", "0123456789abcdef." + "0" * 64)
        assert other.submit("/sign-in", right).status_code == 429


def test_pages_are_limited_by_address_and_say_when_to_come_again(
    settings: Settings, store: Store
) -> None:
    limits = {"page_limit": "2/minute", "trusted_proxies": 1}
    app = create_app(settings.model_copy(update=limits), store)
    with browser(app) as reader, browser(app) as neighbour:
        reader.headers["x-forwarded-for"] = "192.0.2.1"
        neighbour.headers["x-forwarded-for"] = "192.0.2.2"
        assert [reader.get(path).status_code for path in ("/", "/nowhere")] == [200, 404]
        refused = reader.get("/bots?q=close")
        assert refused.status_code == 429
        assert 0 < int(refused.headers["retry-after"]) <= 60
        assert "Slow down" in refused.text
        assert "too many pages from your address" in refused.text.lower()
        assert '<a class="button primary" href="">Try again</a>' in refused.text
        sheet = re.search(r'href="(/static/[^"]+\.css)"', refused.text)
        assert sheet, "the page looks like the others"
        for path in (sheet[1], "/healthz", "/readyz", "/metrics", "/api/v1/rules"):
            assert reader.get(path).status_code == 200, f"{path} is not a page"
        assert neighbour.get("/").status_code == 200


@pytest.mark.parametrize("proxies", [0, 1])
def test_a_forwarded_address_is_believed_only_behind_proxies_that_the_setting_names(
    settings: Settings, store: Store, proxies: int
) -> None:
    limits = {"page_limit": "1/minute", "trusted_proxies": proxies}
    with served(settings.model_copy(update=limits), store) as url, httpx2.Client() as client:
        answers = [
            client.get(url, headers={"x-forwarded-for": f"192.0.2.{number}"}).status_code
            for number in range(3)
        ]
    # Whoever could write the header at will would have a limit of his own every time.
    assert answers == ([200, 200, 200] if proxies else [200, 429, 429])


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        # A proxy may add a line of its own instead of going on with the one that came.
        ([("198.51.100.1",), ("192.0.2.1",)], [("198.51.100.2",), ("192.0.2.1",)], True),
        ([("198.51.100.1", "192.0.2.1")], [("198.51.100.2", "192.0.2.1")], True),
        ([("192.0.2.1",)], [("192.0.2.2",)], False),
        # Whoever has one address of the sixth version has 2 to the power of 64 of them.
        ([("2001:db8::1",)], [("2001:db8::ffff:2",)], True),
        ([("2001:db8:0:1::1",)], [("2001:db8:0:2::1",)], False),
        ([("::ffff:192.0.2.1",)], [("::ffff:192.0.2.2",)], False),
    ],
)
def test_nobody_has_more_addresses_than_one_by_writing_them_down(
    settings: Settings,
    store: Store,
    first: list[tuple[str, ...]],
    second: list[tuple[str, ...]],
    together: bool,
) -> None:
    limits = {"page_limit": "1/minute", "trusted_proxies": 1}
    with browser(create_app(settings.model_copy(update=limits), store)) as client:
        answers = [
            client.get("/", headers=[("x-forwarded-for", ", ".join(line)) for line in lines])
            for lines in (first, second)
        ]
    assert [answer.status_code for answer in answers] == [200, 429 if together else 200]


def test_wrong_tokens_are_limited_by_address(settings: Settings, store: Store) -> None:
    limits = {"token_limit": "2/minute", "trusted_proxies": 1}
    app = create_app(settings.model_copy(update=limits), store)
    right, wrong = api_token(store, "heron", "read"), {"authorization": "Bearer br_guessed"}
    with browser(app) as client:

        def ask(headers: dict[str, str], address: str) -> int:
            with_address = headers | {"x-forwarded-for": address}
            return client.get("/api/v1/me", headers=with_address).status_code

        # Others behind the same address have right ones, and are not locked out by a broken script.
        answers = [ask(headers, "192.0.2.1") for headers in (wrong, right, wrong, wrong, right)]
        assert answers == [401, 200, 401, 429, 200]
        assert ask(right, "192.0.2.2") == 200


def test_an_owner_has_as_many_bots_as_the_setting_says(settings: Settings, store: Store) -> None:
    with store.read() as session:
        heron = accounts.owner_by_handle(session, "heron")
        assert heron is not None
        most = bots.count_of(session, heron.id) + 1
    app = create_app(settings.model_copy(update={"bots_per_owner": most}), store)
    headers = api_token(store, "heron", "manage", "submit")
    handed = {"kind": "reference", "reference": "r/x@sha256:" + "0" * 64, "rules": "six-nimmt"}
    with browser(app, "heron") as client:
        assert "Or the name of a new one" in client.get("/submit").text

        def add(name: str) -> int:
            wanted = {"name": name, "rules": ["six-nimmt"]}
            return client.post("/api/v1/bots", json=wanted, headers=headers).status_code

        assert [add("one"), add("two")] == [201, 409]
        refused = client.post("/api/v1/submissions", json=handed | {"bot": "two"}, headers=headers)
        assert refused.status_code == 409
        assert f"has {most} bots, the limit is {most}; submit a new version" in refused.text
        again = client.post("/api/v1/submissions", json=handed | {"bot": "one"}, headers=headers)
        assert again.status_code == 201, "a new version of a bot is no new bot"
        page = client.get("/submit").text
        assert f"You have {most} bots" in page
        assert "new_name" not in page


def test_limits_go_on_in_the_process_while_redis_is_away() -> None:
    limiter = Limiter("redis://127.0.0.1:1/0")
    with structlog.testing.capture_logs() as logs:
        limiter.hit("pages", "2/minute", "192.0.2.1")
        limiter.hit("pages", "2/minute", "192.0.2.1")
        with pytest.raises(TooMany):
            limiter.hit("pages", "2/minute", "192.0.2.1")
    assert [entry["log_level"] for entry in logs] == ["warning"], "it is not asked every time"


# Passwords and tokens ------------------------------------------------------------------------


def reset_link(store: Store, handle: str) -> str:
    with store.write() as session:
        owner = accounts.owner_by_handle(session, handle)
        assert owner is not None
        kind = InvitationKind.PASSWORD_RESET
        return "/link/" + accounts.invite(session, kind, owner_id=owner.id)


def test_a_new_password_ends_the_links_for_another(heron: Browser, store: Store) -> None:
    link = reset_link(store, "heron")
    assert heron.get(link).status_code == 200
    fields = {"old": PASSWORD, "password": "another password"}
    assert heron.submit("/account/password", fields, on="/account").status_code == 303
    assert heron.get(link).status_code == 404


def test_a_reset_by_link_ends_the_tokens(spectator: Browser, store: Store) -> None:
    token = api_token(store, "heron", "read")
    link = reset_link(store, "heron")
    assert "your API tokens stop working" in spectator.get(link).text
    assert spectator.submit(link, {"password": "another password"}, on=link).status_code == 303
    assert "Your API tokens have ended" in spectator.get("/mine").text
    assert spectator.get("/api/v1/me", headers=token).status_code == 401


def test_a_link_of_an_account_that_is_shut_out_is_refused(spectator: Browser, store: Store) -> None:
    link = reset_link(store, "heron")
    with store.write() as session:
        owner = accounts.owner_by_handle(session, "heron")
        assert owner is not None
        locked(session, Owner, owner.id).disabled_at = utc_now()
    assert spectator.get(link).status_code == 404
    assert spectator.submit(link, {"password": "another password"}).status_code == 404


def test_a_token_makes_none_that_lasts_longer(spectator: Browser, store: Store) -> None:
    end = utc_now() + timedelta(days=3)
    with store.write() as session:
        owner = accounts.owner_by_handle(session, "heron")
        assert owner is not None
        _, secret = issue_token(session, owner.id, "short", ["manage"], expires_at=end)
    for days in (None, 1, 90):
        wish = {"name": "more", "scopes": ["manage"], "days": days}
        headers = {"authorization": f"Bearer {secret}"}
        made = spectator.post("/api/v1/tokens", json=wish, headers=headers).json()
        assert datetime.fromisoformat(made["expires_at"]) <= end


# Odd input -----------------------------------------------------------------------------------


@pytest.mark.parametrize("days", ["²", "9" * 5000, "0", "-1"])
def test_a_token_lasts_a_number_of_days_that_fits(heron: Browser, days: str) -> None:
    fields = {"name": "odd", "scope-read": "1", "days": days}
    assert heron.submit("/mine/tokens", fields, on="/mine").status_code == 422


@pytest.mark.parametrize("number", [str(2**63), "9" * 5000])
def test_a_number_that_no_database_holds_leads_nowhere(spectator: Browser, number: str) -> None:
    assert spectator.get(f"/matches/{number}").status_code == 404
    assert spectator.get(f"/matches/1/games/0/{number}/data").status_code == 404


def test_the_character_nul_is_refused_where_text_is_kept_or_looked_for(
    heron: Browser, store: Store
) -> None:
    fields = {"about": "a\0b", "rules-six-nimmt": "1"}
    place = "/bots/heron/close/manage"
    assert heron.submit(place, fields, on=place).status_code == 422
    headers = api_token(store, "heron", "manage")
    about = {"about": "a\0b"}
    changed = heron.patch("/api/v1/bots/heron/close", json=about, headers=headers)
    assert changed.status_code == 422
    assert heron.get("/bots", params={"q": "\0"}).status_code == 404
    assert heron.get("/bots/%00/close").status_code == 404
    assert heron.get("/api/v1/bots/%00/close").status_code == 422


def test_a_broken_address_to_return_to_is_ignored(spectator: Browser) -> None:
    assert spectator.get("/sign-in", params={"next": "//["}).status_code == 200


# Private things ------------------------------------------------------------------------------


def test_matches_of_a_rehearsal_are_not_on_a_bots_public_page(
    spectator: Browser, boss: Browser, store: Store, seeded: Seeded
) -> None:
    with store.write() as session:
        locked(session, Season, seeded.season_id).rehearsal_of_id = seeded.season_id
        played = match_lists.matches(session, season_id=seeded.season_id, limit=1000)
    links = {f'href="/matches/{match.id}"' for match in played}

    def linked(client: Browser) -> set[str]:
        page = client.get("/bots/heron/close").text
        assert "rehearsal-spring" not in page
        return {link for link in links if link in page}

    assert linked(boss)
    assert not linked(spectator)


def test_matches_of_a_rehearsal_count_in_no_total_of_a_bot(
    spectator: Browser, boss: Browser, store: Store, seeded: Seeded
) -> None:
    def total(client: Browser) -> int:
        page = client.get("/bots/heron/close").text
        found = re.search(r'<dt>Games</dt><dd class="num">(\d+)</dd>', page)
        assert found
        return int(found[1])

    with store.read() as session:
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        seats = select(Seat.games).join(Match).where(Match.season_id == seeded.season_id)
        rehearsed = sum(session.exec(seats.where(Seat.bot_id == bot.id)))
        assert reads.think_times(session, bot.id)
    before = total(spectator)
    assert rehearsed > 0
    with store.write() as session:
        locked(session, Season, seeded.season_id).rehearsal_of_id = seeded.season_id
    assert [total(spectator), total(boss)] == [before - rehearsed] * 2
    with store.read() as session:
        assert reads.think_times(session, bot.id) == []
        versions = [version.id for version in bots.versions(session, bot.id)]
        assert reads.fault_counts(session, versions) == {}


def test_a_game_saved_as_a_file_holds_no_notes_but_ones_own_when_asked(
    heron: Browser, otter: Browser, boss: Browser
) -> None:
    def notes(client: Browser, what: str) -> int:
        match_lists = [client.get(f"/matches/1/games/0/{game}/{what}").text for game in range(4)]
        return sum(page.count('"note":') for page in match_lists)

    assert notes(boss, "data") > 0
    assert [notes(who, "export") for who in (heron, otter, boss)] == [0, 0, 0]
    assert notes(boss, "export?notes=1") == 0
    authors = [who for who in (heron, otter) if notes(who, "data")]
    assert authors
    for who in authors:
        assert notes(who, "export?notes=1") == notes(who, "data")


@pytest.mark.postgres
@pytest.mark.parametrize("number", [2**31, 10**14, 10**17])
def test_a_number_that_no_row_can_have_is_nothing_that_is_there(
    settings: Settings, postgres_url: str, number: int
) -> None:
    league = Store(postgres_url, settings.data_dir)
    league.migrate()
    cursor = encode_cursor(number)
    with browser(create_app(settings, league)) as client:
        answers = {
            path: client.get(path).status_code
            for path in (
                *(f"/ladders/{number}", f"/matches/{number}", f"/submissions/{number}"),
                *(f"/matches?before={number}", f"/bots?after={number}"),
                *(f"/api/v1/matches/{number}", f"/api/v1/ladders/{number}/standings"),
                f"/api/v1/matches?cursor={cursor}",
            )
        }
    league.close()
    assert {status for status in answers.values() if status >= 500} == set(), answers
