"""Match archives, `bullring-archive/2`: a match at rest, in a tenth of the bytes of its replays.

Kept are choices, times and faults. What rules and key decide (deals, forced decisions, points,
places) is left out and played again when a game is read. A replay outside is always
`bullring-replay/1`, byte for byte as the referee wrote it.
"""

import json
from collections.abc import Iterator, Sequence

from nimmt.replay import FORMAT as REPLAY_FORMAT
from store.archive.apart import taken_apart
from store.archive.engines import engine_for
from store.archive.form import FORMAT, MAGIC, Columns, from_bytes
from store.archive.rebuild import Rebuilt
from store.errors import BlobDamaged, BlobError, BlobMissing

__all__ = ["FORMAT", "MAGIC", "Archive", "NotPacked", "pack"]

_OPENING = f'{{"format":"{REPLAY_FORMAT}"'.encode()
_WRONG = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What a column that is not what it says can make the engine raise."""


class NotPacked(Exception):
    """A match that stays in the old form; the message says why."""


def pack(lines: Sequence[bytes], max_bytes: int) -> bytes:
    """The archive of a match; NotPacked unless every line comes back from it byte for byte."""
    if not lines or not all(line.startswith(_OPENING) for line in lines):
        raise NotPacked(f"not every line is a {REPLAY_FORMAT}")
    try:
        documents = [json.loads(line) for line in lines]
        packed = taken_apart(engine_for(documents[0]), documents)
        for number, again in enumerate(Archive(packed, max_bytes).lines()):
            if again != lines[number]:
                raise NotPacked(f"game {number} would not come back as it was")
    except NotPacked:
        raise
    except Exception as error:
        # Whatever it is that this form cannot hold: the match must not be lost for it.
        raise NotPacked(f"{type(error).__name__}: {error!s:.200}") from error
    return packed


class Archive:
    """A packed match, open for reading. Games are rebuilt one by one, when they are asked for."""

    def __init__(self, packed: bytes, max_bytes: int) -> None:
        self._columns: Columns = from_bytes(packed)
        self._max_bytes = max_bytes
        try:
            self._rules = engine_for(self._columns.shared)
        except _WRONG as error:
            raise BlobDamaged(f"it names no rules: {error}") from error

    @property
    def games(self) -> int:
        """How many games it holds."""
        return self._columns.games

    def line(self, number: int) -> bytes:
        """One game, from 0; no other is rebuilt."""
        if not 0 <= number < self.games:
            raise BlobMissing(f"got line {number}, expected one of the {self.games} it holds")
        try:
            return Rebuilt(self._columns, self._rules, number).line()
        except BlobError as error:
            raise BlobDamaged(f"game {number}: {error}") from error
        except _WRONG as error:
            raise BlobDamaged(f"game {number} cannot be rebuilt: {error!r:.200}") from error

    def lines(self) -> Iterator[bytes]:
        """All games, as the lines they were; never more than `max_bytes`."""
        total = 0
        for number in range(self.games):
            line = self.line(number)
            total += len(line) + 1
            if total > self._max_bytes:
                raise BlobDamaged(f"it unpacks to more than {self._max_bytes} bytes")
            yield line
