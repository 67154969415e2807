"""`bullring season` and `bullring worker` as an organiser and an operator type them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

import store
from cli.main import build_app
from cli.tables import print_standings
from league.matches.inprocess import InProcessStage
from league.settings import LeagueSettings
from league.wiring import open_store
from league.words import counted
from store import AttemptState, MatchState, Store
from tests.ending import started
from tests.league.world import play_due

ROOT = Path(__file__).resolve().parents[3]
BOTS = ("house/random", "house/highest", "house/lowest", "house/gap")


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LeagueSettings:
    monkeypatch.setenv("BULLRING_DATA_DIR", str(tmp_path))
    for name in ("BULLRING_DATABASE_URL", "BULLRING_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    return LeagueSettings()


def bullring(*arguments: object) -> str:
    result = CliRunner().invoke(build_app(), [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: object) -> str:
    result = CliRunner().invoke(build_app(), [str(argument) for argument in arguments])
    assert result.exit_code == 2, result.output
    return result.output


def test_questions_are_asked_again_until_the_answer_is_one(
    chosen: LeagueSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.organise.season.drafts.is_asked_by_a_person", lambda: True)
    bullring("season", "create", "taken", "six-nimmt")
    wrong_and_right = [
        *("Spring!", "taken", "spring", "Spring cup"),
        *("chess", "x-nimmt", "9", "3", "0", "0000000001000000", "12", "twice", "2"),
        *("tomorrow", "2001-03-01", "2131-03-01", "2131-02-01", "2131-04-01", "", "y"),
    ]
    result = CliRunner().invoke(
        build_app(), ["season", "create"], input="\n".join(wrong_and_right) + "\n"
    )
    assert result.exit_code == 0, result.output
    for said in (
        "got the season name 'Spring!', expected lower-case letters",
        "got 'taken', which is taken",
        "got 'chess', expected one of six-nimmt",
        "got '0', expected a whole number from 1 to 10000",
        "got 'twice', expected a whole number",
        "got '0000000001000000', expected a whole number from 1 to 10000",
        "got 'tomorrow', expected a date like",
        "got '2001-03-01', expected a date from 20",
        "got '2131-02-01', expected a date from 2131-03-01 00:00 on, or nothing",
    ):
        assert said in result.output
    with open_store(chosen).read() as session:
        made = store.seasons.by_name(session, "spring")
        assert made is not None
        assert (made.title, made.rules, made.table_size, made.boards) == (
            "Spring cup",
            "x-nimmt",
            3,
            12,
        )
        assert (made.opens_at, made.freezes_at) == (
            datetime(2131, 3, 1, tzinfo=UTC),
            datetime(2131, 4, 1, tzinfo=UTC),
        )


def test_a_draft_is_changed_and_deleted(chosen: LeagueSettings, tmp_path: Path) -> None:
    bullring("season", "create", "spring", "six-nimmt", "-o", "rounds=1", "--boards", 8)
    said = bullring(
        "season", "edit", "spring", "--table", 3, "--title", "A cup", "--opens", "2031-05-01"
    )
    assert said.splitlines() == [
        "title: spring → A cup",
        "table: 4 → 3",
        "duplicate: no → yes",
        "opens: none → 2031-05-01T00:00Z",
    ]
    assert "already like that" in bullring("season", "edit", "spring", "--boards", 8)
    assert "give at least one option" in refused("season", "edit", "spring")
    file = tmp_path / "spring.toml"
    file.write_text('name = "summer"\nplaces = [1]\nbudget = 9\nboards = 12\n')
    said = bullring("season", "edit", "spring", "--from", file, "--boards", 4, "--opens", "")
    for line in ("name: spring → summer", "boards: 8 → 4", "budget: none → 9", "Z → none"):
        assert line in said
    assert "places: 1 → none" in bullring("season", "edit", "summer", "--place", 0)
    assert "No rehearsal of summer is running" in bullring("season", "rehearse", "summer", "--stop")
    bullring("season", "create", "other", "x-nimmt")
    bullring("season", "open", "other")
    assert "is open; only a draft" in refused("season", "delete", "other", "--yes")
    asked = CliRunner().invoke(build_app(), ["season", "delete", "summer"], input="n\n")
    assert asked.exit_code == 1
    assert "A cup: six-nimmt, tables of 3, 0 entries. Delete this draft?" in asked.output
    assert "summer: draft" in bullring("season", "list")
    bullring("season", "delete", "summer", "--yes")
    assert "summer" not in bullring("season", "list")
    assert "season.delete of A cup" in bullring("audit")


def test_a_season_from_its_creation_to_the_archive(chosen: LeagueSettings) -> None:
    made = bullring("season", "create", "spring", "six-nimmt", "-o", "rounds=1", "--boards", 6)
    assert "8 boards a match" in made, "boards are rounded up to whole laps of the table"
    assert "bullring season open spring" in made, "every command says what comes next"
    bullring("season", "open", "spring")
    bullring("season", "enter", "spring", *BOTS)
    assert "Commitment to all keys: sha256:" in bullring("season", "freeze", "spring")
    assert "no match of season spring is done yet" in refused("season", "standings", "spring")
    bullring("season", "start", "spring")
    assert "No worker is alive" in bullring("season", "status", "spring")
    bullring("season", "pause", "spring")
    assert "paused" in refused("season", "start", "spring")
    bullring("season", "resume", "spring")
    assert "still to be played" in refused("season", "finish", "spring")
    assert "bullring season finish --early spring" in refused("season", "archive", "spring")
    database = open_store(chosen)
    play_due(database, chosen, InProcessStage())
    now = json.loads(bullring("season", "status", "spring", "--json"))
    assert now["state"] == "finished"
    assert now["done"] == now["matches"] > 0
    shown = bullring("season", "standings", "spring")
    table = json.loads(bullring("season", "standings", "spring", "--json"))
    assert {row["bot"] for row in table["rows"]} == set(BOTS)
    assert all(bot in shown for bot in BOTS)
    assert "spring: finished" in bullring("season", "list")
    folder = chosen.data_dir / "kept"
    written = bullring("season", "archive", "spring", "--to", folder)
    assert f"{counted(now['done'], 'match', 'matches')}, {8 * now['done']} games" in written
    assert "spring: archived" in bullring("season", "list")
    assert "nothing wrong" in bullring("season", "verify-archive", folder)
    assert f"{8 * now['done']} verified, 0 wrong" in bullring("replay", "verify", folder)
    assert "already exists" in refused("season", "archive", "spring", "--to", folder)
    again = chosen.data_dir / "again"
    bullring("season", "archive", "spring", "--to", again)
    # The second time it is archived already; what is written does not tell.
    assert bytes_in(again) == bytes_in(folder)
    (folder / "data/games.csv").write_text("match,points\n")
    found = CliRunner().invoke(build_app(), ["season", "verify-archive", str(folder)])
    assert found.exit_code == 1
    assert "data/games.csv is not the file that the manifest names" in found.output
    assert "is not the archive" in refused("season", "verify-archive", chosen.data_dir)


def test_standings_are_whole_in_a_terminal_of_80_columns(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    row = {
        "low": 10, "high": 12, "bot": "a-long-owner/a-bot-with-a-name-of-forty-letters-no-less",
        "version": 12, "group": "abc", "official": 1512.0, "official_half": 104.0, "live": 1498.0,
        "provisional": True, "points_per_round": 11.84, "points_half": 1.25, "win_share": 0.254,
        "faults": {"timeout": 3},
    }  # fmt: skip
    print_standings("spring", {"games": 1200, "blocks": 300, "rows": [row]})
    shown = capsys.readouterr().out
    for whole in ("faults", "11.8 ± 1.2", "1512 ± 104", "1498?", "25 %"):
        assert whole in shown
    assert "…" not in shown


def test_an_empty_league_says_what_to_type_next(chosen: LeagueSettings) -> None:
    assert "bullring season create" in bullring("season", "list")
    assert "bullring ladder open" in bullring("ladder", "list")


def test_what_cannot_be_done_is_refused_with_a_way_on(chosen: LeagueSettings) -> None:
    bullring("season", "create", "spring", "six-nimmt")
    assert "known are: spring" in refused("season", "open", "autumn")
    assert "OWNER/NAME" in refused("season", "enter", "spring", "house/nobody")
    assert "which is taken" in refused("season", "create", "spring", "x-nimmt")
    assert "2026-12-01T18:00" in refused(
        "season", "create", "dated", "x-nimmt", "--opens", "tomorrow"
    )
    assert "is a draft; open it first, then freeze it" in refused("season", "freeze", "spring")
    assert "not entered" in refused("season", "withdraw", "spring", "house/gap")
    assert "expected one that exists" in refused("season", "replay-match", 7, "--reason", "why not")


def test_every_step_says_what_comes_next_or_what_is_missing_for_it(chosen: LeagueSettings) -> None:
    made = bullring("season", "create", "c7", "six-nimmt", "-o", "rounds=1", "--boards", 4)
    assert made.endswith("Next: ./bullring season open c7\n")
    said = refused("season", "start", "c7")
    assert "season 'c7' is a draft; open it and freeze it first, then start it" in said
    assert bullring("season", "enter", "c7", BOTS[0]).endswith("Next: ./bullring season open c7\n")
    said = bullring("season", "open", "c7")
    assert "Before you can freeze it: season 'c7' has 1 entry that can play" in said
    assert "Next:" not in said, "a step that would be refused is not offered"
    assert "bullring season enter c7 OWNER/BOT" in said
    assert "has 1 entry that can play" in refused("season", "freeze", "c7")
    said = bullring("season", "enter", "c7", *BOTS[1:])
    assert said.endswith("Next: ./bullring season freeze c7\n")
    assert "Next: ./bullring season start c7" in bullring("season", "freeze", "c7")
    assert "bullring season status c7 --follow" in bullring("season", "start", "c7")
    assert "Next: ./bullring season resume c7" in bullring("season", "pause", "c7")
    said = bullring("season", "finish", "c7", "--early")
    assert "Next: ./bullring season archive c7" in said


def test_a_season_file_is_refused_by_name_field_and_bound(
    chosen: LeagueSettings, tmp_path: Path
) -> None:
    file = tmp_path / "spring.toml"
    for line, words in (
        ("boards = 1000000000", "boards: got 1000000000, expected a whole number from 1 to 10000"),
        ("boards = true", "boards: got True, expected a whole number from 1 to 10000"),
        ('title = "a\\u0000b"', "holds the character NUL"),
        ("seats = 4", "got 'seats', expected one of"),
        ("opens = 7", "got the date 7, expected one like 2026-12-01T18:00"),
        ('options = "rounds"', "options: got 'rounds'"),
    ):
        file.write_text(f'name = "spring"\nrules = "six-nimmt"\n{line}\n', encoding="utf-8")
        assert words in refused("season", "create", "--from", file)
    assert "There is no season yet" in bullring("season", "list")


@pytest.mark.heavy
def test_a_stuck_match_is_named_with_the_command_that_plays_it_again(
    chosen: LeagueSettings,
) -> None:
    bullring("season", "create", "spring", "six-nimmt", "-o", "rounds=1", "--boards", 4)
    bullring("season", "open", "spring")
    bullring("season", "enter", "spring", *BOTS)
    bullring("season", "freeze", "spring")
    bullring("season", "start", "spring")
    stage = InProcessStage()
    stage.fail = lambda _: True
    play_due(open_store(chosen), chosen, stage)
    shown = bullring("season", "status", "spring")
    assert "Match 1 is stuck (the stage collapsed)" in shown
    assert "bullring season replay-match 1" in shown
    bullring("season", "replay-match", 1, "--reason", "fixed")
    stage.fail = lambda _: False
    play_due(open_store(chosen), chosen, stage)
    assert "stuck" not in bullring("season", "status", "spring")


def wait_for(what: Callable[[], object], seconds: float = 100.0) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def matches_in(database: Store, state: MatchState) -> list[store.Match]:
    with database.read() as session:
        return store.match_lists.matches(session, states=(state,), limit=1000)


@pytest.mark.heavy(but="[2]")
@pytest.mark.timeout(400)
@pytest.mark.parametrize("signals", [1, 2])
def test_a_signal_drains_a_worker_and_a_second_one_gives_its_match_back(
    chosen: LeagueSettings, signals: int
) -> None:
    boards = 200 if signals == 1 else 10_000
    name = ["season", "create", "spring", "six-nimmt", "-o", "rounds=1", "--table", "2"]
    calm = ["--one-pass", "--move-ms", "60000", "--bank-ms", "600000", "--meetings", "20"]
    bullring(*name, "--boards", boards, *calm)
    bullring("season", "open", "spring")
    bullring("season", "enter", "spring", "house/random", "house/lowest")
    bullring("season", "freeze", "spring")
    bullring("season", "start", "spring")
    database = open_store(chosen)
    command = [sys.executable, "-m", "cli", "worker", "--slots", "1"]
    environ = dict(os.environ)
    with started(command, cwd=ROOT, env=environ, stderr=subprocess.DEVNULL) as worker:
        wait_for(lambda: matches_in(database, MatchState.RUNNING))
        worker.send_signal(signal.SIGTERM)
        if signals == 2:
            wait_for(lambda: _draining(database))
            worker.send_signal(signal.SIGTERM)
        assert worker.wait(timeout=200) == 0
    assert matches_in(database, MatchState.RUNNING) == []
    with database.read() as session:
        tried = [m for m in store.match_lists.matches(session, limit=1000) if m.attempts]
        states = {a.state for m in tried for a in store.match_lists.attempts(session, m.id)}
    if signals == 1:
        assert states == {AttemptState.DONE}, "a running match may end when a worker drains"
    else:
        assert states == {AttemptState.VOID}
        assert [match.state for match in tried] == [MatchState.QUEUED]
        assert tried[0].failures == 0, "the match is charged with our own restart"


def bytes_in(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def _draining(database: Store) -> bool:
    with database.read() as session:
        return any(w.state is store.WorkerState.DRAINING for w in store.workers.recent(session))
