"""The probe of the conformance suite in Python: the first argument says how it behaves."""

import json
import sys
import time
from typing import Any

from botkit import Bot, ElevenNimmtView, Event, Question, SixNimmtView, TurnOptions, XNimmtView, run
from nimmt.events import to_json


class Slow(Bot):
    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        time.sleep(0.03)
        return min(view.hand)


class Nonsense(Bot):
    def choose_card(self, view: SixNimmtView | XNimmtView) -> Any:
        return "nonsense"

    def choose_turn(self, view: ElevenNimmtView) -> Any:
        return {"play": 3}


class Throws(Bot):
    def choose_card(self, view: SixNimmtView | XNimmtView) -> int:
        raise RuntimeError("no idea")


class ThrowsAtStart(Bot):
    def on_game_start(self) -> None:
        raise RuntimeError("no start")


class Mirror(Bot):
    """Prints everything it hears."""

    def tell(self, **what: Any) -> None:
        print(json.dumps({"game_no": self.game_no, **what}))

    def on_game_start(self) -> None:
        rules = {"name": self.rules.name, "options": dict(self.rules.options)}
        self.tell(rules=rules, seat=self.seat, players=self.players)

    def on_event(self, event: Event) -> None:
        plain = to_json(event)
        self.tell(kind=plain.pop("event"), event=plain)

    def on_game_over(self, points: Any, places: Any) -> None:
        self.tell(points=points, places=places)

    def choose(self, question: Question) -> Any:
        view = question.view._asdict()
        if "piles" in view:
            view["piles"] = [pile._asdict() for pile in view["piles"]]
        legal: Any = question.legal
        if isinstance(legal, TurnOptions):
            legal = legal._asdict()
        self.tell(ask=question.kind, view=view, legal=legal, asks_left=self.asks_left)
        self.note("ä" * 150)
        return super().choose(question)


STYLES: dict[str, type[Bot]] = {
    "plain": Bot,
    "slow": Slow,
    "nonsense": Nonsense,
    "throws": Throws,
    "throws-at-start": ThrowsAtStart,
}

if sys.argv[1] == "mirror":
    run(Mirror, rules=["six-nimmt", "eleven-nimmt", "x-nimmt"], max_batch=7)
run(STYLES[sys.argv[1]])
