"""Bots, versions and submissions."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from store import (
    Bot,
    Conflict,
    Owner,
    Store,
    Submission,
    SubmissionKind,
    SubmissionState,
    VersionState,
    accounts,
    bots,
    present,
    utc_now,
)


@pytest.fixture
def ada(store: Store) -> Owner:
    with store.write() as session:
        return accounts.add_owner(session, "ada")


@pytest.fixture
def greedy(store: Store, ada: Owner) -> Bot:
    with store.write() as session:
        return bots.add_bot(session, ada.id, "greedy", ["six-nimmt", "x-nimmt"])


def new_submission(store: Store, ada: Owner, greedy: Bot) -> int:
    with store.write() as session:
        submission, _ = bots.submit(
            session, ada.id, greedy.id, SubmissionKind.IMAGE_ARCHIVE, "uploads/1.tar"
        )
    return submission.id


def test_a_bot_is_found_by_its_full_name(store: Store, greedy: Bot) -> None:
    with store.read() as session:
        found = bots.find_bot(session, "ada/greedy")
        assert found is not None
        assert found.id == greedy.id
        assert bots.find_bot(session, "greedy") is None
        assert bots.full_names(session, [greedy.id]) == {greedy.id: "ada/greedy"}


def test_an_owner_gives_a_name_once(store: Store, ada: Owner, greedy: Bot) -> None:
    with store.write() as session, pytest.raises(Conflict, match="already"):
        bots.add_bot(session, ada.id, greedy.name, [])


def test_versions_count_up_and_the_accepted_one_plays(store: Store, greedy: Bot) -> None:
    with store.write() as session:
        first = bots.add_version(session, greedy.id, image="sha256:1")
        second = bots.add_version(session, greedy.id, image="sha256:2")
        assert (first.number, second.number) == (1, 2)
        assert bots.playable(session, "six-nimmt") == []
        bots.accept_version(session, first.id, report={"games": 10})
        bots.reject_version(session, second.id, report={"error": "timeout"}, log="slow")
    with store.read() as session:
        ((bot, version),) = bots.playable(session, "six-nimmt")
        assert (bot.id, version.number, version.report) == (greedy.id, 1, {"games": 10})
        assert bots.playable(session, "eleven-nimmt") == []
        assert [row.state for row in bots.versions(session, greedy.id)] == [
            VersionState.REJECTED,
            VersionState.ACCEPTED,
        ]


def test_roll_back_takes_an_accepted_version_only(store: Store, greedy: Bot) -> None:
    with store.write() as session:
        for _ in range(2):
            version = bots.add_version(session, greedy.id, program=["true"])
            bots.accept_version(session, version.id)
        bots.add_version(session, greedy.id, program=["true"])
        bots.set_current(session, greedy.id, 1)
        for number in (3, 9):
            with pytest.raises(Conflict, match="of greedy, expected an accepted one: 1, 2"):
                bots.set_current(session, greedy.id, number)
    with store.read() as session:
        assert bots.playable(session, "x-nimmt")[0][1].number == 1


def test_a_version_behind_a_gate_does_not_play_yet(store: Store, greedy: Bot) -> None:
    with store.write() as session:
        version = bots.add_version(session, greedy.id, image="sha256:1")
        bots.accept_version(session, version.id, make_current=False)
        assert bots.playable(session, "six-nimmt") == []


def test_a_rejected_version_stays_rejected(store: Store, greedy: Bot) -> None:
    with store.write() as session:
        version = bots.add_version(session, greedy.id, image="sha256:1")
        bots.reject_version(session, version.id, report=None)
        with pytest.raises(Conflict, match="rejected"):
            bots.accept_version(session, version.id)


def test_a_suspended_bot_is_not_scheduled_until_it_is_back(store: Store, greedy: Bot) -> None:
    with store.write() as session:
        version = bots.add_version(session, greedy.id, image="sha256:1")
        bots.accept_version(session, version.id)
        bots.suspend(session, greedy.id, "it crashed ten times")
        assert bots.playable(session, "six-nimmt") == []
        bots.suspend(session, greedy.id, None)
        assert len(bots.playable(session, "six-nimmt")) == 1


def test_the_same_key_makes_one_submission(store: Store, ada: Owner, greedy: Bot) -> None:
    def submit(key: str | None) -> tuple[int, bool]:
        with store.write() as session:
            submission, is_new = bots.submit(
                session,
                ada.id,
                greedy.id,
                SubmissionKind.BUILD_CONTEXT,
                "uploads/2.tar",
                idempotency_key=key,
            )
            return submission.id, is_new

    first, is_new = submit("abc")
    assert is_new
    assert submit("abc") == (first, False)
    assert submit(None)[1]
    assert submit(None)[1]
    with store.read() as session:
        since = utc_now() - timedelta(days=1)
        assert bots.submitted_since(session, ada.id, since) == 3


def test_a_submission_is_built_by_one_worker(store: Store, ada: Owner, greedy: Bot) -> None:
    ident = new_submission(store, ada, greedy)
    with store.write() as session:
        assert bots.waiting_submissions(session) == [ident]
        claimed = bots.claim_submission(session, ident, "w1")
        assert claimed is not None
        assert claimed.token is not None
        token = claimed.token
        assert bots.claim_submission(session, ident, "w2") is None
        assert bots.waiting_submissions(session) == []
        assert bots.advance_submission(session, token, SubmissionState.CHECKING, log="built")
        version = bots.add_version(session, greedy.id, image="sha256:1")
        assert bots.advance_submission(
            session, token, SubmissionState.ACCEPTED, report={"ok": True}, version_id=version.id
        )
        assert not bots.advance_submission(session, token, SubmissionState.REJECTED)
        assert bots.claim_submission(session, ident, "w2") is None
    with store.read() as session:
        found = present(session, Submission, ident)
    assert (found.state, found.log, found.report) == ("accepted", "built", {"ok": True})
    assert found.finished_at is not None


def test_a_silent_worker_loses_the_submission_and_the_third_time_is_the_last(
    store: Store, ada: Owner, greedy: Bot
) -> None:
    ident = new_submission(store, ada, greedy)
    tokens = []
    for number in range(3):
        with store.write() as session:
            assert bots.waiting_submissions(session) == [ident]
            claimed = bots.claim_submission(session, ident, f"w{number}")
            assert claimed is not None
            tokens.append(claimed.token)
            past = utc_now() - timedelta(hours=1)
            session.execute(sa.update(Submission).values(lease_until=past))
    assert len(set(tokens)) == 3
    with store.write() as session:
        assert not bots.advance_submission(session, tokens[0] or "", SubmissionState.ACCEPTED)
        assert bots.claim_submission(session, ident, "w4") is None
        assert bots.waiting_submissions(session) == []
    with store.read() as session:
        found = present(session, Submission, ident)
    assert found.state is SubmissionState.REJECTED
    assert found.report is not None
    assert "three times" in str(found.report["error"])


def test_an_upload_is_finished_when_its_submission_is_over(
    store: Store, ada: Owner, greedy: Bot
) -> None:
    submission_id = new_submission(store, ada, greedy)
    with store.write() as session:
        assert bots.finished_uploads(session, ["uploads/1.tar", "other"]) == []
        present(session, Submission, submission_id).state = SubmissionState.ACCEPTED
        session.flush()
        assert bots.finished_uploads(session, ["uploads/1.tar", "other"]) == ["uploads/1.tar"]
        assert bots.finished_uploads(session, []) == []


def test_whoever_submitted_a_build_first_is_known_by_owner(
    store: Store, ada: Owner, greedy: Bot
) -> None:
    with store.write() as session:
        bob = accounts.add_owner(session, "bob")
        copy = bots.add_bot(session, bob.id, "copy", ["six-nimmt"])
        made = [
            bots.add_version(session, bot.id, program=["true"], fingerprint="files:one")
            for bot in (greedy, copy, greedy)
        ]
        assert bots.first_with_build(session, {"files:one", "files:two"}) == {
            ("files:one", ada.id): made[0].id,
            ("files:one", bob.id): made[1].id,
        }
