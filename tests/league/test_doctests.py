"""The examples in the docstrings of the league's modules are true."""

import doctest
import importlib

import pytest

MODULES = (
    "blocks", "elo", "gate", "matchmaking", "planner", "ranking", "schedule_designs", "seasons",
    "sequential",
)  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"league.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
