"""The organiser's handbook is typed from its first line to its last, against real workers."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.journeys.paper import ROOT, Terminal, blocks, checkout

HANDBOOK = ROOT / "docs" / "handbook.md"
LONG_ENOUGH = ("boards = 20 ", "boards = 200 ")
"""The season has to be running still when the next command is typed, however slow that is."""


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(checkout(tmp_path))
    yield made
    made.close()


@pytest.mark.heavy
@pytest.mark.timeout(1200)
def test_a_season_from_the_plan_to_the_archive_by_the_handbook_alone(terminal: Terminal) -> None:
    said: dict[str, str] = {}
    for block in blocks(HANDBOOK):
        if block.language == "toml":
            assert LONG_ENOUGH[0] in block.text
            plan = block.text.replace(*LONG_ENOUGH)
            (terminal.folder / "spring.toml").write_text(plan, encoding="utf-8")
        for command in block.commands:
            said[command.removeprefix("./bullring ")] = terminal.type(command)
    assert "spring: draft, six-nimmt, tables of 4" in said["season list"]
    assert "All is well." in said["season rehearse spring --boards 4"]
    link = said['invite --note "for Ada"'].split()[0]
    assert link.startswith(f"http://localhost:{terminal.port}/link/")
    commitment = re.search(r"sha256:[0-9a-f]{64}", said["season freeze spring"])
    assert commitment
    for act in ("season.create", "season.freeze"):
        assert act in said["audit --season spring"]
    final = said["season standings spring-final"]
    assert "house/gap" in final
    assert "house/leastcost" in final
    assert "nothing wrong" in said["season verify-archive spring-archive"]
    archived = f"season verify-archive spring-archive --commitment {commitment[0]}"
    terminal.type(f"./bullring {archived}")
    assert "house/random" not in terminal.type("./bullring season standings spring")
