"""Files that commands write where they are told to: asked for first, so that no game is in vain."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

from cli.options import refuse

if TYPE_CHECKING:
    from referee.result import GameRecord


def make_folder(option: str, folder: Path) -> None:
    """The folder for the files of an option; one that cannot be written to ends the command."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        kind = "a file" if folder.is_file() else error.strerror
        refuse(f"got {option} {folder}, which is {kind}; expected a folder that can be written to")
    if not os.access(folder, os.W_OK | os.X_OK):
        refuse(f"got {option} {folder}, expected a folder that you may write to; name another")


def check_target(option: str, file: Path | None) -> None:
    """Whether a file can be written; if not, the command ends."""
    if file is None:
        return
    if file.is_dir():
        refuse(f"got {option} {file}, which is a folder; expected the name of a file")
    # A file that is there decides by itself: /dev/stdout lies in a folder of root's.
    place = file if file.exists() else file.parent
    if not file.parent.is_dir() or not os.access(place, os.W_OK):
        refuse(
            f"got {option} {file}, expected a file in a folder that you may write to; name another"
        )


def write_game(folder: Path, game: "GameRecord", prefix: str = "") -> None:
    """One replay, and beside it the notes of each bot that made any; names count from 1."""
    name = f"{prefix}pass{game.pass_no + 1}-game{game.game_no + 1:05d}"
    (folder / f"{name}.json").write_text(game.replay + "\n", encoding="utf-8")
    for seat, notes in game.notes.items():
        lines = [
            json.dumps({"round": n.round_no, "decision": n.decision, "note": n.text}) for n in notes
        ]
        # Not .jsonl: a folder of replays is verified file by file, and notes are none.
        path = folder / f"{name}.seat{seat + 1}.notes"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
