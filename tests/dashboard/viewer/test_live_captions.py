"""A game that is followed live says what its replay says later, as far as everyone may know it."""

from typing import Any

import pytest

from dashboard.viewer import build_payload
from dashboard.viewer.live import LiveGame
from nimmt.events import seen_by, to_json
from nimmt.verify import read
from tests.dashboard.viewer.samples import SAMPLES, sample


def live_texts(document: dict[str, Any]) -> list[str]:
    """The captions that watchers get; events as the referee shows them to everyone."""
    replay = read(document)
    about = {
        "rules": document["rules"],
        "options": document["options"],
        "players": [{"bot": one["bot"], "version": one["version"]} for one in document["players"]],
        "game_no": 0,
        "pass": 0,
        "passes": 1,
        "of": 1,
    }
    game = LiveGame(1, 1, about)
    steps = []
    for events in [replay.state.opening, *(step.events for step in replay.steps())]:
        # What two seats both see is what all see.
        shown = [to_json(seen_by(seen_by(event, 0), 1)) for event in events]
        steps += game.add(shown)[0]
    return [moment["text"] for step in steps for moment in step["moments"]]


@pytest.mark.parametrize("name", SAMPLES)
def test_live_captions_are_those_of_the_replay_without_the_reasons_of_hands(name: str) -> None:
    document = sample(name)
    moments = [moment for step in build_payload(document)["steps"] for moment in step["moments"]]
    public = [moment.get("public", moment)["text"] for moment in moments]
    live = live_texts(document)
    assert len(live) == len(public)
    for told, expected, moment in zip(live, public, moments, strict=True):
        # A hand of cards that all have seen taken is known to all, and so is its reason.
        assert told in (expected, moment["text"])
