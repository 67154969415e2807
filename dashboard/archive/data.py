"""The facts of an archive, read from the store or from a folder, and how they lie in files."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dashboard import reads
from league import seasons
from league.seasons import Facts
from nimmt import replay as nimmt_replay
from store import Match, Season, Store, present, results

SEASON = "data/season.json"
STANDINGS = "data/standings.json"
MATCHES = "data/matches.ndjson"
GAMES = "data/games.ndjson"
GAMES_CSV = "data/games.csv"
MOST_BYTES = 256 * 1024 * 1024
"""More than any file of a season unpacks to; a bomb is refused long before memory runs out."""

File = tuple[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonData:
    """All that the pages and the verification of an archive need."""

    season: Facts
    matches: list[Facts]
    games: dict[int, list[Facts]]
    """By match, in the order of play."""
    standings: Facts | None
    replays: Callable[[int], list[Facts]]
    """The replays of a match, in the order of its games."""

    @property
    def done(self) -> list[Facts]:
        """The matches that were played to their end."""
        return [match for match in self.matches if match["state"] == "done"]


def replay_name(match_id: int) -> str:
    """Where the replays of a match lie."""
    return f"data/replays/{match_id}.jsonl.gz"


def from_store(store: Store, season_id: int) -> SeasonData:
    """Read a season that is over; raises LeagueRefusal for one that is not."""
    with store.read(patient=True) as session:
        season = present(session, Season, season_id)
        seasons.check_season_over(season)
        facts = seasons.season_facts(session, season)
        matches = seasons.match_facts(session, season_id)
    games: dict[int, list[Facts]] = {}
    for game in reads.season_games(store, season_id):
        games.setdefault(game["match"], []).append(game)
    return SeasonData(
        season=_plain(facts),
        matches=_plain(matches),
        games=games,
        standings=_plain(seasons.table_of(facts, matches, games)),
        replays=lambda match_id: _stored_replays(store, match_id),
    )


def _stored_replays(store: Store, match_id: int) -> list[Facts]:
    with store.read(patient=True) as session:
        key = present(session, Match, match_id).key
        blob = results.blob_of(session, match_id)
    if blob is None:
        return []
    documents: list[Facts] = []
    for line in store.blobs.lines(blob.sha256):
        document: Facts = json.loads(line)
        documents.append(
            nimmt_replay.reveal(document, key) if document["key"] is None else document
        )
    return sorted(documents, key=lambda one: (one["pass"], one["game_no"]))


def from_folder(folder: Path) -> SeasonData:
    """Read an archive; whatever is missing or broken raises OSError, ValueError or KeyError."""
    games: dict[int, list[Facts]] = {}
    for game in _read_lines(folder / GAMES):
        games.setdefault(game["match"], []).append(game)
    return SeasonData(
        season=json.loads(read_bytes(folder / SEASON)),
        matches=_read_lines(folder / MATCHES),
        games=games,
        standings=json.loads(read_bytes(folder / STANDINGS)),
        replays=lambda match_id: _packed_lines(folder / replay_name(match_id)),
    )


def read_bytes(path: Path) -> bytes:
    """A file of a believable size."""
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path.name} has more than {MOST_BYTES >> 20} MiB")
    return path.read_bytes()


def _read_lines(path: Path) -> list[Facts]:
    return [json.loads(line) for line in read_bytes(path).splitlines()]


def _packed_lines(path: Path) -> list[Facts]:
    with gzip.open(path) as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError(f"{path.name} unpacks to more than {MOST_BYTES >> 20} MiB")
    return [json.loads(line) for line in text.splitlines()]


def data_files(data: SeasonData) -> Iterator[File]:
    """The raw data but the replays, which come match by match."""
    games = [game for match in data.matches for game in data.games.get(match["match"], [])]
    yield SEASON, _json(data.season)
    yield STANDINGS, _json(data.standings)
    yield MATCHES, _lines(data.matches)
    yield GAMES, _lines(games)
    yield GAMES_CSV, b"".join(reads.games_csv(games))


def replay_file(match_id: int, replays: list[Facts]) -> File:
    """The replays of a match; without a date, so that the same games are the same bytes."""
    return replay_name(match_id), gzip.compress(_lines(replays), 9, mtime=0)


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"


def _lines(values: list[Facts]) -> bytes:
    return b"".join(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        for value in values
    )


def _plain(value: Any) -> Any:
    """As it will be read from the file: the order of names too."""
    return json.loads(json.dumps(value, sort_keys=True))
