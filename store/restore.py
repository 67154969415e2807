"""Restore: brings a backup into an empty database of either kind, and its replay files along."""

import hashlib
import io
import json
import re
import tarfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from store.backup import FORMAT, MANIFEST, left_out, pieces
from store.blobs import Blobs
from store.columns import JsonDict
from store.engine import make_engine, normal_url
from store.errors import BackupError
from store.migrate import migrate
from store.packed import zstd
from store.timeouts import PATIENT, DatabaseTimeouts

BATCH = 500
MAX_ROW = 64 * 1024 * 1024
_TABLE = re.compile(r"tables/([a-z_]+)\.jsonl\.zst")
_BLOB = re.compile(r"blobs/([0-9a-f]{64})")


def restore(
    path: Path, url: str, blobs: Path, timeouts: DatabaseTimeouts | None = None
) -> JsonDict:
    """Restore into an empty database; returns the manifest. Old backups are migrated forward.

    All rows come in one transaction: after a failure the database is as empty as before. The
    files come first, as always, so a row never names a file that is not there.
    """
    address = normal_url(url)
    try:
        with path.open("rb") as stream, tarfile.open(fileobj=stream, mode="r:") as tar:
            manifest = _read_manifest(tar)
            _refuse_filled(address, timeouts)
            _restore_blobs(tar, Blobs(blobs), cast(int, manifest["blobs"]))
            migrate(address, cast(str, manifest["revision"]), timeouts=timeouts)
            # Rows are in the order of the tables in the file, which is the order of references.
            engine = make_engine(address, pool_size=1, timeouts=timeouts)
            try:
                patient = engine.execution_options(**{PATIENT: True})
                with patient.begin() as connection:
                    _restore_tables(tar, connection, cast(dict[str, Any], manifest["tables"]))
            finally:
                engine.dispose()
    except (tarfile.TarError, EOFError, zstd.ZstdError, ValueError, KeyError) as error:
        raise BackupError(f"{path} is not a whole backup: {error}") from error
    except OSError as error:
        raise BackupError(f"cannot restore {path}: {error}") from error
    # Whoever played when the backup was written is not at this database.
    migrate(address, running="keep", timeouts=timeouts)
    return manifest


def _read_manifest(tar: tarfile.TarFile) -> JsonDict:
    manifest = json.loads(_open(tar, MANIFEST).read(MAX_ROW))
    if manifest.get("format") != FORMAT:
        raise BackupError(f"got format {manifest.get('format')!r}, expected {FORMAT!r}")
    return cast(JsonDict, manifest)


def _open(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    stream = tar.extractfile(name)
    if stream is None:
        raise BackupError(f"{name} in the backup is not a file")
    return stream


def _refuse_filled(url: str, timeouts: DatabaseTimeouts | None) -> None:
    engine = make_engine(url, pool_size=1, timeouts=timeouts)
    try:
        names = set(sa.inspect(engine).get_table_names()) - {"alembic_version"} - left_out()
        for name in sorted(names):
            if _has_rows(engine, name):
                raise BackupError(
                    f"got a database with rows in {name!r}, expected an empty one; restoring never"
                    " overwrites"
                )
    finally:
        engine.dispose()


def _has_rows(engine: Engine, name: str) -> bool:
    with engine.connect() as connection:
        query = sa.select(sa.literal(1)).select_from(sa.table(name)).limit(1)
        return connection.execute(query).first() is not None


def _restore_blobs(tar: tarfile.TarFile, blobs: Blobs, expected: int) -> None:
    found = 0
    for member in tar:
        match = _BLOB.fullmatch(member.name)
        if match:
            blobs.adopt(pieces(_open(tar, member.name)), match[1])
            found += 1
    if found != expected:
        raise BackupError(f"got {found} replay files, expected {expected}; the backup is damaged")


def _restore_tables(tar: tarfile.TarFile, connection: Connection, expected: dict[str, Any]) -> None:
    # The tables as that revision has them, not as the code has them now.
    metadata = sa.MetaData()
    metadata.reflect(connection)
    missing = dict(expected)
    for member in tar.getmembers():
        match = _TABLE.fullmatch(member.name)
        if match:
            table = metadata.tables[match[1]]
            packed = _open(tar, member.name).read()
            promise = missing.pop(table.name)
            if hashlib.sha256(packed).hexdigest() != promise["sha256"]:
                raise BackupError(f"table {table.name} in the backup is damaged")
            rows = _insert(connection, table, packed)
            if rows != promise["rows"]:
                raise BackupError(f"got {rows} rows of {table.name}, expected {promise['rows']}")
            _continue_numbers(connection, table)
    if missing:
        raise BackupError(f"tables are missing in the backup: {', '.join(sorted(missing))}")
    # The log of changes has taken note of every row, and there is no reader that it could serve.
    if (log := metadata.tables.get("changes")) is not None:
        connection.execute(log.delete())


def _insert(connection: Connection, table: sa.Table, packed: bytes) -> int:
    for column in table.columns:
        if isinstance(column.type, sa.JSON):
            # What was NULL must not become the JSON text null.
            column.type.none_as_null = True
    rows = 0
    batch: list[dict[str, object]] = []
    for row in _rows(packed):
        batch.append({name: _value(table.columns[name], value) for name, value in row.items()})
        rows += 1
        if len(batch) == BATCH:
            connection.execute(table.insert(), batch)
            batch = []
    if batch:
        connection.execute(table.insert(), batch)
    return rows


def _rows(packed: bytes) -> Iterator[dict[str, Any]]:
    if not packed:
        # An empty table is an empty file, which the unpacker would take for a cut-off one.
        return
    with zstd.open(io.BytesIO(packed), "rb") as lines:
        while line := lines.readline(MAX_ROW):
            yield json.loads(line)


def _value(column: sa.Column[Any], value: Any) -> object:
    """Undo what the backup did to values that JSON does not have."""
    if value is None:
        return None
    if isinstance(column.type, sa.DateTime):
        moment = datetime.fromisoformat(value).astimezone(UTC)
        return moment if column.type.timezone else moment.replace(tzinfo=None)
    if isinstance(column.type, sa.LargeBinary):
        return bytes.fromhex(value)
    return cast(object, value)


def _continue_numbers(connection: Connection, table: sa.Table) -> None:
    """Let PostgreSQL's counters go on after the highest id (SQLite does so by itself)."""
    if connection.dialect.name != "postgresql" or "id" not in table.columns:
        return
    highest = connection.execute(sa.select(sa.func.max(table.columns.id))).scalar()
    if highest is not None:
        sequence = sa.func.pg_get_serial_sequence(table.name, "id")
        connection.execute(sa.select(sa.func.setval(sequence, highest)))
