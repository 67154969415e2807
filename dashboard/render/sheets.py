"""Sheets: pages as all readers share them, with slots for what differs from reader to reader.

A sheet is drawn without knowing who reads it, so it cannot hold anything private. What a reader
is shown beyond it (name, forms, notices) is put into the slots for each response.
"""

import re
import secrets
import struct
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from markupsafe import Markup

LEVEL = 6
PART = "part"
"""The name of slots for other sheets."""
WORTH_PACKING = 60
"""Bytes; fewer get longer."""
STORED_MOST = 65535
"""Bytes that one stored block of deflate can hold."""
_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
_END = b"\x03\x00"


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for something of the reader's own; with an owner it is for that one alone."""

    name: str
    args: tuple[str, ...] = ()
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text between slots that are for all, compressed once; slots of owners are inside."""

    parts: tuple[bytes | Slot, ...]
    plain: bytes
    """As most readers see it: the slots inside are empty."""
    packed: bytes
    owners: frozenset[str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page without its reader."""

    pieces: tuple[Stretch | Slot, ...]
    facts: Mapping[str, object] = field(default_factory=dict)
    """What is needed to fill the slots."""

    def with_parts(self, sheet_of: Callable[[str], "Sheet"]) -> "Sheet":
        """The sheet with others put in where they are named; their facts are facts of it too."""
        pieces: list[Stretch | Slot] = []
        facts = dict(self.facts)
        for piece in self.pieces:
            if isinstance(piece, Slot) and piece.name == PART:
                inner = sheet_of(*piece.args)
                pieces += inner.pieces
                facts |= inner.facts
            else:
                pieces.append(piece)
        return Sheet(tuple(pieces), facts)

    @property
    def size(self) -> int:
        """Bytes that it takes, nearly."""
        texts = [piece for piece in self.pieces if isinstance(piece, Stretch)]
        return 500 + sum(2 * len(one.plain) + len(one.packed) + 200 for one in texts)


class Marks:
    """Hands out marks for slots while a template is rendered, and cuts the text at them."""

    def __init__(self) -> None:
        # Whatever people write, they cannot guess it.
        self._secret = secrets.token_hex(8)
        self._slots: list[Slot] = []

    def __call__(self, name: str, *args: str, owner: str | None = None) -> Markup:
        self._slots.append(Slot(name, args, owner))
        return Markup(f"\0{self._secret}:{len(self._slots) - 1}\0")

    def part(self, name: str) -> Markup:
        """The place of another sheet."""
        return self(PART, name)

    def sheet(self, text: str, facts: Mapping[str, object]) -> Sheet:
        """The sheet of a text that was rendered with these marks."""
        found = re.split(f"\0{self._secret}:([0-9]+)\0", text)
        pieces: list[Stretch | Slot] = []
        parts: list[bytes | Slot] = []
        for at, part in enumerate(found):
            slot = self._slots[int(part)] if at % 2 else None
            if slot is None:
                parts.append(part.encode())
            elif slot.owner is not None:
                parts.append(slot)
            else:
                pieces += [_stretch(parts), slot]
                parts = []
        return Sheet((*pieces, _stretch(parts)), facts)


def _stretch(parts: list[bytes | Slot]) -> Stretch:
    plain = b"".join(part for part in parts if isinstance(part, bytes))
    owners = frozenset(part.owner for part in parts if isinstance(part, Slot) and part.owner)
    packed = deflated(plain, LEVEL) if len(plain) > WORTH_PACKING else stored(plain)
    return Stretch(tuple(parts) if owners else (plain,), plain, packed, owners)


def deflated(text: bytes, level: int) -> bytes:
    """A piece of a deflate stream that can stand beside any other."""
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(text) + packer.flush(zlib.Z_FULL_FLUSH)


def stored(text: bytes) -> bytes:
    """The same without compression, for a few bytes that are not worth it."""
    if len(text) > STORED_MOST:
        return deflated(text, 1)
    return struct.pack("<BHH", 0, len(text), len(text) ^ 0xFFFF) + text if text else b""


Fill = Callable[[Slot], str]


def fill(sheet: Sheet, fill_slot: Fill, handle: str | None) -> tuple[bytes, Callable[[], bytes]]:
    """The page for one reader, and how to get it as gzip; `handle` is who they are."""
    plain: list[bytes] = []
    packed: list[bytes] = []
    for piece in sheet.pieces:
        if isinstance(piece, Slot):
            text = fill_slot(piece).encode()
            plain.append(text)
            packed.append(stored(text))
        elif handle in piece.owners:
            text = b"".join(
                part
                if isinstance(part, bytes)
                else fill_slot(part).encode() * (part.owner == handle)
                for part in piece.parts
            )
            plain.append(text)
            packed.append(deflated(text, 1))
        else:
            plain.append(piece.plain)
            packed.append(piece.packed)
    body = b"".join(plain)

    def gzipped() -> bytes:
        end = struct.pack("<II", zlib.crc32(body), len(body) & 0xFFFFFFFF)
        return b"".join((_HEADER, *packed, _END, end))

    return body, gzipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """Something made from data, with the proof of which data that was."""

    made: object
    size: int
    proof: object
    topics: tuple[str, ...] = ()
    """What the proof is of, where it is of revisions."""
    until: float = float("inf")
    """Seconds since 1970: from then on it says other words."""


class Shelf:
    """The latest of each address, never more bytes than allowed; thread-safe."""

    def __init__(self, most_bytes: int) -> None:
        self.most_bytes = most_bytes
        self.used = 0
        self._kept: OrderedDict[Hashable, Kept] = OrderedDict()
        self._lock = threading.Lock()
        self._making = [threading.Lock() for _ in range(64)]

    def get(self, address: Hashable) -> Kept | None:
        """What was kept last; whether it still holds is for the caller to find out."""
        with self._lock:
            kept = self._kept.get(address)
            if kept is not None:
                self._kept.move_to_end(address)
        return kept

    def put(self, address: Hashable, kept: Kept) -> None:
        """Keep it instead of what was there; one that is too large alone is not kept."""
        with self._lock:
            old = self._kept.pop(address, None)
            self.used -= old.size if old else 0
            if kept.size > self.most_bytes:
                return
            self._kept[address] = kept
            self.used += kept.size
            while self.used > self.most_bytes:
                _, gone = self._kept.popitem(last=False)
                self.used -= gone.size

    def making(self, address: Hashable) -> threading.Lock:
        """Of many who want the same, one makes it and the others wait for that."""
        return self._making[hash(address) % len(self._making)]
