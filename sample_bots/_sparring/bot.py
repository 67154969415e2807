"""Sparring partners for the check: they lead to every kind of decision, even the rare ones.

`python bot.py STYLE`, a style being one of the simple players of `nimmt.simple`.
"""

import sys

from botkit import Bot, Choice, Question, run
from nimmt.simple import SIMPLE, Player


class SparringBot(Bot):
    """Plays as a simple player does."""

    style = "random"
    player: Player

    def on_game_start(self) -> None:
        self.player = SIMPLE[self.style](self.rng)

    def choose(self, question: Question) -> Choice:
        return self.player(question.kind, question.view, question.legal)


if __name__ == "__main__":
    SparringBot.style = sys.argv[1]
    run(SparringBot)
