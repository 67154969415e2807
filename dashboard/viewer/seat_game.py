"""A game as one person at the table is shown it: that seat's events, and what it is asked.

Pure: frames of one seat go in (what the table sent it), and the same frames come out with what the
page needs to show them. Nothing is added that the frames did not hold.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import nimmt
from dashboard.render import rules_title
from dashboard.viewer.asks import ask_words
from dashboard.viewer.live import EventGame, player_meta
from dashboard.viewer.words import names_of

Frame = dict[str, Any]


class SeatGame(EventGame):
    """One game in progress, for the person in one seat."""

    def __init__(self, about: Mapping[str, Any], seat: int) -> None:
        """`about` is a `start` frame."""
        rules = nimmt.get(about["rules"], about["options"])
        players: Sequence[Mapping[str, Any]] = about["players"]
        names = names_of([player["name"] for player in players])
        super().__init__(rules, about["options"], names, seat)
        shown = ["You" if at == seat else name for at, name in enumerate(names)]
        self.meta |= {
            "title": rules_title(rules.name),
            "planned_rounds": rules.planned_rounds(len(players)),
            "players": [
                player_meta(at, player["name"], name, person=player["kind"] == "person")
                | {"you": at == seat}
                for at, (player, name) in enumerate(zip(players, shown, strict=True))
            ],
            "links": {"rules": f"/docs/{rules.name}"},
        }
        self.seat = seat

    def words(self, kind: str, legal: object) -> dict[str, Any]:
        """What is asked, what each choice would do as the table lies, and why others are none."""
        return ask_words(self.narrator, self.seat, kind, legal)


class SeatFrames:
    """The frames of one seat, in order from the first, made ready for its page."""

    def __init__(self) -> None:
        self.game: SeatGame | None = None

    def dress(self, frame: Mapping[str, Any]) -> Frame:
        """The frame with what the page needs beside it."""
        dressed = dict(frame)
        if frame["type"] == "start":
            self.game = SeatGame(frame, frame["seat"])
            dressed["game"] = self.game.payload([])
        elif frame["type"] == "events":
            dressed["steps"], dressed["seconds"] = self._game.add(frame["events"])
            # The steps hold them all, in the same order.
            del dressed["events"]
        elif frame["type"] == "ask":
            dressed["words"] = self._game.words(frame["kind"], frame["legal"])
        return dressed

    @property
    def _game(self) -> SeatGame:
        if self.game is None:
            raise ValueError("got a frame of a game that has not begun; expected `start` first")
        return self.game
