"""What is found in an archive: how much was looked at, and what is wrong with it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from dashboard.archive.data import read_bytes

MOST_PROBLEMS = 50


@dataclass
class Findings:
    """What was looked at, and what is wrong."""

    files: int = 0
    matches: int = 0
    games: int = 0
    problems: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Nothing is wrong."""
        return not self.problems

    def say(self, problem: str) -> None:
        """Keep a problem, up to a number that a person would read."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


def compare(folder: Path, files: Iterator[tuple[str, bytes]], found: Findings) -> set[str]:
    """Files as they have to be; returns their names."""
    names = set()
    for name, body in files:
        names.add(name)
        try:
            same = read_bytes(folder / name) == body
        except OSError:
            continue  # The manifest's check has named it as missing.
        if not same:
            found.say(f"{name} is not what the data says")
    return names
