"""What a bot on this machine is made of, as one hash: the same files, the same fingerprint."""

import hashlib
from pathlib import Path

from league.bots.files import SAMPLES
from league.bots.named import LocalBot
from sandbox.api import CommandProgram, ImageProgram

CACHES = (
    ".git", ".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".venv", "__pycache__",
    "node_modules",
)  # fmt: skip
"""Folders that change without the bot."""


def folder_fingerprint(folder: Path) -> str:
    """One hash over the names and contents of a folder's own files."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        own = path.relative_to(folder)
        if path.is_file() and not set(own.parts) & set(CACHES):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{own.as_posix()} {content}\n".encode())
    return "files:" + digest.hexdigest()


def bot_fingerprint(typed: str, bot: LocalBot) -> str:
    """Of a folder all its files, of a file or a command the files it names, of an image its id."""
    folder = SAMPLES / typed if bot.sample else Path(typed).expanduser()
    if folder.is_dir():
        return folder_fingerprint(folder)
    if isinstance(bot.program, ImageProgram):
        return f"image:{bot.program.image}"
    assert isinstance(bot.program, CommandProgram)
    digest = hashlib.sha256()
    for word in bot.program.argv:
        digest.update(f"{Path(word).name}\n".encode())
        path = bot.program.cwd / word
        if path.is_file():
            digest.update(path.read_bytes())
    return "command:" + digest.hexdigest()
