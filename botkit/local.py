"""A bot class in this process, without a referee: for training against bots and for the arena."""

import random
from collections.abc import Sequence

from botkit.bot import Bot, MessageClock, Question
from nimmt import Choice, Event, Rules, TurnOptions, View, seen_by

UNLIMITED_MS = 3_600_000
"""What a bot that asks for its time is told where nothing is timed."""


class LocalSeat:
    """One bot in one game: it is asked, and told what happens, as `run` would."""

    def __init__(
        self, make: type[Bot], rules: Rules, seat: int, players: int, seed: int, game_no: int = 0
    ) -> None:
        # Bots are often seated without a type checker, and MyBot() is the usual slip.
        given: object = make
        if not (isinstance(given, type) and issubclass(given, Bot)):
            raise TypeError(f"got {given!r:.80}, expected a subclass of botkit.Bot")
        self.bot = bot = make()
        bot.rules, bot.seat, bot.players, bot.game_no = rules, seat, players, game_no
        bot.rng = random.Random(seed)
        self._listens = make.on_event is not Bot.on_event
        # Types know nothing of the function behind a class method.
        self._batched = make.choose_batch.__func__ is not Bot.choose_batch.__func__  # type: ignore[attr-defined]
        self.move_ms = UNLIMITED_MS
        bot.on_game_start()

    def ask(self, kind: str, view: View, legal: tuple[int, ...] | TurnOptions) -> Choice:
        """What the bot chooses; whether that is legal is for the caller to see."""
        bot = self.bot
        if isinstance(legal, TurnOptions):
            bot.turns = legal
        else:
            bot.legal = legal
        bot._clock = MessageClock(self.move_ms, 0, 1)
        question = Question(bot, kind, view, legal)
        if self._batched:
            [choice] = type(bot).choose_batch([question])
            return choice
        return bot.choose(question)

    def see(self, events: Sequence[Event]) -> None:
        """Tell the bot what happened, without what its seat may not see."""
        if self._listens:
            for event in events:
                self.bot.on_event(seen_by(event, self.bot.seat))

    def over(self, points: Sequence[int], places: Sequence[int]) -> None:
        """The game is over."""
        self.bot.on_game_over(points, places)
