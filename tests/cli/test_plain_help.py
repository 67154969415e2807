"""Help texts: they wrap to the terminal, and placeholders are not names of Python types."""

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from cli.main import build_app


def walk(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command below this one, by what is typed."""
    below = getattr(command, "commands", None)
    if below is None:
        yield path, command
        return
    for name, one in below.items():
        yield from walk(one, f"{path} {name}".strip())


COMMANDS = dict(walk(typer.main.get_command(build_app())))


@pytest.mark.parametrize("name", COMMANDS)
def test_a_paragraph_of_help_is_one_line_that_the_terminal_breaks(name: str) -> None:
    assert COMMANDS[name].help, "every command says what it does"
    assert all("\n" not in one for one in COMMANDS[name].help.split("\n\n"))


@pytest.mark.parametrize("name", COMMANDS)
def test_placeholders_are_words_in_capitals(name: str) -> None:
    shown = {one.name: one.metavar for one in COMMANDS[name].params if one.metavar}
    # Between bars stand words that are typed as they are.
    assert not [word for word in shown.values() if word != word.upper() and "|" not in word]


def test_an_option_for_a_number_shows_its_range_and_no_type() -> None:
    [boards] = [one for one in COMMANDS["play"].params if one.name == "boards"]
    assert (boards.metavar, boards.min) == ("N", 1)
