"""The contract between referee and bot (`bot.proto`) as a page of Markdown, comments and all."""

import re
from collections.abc import Iterator

ABOUT = """# Protocol reference

Every message between referee and bot, made from the contract itself, `proto/wire/v1/bot.proto`.
Sequence, clocks and faults: [Protocol](protocol.md).
"""
_OPEN = re.compile(r"(message|enum|service|oneof) (\w+) \{(\})?")
_FIELD = re.compile(r"(?:(repeated|optional) )?(map<.+?>|[\w.]+) (\w+) = (\d+)(?: \[.*\])?;")
_VALUE = re.compile(r"(\w+) = (\d+);")
_CALL = re.compile(r"rpc (\w+)\((.+?)\) returns \((.+?)\);")


def protocol_reference(source: str) -> str:
    """The whole page; a line in an unknown form is refused, not left out."""
    return "\n".join([ABOUT, *_Reader().lines(source)])


class _Reader:
    """Goes through the file line by line; knows in which message it is."""

    def __init__(self) -> None:
        self._comment: list[str] = []
        self._inside: list[str] = []
        self._table = False

    def lines(self, source: str) -> Iterator[str]:
        for number, raw in enumerate(source.splitlines(), 1):
            line = raw.strip()
            if line.startswith("//"):
                self._comment.append(line.removeprefix("//").removeprefix(" "))
            elif not line or line.startswith(("syntax ", "package ", "option ")):
                yield from self._loose()
            elif line == "}":
                yield from self._close()
            else:
                yield from self._known(line, number)

    def _known(self, line: str, number: int) -> Iterator[str]:
        """A message, a call, a field or a value."""
        if opened := _OPEN.match(line):
            yield from self._begin(opened[1], opened[2])
            if opened[3]:
                yield from self._close()
        elif call := _CALL.match(line):
            yield f"**`{call[1]}`**: takes {_code(call[2])}, gives {_code(call[3])}. {self._text()}"
        elif field := _FIELD.match(line):
            kind = " ".join(filter(None, (field[1], field[2])))
            one_of = " (one of)" if self._inside[-1] == "oneof" else ""
            yield from self._row(f"| `{field[3]}`{one_of} | {_code(kind)} | {field[4]} |")
        elif value := _VALUE.match(line):
            yield from self._row(f"| `{value[1]}` | | {value[2]} |")
        else:
            raise ValueError(f"bot.proto, line {number}: {line!r} is not understood")

    def _begin(self, kind: str, name: str) -> Iterator[str]:
        self._inside.append(kind)
        if kind == "oneof":
            self._comment.clear()
            return
        self._table = False
        level = "##" if len(self._inside) == 1 else "###"
        yield from ("", f"{level} {name}", "", self._text(), "")

    def _close(self) -> Iterator[str]:
        if self._inside.pop() != "oneof":
            self._table = False
            yield ""

    def _row(self, start: str) -> Iterator[str]:
        if not self._table:
            self._table = True
            yield from ("| Field | Type | Number | Meaning |", "|---|---|---|---|")
        yield f"{start} {self._text().replace('|', chr(92) + '|')} |"

    def _loose(self) -> Iterator[str]:
        """A comment that belongs to no message: the file's own introduction."""
        if self._comment and not self._inside:
            yield from ("```text", *self._comment, "```", "")
        self._comment.clear()

    def _text(self) -> str:
        words = " ".join(self._comment)
        self._comment.clear()
        return words


def _code(text: str) -> str:
    return f"`{text}`"
