"""The canary: a small bot of ours that answers a question as soon as it is asked.

Run as `python canary_bot.py CORES` by `sandbox/canary.py`. Questions come as JSON lines on stdin,
answers go back with the moment at which they were ready. It ends when its stdin does, or when its
parent is gone. Standard library only, because it restarts every minute.
"""

import json
import os
import select
import sys
import time

THINK_S = 0.01
"""CPU time of an answer. One that needs next to none is served at once on the busiest of hosts; one
that needs this much is as late as a bot would be."""

LOOK_S = 2.0
"""How often it looks for its parent when no question comes."""


def think(question: dict[str, list[int]]) -> int:
    """Choose again and again until the CPU time of an answer is used: as much on any machine."""
    enough = time.thread_time() + THINK_S
    card = choose(question)
    while time.thread_time() < enough:
        card = choose(question)
    return card


def choose(question: dict[str, list[int]]) -> int:
    """About as much work as a simple bot has with one card: which costs the least, by trying."""
    rows = question["rows"]
    costs = {card: sum([abs(card - row) for row in rows] * 20) for card in question["hand"]}
    return min(costs, key=lambda card: (costs[card], card))


def say(**news: float) -> None:
    """Tell the parent."""
    os.write(1, json.dumps(news).encode() + b"\n")


def main() -> None:
    """Answer until the end of stdin."""
    if len(sys.argv) > 1 and sys.argv[1]:
        os.sched_setaffinity(0, [int(core) for core in sys.argv[1].split(",")])
    parent = os.getppid()
    say(ready=time.monotonic())
    waiting = b""
    while True:
        readable, _, _ = select.select([0], [], [], LOOK_S)
        if not readable:
            if os.getppid() != parent:
                return
            continue
        data = os.read(0, 4096)
        if not data:
            return
        *lines, waiting = (waiting + data).split(b"\n")
        for line in lines:
            card = think(json.loads(line))
            say(card=card, done=time.monotonic())


if __name__ == "__main__":
    main()
