"""Column types that mean the same on SQLite and PostgreSQL, and the database's own clock."""

import hashlib
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import Field

type_engine = sa.types.TypeEngine

JsonDict = dict[str, object]
"""A small structure without a table of its own."""


def utc_now() -> datetime:
    """The time by this process's clock: for dates people read, never for leases."""
    return datetime.now(UTC)


class UtcTime(sa.types.TypeDecorator[datetime]):
    """A moment: always aware and in UTC on the Python side."""

    impl = sa.DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> type_engine[Any]:
        return dialect.type_descriptor(sa.DateTime(timezone=dialect.name == "postgresql"))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"got the naive time {value!r}, expected one with a time zone (UTC)")
        moment = value.astimezone(UTC)
        return moment if dialect.name == "postgresql" else moment.replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Json(sa.types.TypeDecorator[Any]):
    """A small JSON structure; None is the database's NULL."""

    impl = sa.JSON
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> type_engine[Any]:
        kind = JSONB if dialect.name == "postgresql" else sa.JSON
        return dialect.type_descriptor(kind(none_as_null=True))


def enum_field(
    kind: type[StrEnum], default: StrEnum | None = None, *, primary_key: bool = False
) -> Any:
    """A column holding the value of an enum as text, so that new members need no migration."""
    column_type = sa.Enum(
        kind,
        native_enum=False,
        length=20,
        create_constraint=False,
        values_callable=lambda members: [member.value for member in members],
    )
    column: sa.Column[Any] = sa.Column(column_type, nullable=False, primary_key=primary_key)
    return Field(sa_column=column) if default is None else Field(default, sa_column=column)


class db_time(FunctionElement[datetime]):
    """The database's clock plus some seconds: leases must not trust the clocks of workers."""

    type = UtcTime()
    inherit_cache = True
    name = "db_time"

    def __init__(self, offset: float = 0.0) -> None:
        super().__init__(sa.bindparam(None, float(offset), type_=sa.Float(), unique=True))


@compiles(db_time, "sqlite")
def _sqlite_time(element: db_time, compiler: Any, **kw: Any) -> str:
    # The three zeros make microseconds of the milliseconds, so that the text has the same
    # width as every stored time and compares in the right order.
    offset = compiler.process(element.clauses, **kw)
    return f"strftime('%Y-%m-%d %H:%M:%f000', 'now', printf('%+.3f seconds', {offset}))"


@compiles(db_time, "postgresql")
def _postgresql_time(element: db_time, compiler: Any, **kw: Any) -> str:
    # Not now(): that is when the transaction began.
    offset = compiler.process(element.clauses, **kw)
    return f"(clock_timestamp() + make_interval(secs => {offset}))"


def digest(secret: str) -> str:
    """What is stored of a secret of high entropy.

    >>> digest("a")[:8]
    'ca978112'
    """
    return hashlib.sha256(secret.encode()).hexdigest()
