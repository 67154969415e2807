"""What one seat's page is given: its own cards and words, nobody else's, in good English."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from dashboard.viewer import SeatFrames
from nimmt.choices import choice_to_json
from nimmt.simple import SIMPLE
from tests.dashboard.play.desk import PERSON, DeskTable, Frame

GAMES: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "six": ("six-nimmt", {"limit": 66}, (PERSON, "house", "highest", "random")),
    "two": ("six-nimmt", {"rounds": 1}, ("random", PERSON)),
    "ten": ("six-nimmt", {"rounds": 1}, (*("random",) * 9, PERSON)),
    "draft": ("six-nimmt", {"rounds": 2, "advanced": True}, (PERSON, "house", "highest")),
    "x": ("x-nimmt", {}, (PERSON, "house", "highest", "random")),
    "eleven": ("eleven-nimmt", {}, (PERSON, "hoarder", "greedy", "taker")),
    "steals": ("eleven-nimmt", {"next_start": "most"}, (PERSON, "hoarder", "hoarder")),
}
WRONG = re.compile(
    r"\byou (takes|plays|gets|has|is|wins|picks|adds|starts|steals|begins)\b|\byou's\b"
    r"|(^|[.!?] )you|\byou and you\b|\b(it|its)\b.*\byour? hand"
)
"""What nobody says to somebody; numbers and cards may be `it`."""


class Scripted(DeskTable):
    """A table whose persons answer at once, as simple players do."""

    person = "random"

    def wait(self, state: Any, seat: int, number: int, kind: str) -> Any:
        player = self.__dict__.setdefault("script", SIMPLE[self.person](Random(self.seed)))
        choice = player(kind, state.view(seat), state.legal(seat))
        assert self.answer(seat, number, choice_to_json(choice)) == (204, "")
        return super().wait(state, seat, number, kind)


def played(name: str, seed: int = 1, person: str = "random") -> list[Frame]:
    rules, options, players = GAMES[name]
    table = Scripted("T", rules, dict(options), players, seed=seed)
    table.person = person
    table.play()
    [frames] = table.frames.values()
    return frames


def dressed(frames: list[Frame]) -> Iterator[Frame]:
    frames_of_seat = SeatFrames()
    for frame in frames:
        yield json.loads(json.dumps(frames_of_seat.dress(frame)))


@pytest.mark.parametrize(
    ("name", "planned"), [("six", None), ("two", 1), ("draft", 2), ("x", 2), ("eleven", 4)]
)
def test_a_game_has_as_many_rounds_as_it_is_said_to(name: str, planned: int | None) -> None:
    start, *frames = dressed(played(name))
    assert start["game"]["meta"]["planned_rounds"] == planned
    rounds = {step["round"] for frame in frames for step in frame.get("steps", ())}
    assert planned is None or len(rounds) == planned


@pytest.mark.parametrize("name", GAMES)
def test_a_person_is_spoken_to_and_never_about(name: str) -> None:
    texts = [
        moment["text"]
        for seed in (1, 2, 3)
        for frame in dressed(played(name, seed, "hoarder" if name == "steals" else "random"))
        for step in frame.get("steps", ())
        for moment in step["moments"]
    ]
    assert [text for text in texts if WRONG.search(text)] == []
    assert any(re.search(r"\b[Yy]our?\b", text) for text in texts)


@pytest.mark.parametrize("name", GAMES)
def test_every_choice_of_every_ask_is_explained(name: str) -> None:
    asked = 0
    for frame in dressed(played(name)):
        if frame["type"] != "ask":
            continue
        asked += 1
        words, legal = frame["words"], frame["legal"]
        assert words["title"]
        assert words["help"].endswith(".")
        if frame["kind"] == "turn":
            playable = {str(card) for cards in legal["plays"].values() for card in cards}
            assert set(words["choices"]) == playable
            assert set(words["takes"]) == {str(pile) for pile in legal["takes"]}
        else:
            assert set(words["choices"]) == {str(choice) for choice in legal}
        texts = [one["text"] for one in words["choices"].values()]
        texts += list(words["blocked"].values())
        assert all(text.endswith(".") for text in texts)
    assert asked > 5


@pytest.mark.parametrize("name", GAMES)
def test_a_page_gets_no_card_that_its_seat_was_not_sent(name: str) -> None:
    """Whatever is added is made of the frames so far: cards the seat knows, or counts."""
    frames = played(name)
    known: set[int] = set()
    for plain, frame in zip(frames, dressed(frames), strict=True):
        if plain["type"] == "events":
            sent = [card for event in plain["events"] for card in event.get("cards", ())]
            known |= set(sent)
            shown = [
                card
                for step in frame["steps"]
                for event in step["events"]
                for card in event.get("cards", ())
            ]
            assert sorted(shown) == sorted(sent)
        if plain["type"] == "ask" and plain["kind"] != "row":
            cards = {int(key) for key in frame["words"]["choices"]}
            assert cards <= known or plain["kind"] == "steal"


def test_a_resumed_table_begins_again() -> None:
    frames = played("six")
    twice = [*frames[:20], frames[0] | {"resumed": True}, *frames[1:]]
    again = list(dressed(twice))
    assert again[20]["resumed"]
    assert again[21:] == list(dressed(frames))[1:]


def test_a_frame_before_the_start_is_refused() -> None:
    with pytest.raises(ValueError, match="expected `start` first"):
        SeatFrames().dress({"type": "events", "events": []})
