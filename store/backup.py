"""Backup: one tar file with a manifest, every table as JSON lines, and every replay file.

It says nothing of the database it came from, so it restores into either kind; see `store.restore`.
"""

import hashlib
import io
import json
import os
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from store.blobs import CHUNK
from store.columns import JsonDict, utc_now
from store.engine import Store
from store.errors import BackupError
from store.migrate import current_revision, newest_revision
from store.packed import zstd
from store.tables import METADATA
from store.timeouts import PATIENT

FORMAT = "bullring-backup/1"
MANIFEST = "manifest.json"


def backup(store: Store, path: Path) -> JsonDict:
    """Write a backup of a store that may be in use; returns the manifest.

    The tables are one snapshot. Replay files never change and are only removed when no row
    names them, so copying them afterwards fits the snapshot.
    """
    with tempfile.TemporaryDirectory(prefix=".backup-", dir=path.parent) as folder:
        with _snapshot(store) as connection:
            revision = current_revision(connection)
            if revision != newest_revision():
                raise BackupError(
                    f"got a database at revision {revision}, expected {newest_revision()};"
                    " migrate it first"
                )
            tables = _dump_tables(connection, Path(folder))
            blobs = sorted(connection.execute(sa.text(_BLOBS)).scalars())
        manifest: JsonDict = {
            "format": FORMAT,
            "revision": revision,
            "created": utc_now().isoformat(),
            "tables": tables,
            "blobs": len(blobs),
        }
        _write_tar(store, path, Path(folder), manifest, blobs)
    return manifest


_BLOBS = "SELECT DISTINCT sha256 FROM replay_blobs"


@contextmanager
def _snapshot(store: Store) -> Iterator[Connection]:
    """A connection on which all reads see the same moment."""
    engine = store.engine.execution_options(bullring_reads=True, **{PATIENT: True})
    if store.is_postgresql:
        engine = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )
    with engine.begin() as connection:
        yield connection


def _dump_tables(connection: Connection, folder: Path) -> dict[str, object]:
    """One compressed file of JSON lines a table; returns rows and hash of each."""
    found: dict[str, object] = {}
    for table in METADATA.sorted_tables:
        file = folder / f"{table.name}.jsonl.zst"
        rows = 0
        query = sa.select(table).order_by(*table.primary_key.columns)
        with zstd.open(file, "wb", level=6) as out:
            for row in connection.execution_options(yield_per=1000).execute(query).mappings():
                out.write(_encode(dict(row)) + b"\n")
                rows += 1
        found[table.name] = {"rows": rows, "sha256": _hash(file)}
    return found


def _encode(row: dict[str, Any]) -> bytes:
    return json.dumps(row, default=_plain, separators=(",", ":")).encode()


def _plain(value: object) -> object:
    """Values that JSON does not have; the column's type says how to read them back."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"cannot back up a {type(value).__name__}")


def _hash(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _write_tar(
    store: Store, path: Path, folder: Path, manifest: JsonDict, blobs: list[str]
) -> None:
    """Write under a temporary name, flush to disk, then rename."""
    draft = folder / "draft.tar"
    try:
        with draft.open("wb") as stream:
            with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
                _add_bytes(tar, MANIFEST, json.dumps(manifest, indent=1).encode())
                for table in METADATA.sorted_tables:
                    name = f"{table.name}.jsonl.zst"
                    _add_file(tar, f"tables/{name}", folder / name)
                for sha256 in blobs:
                    _add_file(tar, f"blobs/{sha256}", store.blobs.path(sha256))
            stream.flush()
            os.fsync(stream.fileno())
        # A backup holds password hashes and unrevealed keys.
        draft.chmod(0o600)
        draft.replace(path)
    except FileNotFoundError as error:
        raise BackupError(f"a file to back up is missing: {error.filename}") from error
    except OSError as error:
        raise BackupError(f"cannot write the backup {path}: {error.strerror or error}") from error


def _add_bytes(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def _add_file(tar: tarfile.TarFile, name: str, source: Path) -> None:
    with source.open("rb") as stream:
        info = tarfile.TarInfo(name)
        info.size = os.fstat(stream.fileno()).st_size
        tar.addfile(info, stream)


def pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """A file in pieces of moderate size."""
    while piece := stream.read(CHUNK):
        yield piece
