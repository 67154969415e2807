"""How fast the training environments are: decisions in a second of CPU time.

`python -m bench.train` prints the table. The lowest legal action is chosen; "alone" means that the
time of choosing is taken off. Observations are those that docs/training.md trains on.
"""

import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table

from bench.options import described
from nimmt.core import engine
from train import NimmtAEC, NimmtParallel, NimmtSingle, VecNimmt

Work = Callable[[int], int]
"""Makes at least that many decisions, and says how many it made."""


def vector(rules: str, games: int, *, in_place: bool) -> Work:
    """Many games at once."""
    vec = VecNimmt(rules, 4, games, 1, in_place=in_place)

    def work(count: int) -> int:
        decided = 0
        now = vec.look()
        while decided < count:
            actions = now.masks.argmax(axis=2)
            decided += int(np.count_nonzero(now.asked))
            now = vec.step(actions)
        return decided

    return work


def vector_steps(rules: str, games: int) -> Work:
    """The environment alone: the time of choosing is taken off."""
    vec = VecNimmt(rules, 4, games, 1, in_place=True)

    def work(count: int) -> int:
        decided = 0
        now = vec.look()
        while decided < count:
            started = time.process_time()
            vec.chosen[...] = now.masks.argmax(axis=2)
            decided += int(np.count_nonzero(now.asked))
            work.spent += time.process_time() - started  # type: ignore[attr-defined]
            vec.step_chosen()
        return decided

    work.spent = 0.0  # type: ignore[attr-defined]
    return work


def parallel(rules: str, *, in_place: bool) -> Work:
    """PettingZoo's ParallelEnv alone; only seats that are asked count as decisions."""
    env = NimmtParallel(rules, 4, in_place=in_place)

    def work(count: int) -> int:
        decided = 0
        while decided < count:
            seen, _ = env.reset()
            while env.agents:
                started = time.process_time()
                actions = {agent: int(one["action_mask"].argmax()) for agent, one in seen.items()}
                decided += sum(int(one["observation"][0] > 0) for one in seen.values())
                work.spent += time.process_time() - started  # type: ignore[attr-defined]
                seen, *_ = env.step(actions)
        return decided

    work.spent = 0.0  # type: ignore[attr-defined]
    return work


def one_by_one(rules: str) -> Work:
    """PettingZoo's AECEnv."""
    env = NimmtAEC(rules, 4)

    def work(count: int) -> int:
        decided = 0
        while decided < count:
            env.reset()
            for _ in env.agent_iter():
                seen, _, ended, _, _ = env.last()
                decided += not ended
                env.step(None if ended else int(seen["action_mask"].argmax()))
        return decided

    return work


def single(rules: str) -> Work:
    """Gymnasium against three random players, whose decisions do not count."""
    env = NimmtSingle(rules)

    def work(count: int) -> int:
        decided = 0
        while decided < count:
            _, info = env.reset()
            ended = False
            while not ended:
                _, _, ended, _, info = env.step(np.int64(info["action_mask"].argmax()))
                decided += 1
        return decided

    return work


def rate(work: Work, count: int, repeats: int) -> float:
    """Decisions in a second of CPU time, best of some repeats."""
    best = 0.0
    for _ in range(repeats):
        before = getattr(work, "spent", 0.0)
        started = time.process_time()
        done = work(count)
        spent = time.process_time() - started - (getattr(work, "spent", 0.0) - before)
        best = max(best, done / spent)
    return best


def main() -> None:
    parser = described(__doc__)
    parser.add_argument("--count", type=int, default=50_000, help="decisions of each repeat")
    parser.add_argument("--repeats", type=int, default=3, help="the best of so many counts")
    arguments = parser.parse_args()
    table = Table("4 players", "rules", "decisions a CPU second", title=engine().about)
    table.columns[2].justify = "right"
    for rules in ("six-nimmt", "x-nimmt", "eleven-nimmt"):
        rows: list[tuple[str, Work, float]] = [
            ("VecNimmt alone, 1024 games, in place", vector_steps(rules, 1024), 20),
            ("VecNimmt, 1024 games, in place", vector(rules, 1024, in_place=True), 20),
            ("VecNimmt, 1024 games, fresh arrays", vector(rules, 1024, in_place=False), 20),
            ("NimmtParallel alone, in place", parallel(rules, in_place=True), 1),
            ("NimmtParallel alone, fresh arrays", parallel(rules, in_place=False), 1),
            ("NimmtAEC", one_by_one(rules), 0.5),
            ("NimmtSingle", single(rules), 0.1),
        ]  # fmt: skip
        for name, work, share in rows:
            reached = rate(work, int(arguments.count * share), arguments.repeats)
            table.add_row(name, rules, f"{reached:,.0f}")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
