"""Replay files written again in the form of today, or in full before the rules change."""

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa
from sqlmodel import col, select

from api_models.states import BlobKind
from store.blobs import ARCHIVE_SUFFIX, Blob
from store.engine import Store
from store.errors import BlobError
from store.tables import ReplayBlob


@dataclass(frozen=True, slots=True, kw_only=True)
class Repacked:
    """What became of one file."""

    sha256: str
    before: int
    after: int
    """Bytes; equal to `before` where the file was left as it is."""
    error: str | None = None
    """Why it could not be read, and was left alone."""

    @property
    def changed(self) -> bool:
        return self.before != self.after


def repack(store: Store, *, plain: bool) -> Iterator[Repacked]:
    """Write every replay file again: as an archive where it fits, or in full with `plain`.

    Rows follow file by file, so this may be stopped and run again. The sweeper removes the old
    files; a reader that found the old name a moment ago still finds the file.
    """
    with store.read(patient=True) as session:
        query = select(ReplayBlob.sha256, ReplayBlob.size).where(ReplayBlob.kind == BlobKind.REPLAY)
        found = sorted(set(session.exec(query).all()))
    for sha256, size in found:
        is_archive = store.blobs.path(sha256).name.endswith(ARCHIVE_SUFFIX)
        if is_archive is not plain:
            yield Repacked(sha256=sha256, before=size, after=size)
            continue
        try:
            blob = store.blobs.write(store.blobs.lines(sha256), plain=plain)
        except BlobError as error:
            yield Repacked(sha256=sha256, before=size, after=size, error=str(error))
            continue
        kept = blob.plain is not None and not plain
        if not kept:
            _rename(store, sha256, blob)
        yield Repacked(sha256=sha256, before=size, after=size if kept else blob.size)


def _rename(store: Store, sha256: str, blob: Blob) -> None:
    with store.write() as session:
        session.execute(
            sa.update(ReplayBlob)
            .where(col(ReplayBlob.sha256) == sha256, col(ReplayBlob.kind) == BlobKind.REPLAY)
            .values(sha256=blob.sha256, size=blob.size)
        )
