"""Highlights against a plain reading of the same games in the viewer's own data."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.viewer import build_payload
from dashboard.viewer.highlights import highlights
from nimmt.cards import HEADS
from review import Story, best_game, story_of
from review.stories import Moment
from tests.dashboard.viewer.samples import SAMPLES, sample


def points_by_moment(payload: dict[str, Any]) -> list[list[int]]:
    """The points of every seat after each moment, finished rounds included."""
    players = len(payload["meta"]["players"])
    totals, now = [0] * players, [0] * players
    lines = []
    for step in payload["steps"]:
        at = 0
        for moment in step["moments"]:
            for event in step["events"][at : at + moment["events"]]:
                if event["event"] == "points":
                    now = event["points"]
                if event["event"] == "round_end":
                    totals, now = event["totals"], [0] * players
            at += moment["events"]
            lines.append([a + b for a, b in zip(totals, now, strict=True)])
    return lines


def takes_by_moment(payload: dict[str, Any]) -> list[tuple[int, int]]:
    """Heads and moment of every take."""
    takes, number = [], 0
    for step in payload["steps"]:
        at = 0
        for moment in step["moments"]:
            takes += [
                (sum(HEADS[card] for card in event["cards"]), number)
                for event in step["events"][at : at + moment["events"]]
                if event.get("why") == "take"
            ]
            at += moment["events"]
            number += 1
    return takes


@pytest.mark.parametrize("board", [0, 3])
@pytest.mark.parametrize("name", SAMPLES)
def test_a_story_says_what_the_viewer_shows(name: str, board: int) -> None:
    document = sample(name, board)
    payload = build_payload(document)
    story = story_of(document)
    lines, takes = points_by_moment(payload), takes_by_moment(payload)
    assert story.take is not None
    assert (story.take.amount, story.take.at) in takes
    assert story.take.amount == max(cost for cost, _ in takes)
    points = document["result"]["points"]
    winners = [seat for seat, place in enumerate(document["result"]["places"]) if place == 1]
    worst = max(line[seat] - min(line) for line in lines for seat in winners)
    assert (story.comeback.amount if story.comeback else 0) == worst
    if story.comeback:
        line = lines[story.comeback.at]
        assert line[story.comeback.seat] - min(line) == worst
        assert story.comeback.seat in winners
    assert story.margin == sorted(points)[1] - sorted(points)[0]


def test_the_lead_changes_when_another_seat_is_alone_in_front() -> None:
    document = sample("six")
    alone = [
        line.index(min(line))
        for line in points_by_moment(build_payload(document))
        if line.count(min(line)) == 1
    ]
    changes = sum(before != after for before, after in pairwise(alone))
    assert story_of(document).lead_changes == changes > 0


def story(number: int, **fields: Any) -> Story:
    told: dict[str, Any] = {"take": None, "comeback": None, "margin": None, "lead_changes": 0}
    bots = ("ada/goat", "bo/slow")
    return Story(pass_no=0, game_no=number, bots=bots, **(told | fields))


def test_highlights_name_the_game_the_moment_and_who() -> None:
    games = [
        story(0, take=Moment(9, 0, 41), margin=12, lead_changes=1),
        story(1, take=Moment(23, 1, 7), margin=30),
        story(2, take=Moment(5, 1, 3), comeback=Moment(31, 0, 88), margin=4, lead_changes=6),
        story(3, margin=0, lead_changes=2),
    ]
    told = {one.title: one for one in highlights(games)}
    assert [one.game_no for one in told.values()] == [2, 1, 2, 3]
    assert told["The best game"].text == (
        "The lead changes 6 times; decided by 4 points; a take of 5 heads."
    )
    assert told["The biggest take"].text == "slow takes 23 heads at once."
    # The moment before, so that one sees it happen.
    assert told["The biggest take"].at == 6
    assert told["The greatest comeback"].text == "goat is 31 points behind here, and wins."
    assert told["The greatest comeback"].at == 88
    assert told["The closest finish"].text == "A shared win; the lead changes twice."


def test_a_game_is_not_told_twice_for_the_same_moment() -> None:
    told = highlights([story(0, margin=3, lead_changes=2)])
    assert [one.title for one in told] == ["The best game"]


def test_no_games_have_no_highlights() -> None:
    assert highlights([]) == []


amounts = st.integers(0, 40)
moments = st.builds(Moment, amounts, st.integers(0, 1), amounts) | st.none()
stories = st.lists(
    st.builds(
        Story,
        pass_no=st.just(0),
        game_no=amounts,
        bots=st.just(("a/a", "b/b")),
        take=moments,
        comeback=moments,
        margin=amounts | st.none(),
        lead_changes=amounts,
    ),
    min_size=1,
    max_size=12,
)


@given(stories)
def test_no_game_beats_the_best_one_in_everything(games: list[Story]) -> None:
    def measures(one: Story) -> tuple[int, ...]:
        return (
            one.lead_changes,
            -(10**6) if one.margin is None else -one.margin,
            one.comeback.amount if one.comeback else 0,
            one.take.amount if one.take else 0,
        )

    best = measures(best_game(games))
    for other in map(measures, games):
        assert not all(own > most for own, most in zip(other, best, strict=True))
