"""Help texts: they wrap to the terminal, and placeholders are not names of Python types."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from cli.main import build_app


def walk(command: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every command below this one, by what is typed."""
    below = getattr(command, "commands", None)
    if below is None:
        yield path, command
        return
    for name, one in below.items():
        yield from walk(one, f"{path} {name}".strip())


NARROW = {"COLUMNS": "80", "TERMINAL_WIDTH": "80"}
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


def help_of(name: str) -> str:
    typed = [*name.split(), "--help"]
    return CliRunner().invoke(build_app(), typed, prog_name="bullring", env=NARROW).output


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_80_columns_and_names_no_type_of_python(name: str) -> None:
    shown = help_of(name)
    assert "Usage: bullring" in shown
    assert [line for line in shown.splitlines() if len(line) > 80] == []
    assert not re.search(r"<\w+[\w|,\[\]]*>|\bbool\b|\blist\[|\{\w", shown)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_number_shows_its_range(name: str) -> None:
    """Beside its placeholder, or in words. What numbers a thing of the league has no range."""
    options = [one for one in COMMANDS[name].params if one.param_type_name == "option"]
    numbers = [one for one in options if one.metavar in ("N", "X") and not one.hidden]
    bare = [
        one.opts[0]
        for one in numbers
        if one.min is None and not re.search(r"\d to \d|\d or more|up to \d|above 0", one.help)
    ]
    assert bare == []


@pytest.mark.parametrize("name", COMMANDS)
def test_one_thing_has_one_placeholder(name: str) -> None:
    """A file is FILE, a folder FOLDER, whatever else they are called where they are used."""
    used = {word for one in COMMANDS[name].params for word in re.findall(r"\w+", one.metavar or "")}
    assert not used & {"PATH", "DIR", "DIRECTORY", "FILENAME", "REPLAY", "SEAT", "INTEGER"}


def test_what_is_needed_together_is_said() -> None:
    for name, given, word in (
        ("versions", "--ladder", "With --gate"),
        ("tournament", "--gain", "With sequential"),
        ("tournament", "--budget", "With sequential"),
        ("tournament", "rules", "Not needed with --resume"),
        ("tournament", "bots", "Not needed with --resume"),
    ):
        [one] = [one for one in COMMANDS[name].params if given in (one.name, *one.opts)]
        assert word in one.help
