"""The author's tool as authors install it: two wheels, an empty environment, an empty folder."""

import ast
import importlib.metadata
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from typer.main import get_command_name

from botkit.client import ExitCode
from cli import __version__
from cli.local import replay_app
from cli.main import build_app
from deploy.wheels import about, build, complaints, files_of
from store import Store
from tests.cli.author.test_author_commands import league, review_sample, secret_of, site, store
from tests.dashboard.conftest import plain_logs, quick_passwords, seeded, seeded_folder, settings

__all__ = [
    "league", "plain_logs", "quick_passwords", "seeded", "seeded_folder", "settings", "site",
    "store",
]  # fmt: skip

pytestmark = pytest.mark.heavy
DICE = """
import random
from botkit import Bot, run


class Dice(Bot):
    def choose_card(self, view):
        return random.choice(view.hand)


run(Dice)
"""
OURS = {"bullring", "bullring-botkit"}
OF_A_SERVER = {
    "alembic", "celery", "docker", "fastapi", "jinja2", "redis", "sqlalchemy", "sqlmodel",
    "starlette", "uvicorn",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tool:
    """An installed `bullring`, and the folder where its user is."""

    environment: Path
    folder: Path

    def type(self, *words: object, code: int = 0, typed: str = "") -> str:
        """Type a command; returns what it printed."""
        return self.run([str(self.environment / "bin" / "bullring"), *map(str, words)], code, typed)

    def run(self, command: list[str], code: int = 0, typed: str = "") -> str:
        """Run a program in the user's folder, with nothing of the checkout in its environment."""
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            command, cwd=self.folder, env=environ, input=typed, capture_output=True, text=True
        )
        said = done.stdout + done.stderr
        assert done.returncode == code, f"{command}: {done.returncode}\n{said}"
        assert "Traceback" not in said, said
        return said


def closure(names: Iterable[str]) -> set[str]:
    """Distributions of this environment that these need, without any extra."""
    found: set[str] = set()
    waiting = set(names)
    while waiting:
        name = waiting.pop()
        found.add(name)
        for line in importlib.metadata.requires(name) or ():
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": ""}):
                waiting |= {canonicalize_name(need.name)} - found
    return found


def lend(name: str, site_packages: Path) -> None:
    """Link a distribution of this environment into another one, as if it were installed there."""
    distribution = importlib.metadata.distribution(name)
    for file in distribution.files or ():
        top = Path(str(file)).parts[0]
        if top in ("..", "__pycache__"):
            continue
        place = Path(str(distribution.locate_file(top)))
        # Several distributions share a folder without __init__.py (google, backports).
        shared = place.is_dir() and top == file.parts[0] and not top.endswith("-info")
        if shared and not (place / "__init__.py").exists() and len(file.parts) > 1:
            top = "/".join(file.parts[:2])
        target = site_packages / top
        if not target.exists() and Path(str(distribution.locate_file(top))).exists():
            target.parent.mkdir(exist_ok=True)
            target.symlink_to(Path(str(distribution.locate_file(top))))


def install(wheels: list[Path], python: Path) -> None:
    """Install our wheels alone; where an installer is lacking, the test is skipped."""
    if importlib.util.find_spec("pip"):
        command = [sys.executable, "-m", "pip", "--python", str(python), "install"]
    elif uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--python", str(python)]
    else:
        pytest.skip("needs pip or uv")
    subprocess.run(
        [*command, "--no-deps", "--no-index", *map(str, wheels)], check=True, capture_output=True
    )


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return build(tmp_path_factory.mktemp("wheels"))


@pytest.fixture(scope="module")
def environment(wheels: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with both wheels, what they need, and nothing else."""
    folder = tmp_path_factory.mktemp("installed") / "env"
    venv.EnvBuilder(symlinks=True).create(folder)
    install(wheels, folder / "bin" / "python")
    asked = [Requirement(line) for w in wheels for line in about(w).get_all("Requires-Dist") or ()]
    plain = [need for need in asked if need.marker is None or need.marker.evaluate({"extra": ""})]
    [site_packages] = folder.glob("lib/python3*/site-packages")
    for name in closure({str(canonicalize_name(need.name)) for need in plain} - OURS):
        lend(name, site_packages)
    return folder


@pytest.fixture
def tool(environment: Path, tmp_path: Path) -> Tool:
    folder = tmp_path / "an empty folder"
    folder.mkdir()
    return Tool(environment, folder)


def test_the_wheels_share_no_file_and_belong_together(wheels: list[Path]) -> None:
    assert complaints(wheels) == []
    packages = [{name.split("/")[0] for name in files_of(wheel)} for wheel in wheels]
    assert packages[0] == {"nimmt", "wire", "botkit"}
    assert packages[1] >= {"cli", "league", "referee", "sandbox", "review", "api_models", "kits"}
    assert packages[1] >= {"train", "arena", "bullring.py"}
    assert not packages[0] & packages[1]
    assert not [name for w in wheels for name in files_of(w) if "__pycache__" in name]


def test_the_check_of_the_wheels_finds_what_it_should(wheels: list[Path]) -> None:
    botkit = wheels[0]
    needs, shared, absent = complaints([botkit, botkit])
    assert f"does not need bullring-botkit=={__version__}" in needs
    assert "both wheels own" in shared
    assert "cli/local/templates/README.md.tmpl" in absent


def test_a_plain_install_brings_nothing_of_the_server(tool: Tool) -> None:
    listing = "import importlib.metadata as m; print(*(d.name for d in m.distributions()))"
    names = tool.run([str(tool.environment / "bin" / "python"), "-c", listing]).split()
    installed = {canonicalize_name(name) for name in names}
    assert installed >= OURS
    assert not OF_A_SERVER & installed


def test_a_bot_is_made_checked_played_and_reviewed_at_home(tool: Tool) -> None:
    assert f"bullring {__version__}" in tool.type("--version")
    said = tool.type("new", "my-bot")
    assert "    bullring check my-bot" in said
    readme = (tool.folder / "my-bot" / "README.md").read_text(encoding="utf-8")
    assert "./bullring" not in said + readme
    assert "PYTHONPATH" not in readme
    [tests] = [line for line in readme.splitlines() if line.endswith("test_bot.py")]
    assert "OK" in tool.run(["sh", "-c", tests])
    assert "ok   starts and connects" in tool.type(
        "check", "my-bot", "--boards", 4, "--start-ms", 60_000
    )
    tool.type("play", "six-nimmt", "my-bot", "gap", "random", "-b", 2, "--replays", "games")
    assert "0 wrong" in tool.type("replay", "verify", "games")
    first = sorted((tool.folder / "games").glob("*.json"))[0]
    assert "my-bot" in tool.type("replay", "show", first)
    assert "my-bot" in tool.type("review", first, "--budget", 200)
    tool.type("simulate", "x-nimmt", "--games", 5)


def outcome(said: str) -> dict[str, Any]:
    """The JSON of a tournament, without what the clock says."""
    found: dict[str, Any] = json.JSONDecoder().raw_decode(said)[0]
    for row in found["standings"]:
        del row["median_ms"], row["worst_ms"]
    return found


def test_a_tournament_that_was_cut_off_goes_on_to_the_same_end_at_home(tool: Tool) -> None:
    tool.type("new", "my-bot", "--rules", "six-nimmt")
    bots = ("my-bot", "gap", "lowest", "random", "highest", "slotrisk")
    patient = ("--move-ms", 5000, "--bank-ms", 60_000, "--start-ms", 60_000)
    words = ("tournament", "six-nimmt", *bots, "-o", "rounds=1", "--seed", 1, "-m", 1, "-b", 2)
    said = tool.type(*words, *patient, "--results", "first.jsonl", "--json")
    assert "./bullring" not in said
    whole = outcome(said)
    assert {row["bot"] for row in whole["standings"]} == set(bots)
    # As a machine that crashes leaves it: one match and a half.
    lines = (tool.folder / "first.jsonl").read_bytes().splitlines(keepends=True)
    assert len(lines) > 3
    (tool.folder / "cut.jsonl").write_bytes(b"".join(lines[:2]) + lines[2][:50])
    assert outcome(tool.type("tournament", "--resume", "cut.jsonl", "--json")) == whole


ARENA = """
import bullring, train
done = bullring.play(["gap", "random"], "six-nimmt", games=2, seed=1)
print(done.replay(0).save("game.json"), train.VecNimmt("six-nimmt", 4, 2, 1) is not None)
try:
    done.replay(0).html()
except ModuleNotFoundError as error:
    print(error)
try:
    from train import NimmtParallel
except ModuleNotFoundError as error:
    print(error)
"""


def test_the_arena_is_imported_under_the_name_of_the_command(tool: Tool) -> None:
    said = tool.run([str(tool.environment / "bin" / "python"), "-c", ARENA])
    assert "game.json True" in said
    assert said.count("pip install 'bullring[train]'") == 2
    assert "0 wrong" in tool.type("replay", "verify", "game.json")


def test_a_new_version_is_compared_with_the_old_one(tool: Tool) -> None:
    (tool.folder / "dice.py").write_text(DICE)
    words = ("gate", "dice.py", "random", "--rules", "six-nimmt", "-o", "rounds=1", "-a", "gap")
    assert "not" in tool.type(*words, "--budget", 20, "--boards", 40, code=3)


@pytest.mark.parametrize("language", ["javascript", "cpp", "ruby", "go"])
def test_the_kits_come_along(tool: Tool, language: str) -> None:
    tool.type("new", "mine", "--lang", language)
    assert "service Referee" in (tool.folder / "mine" / "kit" / "bot.proto").read_text()
    assert os.access(tool.folder / "mine" / "bot", os.X_OK)


def test_a_bot_is_submitted_and_followed(tool: Tool, site: str, store: Store) -> None:
    secret = secret_of(store, "heron", "read", "submit", "manage")
    assert "You are heron" in tool.type("login", site, typed=f"{secret}\n")
    tool.type("new", "fresh", "--rules", "six-nimmt")
    assert "it started" in tool.type("submit", "fresh", "--rules", "six-nimmt")
    assert "version 1 plays six-nimmt" in tool.type("status", "fresh")
    assert "1" in tool.type("versions", "fresh")
    assert "built" in tool.type("logs")
    assert "decisions in" in tool.type("logs", "close", "--match", 1)
    review_sample(store)
    assert "2 games reviewed" in tool.type("review", "--bot", "close", "--sample", 2)
    assert "match 1" in tool.type("watch", "close", "--recent").lower()
    tool.type("messages")
    tool.type("webhook")
    assert "is entered in summer" in tool.type("enter", "summer", "dice")
    assert "is withdrawn from summer" in tool.type("leave", "summer", "dice", "--yes")
    asked = tool.type("friendly", "close", "otter/closer", "--rules", "six-nimmt", "--detach")
    [number] = re.findall(r"Friendly match (\d+)", asked)
    assert "queued" in tool.type("friendlies")
    assert "called off" in tool.type("friendlies", number, "--cancel")
    tool.type("replay", "get", 1)
    assert "0 wrong" in tool.type("replay", "verify", "match-1.jsonl")
    assert site in tool.type("logout")


def test_every_command_for_authors_is_typed_in_this_file() -> None:
    """A new command is typed as installed, too: what it imports may be an extra."""
    typed = set()
    for node in ast.walk(ast.parse(Path(__file__).read_text(encoding="utf-8"))):
        words = node.elts if isinstance(node, ast.Tuple) else getattr(node, "args", ())
        if isinstance(words, list):
            given = [word.value for word in words if isinstance(word, ast.Constant)]
            typed |= {tuple(given[:1]), tuple(given[:2])}
    commands: list[tuple[str, ...]] = [
        (get_command_name(one.name or str(getattr(one.callback, "__name__", ""))),)
        for one in build_app().registered_commands
        if getattr(one.callback, "__module__", "").startswith(("cli.local.", "cli.author."))
    ]
    commands += [("replay", str(one.callback.__name__)) for one in replay_app.registered_commands
                 if one.callback is not None]  # fmt: skip
    assert len(commands) > 20
    assert not [command for command in commands if command not in typed]


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("up",), "server"),
        (("demo",), "server"),
        (("worker",), "server"),
        (("doctor",), "docker"),
        (("season", "list"), "server"),
        (("check", "gap", "--sandbox", "docker"), "docker"),
    ],
)
def test_a_command_of_the_server_names_its_extra_in_one_line(
    tool: Tool, words: tuple[str, ...], extra: str
) -> None:
    said = tool.type(*words, code=2)
    assert f"pip install 'bullring[{extra}]'" in said
    assert len(said.splitlines()) == 1, said


def test_commands_for_a_checkout_are_not_offered(tool: Tool) -> None:
    assert " lint " not in tool.type("--help")
    assert "No such command" in tool.type("lint", code=2)


def test_a_bot_that_is_started_by_hand_names_the_command_as_installed(tool: Tool) -> None:
    tool.type("new", "mine")
    python = str(tool.environment / "bin" / "python")
    said = tool.run([python, "mine/bot.py"], code=ExitCode.NOT_CONNECTED)
    assert "    bullring play six-nimmt mine/bot.py" in said
