"""Why a game was won: the sentence names the two it compares and never argues with the result."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.viewer.winning import Kind, Tally
from dashboard.viewer.words import Voice
from nimmt.events import Move, RoundEnd

VOICES = [Voice("ada", False), Voice("bo", False), Voice("cy", False)]


def told(
    kind: Kind,
    counts: Sequence[int],
    *rounds: Sequence[int],
    places: Sequence[int] = (1, 2, 3),
    voices: Sequence[Voice] = VOICES,
) -> str:
    """The sentence of a game with these points by round; `counts`: rows taken by each seat, X piles
    of one head each, or rounds in which the hand was emptied."""
    tally = Tally(kind, len(places))
    zone, why = ("xpile", "break") if kind is Kind.X_ROWS else ("bull", "take")
    if kind is not Kind.PILES:
        for seat, count in enumerate(counts):
            tally.count([Move(why, (1,), "row:0", f"{zone}:{seat}")] * count, [])
    total = [0] * len(places)
    for at, points in enumerate(rounds):
        total = [sum(pair) for pair in zip(total, points, strict=True)]
        empty = [seat for seat, count in enumerate(counts) if at < count]
        tally.count([RoundEnd(tuple(points), tuple(total))], empty)
    return tally.why_won(total, places, voices)


@pytest.mark.parametrize(
    ("kind", "counts", "rounds", "sentence"),
    [
        (Kind.ROWS, [1, 4, 2], [[2, 12, 20]], "It took 1 row for 2 heads; bo took 4 for 12. "),
        (Kind.ROWS, [0, 1, 2], [[0, 1, 20]], "It took no row; bo took 1 for 1 head. "),
        (
            Kind.ROWS,
            [5, 2, 2],
            [[6, 12, 20]],
            "It took more rows but cheaper ones: 5 for 6 heads; bo took 2 for 12. ",
        ),
        (
            Kind.ROWS,
            [2, 2, 2],
            [[6, 12, 20]],
            "It took cheaper rows: 2 for 6 heads; bo took 2 for 12. ",
        ),
        (Kind.X_ROWS, [1, 4, 2], [[8, 9, 20]], "X piles cost it 2 points; they cost bo 8. "),
        (Kind.X_ROWS, [0, 4, 2], [[8, 9, 20]], "X piles cost it nothing; they cost bo 8 points. "),
        (
            Kind.X_ROWS,
            [3, 2, 2],
            [[7, 9, 20]],
            "Cards left in hand cost it 1 point; they cost bo 5. ",
        ),
        (
            Kind.X_ROWS,
            [3, 2, 2],
            [[6, 9, 20]],
            "Cards left in hand cost it nothing; they cost bo 5 points. ",
        ),
        (
            Kind.PILES,
            [2, 1, 2],
            [[0, 0, 9], [0, 8, 9], [4, 8, 9]],
            "It emptied its hand in 2 of 3 rounds; bo in 1. ",
        ),
        (
            Kind.PILES,
            [1, 0, 2],
            [[0, 1, 9], [4, 8, 9]],
            "It emptied its hand in 1 of 2 rounds; bo in none. ",
        ),
        (
            Kind.PILES,
            [1, 2, 0],
            [[5, 0, 9], [0, 12, 9], [4, 8, 9]],
            "It scored 0 points in round 2; bo scored 12. ",
        ),
        (Kind.PILES, [0, 0, 0], [[5, 8, 9]], ""),
    ],
)
def test_the_sentence_says_where_the_winner_did_better(
    kind: Kind, counts: list[int], rounds: list[list[int]], sentence: str
) -> None:
    assert told(kind, counts, *rounds) == sentence


def test_a_shared_win_has_no_reason() -> None:
    assert told(Kind.ROWS, [1, 1, 3], [4, 4, 9], places=(1, 1, 3)) == ""


def test_the_winner_is_not_compared_with_one_that_is_out_with_fewer_points() -> None:
    text = told(Kind.ROWS, [2, 1, 3], [4, 2, 9], places=(1, 3, 2))
    assert text == "It took 2 rows for 4 heads; cy took 3 for 9. "
    assert told(Kind.ROWS, [2, 1], [4, 2], places=(1, 2), voices=VOICES[:2]) == ""


def test_one_at_the_table_is_spoken_to() -> None:
    you = [Voice("ada", True), *VOICES[1:]]
    text = told(Kind.PILES, [1, 0, 0], [0, 9, 9], [3, 3, 9], voices=you)
    assert text == "You emptied your hand in 1 of 2 rounds; bo in none. "
    you = [VOICES[0], Voice("bo", True), VOICES[2]]
    assert told(Kind.ROWS, [1, 4, 2], [2, 12, 20], voices=you).endswith("; you took 4 for 12. ")


@given(
    st.sampled_from(Kind),
    st.lists(st.integers(0, 4), min_size=2, max_size=2),
    st.lists(st.tuples(st.integers(8, 40), st.integers(8, 40)), min_size=1, max_size=4),
)
def test_the_first_number_is_the_better_one(
    kind: Kind, counts: list[int], rounds: list[tuple[int, int]]
) -> None:
    own, other = (sum(points) for points in zip(*rounds, strict=True))
    if own >= other:
        return
    text = told(kind, counts, *rounds, places=(1, 2), voices=VOICES[:2])
    if found := re.search(r"(?:hand in|scored|cost it) (\d+).*; .*?(\d+)", text):
        better, worse = int(found[1]), int(found[2])
        assert better > worse if "emptied" in text else better < worse
    if found := re.search(r"(\d+)(?: rows?)? for (\d+) heads?; bo took (\d+) for (\d+)", text):
        rows, heads, more_rows, more_heads = map(int, found.groups())
        assert heads < more_heads
        assert (rows < more_rows) == ("cheaper" not in text)
