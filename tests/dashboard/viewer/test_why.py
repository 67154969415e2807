"""Captions: golden texts over games with every kind of event, and who may read which reason."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

import nimmt
from dashboard.viewer import build_payload
from dashboard.viewer.payload import TABLES
from dashboard.viewer.why import Narrator
from nimmt.events import GameEnd, Move, RoundEnd, RoundStart
from nimmt.simulate import play_game
from tests.dashboard.viewer.samples import KEY, NAMES, SAMPLES, sample
from tests.dashboard.viewer.test_faults import house_game

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "captions.txt"
MORE: dict[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "draft-pure": ("six-nimmt", {"rounds": 1, "advanced": True}, ("random", "highest")),
    "eleven-steals": ("eleven-nimmt", {"next_start": "most"}, ("hoarder",) * 3),
}
NUMBERS = r"\b(two|three|four|five|six|seven|eight|nine|ten)\b"
KINDS = {
    "deal": "cards start the rows",
    "deal of piles": "cards wait in the deck",
    "draft laid out": "lie open for the draft",
    "draft after chance": "chance deals",
    "pick": "as card 3 of its hand",
    "rows from the draft": "that are left start the rows",
    "reveal": "The lowest goes first:",
    "reveal of many": "All turn up a card, from",
    "placed": "the closest row end below it",
    "placed at the only end": "the only row end below it",
    "row filled": "That row is full now",
    "sixth card": "is the sixth card of row",
    "third card": "is the third card of row",
    "low card, cheapest": ", the cheapest (",
    "low card, a tie": "one of the cheapest",
    "low card, dearer": "costs only",
    "X row begun": "starts its X row with",
    "X row goes on": "to its X row: it is above",
    "X row forced": "is the only card taken",
    "X row broken": "goes to the X pile and counts double",
    "kept": "more cards to get rid of",
    "played": "and up to 10 is allowed.",
    "played over the top": "counting on from 100 to 1",
    "several played": "lets it play several",
    "several piles": "bull cards let it play several",
    "taken because it must": "so it must take one: pile",
    "taken by choice": "of its cards fit",
    "bull card": "gets a bull card",
    "stolen": "steals one from",
    "new piles": "two cards come from the deck",
    "last of the deck": "the last card of the deck",
    "round over, cards": "All cards are played, so",
    "round over, hand": "has no card left, so",
    "round over, deck": "The deck is empty, so",
    "scores with X piles": "in the X pile",
    "scores of many": "the fewest being best",
    "who begins": "points so far",
    "won": "the fewest,",
    "why a game of rows was won": "It took 20 rows for 40 heads;",
    "won by cheap rows": "It took more rows but cheaper ones:",
    "why a game of X rows was won": "X piles cost it",
    "why a game of piles was won": "points in round 1; matador scored",
    "limit": "passed 66",
    "rounds": "The game ends after two rounds",
    "fault": "The referee chose for",
}
"""What a caption must be about somewhere in the corpus, and words that show it."""


def corpus() -> Iterator[tuple[str, dict[str, Any]]]:
    """Replays of every game, with names that are easy to read."""
    for name in SAMPLES:
        yield name, sample(name)
    for name, (rules, options, bots) in MORE.items():
        game = play_game(nimmt.get(rules, options), bots, KEY, 0, Random)
        document = game.document(bots, KEY, 0)
        for player, bot in zip(document["players"], NAMES, strict=False):
            player["bot"] = bot
        yield name, document
    yield "faults", house_game()


def shapes(payload: dict[str, Any]) -> list[str]:
    """The first caption of every shape; two that differ in names and numbers have one shape."""
    names = "|".join(re.escape(player["name"]) for player in payload["meta"]["players"])
    found: dict[str, str] = {}
    for step in payload["steps"]:
        for moment in step["moments"]:
            for text in (moment["text"], moment.get("public", {}).get("text")):
                if text:
                    found.setdefault(re.sub(rf"{names}|\d+|{NUMBERS}", "#", text), text)
    return list(found.values())


def test_captions_are_as_they_were(update_golden: bool) -> None:
    parts = [f"# {name}\n" + "\n".join(shapes(build_payload(one))) for name, one in corpus()]
    text = "\n\n".join(parts) + "\n"
    if update_golden:
        GOLDEN.write_text(text, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == text


def test_the_golden_captions_hold_every_kind_of_event_of_every_game() -> None:
    text = GOLDEN.read_text(encoding="utf-8")
    assert {kind: words for kind, words in KINDS.items() if words not in text} == {}


@pytest.mark.parametrize("name", ["eleven", "eleven-seven"])
def test_a_reason_that_lies_in_a_hand_is_told_to_that_seat_only(name: str) -> None:
    document = sample(name)
    names = [player["name"] for player in build_payload(document)["meta"]["players"]]
    reasons = re.compile(r"No card of (.+) is within|of its cards fits?, (.+) takes pile")
    for seat in range(len(names)):
        payload = build_payload(document, seat=seat)
        moments = [moment for step in payload["steps"] for moment in step["moments"]]
        told = [found for one in moments for found in reasons.findall(one["text"])]
        assert {first or second for first, second in told} == {names[seat]}
        assert all("public" not in moment for moment in moments)


def test_an_open_replay_holds_what_the_others_may_read_instead() -> None:
    payload = build_payload(sample("eleven"))
    moments = [moment for step in payload["steps"] for moment in step["moments"]]
    takes = [moment for moment in moments if "takes pile" in moment["text"]]
    assert takes
    for moment in takes:
        name = payload["meta"]["players"][moment["public"]["seat"]]["name"]
        told = rf"{name} takes pile \d+ \(.*\) into its hand\."
        assert re.fullmatch(told, moment["public"]["text"])


def end_of_game(points: Sequence[int], places: Sequence[int], known: Sequence[int] = ()) -> str:
    rules = nimmt.get("six-nimmt", {"rounds": 1})
    narrator = Narrator(rules, TABLES["six-nimmt"], ["ada", "bo", "cy"])
    narrator.places = known
    totals = tuple(points)
    return narrator.tell([RoundEnd(totals, totals), GameEnd(totals, tuple(places))]).text


def test_a_win_is_shared_by_all_who_have_the_fewest() -> None:
    text = end_of_game([5, 9, 5], [1, 3, 1])
    assert text.startswith("ada and cy share the win with 5 points each.")


def test_the_distance_to_the_next_is_told_for_all_who_are_next() -> None:
    text = end_of_game([1, 9, 9], [1, 2, 2])
    assert text.startswith("ada wins with 1 point, the fewest, 8 fewer than bo and cy.")


def test_a_winner_who_took_no_row_is_said_to_have_taken_none() -> None:
    rules = nimmt.get("six-nimmt", {"rounds": 1})
    narrator = Narrator(rules, TABLES["six-nimmt"], ["ada", "bo"])
    narrator.tell(
        [RoundStart(0, 0, 0), *[Move("deal", (90 + n,), "box", f"row:{n}") for n in range(4)]]
    )
    narrator.tell([Move("take", (91,), "row:1", "bull:1"), Move("place", (9,), "box", "row:1")])
    end = narrator.tell([RoundEnd((0, 1), (0, 1)), GameEnd((0, 1), (1, 2))]).text
    assert "It took no row; bo took 1 for 1 head." in end


def test_a_bot_that_is_out_wins_nothing_by_its_points() -> None:
    text = end_of_game([0, 9, 12], [1, 2, 3], known=[3, 1, 2])
    assert text.startswith("bo wins with 9 points, the fewest of those not out.")
