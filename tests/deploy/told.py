"""What a league says by its API and on its pages: the same before an upgrade and after it."""

import json
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from dashboard.app import create_app
from dashboard.settings import Settings
from league.authors.tokens import issue_token
from store import Store, accounts
from tests.dashboard.conftest import ORIGIN, browser

ANSWERS = (
    "bots",
    "bots/heron/close/versions",
    "bots/heron/close/ratings",
    "bots/heron/close/gates",
    "bots/heron/close/history?ladder=5",
    "bots/heron/dice/why",
    "bots/house/greedy/why",
    "bots/lynx/highest/why",
    "bots/lynx/loose/versions",
    "bots/otter/closer/versions",
    "bots/otter/stumble/why",
    "gates",
    "ladders",
    "ladders/5/standings",
    "matches?limit=100",
    "matches/1",
    "seasons",
    "seasons/autumn",
    "seasons/autumn/entries",
    "seasons/autumn/standings",
    "seasons/autumn/status",
    "seasons/spring",
    "seasons/spring/entries",
    "seasons/spring/rehearse",
    "audit?limit=100",
)
PAGES = (
    "/seasons",
    "/seasons/autumn",
    "/ladders/5",
    "/ladders/6",
    "/bots/heron/close",
    "/bots/heron/close/manage",
    "/bots/lynx/loose/manage",
    "/bots/otter/closer/manage",
    "/organiser",
    "/organiser/seasons/autumn",
    "/organiser/seasons/spring",
    "/organiser/ladders/5",
    "/organiser/ladders/6",
    "/organiser/ladders/7",
)
PASSING = {"idle_seconds", "seconds_left", "now", "etag", "reason_at"}
"""What is another number at every look."""


def app_of(database: Store, folder: Path) -> FastAPI:
    """The dashboard of this database."""
    chosen = Settings(data_dir=folder, base_url=ORIGIN, page_cache_seconds=0)
    return create_app(chosen, database)


def client_of(database: Store, folder: Path) -> TestClient:
    """An organiser with a token at the API of this database."""
    with database.write() as session:
        boss = accounts.owner_by_handle(session, "boss")
        assert boss is not None
        _, secret = issue_token(session, boss.id, "a look", ["read", "organise"])
    client = TestClient(app_of(database, folder), base_url=ORIGIN)
    client.headers["authorization"] = f"Bearer {secret}"
    return client


def answers(database: Store, folder: Path) -> dict[str, Any]:
    """What the API says, by its address, without what passes with the time."""
    found = {}
    with client_of(database, folder) as client:
        for address in ANSWERS:
            answer = client.get(f"/api/v1/{address}")
            assert answer.status_code == 200, f"{address}: {answer.text}"
            found[address] = lasting(answer.json())
    return found


def pages(database: Store, folder: Path) -> dict[str, str]:
    """What the pages show an organiser, by their address."""
    found = {}
    with browser(app_of(database, folder), "boss") as boss:
        for address in PAGES:
            answer = boss.get(address, follow_redirects=False)
            assert answer.status_code == 200, f"{address}: {answer.text}"
            found[address] = str(answer.text)
    return found


def lasting(value: Any) -> Any:
    """A document without the numbers that change by themselves."""
    if isinstance(value, dict):
        return {key: lasting(one) for key, one in value.items() if key not in PASSING}
    return [lasting(one) for one in value] if isinstance(value, list) else value


def _same_fact(after: dict[str, Any], key: str, before: Any) -> Any:
    """What a field says now; a match names its season, and its number has a field of its own."""
    if key == "season" and isinstance(before, int):
        return after.get("season_id", "nothing")
    return after.get(key, "nothing")


def missing(before: Any, after: Any, where: str = "") -> list[str]:
    """Where `after` does not say what `before` said; it may say more."""
    if isinstance(before, dict) and isinstance(after, dict):
        return [
            line
            for key, one in before.items()
            for line in missing(one, _same_fact(after, key, one), f"{where}/{key}")
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            line
            for number, (one, two) in enumerate(zip(before, after, strict=True))
            for line in missing(one, two, f"{where}[{number}]")
        ]
    if before == after:
        return []
    return [f"{where}: {json.dumps(before)[:200]} became {json.dumps(after)[:200]}"]
