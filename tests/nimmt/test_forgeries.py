"""Verifying a replay rejects every forgery, self-consistent ones too, and names the place."""

import copy
from functools import cache

import pytest

from nimmt.errors import ReplayError
from nimmt.verify import verify

# Importing these two fills the table.
from tests.nimmt import forged_decisions, forged_frames
from tests.nimmt.forgeries import FORGERIES, Forgery
from tests.nimmt.recorded import Document, record
from tests.nimmt.support import Variant

SIX = Variant("six-nimmt", {"rounds": 2}, range(4, 5))
ADVANCED = Variant("six-nimmt", {"advanced": True, "rounds": 2}, range(3, 4))
OPENING = Variant("six-nimmt", {"advanced": True, "opening_picks": 3, "rounds": 2}, range(3, 4))
ELEVEN = Variant("eleven-nimmt", {}, range(3, 4))
X = Variant("x-nimmt", {}, range(3, 4))


@cache
def originals() -> dict[str, Document]:
    """The games that are forged. Boards are chosen so that what is forged occurs in them."""
    return {
        "six": record(SIX, 4, board=2),
        "hidden": record(Variant("six-nimmt", {"rounds": 2}, range(3, 4)), 3, 2, keyed=False),
        "advanced": record(ADVANCED, 3),
        "opening": record(OPENING, 3),
        "eleven": record(ELEVEN, 3, board=6),
        "x": record(X, 3),
        "faults": record(SIX, 4, board=1, fail=0.04),
        "outs": record(SIX, 4, board=4, fail=0.15),
    }


def test_the_originals_are_accepted() -> None:
    for document in originals().values():
        verify(document)


def test_there_are_many_kinds_of_forgery() -> None:
    for part in (forged_decisions, forged_frames):
        kinds = {
            forgery.forge for forgery in FORGERIES if forgery.forge.__module__ == part.__name__
        }
        assert len(kinds) >= 20


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.name)
def test_a_forgery_is_rejected_where_it_was_made(forgery: Forgery) -> None:
    original = originals()[forgery.base]
    document = copy.deepcopy(original)
    place = forgery.forge(document)
    assert repr(document) != repr(original), "the forgery changed nothing"
    with pytest.raises(ReplayError, match=forgery.message) as caught:
        verify(document)
    error = caught.value
    assert (error.round_no, error.decision) == ((*(place or ()), None, None)[:2])
    if place:
        assert str(error).startswith(f"round {place[0]}")
    if place and len(place) > 1:
        assert str(error).startswith(f"round {place[0]}, decision {place[1]}: ")


def test_outs_hold_a_seat_that_plays_and_one_that_does_not() -> None:
    outs = [player["out"] for player in originals()["outs"]["players"]]
    assert any(outs)
    assert not all(outs)
