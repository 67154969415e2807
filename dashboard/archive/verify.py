"""Whether an archive is what it says: files, keys, commitments, replays, results, standings, pages.

It is read as a stranger's: every file may be missing, broken or made to mislead.
"""

import hashlib
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jinja2

import nimmt
from api_models.words import clean
from dashboard.archive.data import SeasonData, data_files, from_folder, read_bytes
from dashboard.archive.findings import Findings, compare
from dashboard.archive.games import check_match
from dashboard.archive.shown import Shown
from dashboard.archive.site import look, season_files
from dashboard.archive.write import FORMAT, MANIFEST
from league.seasons import Facts, commitment_of, table_of

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


def is_archive(folder: Path) -> bool:
    """Whether a folder says that it is an archive of a season."""
    try:
        manifest = json.loads(read_bytes(folder / MANIFEST))
        return str(manifest["format"]).startswith("bullring-archive/")
    except _BROKEN:
        return False


def verify_archive(
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
        known = compare(folder, data_files(data), found)
        if same_look:
            known |= compare(folder, season_files(data), found)
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
            known |= check_match(data, match, folder, found, same_look=same_look)
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
        for one in match.get("replaced", []):
            if nimmt.commitment(bytes.fromhex(one["key"])) != one["commitment"]:
                found.say(f"match {match['match']}: an earlier key is not the one committed to")
    commitments = [_first_promised(match) for match in data.matches]
    first = season["committed_matches"]
    later = [one for lot in season["later_commitments"] for one in lot["commitments"]]
    # A season that was cancelled before its freeze has promised nothing, and has no matches.
    called_off = season["commitment"] is None and not commitments
    if not called_off and commitment_of(commitments[:first]) != season["commitment"]:
        found.say(
            f"the commitments of the first {first} matches are not those that the season"
            f" published at the freeze, {season['commitment']}"
        )
    if commitments[first:] != later:
        found.say("matches after the freeze have other commitments than were published for them")
    if given is not None and given != season["commitment"]:
        found.say(f"the season's commitment is {season['commitment']}, you noted {given}")


def _first_promised(match: Facts) -> str:
    """What was published for a match before any of it was played; older archives know no other."""
    replaced = match.get("replaced", [])
    return str(replaced[0]["commitment"] if replaced else match["commitment"])


def _not_counted(matches: list[Facts]) -> Iterator[str]:
    """The matches that do not count in the standings: an archive cannot prove the reason."""
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
        found.say(f"computed again from the results, {difference}")
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
