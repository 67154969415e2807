"""The file in which a tournament keeps its results: JSON lines, appended, safe against a crash.

The first line says what is played; every match that is over is one more line, on the disk before
the next one counts. A last line that was cut off is dropped, its match is played again.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from league.local.tournament.plan import FORMAT
from referee.records import from_json, to_json
from referee.result import BotRecord, GameRecord

LOG_KEPT = 2000
"""Characters of a bot's output that are kept when it failed."""
MOST_POINTS = 1_000_000
"""More than any game has for one seat."""


class ResultsFileError(ValueError):
    """The file cannot be used; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedMatch:
    """One finished match of a tournament."""

    number: int
    """From 1."""
    table: tuple[int, ...]
    """The bots at it, by their index in the tournament; records and seats refer to this order."""
    games: tuple[GameRecord, ...]
    """Without replays and notes, which have files of their own."""
    bots: tuple[BotRecord, ...]
    decisions: int
    wall_s: float


class ResultsFile:
    """The open file; nobody else can write to it meanwhile."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self._file = file
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.close()
            raise ResultsFileError(
                f"{path} is in use: another tournament writes to it; wait, or name another file"
            ) from None

    @classmethod
    def create(cls, path: Path, about: Mapping[str, Any]) -> Self:
        """A new file; one that is there already is left alone."""
        try:
            file = path.open("xb")
        except FileExistsError:
            raise ResultsFileError(
                f"{path} exists already; go on with it (--resume {path}), or name another file with"
                " --results"
            ) from None
        except OSError as error:
            raise ResultsFileError(
                f"cannot write to {path}: {error.strerror}; name another file with --results"
            ) from None
        made = cls(path, file)
        made._write(about)
        # The name of a new file is on the disk when its folder is.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        return made

    @classmethod
    def reopen(cls, path: Path) -> tuple[Self, dict[str, Any], list[PlayedMatch]]:
        """A file to go on with, what its tournament plays, and what was played."""
        try:
            file = path.open("r+b")
        except OSError as error:
            raise ResultsFileError(
                f"cannot go on with {path}: {error.strerror}; name the file that a tournament wrote"
            ) from None
        made = cls(path, file)
        try:
            about, played, end = _read(path, file)
        except ResultsFileError:
            made.close()
            raise
        # What was cut off would spoil the next line.
        file.truncate(end)
        file.seek(end)
        return made, about, played

    def append(self, match: PlayedMatch) -> None:
        """Keep a match; when this returns it is on the disk."""
        self._write(to_json(match))

    def _write(self, document: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(document, separators=(",", ":")).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let others have the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _read(path: Path, file: IO[bytes]) -> tuple[dict[str, Any], list[PlayedMatch], int]:
    """What the file says, and where its last whole line ends."""
    lines = file.read().split(b"\n")
    # Behind the last line end is nothing, or what was cut off.
    whole = lines[:-1]
    about = _about(path, whole)
    played: dict[int, PlayedMatch] = {}
    end = len(whole[0]) + 1
    for number, line in enumerate(whole[1:], 2):
        try:
            match = from_json(PlayedMatch, json.loads(line))
        except (ValueError, RecursionError) as error:
            if number == len(whole):
                break  # A crash of the machine can leave a last line of anything.
            raise ResultsFileError(
                f"{path}, line {number} cannot be read: {error}; remove this line, and its match is"
                " played again"
            ) from None
        played[match.number] = match
        end += len(line) + 1
    return about, [played[number] for number in sorted(played)], end


def _about(path: Path, lines: list[bytes]) -> dict[str, Any]:
    try:
        about = json.loads(lines[0]) if lines else None
    except (ValueError, RecursionError):
        about = None
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ResultsFileError(
            f"{path} does not begin with the line of a tournament ({FORMAT}); name the file that"
            " `bullring tournament` wrote"
        )
    return about


def misfit(tables: Sequence[Sequence[int]], played: Iterable[PlayedMatch]) -> str | None:
    """Why a match is not one of these tables', in a few words: a file may come from elsewhere."""
    for match in played:
        seats = list(range(len(match.table)))
        if not 1 <= match.number <= len(tables):
            return f"match {match.number} is none of the {len(tables)} that are planned"
        if match.table != tuple(tables[match.number - 1]) or len(match.bots) != len(seats):
            return f"match {match.number} has other bots than planned"
        for game in match.games:
            lists = (game.points, game.places, game.out)
            whole = sorted(game.seats) == seats and all(len(one) == len(seats) for one in lists)
            if not whole or game.rounds < 1 or max(map(abs, game.points)) > MOST_POINTS:
                return f"game {game.game_no + 1} of match {match.number} cannot have been played"
        if not match.games:
            return f"match {match.number} has no games"
    return None


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """In what two tournaments differ, each in a few words."""
    found = [
        f"{name} was {before.get(name)!r} and is now {value!r}"
        for name, value in now.items()
        if name != "bots" and before.get(name) != value
    ]
    old, new = before.get("bots", []), now.get("bots", [])
    if [one.get("name") for one in old] != [one["name"] for one in new]:
        names = [", ".join(str(one.get("name")) for one in bots) for bots in (old, new)]
        return [*found, f"the bots were {names[0]} and are now {names[1]}"]
    changed = [
        one["name"]
        for one, other in zip(old, new, strict=True)
        if one.get("fingerprint") != other["fingerprint"]
    ]
    return [*found, *(f"the files of {name} have changed" for name in changed)]
