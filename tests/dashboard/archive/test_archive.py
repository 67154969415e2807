"""The archive of a season: what it holds, that it is always the same, and that it cannot lie."""

import gzip
import hashlib
import io
import json
import re
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dashboard.archive import (
    SeasonData,
    TargetTaken,
    archive_files,
    from_store,
    stream_zip,
    verify_archive,
    write_folder,
)
from league import seasons
from league.errors import LeagueRefusal
from league.seasons import table_of
from store import Store
from tests.dashboard.archived import called_off_season, finished_season, given_up_season
from tests.dashboard.conftest import Browser
from tests.dashboard.seed import Seeded

HOSTILE = "../..\\evil/<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> SeasonData:
    """The facts of a season; its replays are read once and kept."""
    store, season_id = finished_season(tmp_path_factory.mktemp("season"))
    found = from_store(store, season_id)
    kept = {match["match"]: found.replays(match["match"]) for match in found.done}
    store.close()
    return replace(found, replays=kept.__getitem__)


@pytest.fixture(scope="module")
def whole(data: SeasonData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive in a folder; never changed, only copied."""
    folder = tmp_path_factory.mktemp("archive") / "spring"
    write_folder(data, folder)
    return folder


@pytest.mark.parametrize("ended", [given_up_season, called_off_season])
def test_a_season_that_ended_before_a_match_was_played_has_an_archive_too(
    tmp_path: Path, ended: Callable[[Path], tuple[Store, int]]
) -> None:
    given_up, season_id = ended(tmp_path)
    write_folder(from_store(given_up, season_id), tmp_path / "archive")
    assert "ended before a match was done" in (tmp_path / "archive" / "index.html").read_text()
    assert verify_archive(tmp_path / "archive").problems == []


def test_a_match_that_was_played_again_shows_both_attempts_and_both_commitments(
    tmp_path: Path,
) -> None:
    store, season_id = finished_season(tmp_path, again=True)
    data = from_store(store, season_id)
    [match] = [one for one in data.matches if one["replaced"]]
    write_folder(data, tmp_path / "archive")
    page = (tmp_path / "archive" / "matches" / f"{match['match']}.html").read_text()
    assert match["commitment"] in page
    assert match["replaced"][0]["commitment"] in page
    assert match["replaced"][0]["commitment"] != match["commitment"]
    assert verify_archive(tmp_path / "archive").problems == []


def test_a_season_with_substitutes_is_verified_and_names_them(tmp_path: Path) -> None:
    store, season_id = finished_season(tmp_path, leaver="heron/close")
    data = from_store(store, season_id)
    filled = [one for one in data.matches if any(seat["substitute"] for seat in one["table"])]
    assert filled
    assert data.standings == table_of(data.season, data.matches, data.games)
    write_folder(data, tmp_path / "archive")
    page = (tmp_path / "archive" / "matches" / f"{filled[0]['match']}.html").read_text()
    assert ">substitute<" in page
    assert verify_archive(tmp_path / "archive").problems == []


def test_an_archive_is_verified_as_it_was_written(whole: Path, data: SeasonData) -> None:
    found = verify_archive(whole, commitment=data.season["commitment"])
    assert (found.problems, found.remarks) == ([], [])
    assert (found.matches, found.games) == (len(data.matches), 4 * len(data.matches))
    assert found.files > 3 * len(data.matches)


def test_the_same_season_gives_the_same_bytes_in_a_folder_and_in_a_zip(
    whole: Path, data: SeasonData
) -> None:
    again = dict(archive_files(data))
    assert {name: (whole / name).read_bytes() for name in again} == again
    packed = b"".join(stream_zip(data))
    with zipfile.ZipFile(io.BytesIO(packed)) as opened:
        inside = {name: opened.read(name) for name in opened.namelist()}
    assert inside == {f"spring-archive/{name}": body for name, body in again.items()}
    assert packed == b"".join(stream_zip(data))


def test_nothing_is_overwritten_and_a_failure_leaves_nothing(
    data: SeasonData, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/letter.txt").write_text("dear")
    with pytest.raises(TargetTaken, match="already exists"):
        write_folder(data, tmp_path / "mine")

    def fail(_: int) -> None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="full"):
        write_folder(data, tmp_path / "new", fail)
    assert [path.name for path in tmp_path.rglob("*")] == ["mine", "letter.txt"]


def test_a_season_that_goes_on_is_refused_with_what_to_do(store: Store, seeded: Seeded) -> None:
    with pytest.raises(LeagueRefusal, match=r"is running.*season finish --early spring"):
        from_store(store, seeded.season_id)


def test_hostile_names_are_text_on_pages_and_never_names_of_files(data: SeasonData) -> None:
    def renamed(value: Any) -> Any:
        return json.loads(json.dumps(value).replace("heron/close", json.dumps(HOSTILE)[1:-1]))

    hostile = replace(
        data,
        season=renamed(data.season),
        matches=renamed(data.matches),
        games={match: renamed(games) for match, games in data.games.items()},
        standings=renamed(data.standings),
        replays=lambda match: renamed(data.replays(match)),
    )
    files = dict(archive_files(hostile))
    assert set(files) == {name for name, _ in archive_files(data)}
    assert all(re.fullmatch(r"[a-zA-Z0-9]+(?:[/.][a-z0-9]+)*", name) for name in files)
    pages = b"".join(body for name, body in files.items() if name.endswith(".html"))
    assert b"<img src=x" not in pages
    assert b"&lt;img src=x" in pages
    assert b"<b>season" not in pages


def edit(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    """Change a file of JSON: the document, or the list of its lines."""
    path = folder / name
    packed = name.endswith(".gz")
    text = gzip.decompress(path.read_bytes()) if packed else path.read_bytes()
    if name.endswith(".json"):
        document = json.loads(text)
        change(document)
        body = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    else:
        lines = [json.loads(line) for line in text.splitlines()]
        change(lines)
        body = "".join(
            json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines
        )
    path.write_bytes(gzip.compress(body.encode(), 9, mtime=0) if packed else body.encode())


def a_score(folder: Path) -> None:
    edit(folder, "data/games.ndjson", lambda games: games[0]["points"].reverse())


def a_key(folder: Path) -> None:
    edit(folder, "data/matches.ndjson", lambda matches: matches[0].update(key="00" * 32))


def a_key_and_its_commitment(folder: Path) -> None:
    new = {"key": "00" * 32, "commitment": "sha256:" + hashlib.sha256(bytes(32)).hexdigest()}
    edit(folder, "data/matches.ndjson", lambda matches: matches[0].update(new))


def a_commitment(folder: Path) -> None:
    changed = {"commitment": "sha256:" + "0" * 64}
    edit(folder, "data/matches.ndjson", lambda matches: matches[0].update(changed))


def the_commitment_of_the_season(folder: Path) -> None:
    edit(folder, "data/season.json", lambda one: one.update(commitment="sha256:" + "0" * 64))


def a_move(folder: Path) -> None:
    def change(games: list[Any]) -> None:
        # A card that lies in another hand. Two of its own, exchanged, might even end the same.
        first, second = games[0]["rounds"][0]["decisions"][:2]
        first["choice"] = second["choice"]

    edit(folder, "data/replays/1.jsonl.gz", change)


def a_replay_taken_away(folder: Path) -> None:
    edit(folder, "data/replays/1.jsonl.gz", lambda games: games.pop())


def the_standings(folder: Path) -> None:
    edit(folder, "data/standings.json", lambda table: table["rows"][0].update(official=3000.0))


def the_standings_that_are_shown(folder: Path) -> None:
    page = folder / "index.html"
    names = re.findall(r"<bdi>(\w+)</bdi>", page.read_text())
    swapped = page.read_text().replace(names[0], "#").replace(names[1], names[0])
    page.write_text(swapped.replace("#", names[1]))


def a_result_that_does_not_count(folder: Path) -> None:
    edit(folder, "data/matches.ndjson", lambda matches: matches[0].update(rated=False))


def a_pair_of_matches(folder: Path) -> None:
    for name in ("data/replays/{}.jsonl.gz", "replays/{}.html", "matches/{}.html"):
        first, second = folder / name.format(1), folder / name.format(2)
        kept = first.read_bytes()
        first.write_bytes(second.read_bytes())
        second.write_bytes(kept)


def what_the_viewer_shows(folder: Path) -> None:
    shutil.copy(folder / "replays/2.html", folder / "replays/1.html")


def a_script(folder: Path) -> None:
    with (folder / "assets/viewer.js").open("a") as file:
        file.write("alert(1)\n")


def a_removed_file(folder: Path) -> None:
    (folder / "data/replays/2.jsonl.gz").unlink()


def an_added_page(folder: Path) -> None:
    (folder / "matches/99.html").write_text("<h1>A match that never was</h1>")


TAMPERED: dict[Callable[[Path], None], str] = {
    a_score: "the replay has points",
    a_key: "the key is not the one committed to",
    a_key_and_its_commitment: "are not those that the season published",
    a_commitment: "the key is not the one committed to",
    the_commitment_of_the_season: "are not those that the season published",
    a_move: "match 1, game 0 of pass 0",
    a_replay_taken_away: "4 games and 3 replays",
    the_standings: "computed again from the results, standings.rows[0].official",
    the_standings_that_are_shown: "index.html shows other standings",
    a_result_that_does_not_count: "computed again from the results",
    a_pair_of_matches: "the replay has match m2",
    what_the_viewer_shows: "replays/1.html is not what the data says",
    a_script: "assets/viewer.js is not what the data says",
    a_removed_file: "2.jsonl.gz",
    an_added_page: "matches/99.html does not belong to an archive",
}


@pytest.mark.parametrize("tamper", TAMPERED, ids=lambda one: one.__name__)
def test_whoever_changes_something_and_mends_the_manifest_is_found_out(
    whole: Path, tmp_path: Path, tamper: Callable[[Path], None]
) -> None:
    folder = tmp_path / "spring"
    shutil.copytree(whole, folder)
    tamper(folder)
    assert not verify_archive(folder).good, "against the manifest"
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"] = {
        path.relative_to(folder).as_posix(): {
            "size": path.stat().st_size,
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        }
        for path in folder.rglob("*")
        if path.is_file() and path.name != "manifest.json"
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    problems = verify_archive(folder).problems
    assert any(TAMPERED[tamper] in problem for problem in problems), problems


def test_an_archive_of_nonsense_is_refused_and_never_a_crash(whole: Path, tmp_path: Path) -> None:
    for number, name in enumerate(("season.json", "matches.ndjson", "games.ndjson")):
        for nonsense in (b"", b"[]\n", b'{"a":1}\n', b"\xff", b"3\n"):
            folder = tmp_path / f"{number}-{nonsense.hex()}"
            shutil.copytree(whole, folder)
            (folder / "data" / name).write_bytes(nonsense)
            assert not verify_archive(folder).good


def without_a_title(season: dict[str, Any]) -> None:
    del season["title"]


def with_half_an_entry(season: dict[str, Any]) -> None:
    del season["entries"][0]["bot"]


@pytest.mark.parametrize("change", [without_a_title, with_half_an_entry])
def test_facts_that_the_pages_need_and_miss_are_a_problem_in_words(
    whole: Path, tmp_path: Path, change: Callable[[Any], None]
) -> None:
    folder = tmp_path / "spring"
    shutil.copytree(whole, folder)
    edit(folder, "data/season.json", change)
    assert "cannot be read" in verify_archive(folder).problems[-1]


def test_a_document_that_is_too_deep_is_refused(whole: Path, tmp_path: Path) -> None:
    folder = tmp_path / "spring"
    shutil.copytree(whole, folder)
    (folder / "data/season.json").write_text("[" * 200_000)
    assert not verify_archive(folder).good


def test_matches_that_do_not_count_are_named_with_their_reason(
    data: SeasonData, tmp_path: Path
) -> None:
    first, second, *others = data.matches
    gone = {**first, "state": "cancelled", "key": None, "attempt": None}
    struck = {**second, "rated": False, "rated_why": "its owners are linked"}
    games = {number: lines for number, lines in data.games.items() if number != first["match"]}
    told = replace(data, matches=[gone, struck, *others], games=games)
    told = replace(told, standings=table_of(told.season, told.matches, games))
    write_folder(told, tmp_path / "spring")
    found = verify_archive(tmp_path / "spring")
    assert found.problems == []
    assert found.remarks == [
        f"Without a result (cancelled): match {first['match']}.",
        f"Played but not counted (its owners are linked): match {second['match']}.",
    ]


def test_a_reader_who_noted_another_commitment_is_told(whole: Path) -> None:
    problems = verify_archive(whole, commitment="sha256:" + "1" * 64).problems
    assert ["you noted sha256:1" in one for one in problems] == [True]


def test_organisers_download_the_archive_of_a_season_that_is_over(
    boss: Browser, spectator: Browser, store: Store, seeded: Seeded
) -> None:
    address = f"/api/v1/seasons/{seeded.season}/archive.zip"
    assert spectator.get(address).status_code == 401
    assert boss.get(address).status_code == 409
    with store.write() as session:
        seasons.finish(session, seeded.season_id, "test", early=True)
    assert address in boss.get(f"/seasons/{seeded.season}").text
    answer = boss.get(address)
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"] == 'attachment; filename="spring-archive.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as opened:
        assert "spring-archive/index.html" in opened.namelist()
        assert opened.testzip() is None
