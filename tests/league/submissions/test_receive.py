"""What is taken as a submission: kinds, new bots, limits of a day, and keys that are used twice."""

import threading
from dataclasses import dataclass

import pytest

import store as data
from league.audit import Action
from league.errors import LeagueRefusal, Malformed, TooOften
from league.submissions import (
    SubmissionLimits,
    SubmissionRequest,
    find_earlier,
    receive_submission,
)
from store import Owner, Store, Submission
from tests.store.conftest import migrated_url, postgres_template, store

__all__ = ["migrated_url", "postgres_template", "store"]

IMAGE = "registry/greedy@sha256:" + "0" * 64
LIMITS = SubmissionLimits(per_day=3, bots=2)


@dataclass(frozen=True)
class File:
    """A file that has arrived."""

    name: str = "upload-1"
    size: int = 7
    sha256: str = "ab"
    filename: str = "bot.tar"


def wanted(**more: object) -> SubmissionRequest:
    given = {"bot": "greedy", "kind": "reference", "reference": IMAGE, "rules": ("x-nimmt",)}
    return SubmissionRequest(**{**given, **more})  # type: ignore[arg-type]


@pytest.fixture
def ada(store: Store) -> Owner:
    with store.write() as session:
        return data.accounts.add_owner(session, "ada")


def receive(
    store: Store, ada: Owner, file: File | None = None, **more: object
) -> tuple[Submission, bool]:
    with store.write() as session:
        return receive_submission(session, ada, wanted(**more), file, LIMITS)


def acts(store: Store) -> list[str]:
    with store.read() as session:
        return [row.action for row in reversed(data.audit.page(session))]


def test_a_note_that_is_too_long_is_refused_and_not_cut(store: Store, ada: Owner) -> None:
    with pytest.raises(Malformed, match="a note of 501 characters, expected at most 500"):
        receive(store, ada, note="n" * 501)
    assert acts(store) == []


def test_a_new_bot_and_its_submission_are_both_written_down(store: Store, ada: Owner) -> None:
    made, fresh = receive(store, ada, note="n" * 500)
    assert fresh
    assert (made.source, made.detail) == (IMAGE, {"note": "n" * 500})
    again, _ = receive(store, ada, File(), kind="build_context", rules=(), reference="")
    assert (again.source, again.size, again.bot_id) == ("upload-1", 7, made.bot_id)
    assert again.detail == {"note": "", "filename": "bot.tar", "sha256": "ab"}
    assert acts(store) == [
        Action.BOT_MADE,
        Action.SUBMISSION_RECEIVED,
        Action.SUBMISSION_RECEIVED,
    ]


@pytest.mark.parametrize(
    ("more", "file", "says"),
    [
        ({"kind": "poem"}, None, "got kind 'poem', expected one of image_archive"),
        ({"kind": "build_context"}, None, "needs a file"),
        ({}, File(), "got a reference and a file"),
        ({"reference": ""}, None, "expected an image reference"),
        ({"reference": "r" * 301}, None, "expected an image reference"),
        ({"reference": "registry/greedy:latest"}, None, "named by its digest"),
        ({"idempotency_key": ""}, None, "1 to 100 characters"),
        ({"idempotency_key": "k" * 101}, None, "1 to 100 characters"),
        ({"rules": ()}, None, "a new bot needs its rules"),
        ({"rules": ("poker",)}, None, "a new bot needs its rules"),
        ({"bot": "No Name"}, None, "got bot name 'No Name'"),
    ],
)
def test_what_is_malformed_leaves_nothing_behind(
    store: Store, ada: Owner, more: dict[str, object], file: File | None, says: str
) -> None:
    with pytest.raises(Malformed, match=says):
        receive(store, ada, file, **more)
    assert acts(store) == []
    with store.read() as session:
        assert data.bots.count_of(session, ada.id) == 0


def test_one_bot_too_many_is_refused_and_a_new_version_is_not(store: Store, ada: Owner) -> None:
    receive(store, ada, bot="one")
    receive(store, ada, bot="two")
    with pytest.raises(LeagueRefusal, match="ada has 2 bots, the limit is 2") as caught:
        receive(store, ada, bot="three")
    assert caught.type is LeagueRefusal
    assert receive(store, ada, bot="two")[1]


def test_the_limit_of_a_day_holds_before_and_after_the_file_and_not_for_a_known_key(
    store: Store, ada: Owner
) -> None:
    first, _ = receive(store, ada, idempotency_key="a")
    for _ in range(2):
        receive(store, ada)
    with pytest.raises(TooOften, match="3 submissions in 24 hours, the limit is 3") as caught:
        receive(store, ada)
    assert caught.value.retry_after == 3600
    with store.read() as session:
        with pytest.raises(TooOften):
            find_earlier(session, ada, LIMITS, "b")
        known = find_earlier(session, ada, LIMITS, "a")
        assert known is not None
        assert known.id == first.id
    assert receive(store, ada, idempotency_key="a") == (first, False)
    assert acts(store).count(Action.SUBMISSION_RECEIVED) == 3


def test_of_submissions_sent_at_once_the_later_count_the_earlier(store: Store, ada: Owner) -> None:
    """The owner's row keeps them apart, with a key and without, also where the bot exists."""
    for _ in range(LIMITS.per_day - 1):
        receive(store, ada)
    answers: list[str] = []

    def send() -> None:
        try:
            receive(store, ada)
            answers.append("taken")
        except TooOften as error:
            answers.append(str(error))

    later = [threading.Thread(target=send) for _ in range(4)]
    with store.write() as session:
        receive_submission(session, ada, wanted(), None, LIMITS)
        for thread in later:
            thread.start()
        # Time enough to count what is not committed yet; they have to wait for the first.
        later[0].join(1.0)
    for thread in later:
        thread.join()
    assert answers == ["3 submissions in 24 hours, the limit is 3; try again later"] * 4
