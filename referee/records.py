"""Records to JSON and back, by their type hints: plans and results cross a pipe as JSON lines."""

import enum
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
PLAIN = frozenset({int, str, float, bool, type(None)})
"""What is in JSON as it is; most of every record."""
MOST = 10**300
"""A whole number above it is none that a float can hold."""


def to_json(value: Any) -> Any:
    """A record, or anything made of records and JSON values, as JSON values."""
    kind: Any = type(value)
    if kind in PLAIN:
        return value
    if (names := _names(kind)) is not None:
        return {name: to_json(getattr(value, name)) for name in names}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): to_json(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(part) for part in value]
    return value


@cache
def _names(kind: type) -> tuple[str, ...] | None:
    """The fields of a record; None for what is not one."""
    return tuple([field.name for field in fields(kind)]) if is_dataclass(kind) else None


@cache
def _hints(record: type) -> dict[str, Any]:
    return get_type_hints(record)


def from_json(record: type[T], data: Any) -> T:
    """The record that `to_json` wrote; ValueError names the field that does not fit."""
    result: T = _read(record, data, record.__name__)
    return result


def _read(kind: Any, data: Any, where: str) -> Any:
    origin = get_origin(kind)
    if kind is Any:
        return data
    if origin in (Union, types.UnionType):
        inner = [part for part in get_args(kind) if part is not type(None)]
        return None if data is None else _read(inner[0], data, where)
    if origin is tuple:
        if not isinstance(data, list):
            raise ValueError(f"{where}: expected a list, got {data!r:.60}")
        return tuple([_read(get_args(kind)[0], part, where) for part in data])
    if origin is not None and isinstance(data, dict):
        key_kind, value_kind = get_args(kind)
        return {key_kind(key): _read(value_kind, part, where) for key, part in data.items()}
    if is_dataclass(kind):
        return _read_record(kind, data, where)
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return kind(data)
    if kind is float and type(data) is int and abs(data) <= MOST:
        return float(data)
    if not isinstance(kind, type) or type(data) is not kind:
        raise ValueError(f"{where}: expected {kind}, got {data!r:.60}")
    return data


def _read_record(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise ValueError(f"{where}: expected an object, got {data!r:.60}")
    hints = _hints(kind)
    for name in data:
        if name not in hints:
            raise ValueError(f"{where} has no field {name!r:.40}")
    try:
        return kind(**{n: _read(hints[n], part, f"{where}.{n}") for n, part in data.items()})
    except TypeError as error:
        raise ValueError(f"{where}: {error}") from None
