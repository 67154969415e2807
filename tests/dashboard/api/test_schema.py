"""The schema is complete: every field described, every operation named in one style, every answer
declared. `tests/dashboard/declared.py` compares what is sent in all other tests with it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from api_models.models import MissingOut
from dashboard.api.schema import EVERYWHERE
from store import Store
from tests.dashboard.conftest import Browser, api_token
from tests.dashboard.declared import api_document, operation

Json = dict[str, Any]
STYLE = re.compile(r"[a-z]+(_[a-z]+)+")
NOUNS = {
    *("league", "rules", "bot", "version", "rating", "submission", "match", "game", "replay"),
    *("review", "season", "entry", "ladder", "worker", "audit", "invitation", "account", "me"),
    *("token", "message", "webhook", "friendly", "table"),
}
"""What operations are about; their ids begin with it, then says what is done or wanted."""


def operations() -> Iterator[tuple[str, str, Json]]:
    for path, methods in api_document()["paths"].items():
        for method, one in methods.items():
            yield method, path, one


def fields() -> Iterator[tuple[str, Json]]:
    """Every field of a document, every parameter and every field of a form, with its name."""
    for name, schema in api_document()["components"]["schemas"].items():
        yield from ((f"{name}.{field}", one) for field, one in schema.get("properties", {}).items())
    for _, _, one in operations():
        for parameter in one.get("parameters", []):
            yield f"{one['operationId']}({parameter['name']})", parameter["schema"] | parameter
        for kind, content in one.get("requestBody", {}).get("content", {}).items():
            for field, form in content["schema"].get("properties", {}).items():
                yield f"{one['operationId']} {kind} {field}", form


def test_every_field_and_parameter_is_described_with_an_example() -> None:
    known = list(fields())
    assert len(known) > 600
    silent = [name for name, one in known if not one.get("description")]
    assert not silent
    assert not [name for name, one in known if "examples" not in one and "example" not in one]


def test_every_document_says_what_it_is() -> None:
    schemas = api_document()["components"]["schemas"]
    assert not [name for name, one in schemas.items() if not one.get("description")]


def test_the_ids_of_operations_have_one_style() -> None:
    ids = [one["operationId"] for _, _, one in operations()]
    assert len(ids) == len(set(ids)) > 80
    assert not [one for one in ids if not STYLE.fullmatch(one)]
    assert not [one for one in ids if one.partition("_")[0] not in NOUNS]


def test_reading_a_list_or_one_of_its_members_is_called_alike() -> None:
    for method, path, one in operations():
        name = one["operationId"]
        if name.endswith(("_list", "_get")):
            assert method == "get", name
        if name.endswith("_list"):
            assert not path.endswith("}"), name


@pytest.mark.parametrize("code", EVERYWHERE)
def test_what_every_route_may_answer_is_declared_everywhere(code: int) -> None:
    assert not [path for _, path, one in operations() if str(code) not in one["responses"]]


def test_what_routes_may_answer_is_declared() -> None:
    for method, path, one in operations():
        codes = set(one["responses"])
        assert "404" in codes or "{" not in path, path
        assert "413" in codes or "requestBody" not in one, path
        assert "400" not in codes, f"{path}: bad input is 422"
        json = "application/json" in one["responses"].get("200", {}).get("content", {})
        assert ("304" in codes) == (method == "get" and json), path
        for code, answer in one["responses"].items():
            kinds = set(answer.get("content", {}))
            assert code < "400" or kinds == {"application/problem+json"}, (path, code)
    live = operation("GET", "/api/v1/matches/7/live")
    assert live is not None
    assert "Last-Event-ID" in {one["name"] for one in live["parameters"]}
    submit = operation("POST", "/api/v1/submissions")
    assert submit is not None
    assert {"413", "415", "507"} <= set(submit["responses"])


def lists() -> Iterator[tuple[str, Json]]:
    for method, path, one in operations():
        schema = one["responses"].get("200", {}).get("content", {}).get("application/json", {})
        schema = schema.get("schema", {})
        if method == "get" and (schema.get("type") == "array" or "Page_" in str(schema)):
            yield path, one


def test_lists_are_alike() -> None:
    """All come as NDJSON too; what can be cut has a cursor, and `Link` for what follows."""
    found = list(lists())
    assert len(found) >= 19
    for path, one in found:
        answer = one["responses"]["200"]
        assert "application/x-ndjson" in answer["content"], path
        names = {parameter["name"] for parameter in one["parameters"]}
        assert ("Link" in answer["headers"]) == ("cursor" in names) == ("limit" in names), path


def test_every_list_without_a_cursor_is_documented_as_short() -> None:
    from tests.test_docs import ROOT

    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    [paragraph] = re.findall(r"- \*\*Short lists\*\*.*?(?=\n- )", page, re.DOTALL)
    for path, one in lists():
        last = path.rpartition("/")[2]
        if "cursor" not in {parameter["name"] for parameter in one["parameters"]}:
            assert f"`{last}`" in paragraph, path


@pytest.mark.parametrize("path", ["/seasons", "/gates", "/bots/heron/close/gates"])
def test_arrays_that_can_be_cut_say_where_the_rest_is(
    spectator: Browser, store: Store, path: str
) -> None:
    token = api_token(store, "heron", "read")
    whole = spectator.get(f"/api/v1{path}", headers=token).json()
    pieces: list[Json] = []
    address = f"/api/v1{path}?limit=1"
    while address:
        answer = spectator.get(address, headers=token)
        pieces += answer.json()
        address = answer.headers.get("link", "").partition(">")[0].removeprefix("<")
    assert pieces == whole


def test_a_match_names_its_season(spectator: Browser) -> None:
    listed = spectator.get("/api/v1/matches?season=spring").json()["items"]
    assert {one["season"] for one in listed} == {"spring"}
    one = spectator.get(f"/api/v1/matches/{listed[0]['id']}").json()
    assert one["season"] == "spring"
    # The number that it was before stays for one version.
    assert isinstance(one["season_id"], int)
    schema = api_document()["components"]["schemas"]["MatchOut"]["properties"]
    assert schema["season_id"]["deprecated"]


@pytest.mark.parametrize("name", ["fix", "mend"])
def test_what_is_missing_is_understood_between_two_versions(name: str) -> None:
    said = {"what": "a worker", "why": "No worker is running.", name: "Start one."}
    understood = MissingOut.model_validate(said)
    assert understood.fix == "Start one."
    assert understood.model_dump() == {**said, "fix": "Start one.", "mend": "Start one."}


def test_bad_input_is_422_and_a_conflict_409(spectator: Browser, store: Store) -> None:
    manage = api_token(store, "heron", "manage", "read")
    wrong = {"name": "Not A Name", "rules": ["six-nimmt"]}
    assert spectator.post("/api/v1/bots", json=wrong, headers=manage).status_code == 422
    taken = {"name": "close", "rules": ["six-nimmt"]}
    assert spectator.post("/api/v1/bots", json=taken, headers=manage).status_code == 409
    own = {"url": "http://127.0.0.1/"}
    assert spectator.put("/api/v1/me/webhook", json=own, headers=manage).status_code == 422
    submit = api_token(store, "heron", "submit") | {"content-type": "application/json"}
    broken = spectator.post("/api/v1/submissions", content=b"{", headers=submit)
    assert broken.status_code == 422
    torn = submit | {"content-type": "multipart/form-data; boundary=x"}
    assert spectator.post("/api/v1/submissions", content=b"x", headers=torn).status_code == 422
    boss = api_token(store, "boss", "organise")
    for body in (
        {"name": "a b", "rules": "six-nimmt"},
        {"name": "wide", "rules": "x-nimmt", "table": 9},
        {"name": "past", "rules": "six-nimmt", "opens_at": "2001-01-01T00:00:00Z"},
        {"name": "cheap", "rules": "six-nimmt", "budget": 4},
    ):
        answer = spectator.post("/api/v1/seasons", json=body, headers=boss)
        assert answer.status_code == 422, answer.text
    spring = {"name": "spring", "rules": "six-nimmt"}
    assert spectator.post("/api/v1/seasons", json=spring, headers=boss).status_code == 409
