"""Two games of one board beside each other, in all three games."""

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

import nimmt
from dashboard.viewer import compare
from dashboard.viewer.comparing import SameRound
from nimmt.simulate import play_game
from tests.dashboard.viewer.samples import KEY

Document = dict[str, Any]
GAMES: Mapping[str, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    "six": ("six-nimmt", {"rounds": 1}, ("greedy", "house", "highest", "house")),
    "whole": ("six-nimmt", {"limit": 66}, ("greedy", "house", "highest", "house")),
    "draft": ("six-nimmt", {"rounds": 1, "advanced": True, "opening_picks": 2}, ("house",) * 3),
    "x": ("x-nimmt", {}, ("house", "highest", "greedy")),
    "eleven": ("eleven-nimmt", {}, ("greedy", "hoarder", "taker")),
}


def played(name: str, seat: int | None = None, board: int = 0) -> Document:
    """A game; somebody else may sit in one of its seats."""
    rules, options, bots = GAMES[name]
    other = "highest" if rules == "six-nimmt" else "random"
    changed = [other if at == seat else bot for at, bot in enumerate(bots)]
    game = play_game(nimmt.get(rules, options), changed, KEY, board, Random)
    return game.document(changed, KEY, board)


def own(document: Document, seat: int, round_no: int = 0) -> list[Document]:
    return [one for one in document["rounds"][round_no]["decisions"] if one["seat"] == seat]


@pytest.mark.parametrize("name", GAMES)
def test_a_game_beside_itself_never_parts(name: str) -> None:
    game = played(name)
    rounds = compare(game, game, 1)
    assert len(rounds) == len(game["rounds"])
    for one, part in zip(rounds, game["rounds"], strict=True):
        assert (one.parted_by, one.later, one.same_start) == ((), (), True)
        assert all(line.theirs == line.ours for line in one.lines)
        assert one.theirs == one.ours == part["points"][1]


@pytest.mark.parametrize("name", GAMES)
def test_the_games_part_where_somebody_first_chooses_differently(name: str) -> None:
    theirs, ours = played(name), played(name, 1)
    first = compare(theirs, ours, 1)[0]
    # In the order of deciding, both games are the same up to there.
    pairs = zip(theirs["rounds"][0]["decisions"], ours["rounds"][0]["decisions"], strict=False)
    differ = next(one["seat"] for one, other in pairs if one["choice"] != other["choice"])
    assert first.parted_by == (differ,) == (1,)
    *before, last = first.lines
    assert all(line.theirs == line.ours for line in before)
    words = [[chosen.words for chosen in side] for side in (last.theirs, last.ours)]
    assert words[0] != words[1]
    assert first.later
    assert all((line.turn or 0) > (last.turn or 0) for line in first.later if last.turn is not None)


@pytest.mark.parametrize("name", GAMES)
def test_what_a_seat_chose_costs_in_sum_what_its_round_scored(name: str) -> None:
    theirs, ours = played(name), played(name, 1)
    for one in compare(theirs, ours, 1):
        lines = (*one.lines, *one.later)
        for side, points in (("theirs", one.theirs), ("ours", one.ours)):
            costs = sum(chosen.cost for line in lines for chosen in getattr(line, side))
            # Where the hand counts, the round begins with its points.
            if name not in ("x", "eleven"):
                assert costs == points


def test_the_turn_of_another_is_marked_where_it_parts_the_games() -> None:
    theirs, ours = played("eleven"), played("eleven", 0)
    first = compare(theirs, ours, 1)[0]
    assert first.parted_by == (0,)
    assert first.lines[-1].theirs == first.lines[-1].ours == ()


def test_words_are_those_of_people() -> None:
    ours = played("six")
    first: SameRound = compare(ours, ours, 1)[0]
    said = [chosen.words for line in first.lines for chosen in line.ours]
    expected = [
        f"row {one['choice'] + 1}" if one["kind"] == "row" else str(one["choice"])
        for one in own(ours, 1)
    ]
    assert said == expected


def test_every_round_begins_together_again() -> None:
    theirs, ours = played("whole"), played("whole", 1)
    rounds = compare(theirs, ours, 1)
    assert len(rounds) == min(len(theirs["rounds"]), len(ours["rounds"])) > 1
    assert all(one.same_start and one.lines for one in rounds)


def test_rounds_that_begin_otherwise_are_not_compared() -> None:
    one = compare(played("six"), played("six", board=4), 1)[0]
    assert not one.same_start
    assert (one.lines, one.parted_by) == ((), ())
    assert one.later


def test_what_the_platform_chose_is_told() -> None:
    game = played("six")
    first = game["rounds"][0]["decisions"]
    at = next(at for at, one in enumerate(first) if one["seat"] == 1)
    game["rounds"][0]["decisions"][at] |= {"by": "house", "fault": {"kind": "left", "sent": None}}
    assert compare(game, game, 1)[0].lines[0].ours[0].by_platform
