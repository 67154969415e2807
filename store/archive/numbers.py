"""Numbers in bytes: small ones one after another, and tables of them split by byte."""

from collections.abc import Sequence

from store.errors import BlobDamaged

_MOST_BYTES = 5
"""Of one number; nothing in an archive needs more than 32 bits."""


def put(number: int, into: bytearray) -> None:
    """Append a number from 0, seven bits a byte, lowest first.

    >>> out = bytearray(); put(5, out); put(300, out); list(out)
    [5, 172, 2]
    """
    while number > 0x7F:
        into.append(number & 0x7F | 0x80)
        number >>= 7
    into.append(number)


class Numbers:
    """The numbers in a piece of bytes, taken one by one."""

    __slots__ = ("_at", "_data")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self) -> int:
        """The next number; BlobDamaged where there is none."""
        at = self._at
        if at >= len(self._data):
            raise BlobDamaged("it ends before its game does")
        first = self._data[at]
        if first < 0x80:
            self._at = at + 1
            return first
        return self._take_long(at)

    def _take_long(self, at: int) -> int:
        number = 0
        for shift, byte in enumerate(self._data[at : at + _MOST_BYTES]):
            number |= (byte & 0x7F) << 7 * shift
            if byte < 0x80:
                self._at = at + shift + 1
                return number
        raise BlobDamaged("it holds a number that does not end")

    @property
    def left(self) -> int:
        """How many bytes have not been taken."""
        return len(self._data) - self._at


def planes(numbers: Sequence[int], width: int) -> bytes:
    """All lowest bytes, then all second ones and so on: alike bytes side by side pack better.

    >>> planes([1, 258], 2).hex()
    '01020001'
    """
    most = max(numbers, default=0)
    if most >> 8 * width:
        raise ValueError(f"got {most}, expected numbers of {width} bytes")
    return b"".join(bytes([n >> 8 * plane & 0xFF for n in numbers]) for plane in range(width))


class Planes:
    """A table that `planes` wrote; reading one entry reads no other."""

    __slots__ = ("_planes", "count")

    def __init__(self, data: bytes, count: int, width: int) -> None:
        if len(data) != count * width:
            raise BlobDamaged(f"a table of {count} numbers has {len(data)} bytes, not {width} each")
        self.count = count
        self._planes = [data[plane * count : (plane + 1) * count] for plane in range(width)]

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < self.count:
            raise BlobDamaged(f"it asks for entry {index} of a table of {self.count}")
        return sum(plane[index] << 8 * at for at, plane in enumerate(self._planes))

    def before(self, index: int) -> int:
        """The sum of all entries before this one."""
        return sum(sum(plane[:index]) << 8 * at for at, plane in enumerate(self._planes))
