"""Which decisions came in one message: a bot's times are written once a message, not once an ask.

All asks of a message share its time and its number of asks, and a game sees the messages of a bot
in the order in which they came. That is enough to find the messages again.
"""

from collections.abc import Sequence

Message = tuple[int, int]
"""Microseconds for one decision, and how many asks the message held."""


def in_order(games: Sequence[Sequence[Message]]) -> tuple[list[Message], list[list[int]]]:
    """The messages behind what some games saw of one bot, and each game's as numbers, ascending.

    A message is written when as many games wait for it as it held asks. Where none is complete,
    because some of its asks left no time, the most complete one is taken: any order is right as
    long as each game finds its own, and only the size depends on it.

    >>> in_order([[(9, 2), (7, 1)], [(9, 2), (8, 1)]])
    ([(9, 2), (7, 1), (8, 1)], [[0, 1], [0, 2]])
    """
    messages: list[Message] = []
    numbers: list[list[int]] = [[] for _ in games]
    waiting: dict[Message, list[int]] = {}
    complete: list[Message] = []

    def wait(game: int) -> None:
        seen = games[game]
        if len(numbers[game]) < len(seen):
            message = seen[len(numbers[game])]
            held = waiting.setdefault(message, [])
            held.append(game)
            if len(held) % message[1] == 0:
                complete.append(message)

    # The last to come is the first to go: a match played game by game is then written so.
    for game in reversed(range(len(games))):
        wait(game)
    while waiting:
        message = complete.pop() if complete else max(waiting, key=lambda m: len(waiting[m]) / m[1])
        held = waiting[message]
        # Two messages may look alike; one of them holds no more games than it held asks.
        members, held[-message[1] :] = held[-message[1] :], []
        if not held:
            del waiting[message]
        for game in members:
            numbers[game].append(len(messages))
        messages.append(message)
        for game in members:
            wait(game)
    return messages, numbers
