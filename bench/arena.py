"""Sample bots at one table without processes or clocks: for measuring strength, not speed.

Bots get the same views, events and seeds as over the wire, so a game here is the game there, as
long as a bot does not look at its clock.
"""

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from random import Random
from typing import Any

import nimmt
from botkit import Bot, Question
from nimmt import KeyedBoard, TurnOptions, bot_seed, seen_by
from nimmt.timed import SHARE

Maker = Callable[[], Bot]


def find_class(name: str) -> type[Bot]:
    """The class of a sample."""
    module = import_module(f"sample_bots.{name}.bot")
    [found] = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, Bot)
        and value.__module__ == module.__name__
    ]
    bot: type[Bot] = found
    return bot


def spends(make: type[Bot], ms: float, spent: list[float], **changes: object) -> Maker:
    """A bot that thinks for so much CPU time, and notes what it needed altogether."""

    def choose(self: Bot, question: Question) -> nimmt.Choice:
        started = time.thread_time()
        choice = make.choose(self, question)
        spent.append(time.thread_time() - started)
        return choice

    def on_event(self: Bot, event: nimmt.Event) -> None:
        started = time.thread_time()
        make.on_event(self, event)
        if spent:
            spent[-1] += time.thread_time() - started

    made: dict[str, Any] = {
        "choose": choose,
        "on_event": on_event,
        "clock": staticmethod(time.thread_time),
        "seconds": lambda _: SHARE * ms / 1000,
        **changes,
    }
    bot: Maker = type(make.__name__, (make,), made)
    return bot


def play(
    rules: nimmt.Rules, makers: Sequence[Maker], key: bytes, board: int
) -> tuple[nimmt.Result, int]:
    """One game, a bot a seat; returns its result and its number of rounds."""
    state = rules.start(len(makers), KeyedBoard(key, board))
    bots = [
        _seated(make(), rules, len(makers), seat, key, board) for seat, make in enumerate(makers)
    ]
    listeners = [bot for bot in bots if type(bot).on_event is not Bot.on_event]
    events = list(state.opening)
    while state.pending:
        for bot in listeners:
            for event in events:
                bot.on_event(seen_by(event, bot.seat))
        choices = {}
        for seat, ask in state.pending.items():
            choice = state.forced(seat)
            if choice is None:
                choice = _ask(bots[seat], ask.kind, state, seat)
            choices[seat] = choice
        events = state.apply(choices)
    assert state.result is not None
    return state.result, len(state.scores)


def _seated(bot: Bot, rules: nimmt.Rules, players: int, seat: int, key: bytes, board: int) -> Bot:
    bot.rules, bot.players, bot.seat, bot.game_no = rules, players, seat, board
    bot.rng = Random(bot_seed(key, board, seat))
    bot.on_game_start()
    return bot


def _ask(bot: Bot, kind: str, state: nimmt.State, seat: int) -> nimmt.Choice:
    legal = state.legal(seat)
    if isinstance(legal, TurnOptions):
        bot.turns = legal
    else:
        bot.legal = legal
    return bot.choose(Question(bot, kind, state.view(seat), legal))
