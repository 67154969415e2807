"""Whether an archive is what it says: files, keys, commitments, replays, results, standings, pages.

It is read as a stranger's: every file may be missing, broken or made to mislead.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jinja2

import nimmt
from dashboard.archive.data import (
    SeasonData,
    data_files,
    from_folder,
    read_bytes,
    replay_file,
)
from dashboard.archive.site import look, match_files, season_files
from dashboard.archive.write import FORMAT, MANIFEST
from dashboard.text import clean
from league.outcome import match_name
from league.season_record import Facts, table_of
from league.seasons import commitment_of
from nimmt.verify import ReplayError
from nimmt.verify import verify as verify_replay

_BROKEN = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    EOFError,
    RecursionError,
    jinja2.TemplateError,
)
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
        """Keep a problem; after many more of them nobody reads on."""
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)


def is_archive(folder: Path) -> bool:
    """Whether a folder says that it is an archive of a season."""
    try:
        manifest = json.loads(read_bytes(folder / MANIFEST))
        return str(manifest["format"]).startswith("bullring-archive/")
    except _BROKEN:
        return False


def verify(
    folder: Path,
    *,
    commitment: str | None = None,
    advance: Callable[[int], object] = lambda _: None,
) -> Findings:
    """Look at everything. `commitment`: what the reader noted at the freeze, to compare with."""
    found = Findings()
    try:
        manifest = json.loads(read_bytes(folder / MANIFEST))
        if manifest["format"] != FORMAT:
            raise ValueError(f"its format is {manifest['format']!r}, this verifies {FORMAT}")
        _check_manifest(folder, manifest, found)
        data = from_folder(folder)
        _check_promises(data, commitment, found)
        _check_table(data, folder, found)
        found.remarks += _not_counted(data.matches)
        same_look = manifest.get("look") == look()
        known = _compare(folder, data_files(data), found)
        if same_look:
            known |= _compare(folder, season_files(data), found)
    except _BROKEN as error:
        found.say(f"the archive cannot be read: {_words(error)}")
        return found
    if not same_look:
        found.remarks.append(
            "The pages were made by another version of Bullring: they were compared with their"
            " hashes and their standings with the results, but not letter by letter."
        )
    for match in data.matches:
        try:
            known |= _check_match(data, match, folder, found, same_look=same_look)
        except _BROKEN as error:
            found.say(f"match {match.get('match')}: {_words(error)}")
        advance(1)
    if same_look and found.good:
        for name in sorted(set(manifest["files"]) - known):
            found.say(f"{name} does not belong to an archive")
    return found


def _words(error: Exception) -> str:
    text = str(error) or type(error).__name__
    return f"{text} is missing" if isinstance(error, KeyError) else text


def _check_manifest(folder: Path, manifest: Facts, found: Findings) -> None:
    listed: dict[str, Facts] = manifest["files"]
    there = set()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found.say(f"{name} is a link, expected plain files only")
        elif path.is_file() and name != MANIFEST:
            there.add(name)
    for name in sorted(there - set(listed)):
        found.say(f"{name} is not in the manifest")
    for name, facts in listed.items():
        if name not in there:
            found.say(f"{name} is missing")
            continue
        body = read_bytes(folder / name)
        found.files += 1
        if (len(body), hashlib.sha256(body).hexdigest()) != (facts["size"], facts["sha256"]):
            found.say(f"{name} is not the file that the manifest names")


def _check_promises(data: SeasonData, given: str | None, found: Findings) -> None:
    """Keys against commitments, commitments against what the season published."""
    season = data.season
    for match in data.matches:
        key, promised = match["key"], match["commitment"]
        if key is None and match["state"] == "done":
            found.say(f"match {match['match']}: its key is missing")
        elif key is not None and nimmt.commitment(bytes.fromhex(key)) != promised:
            found.say(f"match {match['match']}: the key is not the one committed to, {promised}")
    commitments = [match["commitment"] for match in data.matches]
    first = season["committed_matches"]
    later = [one for lot in season["later_commitments"] for one in lot["commitments"]]
    if commitment_of(commitments[:first]) != season["commitment"]:
        found.say(
            f"the commitments of the first {first} matches are not those that the season"
            f" published at the freeze, {season['commitment']}"
        )
    if commitments[first:] != later:
        found.say("matches after the freeze have other commitments than were published for them")
    if given is not None and given != season["commitment"]:
        found.say(f"the season's commitment is {season['commitment']}, you noted {given}")


def _not_counted(matches: list[Facts]) -> Iterator[str]:
    """The matches without a say in the standings: only those who were there know if rightly."""
    groups: dict[str, list[str]] = {}
    for match in matches:
        if match["state"] != "done":
            why = f"Without a result ({clean(match['state'])})"
        elif not match["rated"]:
            why = f"Played but not counted ({clean(match['rated_why'] or 'no reason given')})"
        else:
            continue
        groups.setdefault(why, []).append(str(match["match"]))
    for why, numbers in groups.items():
        yield f"{why}: {'match' if len(numbers) == 1 else 'matches'} {', '.join(numbers)}."


def _check_table(data: SeasonData, folder: Path, found: Findings) -> None:
    computed = table_of(data.season, data.matches, data.games)
    for difference in _differences(data.standings, json.loads(json.dumps(computed)), "standings"):
        found.say(f"computed anew from the results, {difference}")
        break
    shown = Shown.read(read_bytes(folder / "index.html").decode())
    rows = (data.standings or {"rows": []})["rows"]
    expected = [(row["place"], clean(row["bot"]), int(f"{row['official']:.0f}")) for row in rows]
    if shown != expected:
        found.say("index.html shows other standings than data/standings.json")


def _differences(shown: Any, computed: Any, where: str) -> Iterator[str]:
    """Where two documents differ; numbers may do so in what another computer rounds otherwise."""
    if isinstance(shown, dict) and isinstance(computed, dict) and shown.keys() == computed.keys():
        for name in shown:
            yield from _differences(shown[name], computed[name], f"{where}.{name}")
    elif isinstance(shown, list) and isinstance(computed, list) and len(shown) == len(computed):
        for at, (one, other) in enumerate(zip(shown, computed, strict=True)):
            yield from _differences(one, other, f"{where}[{at}]")
    elif isinstance(shown, float) and isinstance(computed, float):
        if not math.isclose(shown, computed, rel_tol=1e-6, abs_tol=1e-6):
            yield f"{where} is {computed}, not {shown}"
    elif shown != computed or type(shown) is not type(computed):
        yield f"{where} is {str(computed)[:80]}, not {str(shown)[:80]}"


def _check_match(
    data: SeasonData, match: Facts, folder: Path, found: Findings, *, same_look: bool
) -> set[str]:
    """One match with its games; returns the names of the files that belong to it."""
    number = match["match"]
    games = data.games.get(number, [])
    if match["state"] != "done":
        if games:
            found.say(f"match {number} is {match['state']}, but has games")
        replays: list[Facts] = []
        known = set()
    else:
        replays = data.replays(number)
        found.matches += 1
        _check_sums(match, games, found)
        if len(replays) != len(games) or len(games) != match["boards"] * match["passes"]:
            expected = match["boards"] * match["passes"]
            found.say(
                f"match {number} has {len(games)} games and {len(replays)} replays,"
                f" expected {expected} of each"
            )
        for game, document in zip(games, replays, strict=False):
            _check_game(match, game, document, found)
        known = _compare(folder, iter([replay_file(number, replays)]), found)
    if same_look:
        known |= _compare(folder, match_files(data, match, replays), found)
    return known


def _check_sums(match: Facts, games: list[Facts], found: Findings) -> None:
    for seat in match["table"]:
        mine = [
            (game, at)
            for game in games
            for at, bot in enumerate(zip(game["bots"], game["versions"], strict=True))
            if bot == (seat["bot"], seat["version"])
        ]
        sums = [len(mine)] + [sum(game[of][at] for game, at in mine) for of in ("points", "places")]
        if sums != [seat["games"], seat["points"], seat["places"]]:
            found.say(
                f"match {match['match']}: the sums of {seat['bot']} are not those of the games"
            )


def _check_game(match: Facts, game: Facts, document: Facts, found: Findings) -> None:
    """One replay by itself, as part of its match, and as the source of one line of results."""
    where = f"match {match['match']}, game {game['game_no']} of pass {game['pass_no']}"
    try:
        replay = verify_replay(document)
    except ReplayError as error:
        found.say(f"{where}: {error}")
        return
    found.games += 1
    players = document["players"]
    recorded = {
        "match": document["match"],
        "attempt": document["attempt"],
        "key": document["key"],
        "commitment": document["commitment"],
        "rules": document["rules"],
        "options": document["options"],
        "pass": document["pass"],
        "game": document["game_no"],
        "board": document["board"],
        "bots": [player["bot"] for player in players],
        "versions": [player["version"] for player in players],
        "points": document["result"]["points"],
        "places": document["result"]["places"],
        "out": [player["out"] is not None for player in players],
        "rounds": len(replay.document["rounds"]),
    }
    listed = {
        "match": match_name(match["match"]),
        **{name: match[name] for name in ("attempt", "key", "commitment", "rules", "options")},
        "pass": game["pass_no"],
        "game": game["game_no"],
        **{name: game[name] for name in ("board", "bots", "versions", "points", "places", "out")},
        "rounds": game["rounds"],
    }
    for name, value in listed.items():
        if recorded[name] != value:
            found.say(f"{where}: the replay has {name} {recorded[name]}, the results have {value}")
            return


def _compare(folder: Path, files: Iterator[tuple[str, bytes]], found: Findings) -> set[str]:
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


class Shown(HTMLParser):
    """Reads place, bot and rating from the rows of the standings, as a reader sees them."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[list[str]]] = []
        self.inside = False

    @classmethod
    def read(cls, html: str) -> list[tuple[int, str, int]]:
        """The rows of the standings on a page; ValueError or IndexError where they are broken."""
        parser = cls()
        parser.feed(html)
        return [
            (_number(row[0][0]), "".join(row[1][:2]), _number(row[3][0])) for row in parser.rows
        ]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A table of standings begins, or a row or a cell of it."""
        classes = (dict(attrs).get("class") or "").split()
        if tag == "table":
            self.inside = "standings" in classes
        elif self.inside and tag == "tr":
            self.rows.append([])
        elif self.inside and tag in ("td", "th") and self.rows:
            self.rows[-1].append([])

    def handle_endtag(self, tag: str) -> None:
        """What stood in the head is no row."""
        if tag == "thead" and self.inside:
            self.rows = []
        elif tag == "table":
            self.inside = False

    def handle_data(self, data: str) -> None:
        """Text belongs to the last cell that began."""
        if self.inside and self.rows and self.rows[-1] and data.strip():
            self.rows[-1][-1].append(data.strip())


def _number(text: str) -> int:
    """A number written for people."""
    return int("".join(text.split()).replace("−", "-"))
