"""The form of an archive: a line that names it, then its head and its columns, a zstd frame each.

docs/adr/0011-archive-form-2.md describes it. Nothing here knows a rule.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from store.archive.numbers import Planes, planes
from store.errors import BlobDamaged
from store.packed import zstd

FORMAT = "bullring-archive/2"
MAGIC = FORMAT.encode() + b"\n"
LEVEL = 19
MOST_BYTES = 64 * 1024 * 1024
"""Unpacked, before any game is rebuilt; a match of 100 games has some 40 KB."""
MOST_GAMES = 100_000
MOST_PLAYERS = 64
"""Different players in all games of a match together; a table has ten at most."""
SHARED = (
    "rules",
    "options",
    "rules_version",
    "deal_method",
    "match",
    "attempt",
    "runner",
    "time",
    "commitment",
    "key",
)
"""The fields of a replay that all games of a match have in common."""
OWN = ("pass", "game_no", "board", "started")
"""The fields that every game has for itself."""
COLUMNS = (
    "choice_sizes",
    "message_sizes",
    "choices",
    "messages",
    "times",
    "batches",
    "faults",
    "deals",
)
SIZE_WIDTH = 3
TIME_WIDTH = 4
BATCH_WIDTH = 2
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """All that an archive holds. Tables by player and game go player by player."""

    shared: dict[str, Any]
    players: list[dict[str, Any]]
    """Who played: bot, version, image."""
    own: dict[str, list[Any]]
    """By field, then by game."""
    seats: list[list[int]]
    """By game: for each seat, the number of its bot in `players`."""
    timed: bool
    """Whether asked decisions have times at all."""
    message_counts: list[int]
    """By player: how many messages it answered."""
    choice_sizes: Planes
    """By player and game: bytes in `choices`."""
    message_sizes: Planes
    """By player and game: bytes in `messages`."""
    choices: bytes
    messages: bytes
    """By player and game: how many messages further on each asked decision came."""
    times: Planes
    """By message: microseconds for one decision."""
    batches: Planes
    """By message: its asks."""
    faults: list[bytes]
    """By game: nothing, or who was out and which decisions were out of the ordinary."""
    deals: list[bytes]
    """By game, where the key does not give them: the deals of its rounds."""
    written: dict[int, str] = field(default_factory=dict)
    """By message: time and batch as a replay writes them, once one of its decisions was read."""

    @property
    def games(self) -> int:
        return len(self.seats)


def to_bytes(head: dict[str, Any], columns: dict[str, bytes]) -> bytes:
    """The whole file."""
    line = json.dumps(head, separators=(",", ":")).encode()
    return from_parts([line, *(columns[name] for name in COLUMNS)])


def from_parts(parts: Sequence[bytes]) -> bytes:
    """Head and columns as a file: a frame each, as columns have little in common."""
    options: dict[int, int] = {
        zstd.CompressionParameter.compression_level: LEVEL,
        zstd.CompressionParameter.checksum_flag: 1,
    }
    return MAGIC + b"".join(zstd.compress(part, options=options) for part in parts)


def to_parts(packed: bytes) -> list[bytes]:
    """Head and columns; BlobDamaged before more than MOST_BYTES are unpacked."""
    data, room = packed[len(MAGIC) :], MOST_BYTES
    parts = []
    for _ in range(1 + len(COLUMNS)):
        unpacker = zstd.ZstdDecompressor()
        try:
            part = unpacker.decompress(data, max_length=room + 1)
        except (zstd.ZstdError, EOFError) as error:
            raise BlobDamaged(f"it cannot be unpacked: {error}") from error
        if len(part) > room:
            raise BlobDamaged(f"it unpacks to more than {MOST_BYTES} bytes")
        if not unpacker.eof:
            raise BlobDamaged("it ends too early")
        parts.append(part)
        data, room = unpacker.unused_data, room - len(part)
    if data:
        raise BlobDamaged(f"{len(data)} bytes follow its last column")
    return parts


def size_table(sizes: list[int]) -> bytes:
    """Sizes as a column."""
    return planes(sizes, SIZE_WIDTH)


def from_bytes(packed: bytes) -> Columns:
    """Read a file; BlobDamaged where it is not one."""
    line, *columns = to_parts(packed)
    try:
        return _columns(json.loads(line), dict(zip(COLUMNS, columns, strict=True)))
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise BlobDamaged(f"its head is not one: {error}") from error


def _columns(head: dict[str, Any], cut: dict[str, bytes]) -> Columns:
    seats = _list(head["seats"], lambda row: _list(row, lambda n: _whole(n, 0, MOST_PLAYERS)))
    games, players = len(seats), len(head["players"])
    if not 0 < games <= MOST_GAMES or not 0 < players <= MOST_PLAYERS:
        raise BlobDamaged(f"it holds {games} games of {players} players")
    if any(entry >= players for row in seats for entry in row):
        raise BlobDamaged("a seat is taken by a player that it does not name")
    own = {name: list(head["games"][name]) for name in OWN}
    if any(len(values) != games for values in own.values()):
        raise BlobDamaged(f"not every field of a game stands {games} times")
    counts = _list(head["messages"], lambda n: _whole(n, 0, 1 << 32))
    if len(counts) != players:
        raise BlobDamaged(f"it counts the messages of {len(counts)} players, not {players}")
    return Columns(
        shared={name: head["shared"][name] for name in SHARED},
        players=[
            {name: one[name] for name in ("bot", "version", "image")} for one in head["players"]
        ],
        own=own,
        seats=seats,
        timed=bool(head["timed"]),
        message_counts=counts,
        choice_sizes=Planes(cut["choice_sizes"], players * games, SIZE_WIDTH),
        message_sizes=Planes(cut["message_sizes"], players * games, SIZE_WIDTH),
        choices=cut["choices"],
        messages=cut["messages"],
        times=Planes(cut["times"], sum(counts), TIME_WIDTH),
        batches=Planes(cut["batches"], sum(counts), BATCH_WIDTH),
        faults=_lines(cut["faults"], games),
        deals=_lines(cut["deals"], games),
    )


def _lines(column: bytes, games: int) -> list[bytes]:
    """One line a game; a column without any text has none."""
    found = column.split(b"\n") if column else [b""] * games
    if len(found) != games:
        raise BlobDamaged(f"a column holds {len(found)} lines for {games} games")
    return found


def _list(value: object, each: Callable[[object], T]) -> list[T]:
    if not isinstance(value, list):
        raise BlobDamaged(f"got {type(value).__name__}, expected a list")
    return [each(one) for one in value]


def _whole(value: object, low: int, high: int) -> int:
    if type(value) is not int or not low <= value <= high:
        raise BlobDamaged(f"got {value!r:.40}, expected a number from {low} to {high}")
    return value
