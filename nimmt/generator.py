"""The one random generator of the core; `core/random.h` is the same in C, number for number.

Numbers of 64 bits are those of splitmix64. A number below n is cut from a fraction of 56 bits:
multiplied by n, its whole part is the number and the rest the next fraction. One fraction gives
32 bits' worth of such numbers, so that no number is likelier than another by more than 2^-24.
"""

from collections.abc import Sequence
from typing import TypeVar

from nimmt.board import Deal, Dealer

GOLDEN = 0x9E3779B97F4A7C15
WORD = (1 << 64) - 1
FRACTION_BITS = 56
FRACTION = (1 << FRACTION_BITS) - 1
FRACTION_WORTH = 32
_WIDTHS = (0, *((n - 1).bit_length() for n in range(1, 129)))

T = TypeVar("T")


def mix(z: int) -> int:
    """The scrambling step of splitmix64."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & WORD
    return z ^ (z >> 31)


class Generator:
    """Random numbers from a seed of 64 bits.

    >>> numbers = Generator(1)
    >>> [numbers.below(6) for _ in range(8)]
    [2, 1, 1, 3, 1, 0, 1, 3]
    """

    __slots__ = ("fraction", "left", "state")

    def __init__(self, seed: int) -> None:
        self.state = mix((seed + GOLDEN) & WORD)
        self.fraction = 0
        self.left = 0

    @classmethod
    def stream(cls, seed: int, first: int, second: int = 0) -> "Generator":
        """One of many independent streams of a seed."""
        made = cls(seed)
        made.state = mix((made.state + GOLDEN * (first + 1)) & WORD)
        made.state = mix((made.state + GOLDEN * (second + 1)) & WORD)
        return made

    def copy(self) -> "Generator":
        """Another one that will give the same numbers."""
        made = object.__new__(Generator)
        made.state, made.fraction, made.left = self.state, self.fraction, self.left
        return made

    def bits(self) -> int:
        """A number of 64 bits."""
        self.state = state = (self.state + GOLDEN) & WORD
        return mix(state)

    def random(self) -> float:
        """A number from 0 up to 1, of 53 bits."""
        return float(self.bits() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        """0 <= number < n, for n from 1 to 128."""
        if n <= 1:
            return 0
        width = _WIDTHS[n]
        if self.left < width:
            self.fraction = self.bits() >> 8
            self.left = FRACTION_WORTH
        self.left -= width
        product = self.fraction * n
        self.fraction = product & FRACTION
        return product >> FRACTION_BITS

    def shuffle(self, items: list[T], take: int | None = None) -> None:
        """Bring random items to the front: a forward Fisher-Yates shuffle of the first `take`."""
        count = len(items)
        # `below` is written out: this is where pure rollouts spend their time.
        fraction, left = self.fraction, self.left
        for i in range(count if take is None else take):
            n = count - i
            if n == 1:
                break
            width = _WIDTHS[n]
            if left < width:
                self.state = state = (self.state + GOLDEN) & WORD
                fraction = mix(state) >> 8
                left = FRACTION_WORTH
            left -= width
            product = fraction * n
            fraction = product & FRACTION
            j = i + (product >> FRACTION_BITS)
            items[i], items[j] = items[j], items[i]
        self.fraction, self.left = fraction, left


class SeededBoard:
    """A board dealt by the generator: fast, and the same in the core; for training and tests."""

    __slots__ = ("number", "seed")

    def __init__(self, seed: int, number: int = 0) -> None:
        self.seed = seed
        self.number = number

    def deal(self, dealer: Dealer, players: int, round_no: int) -> Deal:
        """The deal of one round."""

        def shuffle(cards: Sequence[int], take: int) -> list[int]:
            deck = list(cards)
            Generator.stream(self.seed, self.number, round_no).shuffle(deck, take)
            return deck[:take]

        return dealer.draw_deal(players, shuffle)
