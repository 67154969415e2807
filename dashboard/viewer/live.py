"""A game that is being played, made ready for the viewer from public events alone, as they come.

The counterpart of `payload.build_payload`, which has a whole replay. Nothing hidden gets this far:
the referee leaves out hands, and what was not told to it this module cannot show.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import nimmt
from dashboard.render import bot_url, game_title
from dashboard.viewer.payload import FORMAT, TABLES, Timeline
from dashboard.viewer.why import Narrator
from dashboard.viewer.words import names_of
from nimmt.cards import HEADS
from nimmt.events import from_json
from nimmt.game import Rules

SECONDS = {"round_start": 1.6, "reveal": 1.5, "round_end": 2.4}
"""How long a moment stays on screen, by its first event; the viewer's own pace (viewer.js)."""
USUAL_SECONDS = 0.95


class EventGame:
    """A game told by its events; who may see it decides which events those are."""

    def __init__(
        self, rules: Rules, options: Mapping[str, Any], names: Sequence[str], seat: int | None
    ) -> None:
        """`seat`: whose events these are, who is spoken to; None for those of spectators."""
        self._table = TABLES[rules.name]
        self.narrator = Narrator(rules, self._table, names, you=seat)
        self._timeline = Timeline(
            self.narrator, self._table["hand_counts"], seat, {}, public=seat is None
        )
        self.meta: dict[str, Any] = {
            "rules": rules.name,
            "options": dict(options),
            "rules_title": game_title(rules.name, options),
            "live": True,
            "seat": seat,
            "table": dict(self._table),
            "rounds": [],
            "places": None,
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


class LiveGame(EventGame):
    """One game in progress, for spectators."""

    def __init__(self, match_id: int, attempt: int, about: Mapping[str, Any]) -> None:
        """`about` is a `game` entry of a record (`league.live`)."""
        rules = nimmt.get(about["rules"], about["options"])
        players = about["players"]
        names = names_of([player["bot"] for player in players])
        super().__init__(rules, about["options"], names, None)
        game, passes = about["game_no"] + 1, about["passes"]
        title = f"{game_title(rules.name, rules.options)} · match {match_id} · game {game}"
        if passes > 1:
            title += f" of pass {about['pass'] + 1}"
        self.meta |= {
            "title": title,
            "attempt": attempt,
            "game_no": about["game_no"],
            "pass": about["pass"],
            "of": about["of"],
            "players": [
                player_meta(seat, player["bot"], name, player["version"])
                for seat, (player, name) in enumerate(zip(players, names, strict=True))
            ],
            "links": {"match": f"/matches/{match_id}", "rules": f"/docs/{rules.name}"},
        }


def player_meta(
    seat: int, bot: str, name: str, version: int | None = None, *, person: bool = False
) -> dict[str, Any]:
    """Who sits where, for the viewer."""
    return {
        "seat": seat,
        "bot": bot,
        "name": name,
        "version": version,
        "out": None,
        "href": None if person or "/" not in bot else bot_url(bot),
    }


def _seconds(step: Mapping[str, Any]) -> float:
    at, seconds = 0, 0.0
    for moment in step["moments"]:
        seconds += SECONDS.get(step["events"][at]["event"], USUAL_SECONDS)
        at += moment["events"]
    return seconds
