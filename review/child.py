"""One review in a process of its own: `python -m review.child [CORES]`, request and news as lines.

The first line of stdin is the request: `{"replay": …, "seed": 0, "rollouts": 20000}`. Every
decision is a line of stdout, `{"done": 3, "total": 40}`; the last line is `{"review": …}` or
`{"error": …}`. The process ends when stdin is closed, so it never outlives who asked.
"""

import json
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

NICE = 10
"""How far a review steps back where the system knows no time that is left over."""


def step_back(cores: Sequence[int]) -> None:
    """Use these cores alone, and of them only time that no other process wants.

    The cores are those of referee and worker. By `nice` alone a review would take a part of them,
    also while a referee has a bot on the clock.
    """
    if hasattr(os, "nice"):
        os.nice(NICE)
    if cores and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


def main(arguments: Sequence[str]) -> int:
    """Make the review that stdin asks for."""
    step_back([int(core) for core in ",".join(arguments).split(",") if core])
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _say(_made(request))
    return 0


def _made(request: dict[str, Any]) -> dict[str, Any]:
    # After stepping back: imports take time too.
    from nimmt.errors import ReplayError
    from review import ReviewError, Settings, review_game, to_json

    try:
        settings = Settings(seed=request["seed"], rollouts=request["rollouts"])
        made = review_game(
            request["replay"], settings, lambda done, total: _say({"done": done, "total": total})
        )
    except (ReplayError, ReviewError) as error:
        return {"error": str(error)}
    return {"review": to_json(made)}


def _say(news: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(news, separators=(",", ":")) + "\n")
    sys.stdout.flush()


def _end_with_parent() -> None:
    """Nothing more is asked: the end of stdin is the end of the parent, or its wish."""
    sys.stdin.read()
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
