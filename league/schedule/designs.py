"""Exact schedules: the circle method for duels and affine planes where they exist.

Everything here works on bot numbers 0..n-1; names, owners and seats come later.
"""

from itertools import product

_FIELDS: dict[int, tuple[int, int, tuple[int, ...]]] = {
    2: (2, 1, (0, 1)),
    3: (3, 1, (0, 1)),
    4: (2, 2, (1, 1, 1)),
    5: (5, 1, (0, 1)),
    7: (7, 1, (0, 1)),
    8: (2, 3, (1, 1, 0, 1)),
    9: (3, 2, (1, 0, 1)),
}
"""Order -> prime, degree and irreducible polynomial (lowest coefficient first), up to 10 seats."""


def circle(n: int) -> list[list[tuple[int, int]]]:
    """Rounds in which every two of n bots meet exactly once; with odd n one rests each round.

    >>> [len(matches) for matches in circle(5)]
    [2, 2, 2, 2, 2]
    """
    ring = list(range(n)) if n % 2 == 0 else [*range(n), -1]
    rounds: list[list[tuple[int, int]]] = []
    for _ in range(len(ring) - 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring), strict=False)
        rounds.append([(a, b) for a, b in pairs if a >= 0 and b >= 0])
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return rounds


def has_plane(n: int, k: int) -> bool:
    """Is there an affine plane with n points and lines of k points (in the sizes we know)?"""
    return n == k * k and k in _FIELDS


def affine_plane(q: int) -> list[list[tuple[int, ...]]]:
    """q + 1 rounds of q tables of q: every two of q * q bots meet exactly once.

    >>> len(affine_plane(4)), len(affine_plane(4)[0])
    (5, 4)
    """
    elements = range(q)
    rounds = [
        [tuple(x * q + _add(q, _multiply(q, a, x), b) for x in elements) for b in elements]
        for a in elements
    ]
    rounds.append([tuple(x * q + y for y in elements) for x in elements])
    return rounds


def _digits(q: int, value: int) -> list[int]:
    prime, degree, _ = _FIELDS[q]
    return [value // prime**i % prime for i in range(degree)]


def _add(q: int, a: int, b: int) -> int:
    prime = _FIELDS[q][0]
    pairs = zip(_digits(q, a), _digits(q, b), strict=True)
    return sum((x + y) % prime * prime**i for i, (x, y) in enumerate(pairs))


def _multiply(q: int, a: int, b: int) -> int:
    """Multiply as polynomials, then reduce by the irreducible one."""
    prime, degree, modulus = _FIELDS[q]
    if degree == 1:
        return a * b % prime
    product_ = [0] * (2 * degree - 1)
    for (i, x), (j, y) in product(enumerate(_digits(q, a)), enumerate(_digits(q, b))):
        product_[i + j] = (product_[i + j] + x * y) % prime
    for high in range(len(product_) - 1, degree - 1, -1):
        lead = product_[high]
        for i in range(degree + 1):
            place = high - degree + i
            product_[place] = (product_[place] - lead * modulus[i]) % prime
    return sum(digit * prime**i for i, digit in enumerate(product_[:degree]))
