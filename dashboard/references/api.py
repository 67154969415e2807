"""The OpenAPI document as a page of Markdown: every route, every parameter, every document."""

from collections.abc import Iterator, Mapping
from typing import Any

Json = Mapping[str, Any]

METHODS = ("get", "post", "put", "patch", "delete")
EVERYWHERE = {"304", "401", "413", "422", "429", "500", "503"}
"""Answers that every route may give, or every one of its kind; said once, at the top."""
NOT_SHOWN = {"If-None-Match"}
"""A parameter of every route that reads; said at the top too."""
WORDS = {"integer": "number", "boolean": "true or false", "object": "object", "null": "null"}
ABOUT = """# API reference

Every route and every document, made from the schema that programs read (`/api/v1/openapi.json`), so
it is always that of this very league. How to begin: [API](api.md).

Every route may also answer 401 (a token is missing or does not work), 422 (the request does not
fit; `errors` lists where), 429 (too often; `Retry-After` says how long to wait), 500 (a bug of
ours) and 503 (not now; try again); 413 when the body is too large. Errors are [Problem](#problem)
documents. What is read has an `ETag`: send it as `If-None-Match`, and the answer is 304 while it
holds. Every answer has an `X-Request-Id`, the number to report when something goes wrong.
"""


def api_reference(document: Json) -> str:
    """The whole page."""
    return "\n".join([ABOUT, *_routes(document), "## Documents", "", *_documents(document)])


def routes(document: Json) -> Iterator[tuple[str, str, Json]]:
    """Method, path and description of every route."""
    for path, methods in document["paths"].items():
        for method in METHODS:
            if method in methods:
                yield method.upper(), path, methods[method]


def _routes(document: Json) -> Iterator[str]:
    by_tag: dict[str, list[tuple[str, str, Json]]] = {}
    for method, path, about in routes(document):
        by_tag.setdefault(about.get("tags", ["other"])[0], []).append((method, path, about))
    for tag, members in by_tag.items():
        yield from (f"## {tag.capitalize()}", "")
        for method, path, about in members:
            yield from _route(method, path, about)


def _route(method: str, path: str, about: Json) -> Iterator[str]:
    yield from (f"### `{method} {path}`", "", about.get("description", ""), "")
    yield from (_token(about), "")
    parameters = [one for one in about.get("parameters", []) if one["name"] not in NOT_SHOWN]
    if parameters:
        yield from ("| Parameter | In | Type | Meaning |", "|---|---|---|---|")
        for one in parameters:
            name = f"`{one['name']}`" + ("" if one.get("required") else " (optional)")
            words = _cell(one.get("description", ""))
            yield f"| {name} | {one['in']} | {_type(one['schema'])} | {words} |"
        yield ""
    for kind, content in about.get("requestBody", {}).get("content", {}).items():
        yield f"Body, `{kind}`: {_type(content['schema'])}"
        yield ""
        yield from _fields(content["schema"])
    answers = [_answer(code, one) for code, one in about["responses"].items()]
    yield from ("Answers: " + "; ".join(text for text in answers if text) + ".", "")


def _token(about: Json) -> str:
    security = about.get("security", [])
    if not security:
        return "No token."
    return "A token is optional." if {} in security else "Needs a token."


def _answer(code: str, one: Json) -> str:
    if code in EVERYWHERE:
        return ""
    if code >= "400":
        return f"{code} ({one['description'].rstrip('.')})"
    kinds = [
        f"{_type(content.get('schema', {}))} as `{kind}`"
        for kind, content in one.get("content", {}).items()
    ]
    return f"**{code}** {' or '.join(kinds)}".rstrip()


def _documents(document: Json) -> Iterator[str]:
    for name, schema in sorted(document.get("components", {}).get("schemas", {}).items()):
        yield from (f"### {name}", "", schema.get("description", ""), "")
        if "enum" in schema:
            yield from ("One of " + _type(schema) + ".", "")
        yield from _fields(schema)


def _fields(schema: Json) -> Iterator[str]:
    properties = schema.get("properties")
    if not properties:
        return
    yield from ("| Field | Type | Meaning |", "|---|---|---|")
    required = set(schema.get("required", ()))
    for name, one in properties.items():
        shown = f"`{name}`" + ("" if name in required else " (optional)")
        yield f"| {shown} | {_type(one)} | {_cell(_meaning(one))} |"
    yield ""


def _meaning(schema: Json) -> str:
    examples = schema.get("examples") or ([schema["example"]] if "example" in schema else [])
    shown = f"For example `{examples[0]}`." if examples else ""
    return f"{schema.get('description', '')} {shown}".strip()


def _type(schema: Json) -> str:
    """A schema in a few words, with a link where it has a name."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(_type(one) for one in schema[several])
    kind = schema.get("type", "anything")
    if kind == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if kind == "string":
        return {"date-time": "time", "binary": "file"}.get(schema.get("format", ""), "text")
    return WORDS.get(kind, str(kind))


def _cell(text: str) -> str:
    """Text that stays inside its cell."""
    return " ".join(text.replace("|", "\\|").split())
