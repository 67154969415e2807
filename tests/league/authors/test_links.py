"""What links accounts: evidence and questions, on both databases."""

from datetime import timedelta

import pytest

from league.authors import links
from league.authors.links import LinkKind, account_questions
from league.ratings import FairnessReport
from league.ratings.fairness import Likeness, Presence
from store import Store, accounts, bots, utc_now
from store.tables import SeenAddress


def add_account(store: Store, handle: str, fingerprint: str, *, is_house: bool = False) -> int:
    with store.write() as session:
        owner = accounts.add_owner(session, handle, is_house=is_house)
        bot = bots.add_bot(session, owner.id, "bot", ["six-nimmt"])
        bots.add_version(session, bot.id, program=["true"], fingerprint=fingerprint)
    return owner.id


def test_accounts_that_sign_in_from_one_address_are_a_question(store: Store) -> None:
    ada, bob, eve = (add_account(store, name, name) for name in ("ada", "bob", "eve"))
    with store.write() as session:
        for owner, address in ((ada, "a1"), (ada, "a1"), (bob, "a1"), (bob, "b2"), (eve, "e3")):
            accounts.note_address(session, owner, address)
    [found] = account_questions(store)
    assert (found.owners, found.kind) == (("ada", "bob"), LinkKind.ADDRESS)
    assert "ada 2 times" in found.evidence
    assert "a1" not in found.evidence
    assert found.question.endswith("?")


def test_addresses_are_forgotten_after_half_a_year(store: Store) -> None:
    ada, bob = (add_account(store, name, name) for name in ("ada", "bob"))
    with store.write() as session:
        for owner in (ada, bob):
            accounts.note_address(session, owner, "a1")
        seen = session.get(SeenAddress, (ada, "a1"))
        assert seen is not None
        seen.last_at = utc_now() - timedelta(days=accounts.ADDRESS_DAYS + 1)
    assert account_questions(store) == []
    with store.write() as session:
        accounts.note_address(session, ada, "new")
        assert session.get(SeenAddress, (ada, "a1")) is None


def test_equal_builds_of_two_accounts_are_a_question_and_the_platforms_are_none(
    store: Store,
) -> None:
    for handle, fingerprint in (("ada", "same"), ("bob", "same"), ("eve", "sample")):
        add_account(store, handle, fingerprint)
    add_account(store, "house", "sample", is_house=True)
    [found] = account_questions(store)
    assert (found.owners, found.kind) == (("ada", "bob"), LinkKind.BUILD)
    assert "ada/bot 1, bob/bot 1" in found.evidence


@pytest.mark.parametrize(("second", "asked"), [("bob", 2), ("ada", 0), ("house", 0)])
def test_games_link_two_accounts_and_neither_one_nor_the_platform(second: str, asked: int) -> None:
    pair = ("ada/one 1", f"{second}/two 1")
    alike = Likeness(
        first=pair[0], second=pair[1], agreement=1.0, expected=0.3, probes=60, identical=True
    )
    gains = Presence(bot=pair[0], beside=pair[1], gain=0.2, z=5.0, blocks=30, significant=True)
    report = FairnessReport(
        balance="",
        meetings=(),
        presence=(gains,),
        presence_pairs=1,
        alike=(alike,),
        probes=60,
        linked=(),
    )
    found = list(links._played(report, "season spring", {"house"}))
    assert len(found) == asked
    assert {one.kind for one in found} <= {LinkKind.CHOICES, LinkKind.PRESENCE}
    assert all((one.owners, one.where) == (("ada", "bob"), "season spring") for one in found)
