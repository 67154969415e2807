"""Golden digests and replays: the same key gives the same game on every machine and version.

`pytest --update-golden` rewrites the files; a difference is a change of rules or of the deal
method, and needs a new version of either.
"""

import hashlib
import hmac
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nimmt import KeyedBoard, bot_seed, commitment, get, key_from_seed
from nimmt.events import to_json
from nimmt.keys import DEAL_METHOD, shuffled
from nimmt.simulate import play_game
from nimmt.verify import read, verify

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
KEYS = {"zeros": bytes(32), "counting": bytes(range(32)), "seed-1": key_from_seed(1)}
GAMES: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "six-nimmt-4": ("six-nimmt", {}, ["random", "house", "highest", "random"]),
    "six-nimmt-10": ("six-nimmt", {"rounds": 1}, ["random"] * 10),
    "six-nimmt-advanced-3": ("six-nimmt", {"advanced": True, "rounds": 2}, ["random"] * 3),
    "six-nimmt-opening-2": (
        "six-nimmt",
        {"advanced": True, "opening_picks": 4, "rounds": 1},
        ["random", "highest"],
    ),
    "eleven-nimmt-2": ("eleven-nimmt", {}, ["hoarder", "hoarder"]),
    "eleven-nimmt-4": ("eleven-nimmt", {"next_start": "most"}, ["random", "taker"] * 2),
    "x-nimmt-3": ("x-nimmt", {}, ["random", "house", "highest"]),
}


def compared(path: Path, text: str, update: bool) -> None:
    if update:
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


def deal_digests() -> dict[str, str]:
    """A digest of the deal for keys, rules, player counts, boards and rounds."""
    digests = {}
    for key_name, key in KEYS.items():
        for name, options in (
            ("six-nimmt", {}),
            ("six-nimmt", {"advanced": True, "opening_picks": 3}),
            ("eleven-nimmt", {}),
            ("x-nimmt", {}),
        ):
            rules = get(name, options)
            for players in (2, 4, rules.max_players):
                for board, round_no in ((0, 0), (0, 1), (17, 0), (1000, 3)):
                    deal = KeyedBoard(key, board).deal(rules, players, round_no)
                    text = json.dumps(rules.deal_to_json(deal, 0), separators=(",", ":"))
                    advanced = "+advanced" * ("advanced" in options)
                    at = f"{key_name} {name}{advanced} {players} {board} {round_no}"
                    digests[at] = hashlib.sha256(text.encode()).hexdigest()[:32]
    return digests


def test_deals_seeds_and_commitments_of_fixed_keys(update_golden: bool) -> None:
    found = {
        "deal_method": DEAL_METHOD,
        "keys": {name: key.hex() for name, key in KEYS.items()},
        "commitments": {name: commitment(key) for name, key in KEYS.items()},
        "bot_seeds": {
            f"{name} {board} {seat}": bot_seed(key, board, seat)
            for name, key in KEYS.items()
            for board, seat in ((0, 0), (0, 1), (17, 3), (1000, 9))
        },
        "deals": deal_digests(),
    }
    text = json.dumps(found, indent=1) + "\n"
    compared(GOLDEN / "keys.json", text, update_golden)


def shuffled_by_the_book(
    key: bytes, board: int, round_no: int, cards: Sequence[int], take: int
) -> list[int]:
    """`hmac-sha256/1` again, from its description alone, with nothing but hashes and division.

    seed = HMAC-SHA256(key, "deal/<board>/<round>"); the stream is SHA-256(seed + counter) for the
    counters 0, 1, … as four bytes, highest first; it is read as numbers of two bytes, highest
    first. For each place from the front: with `left` cards from there on, skip numbers that are
    not below the largest multiple of `left` up to 65536, and swap the place with the one that
    lies the remainder of the division by `left` further on.
    """
    seed = hmac.new(key, f"deal/{board}/{round_no}".encode("ascii"), hashlib.sha256).digest()
    deck = list(cards)
    stream = b""
    counter = 0
    place = 0
    while place < take:
        if not stream:
            stream = hashlib.sha256(seed + bytes([0, 0, counter // 256, counter % 256])).digest()
            counter += 1
        number, stream = 256 * stream[0] + stream[1], stream[2:]
        left = len(deck) - place
        if number >= 65536 // left * left:
            continue
        other = place + number % left
        deck[place], deck[other] = deck[other], deck[place]
        place += 1
    return deck[:take]


@pytest.mark.parametrize("size", [2, 3, 10, 44, 100, 104])
def test_the_shuffle_can_be_written_again_from_its_description(size: int) -> None:
    deck = range(1, size + 1)
    for key in KEYS.values():
        for board, round_no in ((0, 0), (0, 1), (12, 0), (999, 21)):
            for take in (0, 1, size // 2, size - 1, size):
                expected = shuffled_by_the_book(key, board, round_no, deck, take)
                assert shuffled(key, board, round_no, deck, take) == expected


def test_numbers_that_would_favour_some_cards_are_skipped() -> None:
    """One number in two thousand is skipped, so it takes many deals to meet some."""
    deck = range(1, 105)
    longer = 0
    for board in range(300):
        expected = shuffled_by_the_book(KEYS["zeros"], board, 0, deck, 104)
        assert shuffled(KEYS["zeros"], board, 0, deck, 104) == expected
        longer += expected != shuffled_without_skipping(KEYS["zeros"], board, deck)
    assert longer > 3


def shuffled_without_skipping(key: bytes, board: int, cards: Sequence[int]) -> list[int]:
    """What a careless port would deal in round 0."""
    seed = hmac.new(key, f"deal/{board}/0".encode("ascii"), hashlib.sha256).digest()
    deck = list(cards)
    blocks = [hashlib.sha256(seed + bytes([0, 0, 0, counter])).digest() for counter in range(10)]
    stream = b"".join(blocks)
    for place in range(len(deck)):
        number = 256 * stream[2 * place] + stream[2 * place + 1]
        other = place + number % (len(deck) - place)
        deck[place], deck[other] = deck[other], deck[place]
    return deck


def test_a_shorter_deal_is_the_beginning_of_a_longer_one() -> None:
    deck = range(1, 105)
    whole = shuffled(KEYS["seed-1"], 3, 1, deck, 104)
    assert sorted(whole) == list(deck)
    assert shuffled(KEYS["seed-1"], 3, 1, deck, 24) == whole[:24]


def test_every_card_is_as_likely_in_every_place() -> None:
    counts = [[0] * 5 for _ in range(5)]
    games = 4000
    for board in range(games):
        for place, card in enumerate(shuffled(KEYS["zeros"], board, 0, range(5), 5)):
            counts[place][card] += 1
    # Expected 800 each with a standard deviation of about 25.
    assert all(abs(count - games / 5) < 130 for row in counts for count in row)


def test_boards_rounds_and_keys_all_change_the_deal() -> None:
    deck = range(1, 105)
    places = [("zeros", 0, 0), ("zeros", 0, 1), ("zeros", 1, 0), ("seed-1", 0, 0), ("zeros", 1, 1)]
    deals = {tuple(shuffled(KEYS[key], board, part, deck, 44)) for key, board, part in places}
    assert len(deals) == len(places)


@pytest.mark.parametrize("name", GAMES)
def test_golden_replays_are_played_again_move_by_move(name: str, update_golden: bool) -> None:
    rules_name, options, bots = GAMES[name]
    key = KEYS["seed-1"]
    # Python's own generator: these files are older than ours, and still say the same.
    game = play_game(get(rules_name, options), bots, key, 5, Random)
    document = game.document(bots, key, 5)
    text = written(document)
    compared(GOLDEN / f"replay-{name}.json", text, update_golden)
    kept = json.loads((GOLDEN / f"replay-{name}.json").read_text(encoding="utf-8"))
    assert verify(kept).state.result is not None


def test_the_events_of_the_golden_replays_are_as_they_were(update_golden: bool) -> None:
    digests = {}
    for name in GAMES:
        kept = json.loads((GOLDEN / f"replay-{name}.json").read_text(encoding="utf-8"))
        replay = read(kept)
        events = [to_json(event) for event in replay.state.opening]
        events += [to_json(event) for step in replay.steps() for event in step.events]
        text = json.dumps(events, separators=(",", ":"))
        digests[name] = {
            "events": len(events),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
    compared(GOLDEN / "events.json", json.dumps(digests, indent=1) + "\n", update_golden)


def written(document: dict[str, Any]) -> str:
    """JSON with one decision a line, so that a difference can be read."""
    rounds = []
    for part in document["rounds"]:
        lines = ",\n   ".join(json.dumps(decision) for decision in part["decisions"])
        rest = f'"deal": {json.dumps(part["deal"])}, "points": {json.dumps(part["points"])}'
        rounds.append(f'{{{rest}, "decisions": [\n   {lines}]}}')
    head = {name: value for name, value in document.items() if name != "rounds"}
    joined = ",\n  ".join(rounds)
    return f'{json.dumps(head)[:-1]},\n "rounds": [\n  {joined}]}}\n'
