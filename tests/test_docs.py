"""The documentation keeps up with the code: what exists is described, what is described exists."""

import ast
import re
import shlex
import subprocess
from collections.abc import Iterator
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer.main

from cli.main import build_app
from dashboard.references import api_reference, protocol_reference
from dashboard.settings import Settings
from nimmt.views import ElevenNimmtView, Pile, SixNimmtView, XNimmtView
from referee.faults import FaultKind
from tests.dashboard.declared import api_document
from wire.v1 import bot_pb2

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Commands are written as `bullring NAME` or `./bullring NAME`, in code; anything else is prose.
COMMAND = re.compile(r"(?:^|[`\s])(?:\./)?bullring((?: +[a-z][a-z0-9-]*)+)", re.MULTILINE)
CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
FENCED = re.compile(r"```[^\n]*\n(.*?)```", re.DOTALL)
# A whole command line: in a fenced block to the end of its line, in a sentence to the backquote.
LINE = re.compile(r"(?:^|[|;&(\s])(?:\./)?bullring (?=[a-z]|--)([^|;&\n]+)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+)$", re.MULTILINE)


def walk(command: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Every command of the application by its full name, groups by their members."""
    members = getattr(command, "commands", None)
    if members is None:
        yield name, command
        return
    for member in members.values():
        yield from walk(member, f"{name} {member.name}".strip())


COMMANDS: dict[str, Any] = dict(sorted(walk(typer.main.get_command(build_app()))))


def all_pages() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in PAGES)


def named_commands(text: str) -> Iterator[str]:
    """The words after `bullring` in the code parts of a page."""
    for code in CODE.findall(text):
        yield from (" ".join(match.split()) for match in COMMAND.findall(code))


def exists(words: str) -> bool:
    """Whether the words begin with a command, or name a group of them."""
    return any(
        f"{words} ".startswith(f"{name} ") or f"{name} ".startswith(f"{words} ")
        for name in COMMANDS
    )


def typed_lines(text: str) -> Iterator[str]:
    """What stands after `bullring` in every line of every fenced block, without its comment."""
    for block in FENCED.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            for found in LINE.findall(line):
                yield re.split(r"\s#", found)[0].strip()


def mistake(line: str) -> str | None:
    """What is wrong with a command line: no such command, or an option that it does not have."""
    words = shlex.split(line.replace("…", "x"))
    name = max(
        (one for one in COMMANDS if words[: len(one.split())] == one.split()), key=len, default=None
    )
    if name is None:
        group = words[0] == "--help" or exists(words[0])
        return None if group and len(words) == 1 else "there is no such command"
    command = COMMANDS[name]
    if command.context_settings.get("ignore_unknown_options"):
        return None
    known = {opt for one in command.params for opt in (*one.opts, *one.secondary_opts)}
    for word in words[len(name.split()) :]:
        option = word.partition("=")[0]
        if option.startswith("-") and option not in {*known, "--help", "-"}:
            return f"{name} has no option {option}"
    return None


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_described(name: str) -> None:
    described = list(named_commands(all_pages()))
    assert any(f"{words} ".startswith(f"{name} ") for words in described), (
        f"no page says `bullring {name}`"
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_explains_itself(name: str) -> None:
    command = COMMANDS[name]
    assert command.help, f"`bullring {name}` has no docstring"
    silent = [one.name for one in command.params if not one.help and one.name != "help"]
    assert not silent, f"`bullring {name}` has options without help"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_described_command_exists(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not {words for words in named_commands(text) if not exists(words)}
    wrong = {line: mistake(line) for line in typed_lines(text)}
    assert not {line: why for line, why in wrong.items() if why}


def tracked(pattern: str) -> list[Path]:
    """The files of the checkout that fit a pattern of Git; where there is no Git, of the folder."""
    asked = ["git", "ls-files", "-z", "--", pattern]
    listing = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)
    if listing.returncode != 0:
        pytest.skip("needs a git checkout to know which files are ours")
    return sorted(ROOT / name for name in listing.stdout.split("\0") if name)


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings that are the same on our pages and on GitHub."""
    found = set()
    for words in HEADING.findall(FENCED.sub("", text)):
        plain = re.sub(r"\]\([^)]*\)|[`*\[\]]", "", words).strip().lower()
        ours = re.sub(r"[^\w]+", "-", plain).strip("-")
        if ours == re.sub(r"[^\w -]", "", plain).replace(" ", "-"):
            found.add(ours)
    return found


def dead_links(path: Path) -> set[str]:
    """Links of a page to a file that is not there, or to a heading that the file does not have."""
    dead = set()
    text = path.read_text(encoding="utf-8")
    for target in LINK.findall(text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else path
        if not file.exists() or (anchor and anchor not in anchors(file.read_text("utf-8"))):
            dead.add(target)
    return dead


def test_links_lead_somewhere() -> None:
    pages = tracked("*.md")
    assert len(pages) > 50
    dead = {str(path.relative_to(ROOT)): dead_links(path) for path in pages if path.exists()}
    assert not {page: links for page, links in dead.items() if links}


def test_dead_links_are_found(tmp_path: Path) -> None:
    text = "# One `thing`, two\n\n## A & B\n\n```\n# no heading\n```\n"
    (tmp_path / "other.md").write_text(text)
    page = tmp_path / "page.md"
    links = ["other.md", "other.md#one-thing-two", "https://example.org/#x", "#here"]
    page.write_text("## Here\n" + "".join(f"[x]({link})\n" for link in links))
    assert dead_links(page) == set()
    dead = {"gone.md", "other.md#no-heading", "other.md#a-b", "#there"}
    page.write_text("## Here\n" + "".join(f"[x]({link})\n" for link in dead))
    assert dead_links(page) == dead


def test_pages_that_the_code_names_exist() -> None:
    named = {
        (str(path.relative_to(ROOT)), name)
        for path in tracked("*.py")
        if path.exists()
        for name in re.findall(r"\bdocs/[\w/-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert not {f"{path} names {name}" for path, name in named if not (ROOT / name).exists()}


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert not {page for page in pages if f"({page})" not in index}


def test_every_setting_is_described() -> None:
    text = all_pages()
    settings = {f"BULLRING_{name.upper()}" for name in Settings.model_fields}
    given = {one.envvar for command in COMMANDS.values() for one in command.params if one.envvar}
    assert not {name for name in settings | given if f"`{name}`" not in text}


def test_every_described_setting_exists() -> None:
    # What the sandbox and the tests of a bot set, and what chooses tests.
    others = {"BULLRING_REFEREE", "BULLRING_TOKEN", "BULLRING_REQUIRE", "BULLRING_LONG"}
    settings = {f"BULLRING_{name.upper()}" for name in Settings.model_fields}
    given = {one.envvar for command in COMMANDS.values() for one in command.params if one.envvar}
    named = set(re.findall(r"\bBULLRING_[A-Z_]*[A-Z]\b", all_pages()))
    assert not {name for name in named - settings - given - others if not _in_code(name)}


def _in_code(name: str) -> bool:
    """Whether a variable is read somewhere beside the settings: by a script or a compose file."""
    places = [*ROOT.glob("docker-compose*.yml"), *(ROOT / "deploy").rglob("*"), ROOT / "bullring"]
    return any(name in path.read_text(encoding="utf-8") for path in places if path.is_file())


STEP = re.compile(r"^\d+\. `([\w.]+)`", re.MULTILINE)


def found_by(dotted: str) -> object:
    """What a dotted name of the architecture page leads to: a function or a method."""
    parts = dotted.split(".")
    for length in range(len(parts) - 1, 0, -1):
        if find_module(".".join(parts[:length])):
            return reduce(getattr, parts[length:], import_module(".".join(parts[:length])))
    raise AssertionError(f"no module of ours is in {dotted}")


def find_module(dotted: str) -> bool:
    path = ROOT / dotted.replace(".", "/")
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


def test_the_ways_through_the_code_are_made_of_real_functions() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    ways = page.split("## Four ways through the code")[1].split("\n## ")[0]
    steps = STEP.findall(ways)
    assert len(steps) > 30
    assert ways.count("\n**") == 4
    assert all(callable(found_by(step)) for step in steps)
    with pytest.raises(AttributeError):
        found_by("league.ladder.draw.no_such_function")


def test_where_things_are_decided_is_made_of_real_functions() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    part = page.split("## Where is it decided?")[1].split("\n## ")[0]
    named = re.findall(r"\| `([\w.]+)`", part)
    assert len(named) > 5
    assert all(callable(found_by(name)) for name in named)


def test_every_room_is_drawn_on_the_architecture_page() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = page.split("## Rooms")[1].split("\n## ")[0]
    for package in ("league", "dashboard", "cli"):
        rooms = [path.parent.name for path in (ROOT / package).glob("*/__init__.py")]
        assert rooms
        assert not [room for room in rooms if f"{room}/" not in drawn]


def test_every_fault_is_described() -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    assert not {kind.value for kind in FaultKind if f"`{kind.value}`" not in page}


def test_every_route_of_the_api_is_described_and_in_the_reference() -> None:
    document = api_document()
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    reference = api_reference(document)
    for path, methods in document["paths"].items():
        last = [part for part in path.split("/") if not part.startswith("{")][-1]
        last = re.sub(r"\.\{.*", "", last)
        assert re.search(rf"/{re.escape(last)}\b", page), f"docs/api.md does not say {path}"
        for method in methods:
            assert f"### `{method.upper()} {path}`" in reference
    for name in document["components"]["schemas"]:
        assert f"### {name}\n" in reference


def test_every_message_of_the_contract_is_in_the_protocol_reference() -> None:
    source = (ROOT / "proto" / "wire" / "v1" / "bot.proto").read_text(encoding="utf-8")
    reference = protocol_reference(source)
    for message in bot_pb2.DESCRIPTOR.message_types_by_name.values():
        assert f"# {message.name}\n" in reference
        for field in message.fields:
            assert re.search(rf"\| `{field.name}`[^|]*\|[^|]+\| {field.number} \|", reference)


def test_commands_are_read_from_code_only_and_their_mistakes_are_found() -> None:
    text = "Say bullring nonsense.\n\n```\n./bullring replay verify FILE\n```\nand `bullring test`."
    assert list(named_commands(text)) == ["replay verify", "test"]
    assert list(typed_lines("```\nX=1 ./bullring up  # now\na | bullring login URL\n```")) == [
        "up",
        "login URL",
    ]
    assert exists("replay verify")
    assert exists("test tests")
    assert not exists("nonsense")
    assert mistake("replay verify FILE --quiet") is None
    assert mistake("replay verify FILE --loud") == "replay verify has no option --loud"
    assert mistake("replay burn FILE") == "there is no such command"


@pytest.mark.parametrize("view", [SixNimmtView, ElevenNimmtView, XNimmtView])
def test_every_field_of_every_view_is_in_its_table(view: Any) -> None:
    page = (ROOT / "docs" / "write-a-bot.md").read_text(encoding="utf-8")
    part = page.split(f"**`{view.__name__}`**")[1].split("**`")[0].split("\n## ")[0]
    cells = [line.split("|")[1] for line in part.splitlines() if line.startswith("| `")]
    named = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert named == list(view._fields)
    if view is ElevenNimmtView:
        assert f"Pile({', '.join(Pile._fields)})" in part


STARTED_BY_OTHERS = {"dashboard_results", "dashboard_server", "league_rates"}
"""Parts of a measurement that are processes of their own; people start the whole."""


def test_every_benchmark_is_described_and_explains_its_options() -> None:
    page = (ROOT / "docs" / "speed.md").read_text(encoding="utf-8").partition("\n## All bench")[2]
    runnable = {
        path.stem: source
        for path in sorted((ROOT / "bench").glob("*.py"))
        if '__name__ == "__main__"' in (source := path.read_text(encoding="utf-8"))
    }
    assert [name for name, source in runnable.items() if "described(__doc__)" not in source] == []
    listed = re.findall(r"^\| `python -m bench\.(\w+)` \|", page, re.MULTILINE)
    assert sorted(listed) == sorted(runnable.keys() - STARTED_BY_OTHERS)
    for name, source in runnable.items():
        options = [
            node
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "add_argument"
        ]
        silent = [one.lineno for one in options if "help" not in [key.arg for key in one.keywords]]
        assert silent == [], f"bench/{name}.py has options without help in these lines"
