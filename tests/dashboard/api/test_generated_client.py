"""A client made from the schema by a generator that knows nothing else, against a dashboard that
runs: whatever the schema says wrongly, the client does wrongly."""

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from dashboard.settings import Settings
from store import Store
from tests.dashboard.conftest import api_token
from tests.dashboard.declared import api_document
from tests.dashboard.serving import served

generator = pytest.importorskip("openapi_python_client")
PAGE = Path(__file__).resolve().parents[3] / "docs" / "api.md"


def documented_overrides() -> dict[str, str]:
    """What the page about the API tells the generator of content types."""
    text = PAGE.read_text(encoding="utf-8")
    [block] = re.findall(r"```\ncontent_type_overrides:\n(.*?)```", text, re.DOTALL)
    return dict(line.strip().split(": ") for line in block.splitlines())


@pytest.fixture(scope="module")
def client_code(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """The generated package, imported."""
    from openapi_python_client.config import Config, ConfigFile, MetaType

    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_text(json.dumps(api_document()), encoding="utf-8")
    config = Config.from_sources(
        ConfigFile(content_type_overrides=documented_overrides(), post_hooks=[]),
        MetaType.NONE,
        document_source=folder / "openapi.json",
        file_encoding="utf-8",
        overwrite=True,
        output_path=folder / "league_client",
    )
    assert generator.generate(config=config) == [], "the generator leaves something out"
    sys.path.insert(0, str(folder))
    yield importlib.import_module("league_client")
    sys.path.remove(str(folder))


def call(part: str) -> Any:
    """One generated operation, such as `matches.match_list`."""
    return importlib.import_module(f"league_client.api.{part}").sync


@pytest.mark.heavy
def test_a_generated_client_makes_ten_calls(
    client_code: ModuleType, settings: Settings, store: Store
) -> None:
    models = importlib.import_module("league_client.models")
    token = api_token(store, "heron", "read", "manage")["authorization"].removeprefix("Bearer ")
    with (
        served(settings, store) as url,
        client_code.Client(url) as anyone,
        client_code.AuthenticatedClient(url, token=token) as heron,
    ):
        assert call("league.league_get")(client=anyone).api == "1"
        assert "six-nimmt" in [one.name for one in call("rules.rules_list")(client=anyone)]
        listed = call("matches.match_list")(client=anyone, season="spring", limit=3)
        assert [one.season for one in listed.items] == ["spring"] * 3
        after = call("matches.match_list")(client=anyone, season="spring", cursor=listed.next_)
        assert after.items[0].id < listed.items[-1].id
        match = call("matches.match_get")(listed.items[0].id, client=anyone)
        assert len(match.seats) == match.table_size
        done = call("matches.match_list")(client=anyone, state=[models.MatchState.DONE]).items[0]
        game = call("matches.game_list")(done.id, client=anyone)[0]
        replay = call("replays.replay_get")(done.id, game.pass_no, game.game_no, client=anyone)
        assert replay.to_dict()["format"] == "bullring-replay/1"
        table = call("seasons.season_standings")("spring", client=anyone)
        assert table.rows[0].place == 1
        assert call("account.me_get")(client=heron).handle == "heron"
        wanted = models.NewBot(name="fresh", rules=["six-nimmt"])
        assert call("bots.bot_create")(client=heron, body=wanted).bot == "heron/fresh"
        refused = call("bots.bot_create")(client=heron, body=wanted)
        assert isinstance(refused, models.Problem)
        assert refused.status == 409
        lines = call("replays.replay_list")(done.id, client=anyone)
        assert json.loads(lines.splitlines()[0])["format"] == "bullring-replay/1"
