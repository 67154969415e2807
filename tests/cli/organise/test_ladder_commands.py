"""`bullring ladder`, `bullring gate` and the further season commands as people type them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import store
from cli.main import build_app
from league.settings import LeagueSettings
from league.wiring import open_store
from store import Store
from tests.factories import add_bots
from tests.league.arena import add_version, add_worker, play_some
from tests.league.world import play_due

ROOT = Path(__file__).resolve().parents[3]
SIX = ("six-nimmt", "-o", "rounds=1")


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LeagueSettings:
    monkeypatch.setenv("BULLRING_DATA_DIR", str(tmp_path))
    for name in ("BULLRING_DATABASE_URL", "BULLRING_REDIS_URL"):
        monkeypatch.delenv(name, raising=False)
    return LeagueSettings()


@pytest.fixture
def database(chosen: LeagueSettings) -> Store:
    made = open_store(chosen)
    add_worker(made)
    return made


def bullring(*arguments: object, code: int = 0) -> str:
    result = CliRunner().invoke(build_app(), [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_a_ladder_from_its_opening_to_its_standings(
    database: Store, chosen: LeagueSettings
) -> None:
    add_bots(database, ("greedy", "random", "highest"))
    opened = bullring("ladder", "open", *SIX, "--boards", 6, "--longest-wait", 90)
    assert "Ladder 1 is open" in opened
    assert "8 boards a match" in opened
    assert "1: open, six-nimmt, tables of 4" in bullring("ladder", "list")
    assert "no bot" in bullring("ladder", "standings", 1, code=2)
    bullring("ladder", "enter", 1, "house/gap")
    play_some(database, chosen, 6)
    table = json.loads(bullring("ladder", "standings", 1, "--json"))
    assert "house/gap" in {row["bot"] for row in table["rows"]}
    assert "share a letter" in bullring("ladder", "standings", 1)
    assert "paused" in bullring("ladder", "pause", 1)
    assert "1: paused" in bullring("ladder", "list")
    assert "is open" in bullring("ladder", "resume", 1)
    said = bullring("ladder", "settings", 1, "--boards", 9, "--move-ms", 50)
    assert "12 boards a match, 50 ms per move" in said
    assert "longest wait 90 s" in said, "what is left out stays"
    assert "move_ms: got -1, expected" in bullring("ladder", "settings", 1, "--move-ms", -1, code=2)
    assert "closed" in bullring("ladder", "close", 1)
    answer = json.loads(bullring("ladder", "why", "owner-of-random/random", "--json"))
    assert answer[0]["reason"] == "LADDER_PAUSED"
    assert answer[0]["longest_wait"] == 90
    assert "paused" in bullring("ladder", "why", "owner-of-random/random")
    assert "no bot" in bullring("ladder", "why", "nobody/nothing", code=2)
    assert "known are: 1" in bullring("ladder", "close", 7, code=2)


def test_bots_are_taken_out_put_back_and_forgiven(database: Store) -> None:
    bot = add_bots(database, ("greedy",))[0]
    bullring("ladder", "open", *SIX)
    bullring("ladder", "withdraw", 1, bot)
    assert "withdrawn" in bullring("ladder", "why", bot)
    bullring("ladder", "enter", 1, bot)
    bullring("ladder", "disqualify", 1, bot, "--reason", "it peeked")
    assert "it peeked" in bullring("ladder", "why", bot)
    assert "not suspended" in bullring("ladder", "forgive", bot, "--reason", "x", code=2)
    with database.write() as session:
        found = store.bots.find_bot(session, bot)
        assert found is not None
        store.bots.suspend(session, found.id, "it failed")
    assert "plays again" in bullring("ladder", "forgive", bot, "--reason", "our fault")


def test_gates_are_opened_listed_and_required(database: Store) -> None:
    bot = add_bots(database, ("greedy", "random"))[0]
    bullring("ladder", "open", *SIX)
    add_version(database, bot, "random")
    assert "There is no gate yet" in bullring("ladder", "gates")
    assert "attempt 1" in bullring("ladder", "gate", 1, bot, "--new", 1)
    listed = json.loads(bullring("ladder", "gates", "--json"))
    assert [(one["new"], one["old"], one["state"]) for one in listed] == [(1, 2, "playing")]
    assert "playing" in bullring("ladder", "gates")
    assert "already" in bullring("ladder", "gate", 1, bot, "--new", 1, code=2)
    cancelled = bullring("ladder", "gate-cancel", 1, "--reason", "a mistake")
    assert "is cancelled" in cancelled
    assert "need a gate" in bullring("ladder", "gate-rule", "true")
    assert "need not" in bullring("ladder", "gate-rule", "false", "--bot", bot)
    assert "holds again" in bullring("ladder", "gate-rule", "league", "--bot", bot)


@pytest.mark.heavy
def test_a_season_is_planned_examined_and_cleaned_on_the_command_line(
    database: Store, chosen: LeagueSettings
) -> None:
    planned = bullring("season", "plan", "--bots", 6, "--gap", 1.7, "--rules", "six-nimmt")
    assert "To separate bots 1.7 points per round apart" in planned
    assert "Assumed: six-nimmt with limit 66" in planned, "the options it assumes are named"
    assert "sample bots on this machine" in planned, "the first guess of time is a match"
    assert "the usual one of 6 nimmt!" in planned
    once, badge = planned.split(";")[:2]
    assert "matches in about" in once
    assert "matches in about" in badge, "which number the matches belong to"
    create = ("season", "create", "spring", *SIX, "--boards", 8)
    assert "budget" in bullring(*create, "--place", 1, code=2)
    bullring(*create, "--place", 1, "--budget", 3)
    bullring("season", "open", "spring")
    bots = add_bots(database, ("greedy", "random", "highest", "taker"))
    bullring("season", "enter", "spring", *bots)
    bullring("season", "freeze", "spring")
    bullring("season", "start", "spring")
    assert "1 match is left" in bullring("season", "time-left", "spring")
    play_due(database, chosen)
    assert "Nothing is left" in bullring("season", "time-left", "spring")
    preview = bullring("season", "disqualify", "spring", bots[0], "--preview")
    assert "-> –  owner-of-greedy/greedy 1" in preview
    assert "Nothing has been changed" in preview
    assert "reason" in bullring("season", "disqualify", "spring", bots[0], code=2)
    done = bullring("season", "disqualify", "spring", bots[0], "--reason", "it peeked")
    assert "is disqualified" in done
    fair = bullring("season", "fairness", "spring")
    assert "pairs compared" in fair
    assert json.loads(bullring("season", "fairness", "spring", "--json"))["balance"]


@pytest.mark.heavy
def test_a_rehearsal_runs_with_a_worker_of_its_own_and_says_what_it_found(
    chosen: LeagueSettings,
) -> None:
    database = open_store(chosen)
    bullring("season", "create", "trial", *SIX, "--boards", 4, "--move-ms", 2000)
    # A process of its own: the command sets up logs for good.
    command = [sys.executable, "-m", "cli", "season", "rehearse", "trial", "--bots", "4", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=110)
    assert done.returncode == 0, done.stderr
    found: Any = json.loads(done.stdout)
    assert found["good"], found
    assert (found["matches"], found["games"], found["workers"]) == (1, 4, 1)
    with database.read() as session:
        assert [one.name for one in store.seasons.seasons(session)] == ["trial"]


@pytest.mark.heavy
def test_the_gate_at_home_stops_a_version_that_is_far_worse() -> None:
    said = bullring(
        *("gate", "random", "slotrisk", "--rules", "six-nimmt", "-o", "rounds=1", "--json"),
        *("--gain", 3, "--boards", 120, "--move-ms", 2000, "--bank-ms", 60_000, "--seed", 1),
        *("--same-boards", "--against", "gap", "--against", "leastcost", "--against", "highest"),
        code=1,
    )
    found = json.loads(said)
    assert found["verdict"] == "fail"
    assert found["games"] >= 160
    assert (found["new_faults"], found["old_faults"]) == (0, 0)


def test_the_gate_at_home_refuses_what_cannot_be_played() -> None:
    assert "opponents" in bullring(
        "gate", "gap", "random", "--rules", "six-nimmt", "--table", 4, "-a", "gap", code=2
    )
    assert "gain" in bullring("gate", "gap", "random", "--rules", "six-nimmt", "--gain", 0, code=2)
    assert "there are no rules 'whist'" in bullring(
        "gate", "gap", "random", "--rules", "whist", code=2
    )
