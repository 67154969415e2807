"""Write a bot: subclass `Bot`, override what you want to decide, and call `run`.

from botkit import Bot, run

class MyBot(Bot):
    def choose_card(self, view):
        return max(view.hand)

run(MyBot)
"""

from botkit.loading import without_collections

with without_collections():
    from botkit.bot import Bot, Question
    from botkit.client import run
    from nimmt.cards import bulls, heads
    from nimmt.choices import Choice, Play, Take, TurnOptions
    from nimmt.events import Event
    from nimmt.views import ElevenNimmtView, Pile, SixNimmtView, View, XNimmtView

__all__ = [
    "Bot",
    "Choice",
    "ElevenNimmtView",
    "Event",
    "Pile",
    "Play",
    "Question",
    "SixNimmtView",
    "Take",
    "TurnOptions",
    "View",
    "XNimmtView",
    "bulls",
    "heads",
    "run",
]
