"""Which tests a run is for: the quick ones, those of `.ci/run` too, or the large ones as well."""

import os

import pytest
from hypothesis import settings


def wants_long(config: pytest.Config) -> bool:
    """Whether the large versions of tests are to run."""
    return bool(config.getoption("--long")) or os.environ.get("BULLRING_LONG") == "1"


def wants_heavy(config: pytest.Config) -> bool:
    """Whether tests are to run that a developer does not wait for every time."""
    return wants_long(config) or os.environ.get("BULLRING_REQUIRE") == "all"


def is_heavy(item: pytest.Item) -> bool:
    """Whether a test is one of those: marked `heavy`, and not an exception that the mark names.

    `heavy(but="six")` leaves the tests and variants with `six` in their name to every run, so
    that each matter has a quick one.
    """
    marker = item.get_closest_marker("heavy")
    if marker is None:
        return False
    but = marker.kwargs.get("but", ())
    return not any(words in item.name for words in ((but,) if isinstance(but, str) else but))


def tier(config: pytest.Config) -> str:
    """The name of the profile with the number of examples that a property is tried on."""
    if wants_long(config):
        return "long"
    return "heavy" if wants_heavy(config) else "quick"


def up_to(examples: int) -> int:
    """For a property with a number of its own: all of them but in a quick run, which takes its
    share as the other properties do."""
    return min(examples, max(1, examples * settings().max_examples // HEAVY_EXAMPLES))


QUICK_EXAMPLES, HEAVY_EXAMPLES, LONG_EXAMPLES = 15, 50, 1000
HEAVY = "heavy: runs in .ci/run and with --long"
"""What is said of a test that was left out."""
