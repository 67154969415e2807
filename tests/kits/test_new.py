"""`bullring new`: what it makes builds, tests, checks and plays, in every language that is here."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import nimmt
from cli.local.new import Language, filled, make_folder
from cli.main import build_app
from tests.kits.toolchains import KITS, LANGUAGES, ROOT, Kit, build, need_tools

RUNNER = CliRunner()
PATIENT = ("--move-ms", "2000", "--bank-ms", "60000")


def bullring(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line as a user types it."""
    command = [sys.executable, "-m", "cli", *arguments]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )


def commands_in(readme: str) -> list[str]:
    """The lines of the README's code blocks."""
    blocks = readme.split("```")[1::2]
    return [line for block in blocks for line in block.strip().splitlines()]


def test_there_is_a_recipe_for_every_kit() -> None:
    assert set(Language) == set(LANGUAGES)


@pytest.mark.long
@pytest.mark.parametrize("rules", [(), ("eleven-nimmt",), ("six-nimmt", "x-nimmt")])
def test_a_new_bot_does_all_that_its_readme_says(
    kit: Kit, tmp_path: Path, rules: tuple[str, ...]
) -> None:
    # A path with a space in it is where make and the shell go wrong.
    folder = tmp_path / "my league" / "my-bot"
    wanted = [word for name in rules for word in ("--rules", name)]
    made = bullring("new", str(folder), "--lang", kit.language, *wanted)
    assert made.returncode == 0, made.stderr
    if kit.language == "javascript":
        # What make would fetch from the network is here already.
        shutil.copytree(KITS / "javascript" / "node_modules", folder / "kit" / "node_modules")
    if kit.language == "cpp" and rules:
        # The copy without rules builds its kit again; once is enough.
        shutil.copytree(KITS / "cpp" / "build", folder / "kit" / "build")
    typed = commands_in((folder / "README.md").read_text(encoding="utf-8"))
    contained = [line for line in typed if " docker" in line or " -m " in line]
    assert len(contained) == (2 if kit.language == "python" else 3)
    for line in made.stdout.splitlines()[1:]:
        assert line.strip() in typed
    # Handing it in needs a league; tests/journeys/test_author.py has one.
    elsewhere = [*contained, *(line for line in typed if " login " in line or " submit " in line)]
    for command in [line for line in typed if line not in elsewhere]:
        out = type_in(command)
        if " check " in command:
            report = json.loads(out)
            assert report["ok"]
            assert set(report["rules"]) == set(rules or nimmt.GAMES)


def type_in(command: str) -> str:
    """Type a command of the README; a short form of it, and a slow machine is nobody's fault."""
    if command.startswith("./bullring"):
        command += f" {' '.join(PATIENT)} --boards 2 --json"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=900,
        # What the optimiser does to the C++ kit is the business of other tests.
        env={**os.environ, "CXXFLAGS": "-O0"},
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rules", [["six-nimmt"], ["eleven-nimmt"], list(nimmt.GAMES)])
def test_nothing_of_a_template_is_left(tmp_path: Path, language: str, rules: list[str]) -> None:
    folder = tmp_path / "a_b-c"
    make_folder(folder, "a_b-c", Language(language), rules)
    for path in folder.iterdir():
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert "%%" not in text
            assert "{{" not in text.replace("{{10}", "").replace("{{0,", "")
    main = next(folder.glob("bot.*")).read_text(encoding="utf-8")
    assert "ABC" in main
    assert ("turn" in main.lower().replace("return", "")) == ("eleven-nimmt" in rules)


def test_it_overwrites_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "bot.py").write_text("precious")
    result = RUNNER.invoke(build_app(), ["new", str(folder)])
    assert result.exit_code == 2
    assert "already exists" in result.output
    assert [path.read_text() for path in folder.iterdir()] == ["precious"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["1bot"], "expected a letter"),
        (["a b"], "expected a letter"),
        (["bot", "--rules", "seven-nimmt"], "there are no rules 'seven-nimmt'"),
        (["bot", "--lang", "cobol"], "cobol"),
    ],
)
def test_it_says_what_it_cannot_make(tmp_path: Path, arguments: list[str], says: str) -> None:
    name, *rest = arguments
    result = RUNNER.invoke(build_app(), ["new", str(tmp_path / name), *rest])
    assert result.exit_code == 2
    assert says in result.output
    assert list(tmp_path.iterdir()) == []


def test_parts_for_other_rules_are_left_out() -> None:
    text = "a\n%% six-nimmt x-nimmt\nb {{word}}\n%% end\n%% eleven-nimmt\nc\n%% end\nd\n"
    assert filled(text, {"word": "w"}, ["x-nimmt"]) == "a\nb w\nd\n"
    assert filled(text, {"word": "w"}, ["eleven-nimmt"]) == "a\nc\nd\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_commands_hold_together_where_a_path_has_a_space(tmp_path: Path, language: str) -> None:
    folder = tmp_path / "my league" / "mine"
    make_folder(folder, "mine", Language(language), ["six-nimmt"])
    typed = commands_in((folder / "README.md").read_text(encoding="utf-8"))
    naming = [shlex.split(line) for line in typed if "league" in line]
    assert len(naming) >= 4
    for words in naming:
        assert any(word.startswith(str(folder)) for word in words), words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_folder_is_for_the_league_to_build(tmp_path: Path, language: str) -> None:
    folder = tmp_path / "mine"
    make_folder(folder, "mine", Language(language), ["six-nimmt"])
    [handing] = [
        line
        for line in commands_in((folder / "README.md").read_text(encoding="utf-8"))
        if " submit " in line
    ]
    # A league as it comes allows the base images of all kits.
    assert "--build-here" not in handing


def test_the_ruby_kit_is_built_where_a_path_has_a_space(tmp_path: Path) -> None:
    need_tools("ruby")
    folder = tmp_path / "my league" / "mine"
    make_folder(folder, "mine", Language.RUBY, ["six-nimmt"])
    launched = subprocess.run([str(folder / "bot")], capture_output=True, text=True, check=False)
    assert f'make -C "{folder / "kit"}"' in launched.stderr
    build(folder)
    assert (folder / "kit" / "build" / "bot_services_pb.rb").is_file()
