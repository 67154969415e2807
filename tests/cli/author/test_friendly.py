"""`bullring friendly` against a real league: a worker, real bots as processes, real replays."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import store as data
from cli.main import build_app
from dashboard.settings import Settings
from league.authors.tokens import issue_token
from league.live import Broadcast
from league.services import LeagueServices
from league.settings import LeagueSettings
from league.wiring import make_worker, open_store
from nimmt.verify import verify
from store import Store
from tests.dashboard.conftest import plain_logs
from tests.dashboard.serving import served

__all__ = ["plain_logs"]

QUICK = {"fair_host": False, "poll_seconds": 0.2, "tick_seconds": 0.2, "table_slots": 0}


class League:
    """A league with a worker, and an author who uses the command line."""

    def __init__(self, url: str, store: Store, token: str) -> None:
        self.url, self.store, self.token = url, store, token

    def run(self, *words: str, code: int = 0) -> tuple[str, str]:
        ways = ("--server", self.url, "--token", self.token)
        result = CliRunner().invoke(build_app(), [*words, *ways])
        assert result.exit_code == code, result.output
        return result.stdout, result.stderr


@pytest.fixture
def league(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[League]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    settings = Settings.model_validate({"data_dir": tmp_path / "data", **QUICK})
    store = open_store(LeagueSettings.model_validate(settings.model_dump()))
    with store.write() as session:
        ada = data.accounts.add_owner(session, "ada")
        bot = data.bots.add_bot(session, ada.id, "mine", ["six-nimmt"])
        for program in ("sample:random", "sample:gap"):
            version = data.bots.add_version(session, bot.id, program=[program])
            data.bots.accept_version(session, version.id)
        _, token = issue_token(session, ada.id, "test", ["read", "manage"])
    broadcast = Broadcast()
    worker = make_worker(settings, store, watch=broadcast)
    worker.start()
    try:
        with served(settings, store, LeagueServices(settings, store, broadcast)) as url:
            yield League(url, store, token)
    finally:
        worker.stop()
        store.close()


def test_a_match_is_asked_for_followed_and_shown_with_its_replays(
    league: League, tmp_path: Path
) -> None:
    wanted = ("friendly", "mine@1", "gap", "--option", "rounds=1", "--boards", "12")
    table, progress = league.run(*wanted)
    assert re.search(r"Friendly match \d+: http", progress)
    assert "… waiting for a slot" in progress
    assert "six-nimmt, 2 bots, 24 games, unrated" in table
    assert "ada/mine v1" in table
    assert "house/gap v1" in table
    assert re.search(r"± 95 %", table)
    number = re.search(r"Friendly match (\d+)", progress)
    assert number is not None
    shown, _ = league.run("friendlies", number[1], "--json")
    result = json.loads(shown)
    assert result["state"] == "done"
    assert all(seat["points_half"] > 0 for seat in result["seats"])
    assert all(seat["faults"] == 0 for seat in result["seats"])
    listed, _ = league.run("friendlies")
    assert re.search(rf"{number[1]}\s+done\s+six-nimmt: mean place", listed)
    file = tmp_path / "games.jsonl"
    league.run("replay", "get", number[1], "--to", str(file))
    games = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(games) == 24
    for game in games:
        verify(game)


def test_what_the_league_refuses_ends_with_its_words(league: League) -> None:
    _, said = league.run("friendly", "mine", "nobody/here", code=2)
    assert "got opponent 'nobody/here'" in said
    _, said = league.run("friendly", "mine", code=2)
    assert "name one or more opponents" in said
    _, said = league.run("friendlies", "--cancel", code=2)
    assert "name the match" in said
