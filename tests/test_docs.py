"""The documentation keeps up with the code: what exists is described, what is described exists."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from cli.main import build_app

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Commands are written as `bullring NAME` or `./bullring NAME`, in code; anything else is prose.
COMMAND = re.compile(r"(?:^|[`\s])(?:\./)?bullring((?: +[a-z][a-z0-9-]*)+)", re.MULTILINE)
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def walk(command: Any, name: str = "") -> Iterator[str]:
    """Every command of the application by its full name, groups by their members."""
    members = getattr(command, "commands", None)
    if members is None:
        yield name
        return
    for member in members.values():
        yield from walk(member, f"{name} {member.name}".strip())


def all_commands() -> list[str]:
    return sorted(walk(typer.main.get_command(build_app())))


def named_commands(text: str) -> Iterator[str]:
    """The words after `bullring` in the code parts of a page."""
    for code in CODE.findall(text):
        yield from (" ".join(match.split()) for match in COMMAND.findall(code))


def exists(words: str, commands: list[str]) -> bool:
    """Whether the words begin with a command, or name a group of them."""
    return any(
        f"{words} ".startswith(f"{name} ") or f"{name} ".startswith(f"{words} ")
        for name in commands
    )


@pytest.mark.parametrize("name", all_commands())
def test_every_command_is_described(name: str) -> None:
    pages = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    assert any(f"{words} ".startswith(f"{name} ") for words in named_commands(pages)), (
        f"no page says `bullring {name}`"
    )


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_described_command_exists(path: Path) -> None:
    commands = all_commands()
    named = set(named_commands(path.read_text(encoding="utf-8")))
    assert not {words for words in named if not exists(words, commands)}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    targets = LINK.findall(path.read_text(encoding="utf-8"))
    local = {target.split("#")[0] for target in targets if not re.match(r"[a-z]+:|#", target)}
    assert not {target for target in local if not (path.parent / target).exists()}


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "0-index.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"0-index.md"}
    assert not {page for page in pages if f"({page})" not in index}


def test_command_names_are_read_from_code_only() -> None:
    text = "Say bullring nonsense.\n\n```\n./bullring replay verify FILE\n```\nand `bullring test`."
    assert list(named_commands(text)) == ["replay verify", "test"]
    assert exists("replay verify", ["replay verify"])
    assert exists("test tests", ["test"])
    assert not exists("nonsense", ["test", "replay verify"])
