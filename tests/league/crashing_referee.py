"""A referee with a bug: run as a module in its place, it dies of a note that says "crash"."""

import os
import sys

from referee import __main__ as real
from referee.room import Room

_message = Room.message


def message(room: Room, bot: int, data: bytes) -> None:
    if b"crash" in data:
        sys.stderr.write("a bug that this note has found\n")
        sys.stderr.flush()
        os._exit(70)
    _message(room, bot, data)


setattr(Room, "message", message)  # noqa: B010 - mypy knows that methods are not assigned to

run = real.run

if __name__ == "__main__":
    run()
