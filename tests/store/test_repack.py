"""Replay files written again: rows follow, lines stay, and what cannot be read is left alone."""

import json

from sqlmodel import select

from store import Blob, ReplayBlob, Store, attempts, results
from store.blobs import ARCHIVE_SUFFIX
from store.repack import repack
from tests.nimmt.recorded import record
from tests.nimmt.support import VARIANTS
from tests.store.support import outcome, queued_matches, replay_lines


def _lines(games: int = 4) -> list[bytes]:
    documents = [record(VARIANTS[2], 4, board) for board in range(games)]
    return [json.dumps(one, separators=(",", ":")).encode() for one in documents]


def _stored(store: Store, blob: Blob) -> int:
    (match_id,) = queued_matches(store)
    with store.write() as session:
        attempt = attempts.claim(session, match_id, "w1")
        assert attempt is not None
        attempts.finish(session, attempt.token, outcome(replay=blob))
    return match_id


def _blob(store: Store, match_id: int) -> ReplayBlob:
    with store.read() as session:
        found = results.blob_of(session, match_id)
    assert found is not None
    return found


def test_an_old_file_becomes_an_archive_and_can_be_written_in_full_again(store: Store) -> None:
    lines = _lines()
    old = store.blobs.write(lines, plain=True)
    match_id = _stored(store, old)
    [done] = repack(store, plain=False)
    now = _blob(store, match_id)
    assert (done.before, done.after, done.error) == (old.size, now.size, None)
    assert now.size < old.size / 2
    assert store.blobs.path(now.sha256).name.endswith(ARCHIVE_SUFFIX)
    assert list(store.blobs.lines(now.sha256)) == lines
    assert [one.changed for one in repack(store, plain=False)] == [False]
    assert results.sweep(store, grace=-60) == [old.sha256]
    [back] = repack(store, plain=True)
    assert back.changed
    assert _blob(store, match_id).sha256 == old.sha256
    assert list(store.blobs.lines(old.sha256)) == lines


def test_lines_that_fit_no_archive_keep_their_file(store: Store) -> None:
    match_id = _stored(store, store.blobs.write(replay_lines()))
    before = _blob(store, match_id).sha256
    [done] = repack(store, plain=False)
    assert not done.changed
    assert _blob(store, match_id).sha256 == before


def test_a_file_that_cannot_be_read_is_named_and_left_alone(store: Store) -> None:
    blob = store.blobs.write(_lines(), plain=True)
    match_id = _stored(store, blob)
    store.blobs.path(blob.sha256).write_bytes(b"scratched")
    [done] = repack(store, plain=False)
    assert done.error is not None
    assert blob.sha256 in done.error
    assert _blob(store, match_id).sha256 == blob.sha256
    with store.read() as session:
        assert len(session.exec(select(ReplayBlob)).all()) == 1
