"""Reviews in the store: asked for once, made by one worker, kept; on both databases."""

import json

import pytest
from sqlmodel import select

from store import Conflict, Match, NotFound, Review, ReviewReason, ReviewState, Store, reviews
from store.results import drop_results
from tests.store.support import finish, queued_matches, start

PLACE = (0, 1)
DOCUMENT = {"format": "bullring-review/1", "rounds": [{"steps": []}]}


@pytest.fixture
def done(store: Store) -> int:
    """A match with four games."""
    [match_id] = queued_matches(store)
    finish(store, start(store, match_id).token)
    return match_id


def ask(store: Store, match_id: int, reason: ReviewReason = ReviewReason.ASKED) -> Review:
    with store.write() as session:
        [row] = reviews.ask(session, match_id, [PLACE], reason)
        return row


def claim(store: Store, worker: str = "w1", lease: float = 60) -> Review | None:
    with store.write() as session:
        wanted = reviews.next_wanted(session)
        return None if wanted is None else reviews.claim(session, wanted, worker, lease)


def look(store: Store, match_id: int) -> Review:
    with store.read() as session:
        row = reviews.of_game(session, match_id, *PLACE)
    assert row is not None
    return row


def test_a_review_is_asked_for_once_and_made_by_one_worker(store: Store, done: int) -> None:
    assert ask(store, done).id == ask(store, done).id
    mine = claim(store)
    assert mine is not None
    assert claim(store, "w2") is None
    with store.write() as session:
        assert reviews.advance(session, mine.id, "w1", 3, 40)
        assert not reviews.advance(session, mine.id, "w2", 9, 40)
        assert not reviews.finish(session, mine.id, "w2", DOCUMENT, {})
    assert (look(store, done).done, look(store, done).total) == (3, 40)
    with store.write() as session:
        assert reviews.finish(session, mine.id, "w1", DOCUMENT, {"costliest": None})
    row = look(store, done)
    assert (row.state, row.done) == (ReviewState.DONE, 40)
    assert reviews.document(row) == DOCUMENT
    with store.read() as session:
        assert reviews.summaries(session, done) == [(PLACE, {"costliest": None})]


def test_a_silent_worker_loses_its_review_and_the_third_is_the_last(
    store: Store, done: int
) -> None:
    ask(store, done)
    for worker in ("w1", "w2", "w3"):
        mine = claim(store, worker, lease=-1)
        assert mine is not None
        assert mine.worker == worker
    assert claim(store, "w4") is None
    assert look(store, done).state is ReviewState.FAILED
    assert "went silent" in look(store, done).error
    ask(store, done)
    assert look(store, done).state is ReviewState.WAITING


def test_who_leaves_a_review_leaves_it_as_it_was(store: Store, done: int) -> None:
    ask(store, done)
    mine = claim(store)
    assert mine is not None
    with store.write() as session:
        reviews.give_back(session, mine.id, "w1")
    row = look(store, done)
    assert (row.state, row.tries, row.worker) == (ReviewState.WAITING, 0, None)


def test_people_who_wait_go_first(store: Store, done: int) -> None:
    with store.write() as session:
        reviews.ask(session, done, [(0, 0), PLACE, (0, 2)], ReviewReason.SAMPLE)
    row = ask(store, done)
    with store.read() as session:
        assert reviews.next_wanted(session) == row.id
        assert reviews.waiting(session, before=row) == 0
        assert reviews.waiting(session) == 3


def test_what_does_not_exist_is_not_reviewed(store: Store, done: int) -> None:
    [queued] = queued_matches_again(store)
    for match_id, place in ((done, (0, 99)), (queued, (0, 0)), (999, (0, 0))):
        with store.write() as session, pytest.raises(NotFound):
            reviews.ask(session, match_id, [place], ReviewReason.ASKED)


def queued_matches_again(store: Store) -> list[int]:
    """One more match, of the versions that are there."""
    from store import matches
    from tests.store.support import new_match

    with store.write() as session:
        return matches.plan(session, [new_match([1, 2, 3, 4], 7)])


def test_the_queue_has_an_end(store: Store, done: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "MAX_WAITING", 1)
    ask(store, done)
    with store.write() as session, pytest.raises(Conflict, match="wait already"):
        reviews.ask(session, done, [(0, 2)], ReviewReason.ASKED)


def test_a_match_that_is_played_again_has_no_reviews(store: Store, done: int) -> None:
    ask(store, done)
    with store.write() as session:
        drop_results(session, done)
        assert session.exec(select(Review)).all() == []


def test_reviews_of_a_match_are_coming_until_they_are_made_or_failed(
    store: Store, done: int
) -> None:
    def coming() -> bool:
        with store.read() as session:
            return reviews.are_coming(session, done)

    assert not coming()
    asked = ask(store, done)
    assert coming()
    assert claim(store) is not None
    assert coming()
    with store.write() as session:
        assert reviews.fail(session, asked.id, "w1", "no reason")
    assert not coming()


def test_a_review_survives_backup_and_restore(
    store: Store, done: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from store import backup, restore

    ask(store, done)
    mine = claim(store)
    assert mine is not None
    with store.write() as session:
        reviews.finish(session, mine.id, "w1", DOCUMENT, {})
    folder = tmp_path_factory.mktemp("restored")
    backup(store, folder / "league.tar")
    restore(folder / "league.tar", f"sqlite:///{folder}/league.db", folder / "blobs")
    other = Store(f"sqlite:///{folder}/league.db", folder / "blobs")
    try:
        assert json.dumps(reviews.document(look(other, done))) == json.dumps(DOCUMENT)
        with other.read() as session:
            assert session.get(Match, done) is not None
    finally:
        other.close()


def test_a_replay_of_no_match_is_reviewed_once_and_forgotten_with_it(store: Store) -> None:
    sha256, other = "ab" * 32, "cd" * 32
    with store.write() as session:
        first = reviews.ask_stored(session, sha256, ReviewReason.SAMPLE)
        again = reviews.ask_stored(session, sha256, ReviewReason.ASKED)
        reviews.ask_stored(session, other, ReviewReason.SAMPLE)
    assert (first.id, again.match_id, again.reason) == (again.id, None, ReviewReason.ASKED)
    mine = claim(store)
    assert mine is not None
    assert mine.replay == sha256
    with store.write() as session:
        assert reviews.finish(session, mine.id, "w1", DOCUMENT, {})
        found = reviews.of_stored(session, sha256)
        assert found is not None
        assert reviews.document(found) == DOCUMENT
        reviews.forget_stored(session, sha256)
        assert reviews.of_stored(session, sha256) is None
        assert reviews.of_stored(session, other) is not None


def test_too_many_that_wait_keep_stored_replays_out_too(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviews, "MAX_WAITING", 1)
    with store.write() as session:
        reviews.ask_stored(session, "ab" * 32, ReviewReason.ASKED)
    with pytest.raises(Conflict, match="1 reviews wait"), store.write() as session:
        reviews.ask_stored(session, "cd" * 32, ReviewReason.ASKED)
