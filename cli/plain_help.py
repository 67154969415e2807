"""How `--help` reads: paragraphs wrap to the terminal, and placeholders are words in capitals.

Words between bars are typed as they are; a range stands beside its number.
"""

import inspect
from typing import Any

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from cli.plain_errors import explain, kind_of

PLACEHOLDERS = {"int": "N", "float": "X", "str": "TEXT", "Path": "PATH"}
"""By the name of an option's type; its range follows by itself."""


class PlainCommand(TyperCommand):
    """A command whose options show a placeholder instead of the name of a Python type."""

    def __init__(self, name: str | None, **settings: Any) -> None:
        super().__init__(name, **settings)
        for given in self.params:
            _name_plainly(given)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; whatever is wrong is said with what was given and what is expected."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            explain(error, ctx)
            raise

    def get_help_option(self, ctx: Any) -> Any:
        """`--help` takes no value."""
        return _without_value(super().get_help_option(ctx))


class PlainGroup(TyperGroup):
    """A group of commands that reads alike."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for given in self.params:
            _name_plainly(given)

    def get_help_option(self, ctx: Any) -> Any:
        """`--help` takes no value."""
        return _without_value(super().get_help_option(ctx))


def _without_value(option: Any) -> Any:
    if option is not None:
        option.metavar = ""
    return option


def _name_plainly(given: Any) -> None:
    if isinstance(given, TyperArgument):
        if given.metavar is None:
            given.metavar = (given.name or "").upper()
        # Its name says what it is; the name of a Python type beside it would not help.
        given.display_type_rich = _nothing  # type: ignore[method-assign]
        given._usage_display_name = lambda: _usage(given)  # type: ignore[method-assign]
    elif isinstance(given, TyperOption) and given.metavar is None:
        choices = given.type_descriptor.choices if given.type_descriptor.is_choice else None
        words = [str(getattr(one, "value", one)) for one in choices or ()]
        given.metavar = "" if given.is_flag else "|".join(words) or PLACEHOLDERS.get(kind_of(given))


def _nothing(ctx: Any) -> str:
    return ""


def _usage(given: TyperArgument) -> str:
    """An argument in the line that shows how a command is used; three dots: any number of it."""
    name = given.metavar or ""
    many = "…" if given.nargs != 1 and not name.endswith("…") else ""
    return f"{name}{many}" if given.required else f"[{name}{many}]"


def make_plain(app: typer.Typer) -> None:
    """Give every command below `app` such help."""
    app.info.cls = PlainGroup
    for command in app.registered_commands:
        command.cls = PlainCommand
        if command.help is None and command.callback is not None:
            command.help = unwrapped(inspect.getdoc(command.callback) or "")
    for group in app.registered_groups:
        group.cls = PlainGroup
        if group.typer_instance is not None:
            make_plain(group.typer_instance)


def unwrapped(text: str) -> str:
    """A docstring with one line for each paragraph: where it breaks is up to the terminal.

    >>> unwrapped("One\\ntwo.\\n\\nThree.")
    'One two.\\n\\nThree.'
    """
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
