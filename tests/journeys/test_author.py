"""The tutorial is typed, line by line: from nothing to a win at home, then to a rated bot."""

import json
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from tests.journeys.paper import ROOT, Block, Terminal, blocks, checkout
from tests.league.world import wait_for

PAGE = ROOT / "docs" / "tutorial.md"
BASE_IMAGE = ".venv/bin/python -m sandbox.base.make"


def parts() -> tuple[list[Block], list[Block]]:
    """What is done at home, and what is done with containers on a league."""
    page = blocks(PAGE)
    first = next(place for place, block in enumerate(page) if BASE_IMAGE in block.text)
    return page[:first], page[first:]


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(checkout(tmp_path))
    yield made
    made.close()


def place_of_my_bot(terminal: Terminal, command: str) -> tuple[float, float]:
    """The points a round of my-bot and the fewest of the others in the match of a command."""
    report = json.loads(terminal.type(f"{command} --json"))
    points = {bot["bot"]: bot["points_per_round"] for bot in report["bots"]}
    mine = points.pop("my-bot")
    assert all(not bot["faults"] for bot in report["bots"])
    return mine, min(points.values())


@pytest.mark.heavy
@pytest.mark.timeout(1200)
def test_at_home_every_command_works_and_the_bot_wins_in_the_end(terminal: Terminal) -> None:
    matches: list[tuple[float, float]] = []
    for block in parts()[0]:
        if block.language == "python":
            (terminal.folder / "my-bot" / "bot.py").write_text(block.text, encoding="utf-8")
        for command in block.commands:
            if "random random random" in command:
                # A busy machine may be slow; the result must not depend on it.
                patient = f"{command} --move-ms 2000 --bank-ms 60000"
                matches.append(place_of_my_bot(terminal, patient))
            terminal.type(command)
    first, second = matches
    assert first[0] < first[1], "the first bot is said to win"
    assert second[0] < second[1] / 2, "the second one is said to have less than half"


@pytest.mark.docker
@pytest.mark.heavy
@pytest.mark.timeout(1800)
def test_on_a_league_the_bot_is_submitted_checked_and_rated(
    docker_engine: docker.DockerClient, terminal: Terminal
) -> None:
    home, league = parts()
    terminal.type(home[0].commands[0])
    said = {}
    for block in league:
        for command in block.commands:
            said[command] = terminal.type(command)
    [submitted] = [text for command, text in said.items() if " submit " in command]
    assert "It may play. Runner: docker" in submitted
    assert "ada/my-bot version 1 plays from now on" in submitted
    [asked] = [command for command in said if " status " in command]
    # Ratings follow a match at the next turn of the clock.
    wait_for(lambda: "ladder 1, six-nimmt, tables of 4: " in terminal.type(asked))
    [told] = [text for command, text in said.items() if "replay show" in command]
    assert "ada/my-bot" in told
    assert "1 verified, 0 wrong" in terminal.type("./bullring replay verify first-game.json")
