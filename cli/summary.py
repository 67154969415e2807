"""Summaries in Markdown for the page of a CI job: what `--summary FILE` appends."""

import re
from pathlib import Path
from typing import Annotated

import typer

from cli.options import refuse
from cli.terminal import clean

SummaryOption = Annotated[
    Path | None,
    typer.Option(
        "--summary", metavar="FILE", help="Append a summary in Markdown to this file, for CI."
    ),
]
MARKS = {True: "✅", False: "❌", None: "❔"}
"""None: the games do not tell."""
_COLOUR = re.compile("\x1b\\[[0-9;]*m")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|!~&])")


def append_summary(
    file: Path | None, title: str, verdict: str, details: str = "", *, good: bool | None
) -> None:
    """Add a section to the file; None: no summary was asked for."""
    if file is None:
        return
    try:
        with file.open("a", encoding="utf-8") as out:
            out.write(section(title, verdict, details, good=good))
    except OSError as error:
        refuse(
            f"got --summary {file}, which cannot be written ({error.strerror}); name another file"
        )


def section(title: str, verdict: str, details: str, *, good: bool | None) -> str:
    r"""A heading, the verdict in bold, and the details in a fence that nothing in them can close.

    >>> section("Check", "It <may> play.", "ok  start", good=True)
    '### Bullring: Check\n\n✅ **It \\<may\\> play.**\n\n```\nok  start\n```\n\n'
    """
    head = f"### Bullring: {plain(title)}\n\n{MARKS[good]} **{plain(verdict)}**\n\n"
    if not details.strip():
        return head
    lines = [clean(line) for line in _COLOUR.sub("", details).rstrip().splitlines()]
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{head}{fence}\n" + "\n".join(lines) + f"\n{fence}\n\n"


def plain(text: str) -> str:
    """Text of strangers as text: no markup, no second line."""
    return _MARKUP.sub(r"\\\1", clean(text))
