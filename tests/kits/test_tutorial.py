"""The tutorial is typed, line by line: every command works, and the bot at its end wins."""

import json
import re
import subprocess
from pathlib import Path

import docker
import pytest

from tests.kits.toolchains import ROOT, environment

PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
SECONDS = 600


def steps() -> list[tuple[str, str]]:
    """The code blocks of the page, in order: commands, and what to put into a file."""
    return BLOCK.findall(PAGE.read_text(encoding="utf-8"))


def type_in(command: str, folder: Path) -> str:
    """Type a command there and give what it prints; fail as it fails."""
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment(HOME=str(folder)),
        capture_output=True, text=True, check=False, timeout=SECONDS,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder that looks like the checkout, where new files do no harm."""
    for entry in (*ROOT.iterdir(), ROOT / ".venv"):
        link = tmp_path / entry.name
        if not link.exists():
            link.symlink_to(entry)
    return tmp_path


def is_contained(command: str) -> bool:
    return "docker" in command or "sandbox.base" in command


def place_of_my_bot(command: str, folder: Path) -> tuple[float, float]:
    """The points a round of my-bot and the fewest of the others in the match of a command."""
    report = json.loads(type_in(f"{command} --json", folder))
    points = {bot["bot"]: bot["points_per_round"] for bot in report["bots"]}
    mine = points.pop("my-bot")
    assert all(not bot["faults"] for bot in report["bots"])
    return mine, min(points.values())


@pytest.mark.heavy
def test_every_command_works_and_the_bot_wins_in_the_end(checkout: Path) -> None:
    matches: list[tuple[float, float]] = []
    for language, text in steps():
        if language == "python":
            (checkout / "my-bot" / "bot.py").write_text(text, encoding="utf-8")
            continue
        for command in text.strip().splitlines():
            if is_contained(command):
                continue
            if "random random random" in command:
                # A busy machine may be slow; the result must not depend on it.
                patient = f"{command} --move-ms 2000 --bank-ms 60000"
                matches.append(place_of_my_bot(patient, checkout))
            type_in(command, checkout)
    first, second = matches
    assert first[0] < first[1], "the first bot is said to win"
    assert second[0] < second[1] / 2, "the second one is said to have less than half"


@pytest.mark.docker
@pytest.mark.long
def test_its_container_commands_work_too(
    docker_engine: docker.DockerClient, checkout: Path
) -> None:
    type_in("./bullring new my-bot --rules six-nimmt", checkout)
    commands = [line for _, text in steps() for line in text.strip().splitlines()]
    contained = [command for command in commands if is_contained(command)]
    assert len(contained) == 2
    for command in contained:
        # The engine and the cache of wheels are found as the user finds them.
        done = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=checkout,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
