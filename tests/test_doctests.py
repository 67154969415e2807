"""The examples in docstrings are true, in every package."""

import doctest
import importlib
from pathlib import Path

import pytest

from cli.dev import existing_packages

ROOT = Path(__file__).resolve().parent.parent


def with_examples() -> list[str]:
    """The modules of the product that show examples; a new one is tested without being named."""
    files = [
        file
        for package in existing_packages(ROOT)
        for file in sorted((ROOT / package).rglob("*.py"))
    ]
    return [
        ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for file in files
        if ">>> " in file.read_text(encoding="utf-8")
    ]


@pytest.mark.parametrize("name", with_examples())
def test_examples_are_true(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0, "what looks like an example is run"
    assert result.failed == 0


def test_the_rules_and_the_pages_have_examples() -> None:
    packages = {name.partition(".")[0] for name in with_examples()}
    assert {"nimmt", "league", "dashboard", "store", "cli"} <= packages
