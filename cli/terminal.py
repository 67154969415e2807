"""The one way to the terminal: whatever is printed is made harmless here first.

Names, reasons, titles, notes and logs come from strangers. Line breaks would forge lines of ours,
escape sequences steer the terminal, direction marks turn text around: all are shown as escapes.
A test keeps every other module of the command line from printing by itself.
"""

import json
import re
from typing import TYPE_CHECKING

import typer

from cli.installed import COMMAND

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

# C0 and C1 controls, line separators, direction and zero-width marks, halves of surrogate pairs.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
# A command that is to be typed: the name of the program, then that of a command.
_TYPED = re.compile(r"(?<![\w./-])bullring (?=[a-z])")
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def clean(text: object) -> str:
    r"""Text on one line in which nothing steers a terminal; what would is shown as an escape.

    The escapes are those of JSON, so that JSON stays the JSON it was.

    >>> clean("a\n\x1b[31mred\u202e")
    'a\\n\\u001b[31mred\\u202e'
    """
    return _UNSAFE.sub(_escaped, str(text))


def _escaped(found: re.Match[str]) -> str:
    letter = found[0]
    if letter in _NAMED:
        return _NAMED[letter]
    number = ord(letter)
    if number < 0x10000:
        return f"\\u{number:04x}"
    # JSON has no longer escape: two halves of a surrogate pair.
    high, low = divmod(number - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


def as_typed(text: str, command: str = COMMAND) -> str:
    """A text of ours in which every command is written as it is typed here.

    >>> as_typed("Next: bullring submit FOLDER; or `bullring new`.", "./bullring")
    'Next: ./bullring submit FOLDER; or `./bullring new`.'
    >>> as_typed("bullring: no file; bullring 0.1.0; ./bullring play", "./bullring")
    'bullring: no file; bullring 0.1.0; ./bullring play'
    """
    return _TYPED.sub(f"{command} ", text)


def say(text: object = "", *, err: bool = False, fg: str | None = None) -> None:
    """Print one line of ours; commands in it are written as they are typed here."""
    _print(as_typed(str(text)), err=err, fg=fg)


def _print(text: str, *, err: bool, fg: str | None = None) -> None:
    typer.secho(clean(text), err=err, fg=fg)


def say_text(text: object, *, indent: str = "", err: bool = False) -> None:
    """Print a text of several lines; an indent keeps a stranger's lines apart from ours.

    Colours, which programs put into their logs, are left out.
    """
    plain = _COLOUR.sub("", str(text)).rstrip("\r\n")
    for line in re.split("\r\n|\n", plain):
        _print(f"{indent}{line}", err=err)


def say_json(value: object) -> None:
    """Print a document on one line."""
    _print(json.dumps(value), err=False)


def confirm(question: str) -> None:
    """Ask before something is done; no is the end of the command."""
    typer.confirm(clean(question), abort=True)


def cell(text: object) -> "Text":
    """What may stand in a table: clean, and no markup."""
    from rich.text import Text

    return Text(clean(text))


def console(*, stderr: bool = False) -> "Console":
    """For tables and progress bars; their texts go through `cell` or `clean`."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False)
