"""`bullring new`: a folder with a bot that builds, checks and plays at once."""

import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import nimmt
from cli.installed import COMMAND, IS_CHECKOUT, PYTHON, ROOT
from cli.options import refuse
from cli.terminal import say

TEMPLATES = Path(__file__).with_name("templates")
SUFFIX = ".tmpl"
NOT_COPIED = ("build", "node_modules", "Dockerfile", ".gitignore")
IGNORED = "build/\nnode_modules/\n__pycache__/\n"
BUILD_HERE = """
The league builds the folder on its own base image of this language. If it says that it has none,
add `--build-here`: your own Docker builds the image, and that is sent."""
MARK = re.compile(r"%% (.+)")


class Language(StrEnum):
    """What a bot can be written in."""

    PYTHON = "python"
    """With botkit, which is a part of Bullring."""
    JAVASCRIPT = "javascript"
    """For Node.js, with the kit of kits/javascript."""
    CPP = "cpp"
    """C++17, with the kit of kits/cpp."""
    RUBY = "ruby"
    """With the kit of kits/ruby."""
    GO = "go"
    """With the kit of kits/go, and Debian's libraries."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What the folder of one language is made of."""

    main: str
    tests: str
    copied: tuple[str, ...]
    """Files of the sample in this language that every bot needs as they are."""
    build: str
    """The command that builds the bot in its folder; empty where nothing is built."""
    test: str


RECIPES = {
    Language.PYTHON: Recipe(
        "bot.py", "test_bot.py", (), "", "{python} {tests}"
    ),
    Language.JAVASCRIPT: Recipe(
        "bot.js", "bot.test.js", ("bot", "Dockerfile", "Makefile"),
        "make -C {folder}", "make -C {folder} test",
    ),
    Language.CPP: Recipe(
        "bot.cpp", "test.cpp", ("bot", "Dockerfile", "Makefile"),
        "make -C {folder}", "make -C {folder} test",
    ),
    Language.RUBY: Recipe(
        "bot.rb", "bot_test.rb", ("bot", "Dockerfile", "Makefile"),
        "make -C {folder}", "make -C {folder} test",
    ),
    Language.GO: Recipe(
        "bot.go", "bot_test.go", ("bot", "Dockerfile", "Makefile"),
        "make -C {folder}", "make -C {folder} test",
    ),
}  # fmt: skip


def new(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to make.")],
    lang: Annotated[
        Language, typer.Option("--lang", "-l", help="The language of the bot.")
    ] = Language.PYTHON,
    rules: Annotated[
        list[str] | None,
        typer.Option("--rules", "-r", help="Rules it will play; may be repeated. Default: all."),
    ] = None,
) -> None:
    """Make a folder with a bot that builds, checks and plays at once.

    For example: bullring new my-bot --lang javascript --rules six-nimmt
    """
    for name in rules or ():
        if name not in nimmt.GAMES:
            refuse(f"there are no rules {name!r}; known are {', '.join(nimmt.GAMES)}")
    name = folder.resolve().name
    if re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,39}", name) is None:
        refuse(
            f"got the name {name!r}, expected a letter and then up to 39 letters, digits, - and _"
        )
    if lang is not Language.PYTHON and not (ROOT / "kits" / lang).is_dir():
        refuse(f"the kit of {lang} is not in {ROOT / 'kits'}; install Bullring again")
    chosen = [known for known in nimmt.GAMES if not rules or known in rules]
    try:
        if folder.exists():
            refuse(f"{folder} already exists; choose another name, nothing is overwritten")
        make_folder(folder, name, lang, chosen)
    except OSError as error:
        refuse(
            f"cannot make {folder} ({error.strerror or error}); expected a new folder inside one"
            " that you may write to, name another"
        )
    say(f"{folder} is a {lang} bot for {_and(chosen)}. Next, type")
    for command in _commands(folder, lang, chosen):
        say(f"    {command}")


def make_folder(folder: Path, name: str, language: Language, rules: Sequence[str]) -> None:
    """Write the folder; it must not exist yet."""
    recipe = RECIPES[language]
    words = _words(folder, name, language, rules)
    folder.mkdir(parents=True)
    for template in (TEMPLATES / language).glob(f"*{SUFFIX}"):
        _write(folder / template.name.removesuffix(SUFFIX), template, words, rules)
    _write(folder / "README.md", TEMPLATES / f"README.md{SUFFIX}", words, rules)
    (folder / ".gitignore").write_text(IGNORED, encoding="utf-8")
    sample = ROOT / "sample_bots" / ("gap" if language is Language.PYTHON else language)
    for file in ("Dockerfile", *recipe.copied):
        shutil.copy(sample / file, folder / file)
    if language is not Language.PYTHON:
        from league.bots import CONTRACT

        ignored = shutil.ignore_patterns(*NOT_COPIED)
        shutil.copytree(ROOT / "kits" / language, folder / "kit", ignore=ignored)
        shutil.copy2(CONTRACT, folder / "kit" / "bot.proto")


def _write(target: Path, template: Path, words: Mapping[str, str], rules: Sequence[str]) -> None:
    text = filled(template.read_text(encoding="utf-8"), words, rules)
    target.write_text(text, encoding="utf-8")


def filled(text: str, words: Mapping[str, str], rules: Sequence[str]) -> str:
    """A template with its words put in, and without the parts for rules that are not played."""
    kept: list[str] = []
    keep = True
    for line in text.splitlines():
        mark = MARK.fullmatch(line)
        if mark:
            keep = mark[1] == "end" or any(name in rules for name in mark[1].split())
        elif keep:
            kept.append(line)
    whole = "\n".join(kept)
    for word, value in words.items():
        whole = whole.replace("{{" + word + "}}", value)
    whole = whole.rstrip("\n") + "\n"
    # A part that was left out leaves the empty line before it.
    return re.sub(r"\n\n( *)(};?|end)\n", r"\n\1\2\n", whole)


def _words(folder: Path, name: str, language: Language, rules: Sequence[str]) -> dict[str, str]:
    recipe = RECIPES[language]
    views = {"six-nimmt": "SixNimmtView", "x-nimmt": "XNimmtView"}
    table = [view for name, view in views.items() if name in rules]
    imports = [*table, *(["ElevenNimmtView", "Play", "Take"] if "eleven-nimmt" in rules else [])]
    typed = shlex.quote(str(folder))
    here = {
        "folder": typed,
        "tests": shlex.quote(str(folder / recipe.tests)),
        "python": _python(),
    }
    module = "sandbox.base.make"
    bases = [module] if language is Language.PYTHON else [module, f"kits.images {language}"]
    submit = [f"{COMMAND} submit", typed, *(f"--rules {each}" for each in rules)]
    docker = [f"{PYTHON} -m {base}" for base in bases]
    docker.append(f"{COMMAND} check {typed} --sandbox docker")
    return {
        "name": name,
        "command": COMMAND,
        "where": " in the folder that contains `./bullring`" if IS_CHECKOUT else "",
        "class": "".join(part.capitalize() for part in re.split(r"[-_]+", name) if part),
        "rules_text": _and(rules),
        "rules_list": ", ".join(f'"{each}"' for each in rules),
        "table_view": " | ".join(table),
        "imports": ", ".join(sorted(imports)),
        "main": recipe.main,
        "tests": recipe.tests,
        "commands": "\n".join(_commands(folder, language, rules)),
        "test_command": recipe.test.format(**here),
        "docker_commands": "\n".join(docker),
        "submit_why": "" if language is Language.PYTHON else BUILD_HERE,
        "submit_command": " ".join(submit),
    }


def _python() -> str:
    """A Python that finds botkit, from any folder."""
    known = shlex.quote(sys.executable)
    return f"PYTHONPATH={shlex.quote(str(ROOT))} {known}" if IS_CHECKOUT else known


def _commands(folder: Path, language: Language, rules: Sequence[str]) -> list[str]:
    """What to type next."""
    typed = shlex.quote(str(folder))
    build = RECIPES[language].build.format(folder=typed)
    return [
        *([build] if build else []),
        f"{COMMAND} check {typed}",
        f"{COMMAND} play {rules[0]} {typed} random random random",
    ]


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(new)
