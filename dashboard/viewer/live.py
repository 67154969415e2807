"""A game that is being played, made ready for the viewer from public events alone, as they come.

The counterpart of `payload.build_payload`, which has a whole replay. Nothing hidden gets this far:
the referee leaves out hands, and what was not told to it this module cannot show.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import nimmt
from dashboard.render import bot_url, rules_title
from dashboard.viewer.payload import FORMAT, TABLES, Timeline
from dashboard.viewer.why import Narrator
from dashboard.viewer.words import names_of
from nimmt.cards import HEADS
from nimmt.events import from_json

SECONDS = {"round_start": 1.6, "reveal": 1.5, "round_end": 2.4}
"""How long a moment stays on screen, by its first event; the viewer's own pace (viewer.js)."""
USUAL_SECONDS = 0.95


class LiveGame:
    """One game in progress."""

    def __init__(self, match_id: int, attempt: int, about: Mapping[str, Any]) -> None:
        """`about` is a `game` entry of a record (`league.live`)."""
        rules = nimmt.get(about["rules"], about["options"])
        players = about["players"]
        names = names_of([player["bot"] for player in players])
        self._table = TABLES[rules.name]
        narrator = Narrator(rules, self._table, names)
        self._timeline = Timeline(narrator, self._table["hand_counts"], None, {}, public=True)
        game, passes = about["game_no"] + 1, about["passes"]
        title = f"{rules_title(rules.name)} · match {match_id} · game {game}"
        if passes > 1:
            title += f" of pass {about['pass'] + 1}"
        self.meta: dict[str, Any] = {
            "rules": rules.name,
            "options": dict(about["options"]),
            "rules_title": rules.title,
            "title": title,
            "live": True,
            "seat": None,
            "table": dict(self._table),
            "rounds": [],
            "places": None,
            "attempt": attempt,
            "game_no": about["game_no"],
            "pass": about["pass"],
            "of": about["of"],
            "players": [
                {
                    "seat": seat,
                    "bot": player["bot"],
                    "name": name,
                    "version": player["version"],
                    "out": None,
                    "href": bot_url(player["bot"]),
                }
                for seat, (player, name) in enumerate(zip(players, names, strict=True))
            ],
            "links": {"match": f"/matches/{match_id}", "rules": f"/docs/{rules.name}"},
        }

    def add(self, events: Sequence[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], float]:
        """The steps that these events make, and how many seconds people need to see them."""
        known = len(self._timeline.steps)
        self._timeline.add(None, [from_json(event) for event in events])
        steps = self._timeline.steps[known:]
        return steps, sum(_seconds(step) for step in steps)

    def payload(self, steps: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """The viewer's data, as far as these steps go."""
        return {"format": FORMAT, "meta": self.meta, "heads": list(HEADS), "steps": list(steps)}


def _seconds(step: Mapping[str, Any]) -> float:
    at, seconds = 0, 0.0
    for moment in step["moments"]:
        seconds += SECONDS.get(step["events"][at]["event"], USUAL_SECONDS)
        at += moment["events"]
    return seconds
