"""The API's manners: cursors, ETags, NDJSON, problems, tokens, idempotency, exports, its schema."""

import csv
import io
import json
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from dashboard.api.bots import public_version
from dashboard.api.common import decode_cursor, encode_cursor
from dashboard.http import NOBODY, Refused, Viewer
from league import gate as gates
from league.authors import token_looks_right
from nimmt.verify import verify
from store import Bot, Owner, Store, Version, VersionState, bots
from tests.dashboard.conftest import Browser, api_token
from tests.dashboard.seed import Seeded
from tests.tiers import wants_heavy


def test_a_list_comes_in_pieces_without_gaps_or_repeats(spectator: Browser) -> None:
    whole = [one["id"] for one in spectator.get("/api/v1/matches?limit=200").json()["items"]]
    pieces: list[int] = []
    address = "/api/v1/matches?limit=3"
    while address:
        answer = spectator.get(address)
        pieces += [one["id"] for one in answer.json()["items"]]
        link = answer.headers.get("link", "")
        address = link.partition(">")[0].removeprefix("<")
        assert bool(link) == (answer.json()["next"] is not None)
    assert pieces == whole == sorted(whole, reverse=True)


@pytest.mark.parametrize("cursor", ["", "!!", "LTE", "OTk5OTk5OTk5OTk5OTk5OTk5OTk5OTk5"])
def test_a_broken_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(Refused):
        decode_cursor(cursor)
    assert decode_cursor(encode_cursor(12)) == 12


def test_lists_are_filtered(spectator: Browser, seeded: Seeded) -> None:
    running = spectator.get("/api/v1/matches?state=running").json()["items"]
    assert [one["id"] for one in running] == [seeded.running]
    of_bot = spectator.get("/api/v1/matches?bot=heron/close&state=done").json()["items"]
    assert of_bot
    assert all("heron/close" in [seat["bot"] for seat in one["seats"]] for one in of_bot)
    assert spectator.get("/api/v1/matches?bot=heron/nobody").status_code == 404
    mine = spectator.get("/api/v1/bots?owner=heron").json()["items"]
    assert {one["bot"] for one in mine} == {"heron/close", "heron/dice"}


def test_what_has_not_changed_is_not_sent_again(spectator: Browser) -> None:
    for path in ("/api/v1/seasons/spring/standings", "/api/v1/matches/1", "/api/v1/bots"):
        first = spectator.get(path)
        again = spectator.get(path, headers={"if-none-match": first.headers["etag"]})
        assert again.status_code == 304
        assert again.content == b""


def test_lists_come_as_ndjson_when_asked(spectator: Browser) -> None:
    accept = {"accept": "application/x-ndjson"}
    for path in ("/api/v1/matches", "/api/v1/matches/1/games", "/api/v1/seasons/spring/standings"):
        answer = spectator.get(path, headers=accept)
        assert answer.headers["content-type"] == "application/x-ndjson"
        lines = [json.loads(line) for line in answer.text.splitlines()]
        assert len(lines) > 1


def test_a_problem_says_what_was_given_and_expected(spectator: Browser) -> None:
    answer = spectator.get("/api/v1/rules/chess")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["title"] == "Not Found"
    assert "chess" in answer.json()["detail"]
    assert "six-nimmt" in answer.json()["detail"]
    wrong = spectator.get("/api/v1/matches?limit=0").json()
    assert wrong["errors"][0]["where"] == "query/limit"
    assert spectator.delete("/api/v1/rules").json()["status"] == 405


def test_replays_verify_with_their_keys(spectator: Browser) -> None:
    one = spectator.get("/api/v1/matches/1/games/0/2/replay").json()
    assert one["key"]
    verify(one)
    lines = spectator.get("/api/v1/matches/1/replays").text.splitlines()
    assert len(lines) == 4
    for line in lines:
        verify(json.loads(line))
    assert json.loads(lines[2])["board"] == one["board"]


def test_exports_hold_every_game(spectator: Browser) -> None:
    rows = list(csv.DictReader(io.StringIO(spectator.get("/api/v1/seasons/spring/games.csv").text)))
    games = spectator.get("/api/v1/seasons/spring/games.ndjson").text.splitlines()
    done = spectator.get("/api/v1/seasons/spring").json()["matches"]["done"]
    assert len(games) == 4 * done
    assert len(rows) == 4 * len(games)
    table = spectator.get("/api/v1/seasons/spring/standings").json()
    points = [int(row["points"]) for row in rows if row["bot"] == "heron/close"]
    mean = next(row for row in table["rows"] if row["bot"] == "heron/close")["points_per_round"]
    assert sum(points) / len(points) == pytest.approx(mean)


def test_a_token_is_shown_once_and_stored_as_a_hash(spectator: Browser, store: Store) -> None:
    manage = api_token(store, "heron", "manage", "read")
    made = spectator.post(
        "/api/v1/tokens", json={"name": "laptop", "scopes": ["read"], "days": 3}, headers=manage
    ).json()
    assert token_looks_right(made["secret"])
    listed = spectator.get("/api/v1/tokens", headers=manage).text
    assert made["secret"] not in listed
    headers = {"authorization": f"Bearer {made['secret']}"}
    assert spectator.get("/api/v1/me", headers=headers).json()["scopes"] == ["read"]
    address = f"/api/v1/tokens/{made['id']}"
    assert spectator.delete(address, headers=manage).status_code == 204
    assert spectator.get("/api/v1/me", headers=headers).status_code == 401


def test_a_bot_is_rolled_back_by_api(spectator: Browser, store: Store) -> None:
    manage = api_token(store, "heron", "manage")
    path = "/api/v1/bots/heron/close"
    gone = spectator.patch(path, json={"current_version": 9}, headers=manage)
    assert gone.status_code == 409
    kept = spectator.patch(path, json={"current_version": 1, "about": "new"}, headers=manage)
    assert kept.json()["current_version"] == 1
    assert kept.json()["about"] == "new"


def test_a_version_that_needs_a_gate_is_not_let_in_by_api(spectator: Browser, store: Store) -> None:
    with store.write() as session:
        bot = bots.find_bot(session, "heron/close")
        assert bot is not None
        gates.set_rule(session, True, "test", bot)
        held = bots.add_version(session, bot.id, program=["true"])
        bots.accept_version(session, held.id, make_current=False)
    change = {"current_version": held.number}
    path = "/api/v1/bots/heron/close"
    refused = spectator.patch(path, json=change, headers=api_token(store, "heron", "manage"))
    assert refused.status_code == 409
    assert "has not passed the gate" in refused.text
    switch = {"rules": ["eleven-nimmt"], **change}
    refused = spectator.patch(path, json=switch, headers=api_token(store, "heron", "manage"))
    assert refused.status_code == 409
    assert "a gate is for what a bot plays" in refused.text
    assert spectator.get(path).json()["current_version"] != held.number


def test_the_schema_is_openapi_3_1_with_examples(spectator: Browser) -> None:
    document = spectator.get("/api/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert "examples" in json.dumps(document["components"]["schemas"]["BotOut"])
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (path, method)
            assert "429" in operation["responses"], (path, method)


CHECKS = [status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.mark.timeout(300)
def test_nothing_made_up_from_the_schema_breaks_the_api(
    app: FastAPI, store: Store, pytestconfig: pytest.Config
) -> None:
    """Bounded: a few examples for each operation, as an author with every scope."""
    examples = 8 if wants_heavy(pytestconfig) else 3
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    headers = api_token(store, "heron", "read", "submit", "manage")
    count = 0
    for result in schema.get_all_operations():
        assert isinstance(result, Ok)
        operation = result.ok()
        if operation.path.endswith(("/events", "/live")):
            continue  # Streams do not end; test_live.py and test_live_safety.py follow them.

        @hypothesis_settings(
            max_examples=examples,
            database=None,
            derandomize=True,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def attempt(case: schemathesis.Case[Any]) -> None:
            nonlocal count
            count += 1
            answer = case.call(headers=headers)
            assert answer.status_code < 500, case.as_curl_command()
            case.validate_response(answer, checks=CHECKS)

        attempt()
    assert count > 100


@pytest.mark.parametrize(
    ("state", "shown"), [(VersionState.REJECTED, False), (VersionState.ACCEPTED, True)]
)
def test_what_a_rejected_version_is_made_of_is_its_owners_business(
    state: VersionState, shown: bool
) -> None:
    bot = Bot(id=1, owner_id=7, name="b", rules=["six-nimmt"])
    version = Version(
        id=1, bot_id=1, number=1, state=state, image="sha256:i", fingerprint="sha256:f"
    )
    own = public_version(version, bot, Viewer(owner=Owner(id=7, handle="ada")))
    others = public_version(version, bot, NOBODY)
    assert (own.image, own.fingerprint) == ("sha256:i", "sha256:f")
    assert (others.image, others.fingerprint) == (
        ("sha256:i", "sha256:f") if shown else (None, None)
    )
