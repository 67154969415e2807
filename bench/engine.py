"""How fast the rules are: rounds a second on one core, and the ratio to a minimal loop.

Run `python -m bench.engine`. All rows are measured in turn, several times over, and the best CPU
time of each counts, so that a noisy machine disturbs the ratios as little as possible. A second
table has the compiled core (bench/core.py).
"""

import random
import time
from bisect import bisect
from collections.abc import Callable

from rich.console import Console
from rich.table import Table

import nimmt
from bench import core
from bench.options import described
from nimmt.cards import HEADS
from nimmt.choices import CARD, Play, Take, TurnOptions
from nimmt.keys import shuffled

KEY = nimmt.key_from_seed(1)
GIVEN = 40
"""How many recorded games are played again."""
Work = Callable[[int], float]
"""Does about that many rounds and returns how many it did."""


def full_loop(name: str, players: int, options: dict[str, object]) -> Work:
    """Keyed deals, views, random choices, validation and events, as the referee works."""
    rules = nimmt.get(name, options)
    rng = random.Random(1).random
    board = iter(range(10**9))

    def work(rounds: int) -> float:
        played = 0
        while played < rounds:
            state = rules.start(players, nimmt.KeyedBoard(KEY, next(board)))
            while state.pending:
                choices: dict[int, nimmt.Choice] = {}
                for seat, ask in state.pending.items():
                    hand = state.view(seat).hand
                    if ask.kind == CARD:
                        choices[seat] = hand[int(rng() * len(hand))]
                    else:
                        choices[seat] = _choose(state.legal(seat), rng)
                state.apply(choices)
            played += len(state.scores)
        return played

    return work


def _choose(legal: tuple[int, ...] | TurnOptions, rng: Callable[[], float]) -> nimmt.Choice:
    if not isinstance(legal, TurnOptions):
        return legal[int(rng() * len(legal))]
    plays = legal.plays
    if not plays:
        return Take(legal.takes[int(rng() * len(legal.takes))])
    piles = list(plays)
    pile = piles[int(rng() * len(piles))]
    cards = plays[pile]
    return Play({pile: (cards[int(rng() * len(cards))],)})


def given_choices(name: str, players: int, options: dict[str, object]) -> Work:
    """Keyed deals, validation and events for choices that are known, as in playing a replay again:
    what is left of the full loop without views and without bots."""
    rules = nimmt.get(name, options)
    recorded = [_record(rules, players, board) for board in range(GIVEN)]

    def work(rounds: int) -> float:
        played = 0
        while played < rounds:
            for board, choices, length in recorded:
                apply = rules.start(players, board).apply
                for each in choices:
                    apply(each)
                played += length
        return played

    return work


def _record(
    rules: nimmt.Rules, players: int, board: int
) -> tuple[nimmt.KeyedBoard, list[dict[int, nimmt.Choice]], int]:
    """A game of random players: its board, their choices, and how many rounds it has."""
    keyed = nimmt.KeyedBoard(KEY, board)
    rng = random.Random(board).random
    state = rules.start(players, keyed)
    given = []
    while state.pending:
        given.append({seat: _choose(state.legal(seat), rng) for seat in state.pending})
        state.apply(given[-1])
    return keyed, given, len(state.scores)


def playouts(name: str, players: int, copy: bool) -> Work:
    """Random play to the end of the round, as a search bot calls it."""
    rng = random.Random(1)
    state = nimmt.get(name).start(players, nimmt.KeyedBoard(KEY))

    def work(rounds: int) -> float:
        for _ in range(rounds):
            (state.copy() if copy else state).playout(rng)
        return rounds

    return work


def library_shuffle(rounds: int) -> float:
    """The deal alone, by `random.shuffle` of 104 cards."""
    deck = list(range(1, 105))
    shuffle = random.Random(1).shuffle
    for _ in range(rounds):
        shuffle(deck)
    return rounds


def keyed_deal(rounds: int) -> float:
    """The deal alone, by key: 44 of 104 cards."""
    for board in range(rounds):
        shuffled(KEY, board, 0, range(1, 105), 44)
    return rounds


def minimal_loop(rounds: int) -> float:
    """The least that plays a round of 6 nimmt! with 4 players in pure Python: no views, no
    choices, no checks, no events."""
    rng = random.Random(1)
    deck = range(1, 105)
    for _ in range(rounds):
        cards = rng.sample(deck, 44)
        tails = sorted(cards[40:])
        sizes = [1, 1, 1, 1]
        costs = [HEADS[card] for card in tails]
        points = [0, 0, 0, 0]
        for turn in range(0, 40, 4):
            for card, seat in sorted(zip(cards[turn : turn + 4], (0, 1, 2, 3), strict=True)):
                at = bisect(tails, card) - 1
                if at < 0:
                    at = costs.index(min(costs))
                    points[seat] += costs.pop(at)
                    del tails[at], sizes[at]
                    tails.insert(0, card)
                    sizes.insert(0, 1)
                    costs.insert(0, HEADS[card])
                    continue
                tails[at] = card
                if sizes[at] == 5:
                    points[seat] += costs[at]
                    sizes[at], costs[at] = 1, HEADS[card]
                else:
                    sizes[at] += 1
                    costs[at] += HEADS[card]
    return rounds


ROWS: dict[str, Work] = {
    "minimal loop, 6 nimmt!, 4 players": minimal_loop,
    "shuffle of 104 by the library": library_shuffle,
    "keyed deal, 4 players": keyed_deal,
    "full loop, 6 nimmt!, 2 players": full_loop("six-nimmt", 2, {"rounds": 1}),
    "full loop, 6 nimmt!, 4 players": full_loop("six-nimmt", 4, {"rounds": 1}),
    "full loop, 6 nimmt!, 10 players": full_loop("six-nimmt", 10, {"rounds": 1}),
    "full loop, advanced, 4 players": full_loop("six-nimmt", 4, {"rounds": 1, "advanced": True}),
    "full loop, 11 nimmt!, 4 players": full_loop("eleven-nimmt", 4, {}),
    "full loop, X nimmt!, 4 players": full_loop("x-nimmt", 4, {}),
    "full loop, X nimmt!, 2 players": full_loop("x-nimmt", 2, {}),
    "given choices, 6 nimmt!, 4 players": given_choices("six-nimmt", 4, {"rounds": 1}),
    "given choices, 11 nimmt!, 4 players": given_choices("eleven-nimmt", 4, {}),
    "given choices, X nimmt!, 4 players": given_choices("x-nimmt", 4, {}),
    "playout, 6 nimmt!, 4 players": playouts("six-nimmt", 4, copy=False),
    "copy + playout, 6 nimmt!, 4 players": playouts("six-nimmt", 4, copy=True),
    "copy + playout, 11 nimmt!, 4 players": playouts("eleven-nimmt", 4, copy=True),
    "copy + playout, X nimmt!, 4 players": playouts("x-nimmt", 4, copy=True),
}


def measure(rounds: int, repeats: int) -> dict[str, float]:
    """The best rate of each row, in rounds a second."""
    best = dict.fromkeys(ROWS, 0.0)
    for _ in range(repeats):
        for name, work in ROWS.items():
            started = time.process_time()
            done = work(rounds)
            best[name] = max(best[name], done / (time.process_time() - started))
    return best


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("--rounds", type=int, default=300, help="rounds a row and repeat")
    parser.add_argument("--repeats", type=int, default=7, help="the best of so many counts")
    arguments = parser.parse_args()
    rates = measure(arguments.rounds, arguments.repeats)
    least = rates["minimal loop, 6 nimmt!, 4 players"]
    table = Table("what", "rounds/s", "us a round", "times the minimal loop's time")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, rate in rates.items():
        table.add_row(name, f"{rate:,.0f}", f"{1e6 / rate:.0f}", f"{least / rate:.2f}")
    Console(width=110).print(table)
    core.print_table(count=20_000, repeats=max(1, arguments.repeats // 2))


if __name__ == "__main__":
    main()
