"""The examples in the docstrings of the rules run, and are as they say."""

import doctest
import importlib
import pkgutil

import pytest

import nimmt

MODULES = ["nimmt", *(f"nimmt.{module.name}" for module in pkgutil.iter_modules(nimmt.__path__))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples_to_run() -> None:
    attempted = [doctest.testmod(importlib.import_module(name)).attempted for name in MODULES]
    assert sum(attempted) > 5
