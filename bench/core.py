"""How fast the compiled core is, beside pure Python and a minimal loop in C.

Part of `python -m bench.engine`; `python -m bench.core` prints this table alone.
"""

import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from ctypes import c_int32, c_long, c_uint8
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

import nimmt
from bench.options import described
from nimmt.core import OBSERVATION, Environment, Policy, engine, play_many, playouts, rollouts
from nimmt.core.build import find_compiler
from nimmt.core.games import options_of
from nimmt.core.library import check, load
from nimmt.search import Memory

KEY = nimmt.key_from_seed(1)
Work = Callable[[int], float]


class Row(NamedTuple):
    """A pair of rates: on the core, and what it is compared with in Python."""

    name: str
    unit: str
    core: Work
    pure: Work
    share: float
    """How much of the work the pure one does: it is that much slower."""


def _seat(name: str, options: dict[str, object], players: int = 4) -> tuple[nimmt.State, Memory]:
    rules = nimmt.get(name, options)
    state = rules.start(players, nimmt.KeyedBoard(KEY))
    memory = Memory(rules, players, next(iter(state.pending)))
    for event in state.opening:
        memory.see(event)
    memory.look()
    return state, memory


def _choices(state: nimmt.State, seat: int) -> list[nimmt.Choice]:
    legal = state.legal(seat)
    return list(legal.sensible() if isinstance(legal, nimmt.TurnOptions) else legal)


def playout_row(title: str, name: str, options: dict[str, object]) -> Row:
    """Single playouts, each from a guess of its own; pure: `State.playout` of one state."""
    state, memory = _seat(name, options)
    kind = state.pending[memory.seat].kind
    position, choice = memory.position(kind), _choices(state, memory.seat)[0]
    rng = Random(1)

    def core(count: int) -> float:
        return len(playouts(position, choice, count, 1, pure=False))

    def pure(count: int) -> float:
        for _ in range(count):
            state.playout(rng, {memory.seat: choice})
        return count

    return Row(f"single playouts, {title}", "playouts", core, pure, 0.02)


def rollout_row(
    title: str, name: str, options: dict[str, object], policy: Policy | None = None
) -> Row:
    """Guesses and a playout of every candidate from each; pure: `guess` and `playout`."""
    state, memory = _seat(name, options)
    kind = state.pending[memory.seat].kind
    position, choices = memory.position(kind), _choices(state, memory.seat)
    rng = Random(1)
    chosen = policy or Policy.uniform()

    def core(count: int) -> float:
        return rollouts(position, choices, count, 1, own=chosen, others=chosen, pure=False).played

    def pure(count: int) -> float:
        if policy:
            done = rollouts(position, choices, count, 1, own=chosen, others=chosen, pure=True)
            return done.played
        for _ in range(count // len(choices)):
            guess = memory.guess(kind, rng)
            for choice in choices:
                guess.playout(rng, {memory.seat: choice})
        return count // len(choices) * len(choices)

    name = f"guess + {len(choices)} candidates, {title}"
    return Row(name, "rollouts", core, pure, 0.02)


def batch_row(title: str, name: str, options: dict[str, object]) -> Row:
    """Whole games of random players with every choice checked; pure: the same boards."""
    rules = nimmt.get(name, options)

    def core(count: int) -> float:
        library = load(False)
        assert library is not None
        table, bots = options_of(rules, 4, None, 1), (c_uint8 * 4)()
        points, rounds = (c_int32 * (4 * count))(), (c_int32 * count)()
        check(library.nimmt_games(table, bots, count, 0, points, rounds), "games")
        return sum(rounds)

    def pure(count: int) -> float:
        games = play_many(rules, ["random"] * 4, range(count), seed=1, pure=True)
        return sum(score.rounds for score in games)

    return Row(f"validated batch, {title}", "rounds", core, pure, 0.02)


def environment_row(games: int = 1024) -> Row:
    """Steps with the full observation of every seat, and a numpy policy that reads it."""
    rules = nimmt.get("six-nimmt", {"rounds": 1})

    def work(pure: bool, at_once: int) -> Work:
        env = Environment(rules, 4, at_once, 1, pure=pure)
        seen = np.asarray(env.obs).reshape(at_once, 4, OBSERVATION)[:, :, 1:105]
        asked = np.asarray(env.asked).reshape(at_once, 4)
        values = np.asarray(env.values).reshape(at_once, 4)

        def step(count: int) -> float:
            decided = 0
            while decided < count:
                # The lowest card of the hand, and the first row.
                values[:] = 1 + np.argmax(seen == 1, axis=2)
                values[asked == 2] = 0
                decided += int(np.count_nonzero(asked))
                env.step()
            return decided

        return step

    return Row("environment, 6 nimmt!", "decisions", work(False, games), work(True, 16), 0.01)


def minimal_loop(folder: Path) -> Work:
    """The loop of minimal.c."""
    target = folder / "minimal.so"
    source = Path(__file__).with_name("minimal.c")
    command = [*(find_compiler() or ["cc"]), "-std=c11", "-O3", "-shared", "-fPIC"]
    subprocess.run([*command, "-o", str(target), str(source)], check=True)
    loop = ctypes.CDLL(str(target)).minimal_rounds
    loop.argtypes, loop.restype = (c_long,), c_long

    def work(count: int) -> float:
        loop(count)
        return count

    return work


def rows() -> list[Row]:
    six: dict[str, object] = {"rounds": 1}
    made = [
        playout_row("6 nimmt!", "six-nimmt", six),
        rollout_row("6 nimmt!", "six-nimmt", six),
        rollout_row("6 nimmt!, softmax", "six-nimmt", six, Policy.softmax("slot_risk")),
        batch_row("6 nimmt!", "six-nimmt", six),
        environment_row(),
    ]
    for title, name in (("X nimmt!", "x-nimmt"), ("11 nimmt!", "eleven-nimmt")):
        made += [
            playout_row(title, name, {}),
            rollout_row(title, name, {}),
            batch_row(title, name, {}),
        ]
    return made


def rate(work: Work, count: int) -> float:
    """How many in a second of CPU time."""
    started = time.process_time()
    done = work(count)
    return done / (time.process_time() - started)


def print_table(count: int, repeats: int) -> None:
    """Measure all rows in turn, several times over; the best of each counts."""
    console = Console(width=110)
    if not engine().compiled:
        console.print(f"No figures of the core: this is {engine().about}")
        return
    with tempfile.TemporaryDirectory() as scratch:
        least, found = minimal_loop(Path(scratch)), rows()
        best = {row.name: [0.0, 0.0] for row in found}
        minimal = 0.0
        for _ in range(repeats):
            minimal = max(minimal, rate(least, 10 * count))
            for row in found:
                # Measurements of the same length, so that a noisy moment hits all alike.
                own = best[row.name]
                own[0] = max(own[0], rate(row.core, count))
                own[1] = max(own[1], rate(row.pure, max(20, int(count * row.share))))
    table = Table("the compiled core, 4 players", "a second", "of them, pure", "core : pure")
    for column in table.columns[1:]:
        column.justify = "right"
    table.add_row("minimal loop in C, 6 nimmt!", f"{minimal:,.0f} rounds", "", "")
    for row in found:
        core, pure = best[row.name]
        table.add_row(row.name, f"{core:,.0f} {row.unit}", f"{pure:,.0f}", f"{core / pure:.0f}")
    console.print(table)


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="of each kind and repeat")
    parser.add_argument("--repeats", type=int, default=5, help="the best of so many counts")
    arguments = parser.parse_args()
    print_table(arguments.count, arguments.repeats)


if __name__ == "__main__":
    main()
