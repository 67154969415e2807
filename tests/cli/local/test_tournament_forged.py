"""A results file from elsewhere: refused in a line, and never a way to run something."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cli.main import build_app
from tests.cli.local.test_tournament import bullring, outcome

Line = dict[str, Any]
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    """The lines of a file that a tournament has really written."""
    folder = tmp_path_factory.mktemp("written")
    slow = ("--move-ms", "5000", "--bank-ms", "60000", "--start-ms", "60000", "--seed", "5")
    done = bullring(
        folder, "six-nimmt", "lowest", "highest", "-m", 1, "-b", 1, "-o", "rounds=1", *slow,
        "--results", "r.jsonl", "--json",
    )  # fmt: skip
    outcome(done)
    return [json.loads(line) for line in (folder / "r.jsonl").read_text().splitlines()]


def in_games(**values: Any) -> Callable[[Line, Line], None]:
    def change(_: Line, match: Line) -> None:
        for game in match["games"]:
            game.update(values)

    return change


def in_match(**values: Any) -> Callable[[Line, Line], None]:
    return lambda _, match: match.update(values)


def in_plan(**values: Any) -> Callable[[Line, Line], None]:
    return lambda about, _: about.update(values)


def nameless(about: Line, _: Line) -> None:
    del about["bots"][0]["name"]


FORGED = {
    "no name": (nameless, "the bots were"),
    "bots of nothing": (in_plan(bots=None), "cannot be read"),
    "bots of words": (in_plan(bots=["lowest"]), "cannot be read"),
    "time of nothing": (in_plan(time=[]), "cannot be read"),
    "boards without end": (in_plan(boards=10**18), "cannot be used"),
    "meetings without end": (in_plan(meetings=10**9), "cannot be used"),
    "a table in words": (in_plan(table="x"), "cannot be used"),
    "no such bot": (in_match(table=[5, 7]), "other bots than planned"),
    "one bot twice": (in_match(table=[0, 0]), "other bots than planned"),
    "no such match": (in_match(number=-4), "none of the 1 that are planned"),
    "no games": (in_match(games=[]), "has no games"),
    "no bots": (in_match(bots=[]), "other bots than planned"),
    "no such seats": (in_games(seats=[9, 9]), "cannot have been played"),
    "no points": (in_games(points=[]), "cannot have been played"),
    "no rounds": (in_games(rounds=0), "cannot have been played"),
    "too many points": (in_games(points=[10**400, 1]), "cannot have been played"),
}


def resumed(path: Path, *lines: bytes) -> str:
    """What is said about these lines; they must be refused in one."""
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    done = CliRunner().invoke(build_app(), ["tournament", "--resume", str(path)])
    assert done.exit_code == 2, (done.output, done.exception)
    assert "\x1b" not in done.output
    return " ".join(done.output.split())


@pytest.mark.parametrize("case", FORGED)
def test_a_file_that_no_tournament_wrote_is_refused(
    written: list[Line], tmp_path: Path, case: str
) -> None:
    change, words = FORGED[case]
    about, match = copy.deepcopy(written[0]), copy.deepcopy(written[1])
    change(about, match)
    lines = [json.dumps(line).encode() for line in (about, match)]
    assert words in resumed(tmp_path / "forged.jsonl", *lines)


def test_lines_that_nest_without_end_are_refused(written: list[Line], tmp_path: Path) -> None:
    about, match = (json.dumps(line).encode() for line in written)
    deep = b"[" * 100_000
    assert "does not begin" in resumed(tmp_path / "first.jsonl", deep)
    assert "line 2 cannot be read" in resumed(tmp_path / "second.jsonl", about, deep, match)


@pytest.mark.parametrize("names_bots", [False, True])
def test_a_command_in_a_file_is_run_only_when_it_is_typed_too(
    written: list[Line], tmp_path: Path, names_bots: bool
) -> None:
    trace = tmp_path / "it-ran"
    about = copy.deepcopy(written[0])
    typed = f"touch {trace}"
    about["bots"][0] |= {"typed": typed, "name": "it-ran"}
    path = tmp_path / "forged.jsonl"
    path.write_text(json.dumps(about) + "\n")
    bots = ["six-nimmt", typed, "highest"] if names_bots else []
    done = CliRunner().invoke(build_app(), ["tournament", "--resume", str(path), *bots])
    assert done.exit_code == 2
    said = "belongs to another tournament" if names_bots else "not run because a file says so"
    assert said in " ".join(done.output.split())
    assert not trace.exists()
