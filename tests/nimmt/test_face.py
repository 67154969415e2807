"""The names of `nimmt`: imported when first asked for, and the same as type checkers are told."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import nimmt


def told_to_type_checkers() -> dict[str, tuple[str, ...]]:
    tree = ast.parse(Path(str(nimmt.__file__)).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    ours = [node for node in imports if str(node.module).startswith("nimmt.")]
    return {
        str(node.module).removeprefix("nimmt."): tuple(alias.name for alias in node.names)
        for node in ours
    }


def test_both_lists_of_names_agree() -> None:
    assert told_to_type_checkers() == nimmt._HOME
    assert sorted(nimmt.__all__) == sorted(nimmt._MODULE_OF)
    assert set(dir(nimmt)) >= set(nimmt.__all__)


@pytest.mark.parametrize("name", nimmt.__all__)
def test_a_name_is_that_of_its_module(name: str) -> None:
    home = import_module(f"nimmt.{nimmt._MODULE_OF[name]}")
    assert getattr(nimmt, name) is getattr(home, name)


def test_a_name_that_is_not_there_is_an_error_as_in_any_module() -> None:
    with pytest.raises(AttributeError, match="module 'nimmt' has no attribute 'seven'"):
        getattr(nimmt, "seven")  # noqa: B009 - mypy knows that it is not there
    assert nimmt.__getattr__("views") is import_module("nimmt.views")
