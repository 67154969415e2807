"""Accounts, sign-ins, invitations, tokens, inbox, audit log and settings."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from store import (
    METADATA,
    Conflict,
    InvitationKind,
    NotFound,
    Owner,
    Role,
    SignIn,
    Store,
    Token,
    accounts,
    audit,
    inbox,
    utc_now,
)
from store import settings as store_settings


@pytest.fixture
def ada(store: Store) -> Owner:
    with store.write() as session:
        return accounts.add_owner(session, "ada", password_hash="hash")


@pytest.mark.parametrize("handle", ["", "Ada", "a b", "-ada", "ada-", "a/b", "ä", "a" * 41])
def test_a_handle_must_fit_into_an_address(store: Store, handle: str) -> None:
    with store.write() as session, pytest.raises(Conflict, match="handle"):
        accounts.add_owner(session, handle)


def test_a_handle_is_given_once(store: Store, ada: Owner) -> None:
    with store.write() as session, pytest.raises(Conflict, match="taken"):
        accounts.add_owner(session, ada.handle)


def test_a_sign_in_lasts_until_sign_out(store: Store, ada: Owner) -> None:
    with store.write() as session:
        secret = accounts.sign_in(session, ada.id)
    with store.read() as session:
        found = accounts.signed_in(session, secret)
        assert found is not None
        assert found.id == ada.id
        assert accounts.signed_in(session, secret + "x") is None
    with store.write() as session:
        accounts.sign_out(session, secret)
        assert accounts.signed_in(session, secret) is None


def test_expired_sign_ins_disabled_owners_and_new_passwords_end_sign_ins(
    store: Store, ada: Owner
) -> None:
    with store.write() as session:
        old = accounts.sign_in(session, ada.id, days=-1)
        new = accounts.sign_in(session, ada.id)
        assert accounts.signed_in(session, old) is None
        accounts.set_password(session, ada.id, "other")
        assert accounts.signed_in(session, new) is None
        third = accounts.sign_in(session, ada.id)
        session.execute(sa.update(Owner).values(disabled_at=utc_now()))
        assert accounts.signed_in(session, third) is None


def test_an_invitation_works_once(store: Store, ada: Owner) -> None:
    with store.write() as session:
        secret = accounts.invite(session, InvitationKind.ORGANISER, role=Role.ORGANISER)
    with store.write() as session:
        assert accounts.use_invitation(session, secret, ada.id).role is Role.ORGANISER
    with store.write() as session, pytest.raises(NotFound, match="used"):
        accounts.use_invitation(session, secret, ada.id)
    with store.read() as session:
        assert accounts.invitation(session, secret) is None


def test_an_expired_invitation_does_not_work(store: Store) -> None:
    with store.write() as session:
        secret = accounts.invite(session, InvitationKind.SIGN_UP, days=-1)
        assert accounts.invitation(session, secret) is None
        with pytest.raises(NotFound):
            accounts.use_invitation(session, secret)


def test_a_token_opens_what_it_says_until_it_is_revoked(store: Store, ada: Owner) -> None:
    with store.write() as session:
        secret = "br_a-long-secret"
        token = accounts.add_token(session, ada.id, "laptop", secret, ["submit", "read"])
        accounts.touch_token(session, token.id)
    assert token.prefix == "br_a-long-"
    with store.read() as session:
        found = accounts.token_owner(session, secret)
        assert found is not None
        assert (found[0].scopes, found[1].handle) == (["read", "submit"], "ada")
        assert not accounts.needs_touch(found[0])
    with store.write() as session:
        assert not accounts.revoke_token(session, token.id, ada.id + 1)
        assert accounts.revoke_token(session, token.id, ada.id)
        assert accounts.token_owner(session, secret) is None
        assert accounts.tokens(session, ada.id) == []


def test_an_expired_token_opens_nothing(store: Store, ada: Owner) -> None:
    with store.write() as session:
        past = utc_now() - timedelta(seconds=1)
        accounts.add_token(session, ada.id, "old", "br_secret", expires_at=past)
        assert accounts.token_owner(session, "br_secret") is None


def test_no_secret_lies_in_the_database(store: Store, ada: Owner) -> None:
    with store.write() as session:
        secrets = [
            accounts.sign_in(session, ada.id),
            accounts.invite(session, InvitationKind.SIGN_UP),
            "br_a-long-secret",
        ]
        accounts.add_token(session, ada.id, "laptop", secrets[-1])
    with store.engine.connect() as connection:
        everything = "".join(
            str(connection.execute(sa.select(table)).all()) for table in METADATA.sorted_tables
        )
    assert "laptop" in everything
    assert not [secret for secret in secrets if secret in everything]


def test_hashes_stay_out_of_logs() -> None:
    rows = [
        Token(owner_id=1, name="laptop", prefix="br_", secret_hash="f00d"),
        SignIn(owner_id=1, secret_hash="f00d", expires_at=utc_now()),
        Owner(handle="ada", password_hash="f00d"),
    ]
    assert "f00d" not in repr(rows)


def test_the_inbox_counts_what_is_unread(store: Store, ada: Owner) -> None:
    with store.write() as session:
        first = inbox.tell(session, ada.id, "fault", "Your bot failed", "It timed out.")
        inbox.tell(session, ada.id, "season", "A season opens")
        assert inbox.unread(session, ada.id) == 2
        inbox.mark_read(session, ada.id, first.id)
        assert inbox.unread(session, ada.id) == 1
    with store.read() as session:
        newest, oldest = inbox.messages(session, ada.id)
        assert (newest.title, oldest.read_at is None) == ("A season opens", False)
        assert inbox.messages(session, ada.id, before=newest.id) == [oldest]


def test_the_audit_log_says_who_did_what_and_why(store: Store, ada: Owner) -> None:
    with store.write() as session:
        audit.record(session, "season.pause", "season", 3, actor=ada, reason="disk full")
        audit.record(session, "match.reap", "match", 4, actor="reaper", detail={"lost": [4]})
    with store.read() as session:
        newest, oldest = audit.page(session)
        assert (oldest.actor, oldest.actor_id, oldest.reason) == ("ada", ada.id, "disk full")
        assert (newest.actor, newest.actor_id, newest.detail) == ("reaper", None, {"lost": [4]})
        assert audit.page(session, subject="season", subject_id=3) == [oldest]
        assert audit.page(session, before=newest.id) == [oldest]


def test_a_setting_is_kept_and_replaced(store: Store) -> None:
    with store.write() as session:
        assert store_settings.read(session, "sign_up") is None
        store_settings.write(session, "sign_up", {"mode": "open"})
        store_settings.write(session, "sign_up", {"mode": "closed"})
    with store.read() as session:
        assert store_settings.read(session, "sign_up") == {"mode": "closed"}
