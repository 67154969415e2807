"""The pages of an archive. They work from a folder: no server, no modules, relative addresses."""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from api_models.words import NOTHING, clean
from dashboard.archive.data import File, SeasonData, replay_name
from dashboard.http import STATIC, style_sheet
from dashboard.render import TEMPLATES, game_title, new_environment
from dashboard.viewer import (
    ENTRY,
    Highlight,
    Links,
    build_payload,
    join_modules,
    worth_watching,
)
from league import ratings
from league.ratings import VersionName
from league.seasons import Facts
from nimmt.errors import ReplayError

HERE = Path(__file__).resolve().parent
STYLES = ("tokens", "site", "viewer")
_MADE_OF = (
    *sorted((TEMPLATES / "archive").glob("*")),
    TEMPLATES / "macros.html",
    *sorted(HERE.glob("*.py")),
    *sorted((HERE.parent / "viewer").glob("*.py")),
    HERE.parent / "render" / "charts.py",
    HERE.parent / "render" / "text.py",
)


@cache
def _environment() -> Environment:
    made = new_environment()
    # Nothing here leads to a site that may be gone, and no time depends on when it is read.
    made.globals.update(bot_url=lambda _: None)
    made.filters.update(moment=_moment, result=_result)
    return made


def _moment(written: str | None) -> Markup:
    """A time as the data has it: exact for machines, without seconds for people."""
    if written is None:
        return Markup(NOTHING)
    words = written[:16].replace("T", ", ") + " UTC"
    return Markup('<time datetime="{}">{}</time>').format(written, words)


def _result(table: list[Facts]) -> list[Facts]:
    """The bots of a match, the best first."""
    return sorted(table, key=lambda seat: (seat["places"], seat["points"], seat["seat"]))


@cache
def _script() -> bytes:
    return join_modules(ENTRY).encode()


def _style() -> bytes:
    return "\n".join(map(style_sheet, STYLES)).encode()


@cache
def look() -> str:
    """A hash of everything that pages are made of; equal looks write equal pages."""
    digest = hashlib.sha256(_style() + _script())
    for path in _MADE_OF:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def _page(template: str, root: str, data: SeasonData, **values: object) -> bytes:
    season = data.season
    text = (
        _environment()
        .get_template(f"archive/{template}")
        .render(root=root, season=season, title=clean(season["title"] or season["name"]), **values)
    )
    return text.encode()


def season_files(data: SeasonData) -> Iterator[File]:
    """The first page, the list of all matches, and what all pages share."""
    yield "assets/style.css", _style()
    yield "assets/viewer.js", _script()
    yield "assets/mark.svg", (STATIC / "img/mark.svg").read_bytes()
    table = ratings.read_table(data.standings)
    names = {one["bot"]: VersionName.read(one["name"]).number for one in data.season["versions"]}
    games = sum(map(len, data.games.values()))
    facts = {"table": table, "numbers": names, "matches": data.matches, "games": games}
    yield "index.html", _page("index.html", "", data, **facts)
    rounds: dict[int | str | None, list[Facts]] = {}
    for match in data.matches:
        rounds.setdefault(match["round"], []).append(match)
    if len(rounds) == len(data.matches):
        # A heading for every match would only make the list long.
        rounds = {"all": data.matches}
    values = {"matches": data.matches, "rounds": rounds}
    yield "matches.html", _page("matches.html", "", data, **values)
    yield "README.txt", _page("README.txt", "", data)


def match_files(data: SeasonData, match: Facts, replays: list[Facts]) -> Iterator[File]:
    """The page of a match and, when it was played, the page of its replays."""
    number = match["match"]
    games = data.games.get(number, [])
    values = {
        "match": match,
        "games": games,
        "replays": replay_name(number),
        "highlights": _highlights(replays),
    }
    yield f"matches/{number}.html", _page("match.html", "../", data, **values)
    if replays:
        packed = pack([_payload(match, replays, at) for at in range(len(replays))])
        yield f"replays/{number}.html", _page("replay.html", "../", data, packed=packed, **values)


def _highlights(replays: list[Facts]) -> list[tuple[int, Highlight]]:
    """What is worth watching, each with the number of its game in the archive's viewer."""
    at = {(one["pass"], one["game_no"]): number for number, one in enumerate(replays)}
    try:
        found = worth_watching(replays)
    except ReplayError:
        # Whoever verifies the archive is told what is wrong with it; this page can do without.
        return []
    return [(at[one.pass_no, one.game_no], one) for one in found]


def _payload(match: Facts, replays: list[Facts], at: int) -> dict[str, Any]:
    """The viewer's data of one game; its links stay inside the archive."""
    number = match["match"]
    document = replays[at]
    links: Links = {
        "page": f"?game={at}",
        "match": f"../matches/{number}.html",
        "download": f"../{replay_name(number)}",
    }
    if at > 0:
        links["previous"] = f"?game={at - 1}"
    if at + 1 < len(replays):
        links["next"] = f"?game={at + 1}"
    same = [n for n, other in enumerate(replays) if other["board"] == document["board"]]
    if len(same) > 1:
        links["seatings"] = [
            {
                "label": f"Pass {replays[n]['pass'] + 1}",
                "href": f"?game={n}",
                "current": n == at,
            }
            for n in same
        ]
    game = game_title(match["rules"], document["options"])
    title = f"{game} · match {number} · game {document['game_no'] + 1}"
    if match["passes"] > 1:
        title += f" of pass {document['pass'] + 1}"
    return build_payload(document, title=title, links=links)


def pack(payloads: list[dict[str, Any]]) -> str:
    """Payloads as base64 of gzip, one a line: an inert part of a page, small, and safe in HTML."""
    lines = "\n".join(
        json.dumps(payload, ensure_ascii=False, separators=(",", ":")) for payload in payloads
    )
    return base64.b64encode(gzip.compress(lines.encode(), 9, mtime=0)).decode()
