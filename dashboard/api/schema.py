"""The OpenAPI document: what FastAPI cannot know is added here, by rule and for every route.

Whatever the application itself answers (a wrong token, too many requests, a bug) and whatever
`common` sends (ETags, cursors, lists as NDJSON) is declared once, so that no route can forget it.
"""

from collections.abc import Iterator
from typing import Any

from dashboard.api.common import NDJSON, errors, header
from dashboard.http import PROBLEM_TYPE

Json = dict[str, Any]
JSON = "application/json"
METHODS = ("get", "post", "put", "patch", "delete")
EVERYWHERE = (401, 422, 429, 500, 503)
"""Answers that every operation may give."""
HEADERS: dict[str, Json] = {
    "ETag": {
        "description": "Names this answer; send it as If-None-Match.",
        "schema": {"type": "string"},
        "example": '"9f86d081884c7d65"',
    },
    "Link": {
        "description": 'Where the next piece is, as rel="next"; absent: this is the last.',
        "schema": {"type": "string"},
        "example": '</api/v1/matches?cursor=MTIz>; rel="next"',
    },
    "Retry-After": {
        "description": "Seconds to wait before the next try.",
        "schema": {"type": "integer"},
        "example": 10,
    },
    "WWW-Authenticate": {
        "description": "Which kind of token is expected.",
        "schema": {"type": "string"},
        "example": "Bearer",
    },
    "Location": {
        "description": "Where the new thing is.",
        "schema": {"type": "string"},
        "example": "/api/v1/submissions/12",
    },
    "Content-Disposition": {
        "description": "The name under which to keep the file.",
        "schema": {"type": "string"},
        "example": 'attachment; filename="match-7.jsonl"',
    },
    "X-Request-Id": {
        "description": "The number to report when something goes wrong.",
        "schema": {"type": "string"},
        "example": "2cf24dba5fb0a30e",
    },
}
TOKEN: Json = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": "br_…",
    "description": "Made on the page My bots; scopes: read, submit, manage, organise.",
}
IF_NONE_MATCH: Json = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "The ETag of an earlier answer; if that still holds, the answer is 304.",
    "schema": {"type": "string", "examples": ['"9f86d081884c7d65"']},
}
LINES: Json = {"schema": {"type": "string", "description": "One JSON document a line."}}
"""A list as NDJSON."""


def describe(document: Json) -> Json:
    """The whole document; it is changed and given back."""
    parts = document.setdefault("components", {})
    parts.setdefault("securitySchemes", {})["token"] = TOKEN
    parts["headers"] = HEADERS
    for method, operation in _operations(document):
        answers = operation["responses"]
        _add_refusals(operation)
        if method == "get" and JSON in answers["200"].get("content", {}):
            _add_unchanged(operation)
        for code, answer in answers.items():
            _complete(int(code), answer, operation)
        # FastAPI puts those of a decorator last; people and generators read them in order.
        operation["responses"] = dict(sorted(answers.items()))
    return document


def _operations(document: Json) -> Iterator[tuple[str, Json]]:
    for methods in document["paths"].values():
        for method in METHODS:
            if method in methods:
                yield method, methods[method]


def _add_refusals(operation: Json) -> None:
    """What the application answers before a route is reached, or instead of it."""
    codes = (*EVERYWHERE, 413) if "requestBody" in operation else EVERYWHERE
    for code, answer in errors(*codes).items():
        plain = {key: value for key, value in answer.items() if key != "model"}
        operation["responses"].setdefault(str(code), plain)


def _add_unchanged(operation: Json) -> None:
    operation.setdefault("parameters", []).append(IF_NONE_MATCH)
    operation["responses"]["304"] = {"description": "It has not changed.", "headers": {}}
    operation["responses"]["200"].setdefault("headers", {}).update(header("ETag"))
    operation["responses"]["304"]["headers"].update(header("ETag"))


def _complete(code: int, answer: Json, operation: Json) -> None:
    """The headers of an answer, and the other form of a list."""
    headers = answer.setdefault("headers", {})
    headers.update(header("X-Request-Id"))
    content = answer.get("content", {})
    if code >= 400:
        # FastAPI declares the content type of the route beside ours.
        answer["content"] = {PROBLEM_TYPE: content[PROBLEM_TYPE]}
    if code == 401:
        headers.update(header("WWW-Authenticate"))
    if code in (429, 503):
        headers.update(header("Retry-After"))
    if code == 200 and _is_list(content.get(JSON, {}).get("schema", {})):
        content[NDJSON] = LINES
    if code == 200 and any(one["name"] == "cursor" for one in operation.get("parameters", ())):
        headers.update(header("Link"))


def _is_list(schema: Json) -> bool:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    return schema.get("type") == "array" or name.startswith("Page_") or name == "Table"
