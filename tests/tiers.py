"""Which tests a run is for: the quick ones, those of `.ci/run` too, or the large ones as well."""

import os

import pytest


def wants_long(config: pytest.Config) -> bool:
    """Whether the large versions of tests are to run."""
    return bool(config.getoption("--long")) or os.environ.get("BULLRING_LONG") == "1"


def wants_heavy(config: pytest.Config) -> bool:
    """Whether tests are to run that a developer does not wait for every time."""
    return wants_long(config) or os.environ.get("BULLRING_REQUIRE") == "all"


HEAVY = "heavy: runs in .ci/run and with --long"
"""What is said of a test that was left out."""
