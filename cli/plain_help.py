"""How `--help` reads: paragraphs wrap to the terminal, and placeholders are words in capitals."""

import inspect
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption

PLACEHOLDERS = {"int": "N", "float": "X", "str": "TEXT", "Path": "PATH"}
"""By the name of an option's type; its range follows by itself."""


class PlainCommand(TyperCommand):
    """A command whose options show a placeholder instead of the name of a Python type."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **settings)
        for given in self.params:
            if given.metavar is not None:
                continue
            if isinstance(given, TyperOption):
                kind = given.bare_type().removeprefix("list[").removesuffix("]")
                given.metavar = "" if given.is_flag else PLACEHOLDERS.get(kind)
            elif isinstance(given, TyperArgument) and given.nargs == 1:
                given.metavar = (given.name or "").upper()


def make_plain(app: typer.Typer) -> None:
    """Give every command below `app` such help."""
    for command in app.registered_commands:
        command.cls = PlainCommand
        if command.help is None and command.callback is not None:
            command.help = unwrapped(inspect.getdoc(command.callback) or "")
    for group in app.registered_groups:
        if group.typer_instance is not None:
            make_plain(group.typer_instance)


def unwrapped(text: str) -> str:
    """A docstring with one line for each paragraph: where it breaks is up to the terminal.

    >>> unwrapped("One\\ntwo.\\n\\nThree.")
    'One two.\\n\\nThree.'
    """
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
