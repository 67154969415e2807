"""Accounts and tokens: who may have what, links that work once, and what is written down."""

from datetime import timedelta

import pytest
from sqlmodel import Session

import store as data
from league import authors
from league.audit import Action
from league.authors import Access, Scope
from league.authors.accounts import RESET_DAYS
from league.errors import LeagueRefusal, Malformed, NotAllowed, NotThere
from store import AuditEntry, InvitationKind, Owner, Role, Store, utc_now

OPERATOR = "the operator"


@pytest.fixture
def ada(store: Store) -> Owner:
    with store.write() as session:
        return authors.make_account(session, "ada", password_hash="old")


@pytest.fixture
def boss(store: Store) -> Owner:
    with store.write() as session:
        return authors.make_account(session, "boss", role=Role.ORGANISER, actor=OPERATOR)


def last(store: Store) -> AuditEntry:
    with store.read() as session:
        return data.audit.page(session, limit=1)[0]


def test_an_account_says_who_made_it_and_as_what(store: Store, ada: Owner, boss: Owner) -> None:
    with store.read() as session:
        rows = data.audit.page(session)
    assert [(row.action, row.actor, row.detail) for row in rows] == [
        (Action.ACCOUNT_MADE, OPERATOR, {"role": "organiser"}),
        (Action.ACCOUNT_MADE, "ada", {"role": "author"}),
    ]
    with store.write() as session:
        assert authors.find_account(session, "ada").id == ada.id
        with pytest.raises(NotThere, match="no account 'eve'"):
            authors.find_account(session, "eve")


def test_a_token_has_only_what_its_maker_has_and_ends_no_later(store: Store, ada: Owner) -> None:
    soon = utc_now() + timedelta(days=2)
    own = frozenset({"read", "manage"})
    with store.write() as session:
        token, secret = authors.make_token(
            session, ada, "t", ["read"], ada, days=9, own=own, until=soon
        )
        assert token.expires_at == soon
        assert authors.token_looks_right(secret)
        sooner, _ = authors.make_token(session, ada, "t", ["read"], ada, days=1, until=soon)
        assert sooner.expires_at is not None
        assert sooner.expires_at < soon
        for scopes, error, says in (
            (["submit"], NotAllowed, "without scope 'submit'"),
            (["fly"], Malformed, "got scope 'fly'"),
            ([], Malformed, "at least one scope"),
        ):
            with pytest.raises(error, match=says):
                authors.make_token(session, ada, "t", scopes, ada, own=own)
        with pytest.raises(NotAllowed, match="only organisers"):
            authors.make_token(session, ada, "t", [Scope.ORGANISE], ada)
        for days in (0, authors.TOKEN_DAYS + 1):
            with pytest.raises(Malformed, match=f"got {days} days"):
                authors.make_token(session, ada, "t", ["read"], ada, days=days)


def test_a_token_is_ended_by_its_owner_once(store: Store, ada: Owner, boss: Owner) -> None:
    with store.write() as session:
        token, _ = authors.make_token(session, ada, "t", ["read"], ada)
        with pytest.raises(NotThere):
            authors.end_token(session, boss, token.id, boss)
        authors.end_token(session, ada, token.id, ada)
    assert (last(store).action, last(store).subject_id) == (Action.TOKEN_ENDED, token.id)
    with store.write() as session, pytest.raises(NotThere, match="still works"):
        authors.end_token(session, ada, token.id, ada)


@pytest.mark.parametrize("role", Role)
def test_an_invitation_makes_one_account_of_its_role(store: Store, boss: Owner, role: Role) -> None:
    with store.write() as session:
        secret = authors.invite(session, role, boss, "for Eve " + "x" * 500)
    assert last(store).action == Action.INVITATION_MADE
    assert len(str(last(store).detail["note"])) == 200
    with store.write() as session:
        assert authors.accept_invitation(session, secret, "eve", "hash").role is role
    with store.write() as session, pytest.raises(NotThere, match="unknown, used or expired"):
        authors.accept_invitation(session, secret, "eve2", "hash")
    with store.read() as session:
        assert data.accounts.owner_by_handle(session, "eve2") is None


def test_a_handle_that_is_taken_does_not_use_the_link_up(store: Store, ada: Owner) -> None:
    with store.write() as session:
        secret = authors.invite(session, Role.AUTHOR, OPERATOR)
    with pytest.raises(data.Conflict, match="taken"), store.write() as session:
        authors.accept_invitation(session, secret, "ada", "hash")
    with store.write() as session:
        assert authors.accept_invitation(session, secret, "eve", "hash").handle == "eve"


def test_a_reset_ends_tokens_and_a_change_by_the_owner_does_not(store: Store, ada: Owner) -> None:
    with store.write() as session:
        authors.make_token(session, ada, "t", ["read"], ada)
        authors.change_password(session, ada.id, "second")
        assert len(data.accounts.tokens(session, ada.id)) == 1
        secret = authors.link_for_password(session, ada.id, OPERATOR)
        found = authors.find_invitation(session, secret)
        assert found.expires_at <= utc_now() + timedelta(days=RESET_DAYS)
        assert (last_in(session).action, last_in(session).actor) == (
            Action.ACCOUNT_RESET,
            OPERATOR,
        )
    with store.write() as session:
        owner, ended = authors.reset_password(session, secret, "third")
        assert (owner.password_hash, ended) == ("third", 1)
        assert data.accounts.tokens(session, ada.id) == []
    assert (last(store).action, last(store).detail) == (
        Action.ACCOUNT_PASSWORD,
        {"tokens_ended": 1},
    )


def last_in(session: Session) -> AuditEntry:
    return data.audit.page(session, limit=1)[0]


def test_links_serve_only_what_they_were_made_for(store: Store, ada: Owner) -> None:
    with store.write() as session:
        reset = authors.link_for_password(session, ada.id, OPERATOR)
        invitation = authors.invite(session, Role.AUTHOR, OPERATOR)
        with pytest.raises(LeagueRefusal, match="not for a new account"):
            authors.accept_invitation(session, reset, "eve", "hash")
        with pytest.raises(LeagueRefusal, match="not for a new password"):
            authors.reset_password(session, invitation, "hash")
        first = authors.open_account(session, "eve", Role.AUTHOR, OPERATOR)
        assert authors.reset_password(session, first, "hash")[0].handle == "eve"


def test_access_is_changed_by_others_and_never_of_the_house(
    store: Store, ada: Owner, boss: Owner
) -> None:
    with store.write() as session:
        house = data.accounts.add_owner(session, "house", is_house=True)
        for access in Access:
            authors.set_access(session, ada.id, access, boss, "why")
        rows = data.audit.page(session, limit=len(Access))
        assert [row.action for row in reversed(rows)] == [
            "account.disable",
            "account.enable",
            "account.author",
            "account.organiser",
        ]
        assert {(row.actor, row.reason) for row in rows} == {("boss", "why")}
        with pytest.raises(LeagueRefusal, match="your own access"):
            authors.set_access(session, boss.id, "disable", boss)
        with pytest.raises(LeagueRefusal, match="own account"):
            authors.set_access(session, house.id, "disable", boss)
        with pytest.raises(LeagueRefusal, match="no password"):
            authors.link_for_password(session, house.id, boss)
        with pytest.raises(Malformed, match="got 'king'"):
            authors.set_access(session, ada.id, "king", boss)


def test_a_new_link_for_the_first_organiser_ends_the_ones_before(store: Store) -> None:
    old = authors.link_for_first_organiser(store)
    new = authors.link_for_first_organiser(store)
    assert old is not None
    assert new is not None
    with store.write() as session:
        with pytest.raises(NotThere):
            authors.find_invitation(session, old)
        assert authors.find_invitation(session, new).kind is InvitationKind.ORGANISER
        owner = authors.accept_invitation(session, new, "boss", "hash")
        assert owner.role is Role.ORGANISER
    assert authors.link_for_first_organiser(store) is None
