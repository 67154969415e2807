"""Accounts: sign-up, sign-in, sessions, one-time links, roles, the audit log, the secret file."""

import re
import stat
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlmodel import select

from dashboard.app import create_app
from dashboard.http import organiser_link
from dashboard.settings import Settings, SignUp, load_secret
from store import InvitationKind, Role, SeenAddress, Store, accounts, audit, inbox
from tests.dashboard.conftest import ORIGIN, Browser, browser
from tests.dashboard.seed import PASSWORD

COOKIE = "bullring_session"


def test_an_account_is_made_and_signed_in(spectator: Browser, store: Store) -> None:
    answer = spectator.submit("/sign-up", {"handle": "newt", "password": "a fine password"})
    assert answer.status_code == 303
    assert "newt" in spectator.get("/mine").text
    with store.read() as session:
        owner = accounts.owner_by_handle(session, "newt")
    assert owner is not None
    assert owner.role is Role.AUTHOR
    assert owner.password_hash is not None
    assert "a fine password" not in owner.password_hash


@pytest.mark.parametrize("mode", [SignUp.INVITATION, SignUp.CLOSED])
def test_sign_up_can_be_shut(settings: Settings, store: Store, mode: SignUp) -> None:
    app = create_app(settings.model_copy(update={"sign_up": mode}), store)
    with browser(app) as client:
        assert 'name="password"' not in client.get("/sign-up").text
        answer = client.submit("/sign-up", {"handle": "newt", "password": "a fine password"})
        assert answer.status_code == 403


def test_sign_up_is_by_invitation_unless_an_operator_says_otherwise(
    settings: Settings, store: Store
) -> None:
    assert Settings.model_fields["sign_up"].default is SignUp.INVITATION
    given = settings.model_dump(exclude={"sign_up"})
    with browser(create_app(Settings(**given), store)) as client:
        answer = client.submit("/sign-up", {"handle": "newt", "password": "a fine password"})
    assert answer.status_code == 403


def test_a_taken_or_unfit_name_is_refused_with_the_reason(spectator: Browser) -> None:
    for handle in ("heron", "No Spaces", "-x"):
        answer = spectator.submit("/sign-up", {"handle": handle, "password": "a fine password"})
        assert answer.status_code == 409
        assert "expected" in answer.text or "taken" in answer.text


def test_the_session_cookie_is_guarded_and_changes_at_sign_in(app: FastAPI) -> None:
    with browser(app) as client:
        client.cookies.set(COOKIE, "planted-by-somebody", domain="testserver.local")
        answer = client.submit("/sign-in", {"handle": "heron", "password": PASSWORD})
        header = next(h for h in answer.headers.get_list("set-cookie") if h.startswith(COOKIE))
        assert "HttpOnly" in header
        assert "SameSite=lax" in header
        assert "planted" not in header


def test_https_makes_cookies_secure_and_asks_for_https_only(
    settings: Settings, store: Store
) -> None:
    app = create_app(settings.model_copy(update={"base_url": "https://league.example"}), store)
    with Browser(app, base_url="https://league.example") as client:
        token = client.token_on("/sign-in")
        answer = client.post(
            "/sign-in",
            data={"csrf": token, "handle": "heron", "password": PASSWORD},
            headers={"origin": "https://league.example"},
            follow_redirects=False,
        )
        header = next(h for h in answer.headers.get_list("set-cookie") if "session" in h)
        assert header.startswith("__Host-")
        assert "Secure" in header
        assert "max-age" in answer.headers["strict-transport-security"]


def test_signing_out_ends_the_session_on_the_server(heron: Browser) -> None:
    secret = heron.cookies[COOKIE]
    assert heron.submit("/sign-out", on="/mine").status_code == 303
    heron.cookies.set(COOKIE, secret)
    assert heron.get("/mine", follow_redirects=False).status_code == 303


def test_the_answer_does_not_tell_whether_an_account_exists(spectator: Browser) -> None:
    known = spectator.submit("/sign-in", {"handle": "heron", "password": "wrong"})
    unknown = spectator.submit("/sign-in", {"handle": "nobody", "password": "wrong"})
    assert known.status_code == unknown.status_code == 403

    def strip(page: str) -> str:
        return re.sub(r'value="[^"]*"', "", page)

    assert strip(known.text) == strip(unknown.text)


def test_signing_in_leads_back_but_never_to_another_site(app: FastAPI) -> None:
    cases = {
        "/submit": "/submit",
        "//evil.example": "/mine",
        "https://evil.example": "/mine",
        "/\\evil.example": "/mine",
    }
    for wanted, expected in cases.items():
        with browser(app) as client:
            fields = {"handle": "heron", "password": PASSWORD, "next": wanted}
            assert client.submit("/sign-in", fields).headers["location"] == expected


def test_the_first_organiser_comes_by_a_link_that_works_once(
    settings: Settings, tmp_path: Path
) -> None:
    fresh = Store(f"sqlite:///{tmp_path / 'fresh.db'}", tmp_path / "replays")
    fresh.migrate()
    old = organiser_link(settings, fresh)
    link = organiser_link(settings, fresh)
    assert old is not None
    assert link is not None
    app = create_app(settings, fresh)
    with browser(app) as client:
        assert client.get(old.removeprefix(ORIGIN)).status_code == 404
        path = link.removeprefix(ORIGIN)
        assert "run this league" in client.get(path).text
        fields = {"handle": "chief", "password": "a fine password"}
        assert client.submit(path, fields, on=path).headers["location"] == "/organiser"
        assert client.get("/organiser").status_code == 200
        assert client.get(path).status_code == 404
    assert organiser_link(settings, fresh) is None
    fresh.close()


def test_an_organiser_resets_a_password_by_a_link(boss: Browser, app: FastAPI) -> None:
    with browser(app, "heron") as heron:
        token = boss.token_on("/organiser")
        page = boss.post(
            "/organiser/accounts/3/reset", data={"csrf": token}, headers={"origin": ORIGIN}
        )
        found = re.search(rf"{ORIGIN}(/link/[\w-]+)", page.text)
        assert found
        assert page.headers["cache-control"] == "no-store"
        with browser(app) as client:
            answer = client.submit(found[1], {"password": "another password"}, on=found[1])
            assert answer.status_code == 303
        # All sign-ins of the account end with the old password.
        assert heron.get("/mine", follow_redirects=False).status_code == 303


def test_a_shut_out_account_is_out_at_once(boss: Browser, heron: Browser) -> None:
    assert heron.get("/mine", follow_redirects=False).status_code == 200
    answer = boss.submit("/organiser/accounts/3/access", {"act": "disable"}, on="/organiser")
    assert answer.status_code == 303
    assert heron.get("/mine", follow_redirects=False).status_code == 303


def test_organisers_acts_are_in_the_audit_log(boss: Browser, store: Store) -> None:
    boss.submit("/organiser/invitations", {"note": "for the newt"}, on="/organiser")
    boss.submit("/organiser/accounts/3/access", {"act": "organiser"}, on="/organiser")
    with store.read() as session:
        actions = [entry.action for entry in audit.page(session, limit=3)]
    assert actions[:2] == ["account.organiser", "invitation.made"]
    assert "for the newt" in boss.get("/organiser/audit").text


def test_an_invitation_is_stored_as_a_hash(store: Store) -> None:
    with store.write() as session:
        secret = accounts.invite(session, InvitationKind.SIGN_UP)
        row = accounts.invitation(session, secret)
    assert row is not None
    assert secret not in repr(row.model_dump())


def test_the_secret_is_kept_in_a_file_that_only_its_owner_reads(tmp_path: Path) -> None:
    first = load_secret(tmp_path / "data")
    path = tmp_path / "data" / "secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert load_secret(tmp_path / "data") == first
    path.chmod(0o644)
    with pytest.raises(PermissionError, match="chmod 600"):
        load_secret(tmp_path / "data")


def test_messages_are_marked_as_read_and_their_copies_given_an_address(
    heron: Browser, otter: Browser, store: Store
) -> None:
    with store.write() as session:
        owner = accounts.owner_by_handle(session, "heron")
        assert owner is not None
        where = "/bots/heron/close"
        told = inbox.tell(session, owner.id, "test", "close <b>rests</b>", "", where)
    page = heron.get("/mine").text
    assert '<a href="/bots/heron/close">close &lt;b&gt;rests&lt;/b&gt;</a>' in page
    otter.submit("/mine/messages/read", {"up_to": str(told.id)})
    assert "Mark all as read" in heron.get("/mine").text, "another reads only their own"
    heron.submit("/mine/messages/read", {"up_to": str(told.id)})
    assert "Mark all as read" not in heron.get("/mine").text
    assert "expected http://HOST" in heron.submit("/mine/webhook", {"url": "ftp://x/"}).text
    heron.submit("/mine/webhook", {"url": "https://9.9.9.9/hook"})
    assert 'value="https://9.9.9.9/hook"' in heron.get("/mine").text
    assert "9.9.9.9" not in otter.get("/mine").text


def test_organisers_see_that_two_accounts_share_an_address_and_never_which(
    settings: Settings, store: Store
) -> None:
    app = create_app(settings.model_copy(update={"trusted_proxies": 1}), store)
    addresses = {"heron": "192.0.2.77", "otter": "192.0.2.77", "boss": "192.0.2.5"}
    for handle, address in addresses.items():
        with browser(app) as client:
            client.headers["x-forwarded-for"] = address
            client.submit("/sign-in", {"handle": handle, "password": PASSWORD})
            if handle == "boss":
                pages = [
                    client.get(f"/organiser/account-links{more}").text for more in ("", "?look=1")
                ]
    for page in pages:
        assert "heron 1 time" in page
        assert "otter 1 time" in page
        assert "no verdicts" in page
        assert "192.0.2" not in page
    with store.read() as session:
        kept = session.exec(select(SeenAddress)).all()
    assert len({row.address_mac for row in kept}) == 2
    assert all(len(row.address_mac) == 64 for row in kept)
