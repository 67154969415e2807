"""Whether an answer of the API is one that its schema declares: code, content type and headers."""

import re
from functools import cache
from typing import Any

from fastapi import FastAPI
from httpx2 import Response

from dashboard import api

# What says something to a program; the rest protects browsers or belongs to the transport.
TELLING = {
    "etag",
    "link",
    "location",
    "retry-after",
    "www-authenticate",
    "content-disposition",
    "x-request-id",
}


@cache
def api_document() -> dict[str, Any]:
    """The OpenAPI document, as every application serves it."""
    app = FastAPI()
    app.router.routes.extend(api.api_routes())
    return api.describe(app.openapi())


@cache
def _operations() -> list[tuple[str, re.Pattern[str], dict[str, Any]]]:
    found = []
    for path, methods in api_document()["paths"].items():
        pattern = re.compile(re.sub(r"\\\{.*?\\\}", "[^/]+", re.escape(path)))
        found += [(method.upper(), pattern, one) for method, one in methods.items()]
    # `standings.csv` before `{name}`: the one with fewer parameters is meant.
    return sorted(found, key=lambda one: one[1].pattern.count("[^/]+"))


def operation(method: str, path: str) -> dict[str, Any] | None:
    """The operation behind a request; None: the API has none."""
    for known, pattern, one in _operations():
        if known == method and pattern.fullmatch(path):
            return one
    return None


def undeclared(answer: Response) -> str:
    """What the schema does not say of this answer; empty: nothing."""
    method, path = answer.request.method, answer.request.url.path
    found = operation(method, path)
    if found is None:
        return ""
    what = f"{method} {path} ({found['operationId']}) answered {answer.status_code}"
    declared = found["responses"].get(str(answer.status_code))
    if declared is None:
        return f"{what}, expected one of {', '.join(found['responses'])}"
    kind = answer.headers.get("content-type", "").partition(";")[0]
    if kind and kind not in declared.get("content", {}):
        return f"{what} with content type {kind}, expected {list(declared.get('content', {}))}"
    known = {name.lower() for name in declared.get("headers", {})}
    extra = {name.lower() for name in answer.headers} & TELLING - known
    return f"{what} with the headers {sorted(extra)}, which are not declared" if extra else ""
