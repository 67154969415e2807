"""Seats within tables: every bot starts in every seat equally often, give or take one.

The seats of a match rotate anyway; this settles who sits where in its first game.
"""

from collections.abc import Sequence


def seat(tables: Sequence[Sequence[int]], k: int) -> list[list[int]]:
    """Order each table so that a bot's counts per seat differ by at most one. Always possible.

    Bots and tables form a bipartite graph. A bot with r tables is split into groups of k of them,
    so no vertex has more than k edges, and such a graph can be coloured with k colours (Koenig):
    a colour is a seat, each table has each once, each group has each at most once.
    """
    places: list[dict[int, int]] = []
    taken: list[dict[int, tuple[int, int]]] = []
    groups: dict[tuple[int, int], int] = {}
    met: dict[int, int] = {}
    for number, table in enumerate(tables):
        places.append({})
        for bot in table:
            turn = met.get(bot, 0)
            met[bot] = turn + 1
            group = groups.setdefault((bot, turn // k), len(groups))
            if group == len(taken):
                taken.append({})
            _colour(number, group, bot, k, places, taken)
    return [[row[colour] for colour in sorted(row)] for row in _by_bot(places, taken)]


def _by_bot(
    places: list[dict[int, int]], taken: list[dict[int, tuple[int, int]]]
) -> list[dict[int, int]]:
    """Per table: seat -> bot."""
    rows: list[dict[int, int]] = [{} for _ in places]
    for owned in taken:
        for colour, (number, bot) in owned.items():
            rows[number][colour] = bot
    return rows


def _colour(
    number: int,
    group: int,
    bot: int,
    k: int,
    places: list[dict[int, int]],
    taken: list[dict[int, tuple[int, int]]],
) -> None:
    """Give the edge (table, group) a colour, exchanging two colours along a path if needed.

    `places[table]` maps colour -> group, `taken[group]` maps colour -> (table, bot).
    """
    here, there = places[number], taken[group]
    free_table = next(colour for colour in range(k) if colour not in here)
    free_group = next(colour for colour in range(k) if colour not in there)
    if free_table in there:
        _exchange(group, free_table, free_group, places, taken)
    here[free_table] = group
    there[free_table] = (number, bot)


def _exchange(
    group: int,
    first: int,
    second: int,
    places: list[dict[int, int]],
    taken: list[dict[int, tuple[int, int]]],
) -> None:
    """Swap the colours `first` and `second` on the path that starts at a group with `first`."""
    path: list[tuple[int, int, int, int]] = []
    colour, at = first, group
    while colour in taken[at]:
        table, bot = taken[at][colour]
        path.append((table, at, bot, colour))
        other = second if colour == first else first
        if other not in places[table]:
            break
        at = places[table][other]
        path.append((table, at, taken[at][other][1], other))
    for table, at, _, colour in path:
        del places[table][colour]
        del taken[at][colour]
    for table, at, bot, colour in path:
        other = second if colour == first else first
        places[table][other] = at
        taken[at][other] = (table, bot)
