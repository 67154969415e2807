"""Which cores a worker's slots own, so that no match takes time from another or from us."""

import os
from collections.abc import Sequence


def usable_cores() -> list[int]:
    """The cores this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []


def share_out(cores: Sequence[int], slots: int) -> list[tuple[int, ...]]:
    """Cores by slot; the first core is left to referee, engine and worker.

    >>> share_out([0, 1, 2, 3, 4], 2)
    [(1, 3), (2, 4)]
    >>> share_out([0, 1], 2)
    [(), ()]
    """
    free = cores[1:]
    if len(free) < slots:
        return [()] * slots
    return [tuple(free[slot::slots]) for slot in range(slots)]


def set_aside(cores: Sequence[int], slots: int, tables: int) -> tuple[list[int], list[int]]:
    """The cores for matches, and one for each table with people where there are enough of both.

    >>> set_aside([0, 1, 2, 3], 1, 1)
    ([0, 1, 2], [3])
    >>> set_aside([0, 1], 1, 1)
    ([0, 1], [])
    """
    if not tables or len(cores) - 1 < slots + tables:
        return list(cores), []
    return list(cores[:-tables]), list(cores[-tables:])


def spare_cores(cores: Sequence[int], slots: int) -> tuple[int, ...]:
    """The cores that no slot owns, for work that may wait; none where slots own none themselves.

    >>> spare_cores([0, 1, 2, 3, 4], 2), spare_cores([0, 1], 2)
    ((0,), ())
    """
    owned = {core for share in share_out(cores, slots) for core in share}
    return tuple(core for core in cores if core not in owned) if owned else ()
