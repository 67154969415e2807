"""Bots on this machine, by what a user types: a sample's name, a file, a folder, a command."""

import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import nimmt
from league.bots.files import SAMPLES
from sandbox.api import CommandProgram, Program


class UnknownBot(ValueError):
    """What was typed does not name a bot; the message says what would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalBot:
    """A bot on this machine: what to call it, and how to start it."""

    name: str
    program: Program
    sample: bool = False
    """One of ours, not of whoever plays."""


def sample_names() -> list[str]:
    """The sample bots that need only Python; those in other languages must be built first."""
    folders = [path for path in SAMPLES.iterdir() if not path.name.startswith("_")]
    return sorted(path.name for path in folders if (path / "bot.py").is_file())


def sample_rules(folder: Path) -> list[str]:
    """The rules a sample plays: those named in its `rules.txt`, or all."""
    file = folder / "rules.txt"
    return file.read_text(encoding="utf-8").split() if file.is_file() else list(nimmt.GAMES)


def find_bot(text: str) -> LocalBot:
    """The bot behind a sample's name, a Python file, a folder with bot.py, or a command."""
    path = Path(text).expanduser()
    if sample := _is_sample(text):
        path = SAMPLES / text
    if path.is_dir():
        program = _program_of(path)
        if program is None:
            raise UnknownBot(
                f"the folder {text!r} holds neither bot.py nor a program named bot; add one, or"
                " make a folder that has it with: bullring new NAME"
            )
        return LocalBot(name=clean_name(path.resolve().name), program=program, sample=sample)
    # A command may end in .py too, such as "python3.12 bot.py".
    if path.suffix == ".py" and (path.is_file() or " " not in text):
        if not path.is_file():
            raise UnknownBot(
                f"there is no file {text!r}; name a Python file, a folder with bot.py, a sample's"
                " name, or a command in quotes"
            )
        return LocalBot(name=clean_name(path.stem), program=_python(path.resolve()))
    return _command(text)


def is_command(text: str) -> bool:
    """Whether `find_bot` would take this for a command: it names no sample, file or folder."""
    path = Path(text).expanduser()
    is_file = path.suffix == ".py" and (path.is_file() or " " not in text)
    return not (_is_sample(text) or path.is_dir() or is_file)


def _is_sample(text: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z0-9_-]+", text)) and _program_of(SAMPLES / text) is not None


def _program_of(folder: Path) -> CommandProgram | None:
    if (folder / "bot.py").is_file():
        return _python(folder.resolve() / "bot.py")
    own = folder.resolve() / "bot"
    if own.is_file() and os.access(own, os.X_OK):
        return CommandProgram(argv=(str(own),), cwd=own.parent)
    return None


def _python(file: Path) -> CommandProgram:
    return CommandProgram(argv=(sys.executable, str(file)), cwd=file.parent)


def _command(text: str) -> LocalBot:
    try:
        argv = shlex.split(text)
    except ValueError as error:
        raise UnknownBot(f"{text!r} cannot be read as a command: {error}; close it") from None
    program = shutil.which(argv[0]) if argv else None
    if program is None:
        raise UnknownBot(
            f"{text!r} is not a sample bot, Python file, folder or command. "
            f"The samples are {', '.join(sample_names())}"
        )
    name = clean_name(_command_name(argv))
    # A program in the current folder must be found from there.
    argv[0] = str(Path(program).absolute())
    return LocalBot(name=name, program=CommandProgram(argv=tuple(argv), cwd=Path.cwd()))


GENERIC = ("app", "bot", "index", "main", "run", "start")
"""Names of files that say nothing about the bot; the folder's name does."""


def _command_name(argv: Sequence[str]) -> str:
    """What to call a command: after its module or its first file, else after the program.

    >>> _command_name(["python3", "-u", "bots/greedy.py", "--depth", "3"])
    'greedy'
    >>> _command_name(["node", "clever/dist/../main.js", "0.5"])
    'clever'
    >>> _command_name(["python3", "-m", "careful.bot"]), _command_name(["./quick"])
    ('careful', 'quick')
    """
    if "-m" in argv[1:-1]:
        words = [word for word in argv[argv.index("-m") + 1].split(".") if word not in GENERIC]
        return words[-1] if words else "bot"
    given = [word for word in argv[1:] if not word.startswith("-")]
    # A number such as 0.5 has something like a suffix, but is no file.
    files = [
        w for w in given if Path(w).is_file() or re.fullmatch(r"\.[A-Za-z]\w*", Path(w).suffix)
    ]
    path = Path(files[0] if files else argv[0])
    return path.resolve().parent.name if path.stem in GENERIC else path.stem


def clean_name(name: str) -> str:
    """A name that is safe in replays, labels and on terminals."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:40] or "bot"


def distinct_names(bots: Sequence[LocalBot]) -> list[str]:
    """The bots' names, numbered where the same one comes twice."""
    names = [bot.name for bot in bots]
    numbered: list[str] = []
    for index, name in enumerate(names):
        number = names[: index + 1].count(name)
        numbered.append(name if number == 1 else f"{name}-{number}")
    return numbered
