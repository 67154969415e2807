"""Two ways to draw one of many quickly: evenly from what is left, and by weights that change."""

from collections.abc import Iterable, Sequence
from random import Random


class Urn:
    """Numbers to draw from evenly; drawing and removing take the same time whatever its size."""

    def __init__(self, numbers: Iterable[int]) -> None:
        self._numbers = list(numbers)
        self._where = {number: place for place, number in enumerate(self._numbers)}

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, number: int) -> bool:
        return number in self._where

    @property
    def numbers(self) -> Sequence[int]:
        """What is in it, in no order."""
        return self._numbers

    def draw(self, rng: Random) -> int:
        """One of them; it stays in."""
        return self._numbers[int(rng.random() * len(self._numbers))]

    def remove(self, number: int) -> None:
        """Take one out, if it is in."""
        place = self._where.pop(number, None)
        if place is None:
            return
        # The last one moves into the gap, so that the others stay where they are.
        last = self._numbers.pop()
        if last != number:
            self._numbers[place] = last
            self._where[last] = place


class WeightedUrn:
    """Numbers from 0 on to draw by weight: a tree of sums, so that a changed weight and a draw cost
    the logarithm of its size."""

    def __init__(self, weights: Iterable[float]) -> None:
        self._weight = list(weights)
        size = len(self._weight)
        # sums[i] is the sum of the weights whose numbers end at i, as many as its lowest bit says.
        self._sums = [0.0, *self._weight]
        for i in range(1, size + 1):
            above = i + (i & -i)
            if above <= size:
                self._sums[above] += self._sums[i]
        self._top = 1 << max(0, size.bit_length() - 1)

    def set(self, number: int, weight: float) -> None:
        """Change a weight; 0 takes the number out."""
        change = weight - self._weight[number]
        self._weight[number] = weight
        i = number + 1
        while i < len(self._sums):
            self._sums[i] += change
            i += i & -i

    def total(self) -> float:
        """The sum of all weights."""
        found, i = 0.0, len(self._weight)
        while i:
            found += self._sums[i]
            i -= i & -i
        return found

    def draw(self, rng: Random) -> int:
        """A number by its weight; it stays in. At least one weight must be above 0."""
        total = self.total()
        while True:
            number = self._at(rng.random() * total)
            # Rounding can lead to a number that was taken out; the others are not touched by that.
            if number < len(self._weight) and self._weight[number] > 0:
                return number

    def _at(self, mass: float) -> int:
        place, step = 0, self._top
        while step:
            ahead = place + step
            if ahead < len(self._sums) and self._sums[ahead] <= mass:
                place = ahead
                mass -= self._sums[ahead]
            step >>= 1
        return place
