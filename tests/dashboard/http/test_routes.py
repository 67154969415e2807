"""Every route against every role, in one table; a route without a row fails."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from fastapi import FastAPI
from starlette.routing import Route

from dashboard.http.middleware import CSP, EMBED_CSP
from store import Store
from tests.dashboard.conftest import Browser, api_token, browser
from tests.dashboard.seed import Seeded

ROLES = ("spectator", "otter", "heron", "boss")
"""Nobody, another author, the author who owns what is asked for, an organiser."""


@dataclass(frozen=True)
class Row:
    """A route and what each role gets: statuses in the order of ROLES."""

    method: str
    path: str
    expect: tuple[int, int, int, int]
    url: str = ""
    """A real address; empty: the path itself."""
    form: tuple[tuple[str, str], ...] = ()
    body: object = None
    """What is sent as JSON."""


def everybody(path: str, url: str = "", status: int = 200) -> Row:
    return Row("GET", path, (status,) * 4, url)


GAME = "/matches/{match_id:int}/games/{pass_no:int}/{game_no:int}"
API_GAME = "/api/v1/matches/{match_id}/games/{pass_no}/{game_no}"
BOT = "/bots/{owner}/{name}"
PLAYED = "/play/{code}"
API_BOT = "/api/v1/bots/{owner}/{name}"
SEASON = "/api/v1/seasons/{name}"
LADDER = "/api/v1/ladders/{ladder_id}"
DESK = "/organiser/seasons/{name}"
LADDER_DESK = "/organiser/ladders/{ladder_id:int}"
SUBMISSION = "/api/v1/submissions/{submission_id}"

PAGES = [
    everybody("/"),
    everybody("/seasons"),
    everybody("/seasons/{name}", "/seasons/spring"),
    Row("POST", "/seasons/{name}/enter", (303, 404, 303, 404), "/seasons/summer/enter",
        (("bot", "dice"),)),
    Row("GET", "/seasons/{name}/withdraw", (303, 409, 200, 409),
        "/seasons/spring/withdraw?bot=dice"),
    Row("POST", "/seasons/{name}/withdraw", (303, 409, 303, 409), "/seasons/spring/withdraw",
        (("bot", "dice"),)),
    everybody("/seasons/{name}/fairness", "/seasons/spring/fairness"),
    everybody("/ladders/{ladder_id:int}", "/ladders/99", 404),
    everybody("/ladders/{ladder_id:int}/fairness", "/ladders/99/fairness", 404),
    *(
        Row("POST", f"{BOT}/ladders/{{ladder_id:int}}/{act}", (303, 403, 404, 403),
            f"/bots/heron/close/ladders/99/{act}")
        for act in ("enter", "leave")
    ),
    Row("POST", f"{BOT}/gate", (303, 403, 404, 404), "/bots/heron/close/gate",
        (("version", "1"), ("ladder", "99"))),
    Row("POST", f"{BOT}/gates/{{gate_id:int}}/cancel", (303, 403, 404, 404),
        "/bots/heron/close/gates/99/cancel"),
    everybody("/bots"),
    everybody(BOT, "/bots/heron/close"),
    everybody(f"{BOT}/badge.svg", "/bots/heron/close/badge.svg"),
    everybody(f"{BOT}/card.svg", "/bots/heron/close/card.svg"),
    everybody(f"{BOT}/feed.atom", "/bots/heron/close/feed.atom"),
    everybody("/seasons/{name}/card.svg", "/seasons/spring/card.svg"),
    everybody("/matches/{match_id:int}/card.svg", "/matches/1/card.svg"),
    Row("GET", f"{BOT}/losses", (303, 404, 200, 200), "/bots/heron/close/losses"),
    Row("POST", f"{BOT}/losses", (303, 404, 303, 303), "/bots/heron/close/losses",
        (("sample", "1"),)),
    Row("GET", f"{BOT}/manage", (303, 403, 200, 200), "/bots/heron/close/manage"),
    Row("POST", f"{BOT}/manage", (303, 403, 303, 303), "/bots/heron/close/manage",
        (("rules-six-nimmt", "1"), ("about", "x"))),
    Row("POST", f"{BOT}/version", (303, 403, 303, 303), "/bots/heron/close/version",
        (("version", "1"),)),
    everybody("/matches"),
    everybody("/matches/{match_id:int}", "/matches/1"),
    Row("GET", "/matches/{match_id:int}/output", (303, 403, 200, 200),
        "/matches/1/output?bot=heron/close"),
    everybody("/live"),
    everybody("/matches/{match_id:int}/live", "/matches/1/live"),
    everybody(GAME, "/matches/1/games/0/0"),
    everybody(f"{GAME}/data", "/matches/1/games/0/0/data"),
    everybody(f"{GAME}/embed", "/matches/1/games/0/0/embed"),
    everybody(f"{GAME}/export", "/matches/1/games/0/0/export"),
    everybody("/play/people"),
    Row("POST", "/play/people/name", (303,) * 4, "", (("name", "Ada"),)),
    Row("GET", "/friendlies", (303, 200, 200, 200)),
    Row("POST", "/friendlies", (303, 409, 409, 409), "", (("bot", "nothing"),)),
    *(
        Row("POST", f"/friendlies/{{match_id:int}}/{did}", (303, 404, 404, 404),
            f"/friendlies/99999/{did}")
        for did in ("cancel", "share")
    ),
    Row("POST", f"{BOT}/friendlies", (303, 403, 303, 303), "/bots/heron/close/friendlies"),
    everybody("/play"),
    Row("POST", "/play", (422,) * 4, "", (("rules", "chess"),)),
    Row("POST", "/play/quick", (303,) * 4),
    everybody(PLAYED, "/play/unknown", 404),
    *(
        Row("POST", f"{PLAYED}/{act}", (404,) * 4, f"/play/unknown/{act}")
        for act in ("join", "begin", "leave", "again", "other-seat", "share")
    ),
    everybody(f"{PLAYED}/stream", "/play/unknown/stream", 404),
    Row("POST", f"{PLAYED}/choice", (403,) * 4, "/play/unknown/choice"),
    Row("POST", f"{PLAYED}/hint", (403,) * 4, "/play/unknown/hint"),
    everybody(f"{PLAYED}/compare", "/play/unknown/compare", 404),
    everybody(f"{PLAYED}/replay", "/play/unknown/replay", 404),
    everybody(f"{PLAYED}/replay/data", "/play/unknown/replay/data", 404),
    Row("POST", f"{GAME}/play", (303,) * 4, "/matches/1/games/0/0/play", (("seat", "0"),)),
    Row("GET", "/submit", (303, 200, 200, 200)),
    Row("POST", "/submit", (303, 415, 415, 415)),
    Row("GET", "/submissions/{submission_id:int}", (303, 404, 200, 200), "/submissions/1"),
    Row("GET", "/mine", (303, 200, 200, 200)),
    Row("POST", "/mine/webhook", (303, 303, 303, 303), "", (("url", "https://9.9.9.9/"),)),
    Row("POST", "/mine/messages/read", (303, 303, 303, 303), "", (("up_to", "1"),)),
    Row("POST", "/mine/tokens", (303, 200, 200, 200), "", (("name", "x"), ("scope-read", "1"))),
    Row("POST", "/mine/tokens/{token_id:int}/end", (303, 404, 404, 404), "/mine/tokens/99/end"),
    everybody("/sign-in"),
    Row("POST", "/sign-in", (403,) * 4, "", (("handle", "heron"), ("password", "wrong"))),
    Row("POST", "/sign-out", (303,) * 4),
    everybody("/sign-up"),
    Row("POST", "/sign-up", (422,) * 4, "", (("handle", "newt"), ("password", "short"))),
    everybody("/link/{secret}", "/link/unknown", 404),
    Row("POST", "/link/{secret}", (404,) * 4, "/link/unknown"),
    Row("GET", "/account", (303, 200, 200, 200)),
    Row("POST", "/account/password", (303, 403, 403, 403), "", (("old", "wrong"),)),
    Row("GET", "/organiser", (303, 403, 403, 200)),
    Row("GET", "/organiser/audit", (303, 403, 403, 200)),
    Row("POST", "/organiser/invitations", (303, 403, 403, 200)),
    Row("POST", "/organiser/accounts/{owner_id:int}/reset", (303, 403, 403, 200),
        "/organiser/accounts/3/reset"),
    Row("POST", "/organiser/accounts/{owner_id:int}/access", (303, 403, 403, 422),
        "/organiser/accounts/3/access"),
    Row("GET", "/organiser/create", (303, 403, 403, 200)),
    Row("POST", "/organiser/create", (303, 403, 403, 422)),
    Row("GET", DESK, (303, 403, 403, 200), "/organiser/seasons/spring"),
    *(
        # What it is in the middle of decides what it says; that it is asked at all is the point.
        Row("POST", f"{DESK}/{step}", (303, 403, 403, status), f"/organiser/seasons/spring/{step}")
        for step, status in (
            ("open", 409), ("freeze", 409), ("start", 409), ("resume", 409), ("finish", 409),
            ("call-off", 409), ("archive", 409), ("enter", 409), ("dates", 303), ("rehearse", 409),
            ("withdraw", 409), ("disqualify", 409), ("finish-without", 409), ("pause", 303),
        )
    ),
    *(
        Row("GET", f"{DESK}/{step}", (303, 403, 403, 303), f"/organiser/seasons/spring/{step}")
        for step in ("freeze", "call-off", "start", "archive")
    ),
    Row("GET", f"{DESK}/finish-without", (303, 403, 403, 200),
        "/organiser/seasons/spring/finish-without"),
    *(
        Row("GET", f"{DESK}/{step}", (303, 403, 403, 200), f"/organiser/seasons/secret-plan/{step}")
        for step in ("edit", "delete")
    ),
    Row("POST", f"{DESK}/edit", (303, 403, 403, 409), "/organiser/seasons/spring/edit"),
    Row("POST", f"{DESK}/delete", (303, 403, 403, 303), "/organiser/seasons/secret-plan/delete"),
    Row("GET", f"{DESK}/withdraw", (303, 403, 403, 200),
        "/organiser/seasons/spring/withdraw?bot=heron/close"),
    Row("GET", f"{DESK}/disqualify", (303, 403, 403, 200),
        "/organiser/seasons/spring/disqualify?bot=heron/close"),
    Row("POST", "/organiser/matches/{match_id:int}/replay-match", (303, 403, 403, 409),
        "/organiser/matches/1/replay-match"),
    Row("POST", "/organiser/matches/{match_id:int}/strike-match", (303, 403, 403, 409),
        "/organiser/matches/1/strike-match"),
    Row("GET", "/organiser/account-links", (303, 403, 403, 200)),
    Row("GET", "/organiser/ladders/open", (303, 403, 403, 200)),
    Row("POST", "/organiser/ladders/open", (303, 403, 403, 422)),
    Row("GET", LADDER_DESK, (303, 403, 403, 404), "/organiser/ladders/99"),
    *(
        Row("POST", f"{LADDER_DESK}/{step}", (303, 403, 403, 404), f"/organiser/ladders/99/{step}")
        for step in (
            "pause", "resume", "close", "settings", "gate-rule", "enter", "forgive", "withdraw",
            "disqualify",
        )
    ),
    *(
        Row("GET", f"{LADDER_DESK}/{kind}", (303, 403, 403, 404), f"/organiser/ladders/99/{kind}")
        for kind in ("withdraw", "disqualify")
    ),
    everybody("/docs"),
    everybody("/docs/{slug}", "/docs/architecture"),
    everybody("/static/{version}/{name:path}", "/static/old/css/site.css"),
    everybody("/favicon.ico", status=301),
    everybody("/healthz"),
    everybody("/readyz"),
    everybody("/metrics"),
    everybody("/robots.txt"),
    everybody("/feed.atom"),
]  # fmt: skip

API = [
    everybody("/api/v1/openapi.json"),
    everybody("/api/v1/league"),
    everybody("/api/v1/rules"),
    everybody("/api/v1/rules/{name}", "/api/v1/rules/x-nimmt"),
    everybody("/api/v1/bots"),
    Row("POST", "/api/v1/bots", (401, 201, 201, 201), body={"name": "new", "rules": ["x-nimmt"]}),
    everybody(API_BOT, "/api/v1/bots/heron/close"),
    Row("PATCH", API_BOT, (401, 403, 200, 200), "/api/v1/bots/heron/close", body={"about": "x"}),
    everybody(f"{API_BOT}/versions", "/api/v1/bots/heron/close/versions"),
    everybody(f"{API_BOT}/versions/{{number}}", "/api/v1/bots/heron/close/versions/1"),
    everybody(f"{API_BOT}/ratings", "/api/v1/bots/heron/close/ratings"),
    everybody(f"{API_BOT}/history", "/api/v1/bots/heron/close/history?ladder=1"),
    Row("POST", "/api/v1/submissions", (401, 422, 422, 422), body={"bot": "x", "kind": "x"}),
    Row("GET", "/api/v1/submissions", (401, 200, 200, 200)),
    Row("GET", SUBMISSION, (401, 404, 200, 200), "/api/v1/submissions/1"),
    Row("GET", f"{SUBMISSION}/log", (401, 404, 200, 200), "/api/v1/submissions/1/log"),
    Row("GET", f"{SUBMISSION}/events", (401, 404, 200, 200), "/api/v1/submissions/1/events"),
    Row("GET", "/api/v1/friendlies", (401, 200, 200, 200)),
    Row(
        "POST",
        "/api/v1/friendlies",
        (401, 404, 404, 404),
        body={"bot": "nothing", "opponents": ["heron/close"], "rules": "six-nimmt"},
    ),
    Row("GET", "/api/v1/friendlies/{match_id}", (404,) * 4, "/api/v1/friendlies/99999"),
    *(
        Row(
            "POST",
            f"/api/v1/friendlies/{{match_id}}/{did}",
            (401, 404, 404, 404),
            f"/api/v1/friendlies/99999/{did}",
            body={"shared": True},
        )
        for did in ("cancel", "share")
    ),
    everybody("/api/v1/matches"),
    everybody("/api/v1/matches/{match_id}", "/api/v1/matches/1"),
    everybody("/api/v1/matches/{match_id}/live", "/api/v1/matches/1/live"),
    everybody("/api/v1/matches/{match_id}/games", "/api/v1/matches/1/games"),
    everybody(API_GAME, "/api/v1/matches/1/games/0/0"),
    Row("GET", f"{API_BOT}/review", (404, 404, 200, 200), "/api/v1/bots/heron/close/review"),
    Row(
        "POST",
        f"{API_BOT}/review",
        (404, 404, 202, 202),
        "/api/v1/bots/heron/close/review?sample=1",
    ),
    everybody(f"{API_GAME}/review", "/api/v1/matches/1/games/0/0/review"),
    Row("POST", f"{API_GAME}/review", (202,) * 4, "/api/v1/matches/1/games/0/0/review"),
    everybody("/api/v1/tables/{code}/review", "/api/v1/tables/unknown/review", 404),
    Row("POST", "/api/v1/tables/{code}/review", (404,) * 4, "/api/v1/tables/unknown/review"),
    everybody(f"{API_GAME}/replay", "/api/v1/matches/1/games/0/0/replay"),
    everybody("/api/v1/matches/{match_id}/replays", "/api/v1/matches/1/replays"),
    Row(
        "GET",
        "/api/v1/matches/{match_id}/output",
        (401, 403, 200, 200),
        "/api/v1/matches/1/output?bot=heron/close",
    ),
    Row(
        "GET",
        "/api/v1/matches/{match_id}/output/{seat}/moves",
        (401, 403, 200, 200),
        "/api/v1/matches/1/output/3/moves",
    ),
    everybody("/api/v1/seasons"),
    everybody(SEASON, "/api/v1/seasons/spring"),
    everybody(f"{SEASON}/standings", "/api/v1/seasons/spring/standings"),
    everybody(f"{SEASON}/standings.csv", "/api/v1/seasons/spring/standings.csv"),
    everybody(f"{SEASON}/entries", "/api/v1/seasons/spring/entries"),
    Row(
        "POST",
        f"{SEASON}/entries",
        (401, 404, 201, 404),
        "/api/v1/seasons/summer/entries",
        body={"bot": "dice"},
    ),
    everybody(f"{SEASON}/games.{{form}}", "/api/v1/seasons/spring/games.csv"),
    Row("GET", f"{SEASON}/archive.zip", (401, 403, 403, 409), "/api/v1/seasons/spring/archive.zip"),
    everybody(f"{SEASON}/events", "/api/v1/seasons/none/events", 404),
    Row("POST", "/api/v1/seasons", (401, 403, 403, 201), body={"name": "cup", "rules": "x-nimmt"}),
    Row("PATCH", SEASON, (401, 403, 403, 409), "/api/v1/seasons/spring", body={"boards": 8}),
    Row("DELETE", SEASON, (401, 403, 403, 409), "/api/v1/seasons/spring"),
    *(
        Row(
            "POST",
            f"{SEASON}/{act}",
            (401, 403, 403, status),
            f"/api/v1/seasons/spring/{act}",
            body=body,
        )
        for act, status, body in (
            ("open", 409, {}),
            ("freeze", 409, {}),
            ("start", 409, {}),
            ("resume", 409, {}),
            ("finish", 409, {}),
            ("call-off", 409, {}),
            ("archive", 409, {}),
            ("finish-without", 409, {}),
            ("dates", 200, {"ends_at": None}),
            ("enter", 409, {"bots": ["house/lowest"]}),
            ("disqualify", 200, {"bot": "heron/close", "preview": True}),
            ("rehearse", 409, {"bots": 4}),
            ("pause", 200, {}),
        )
    ),
    Row(
        "POST",
        f"{SEASON}/withdraw",
        (401, 403, 200, 200),
        "/api/v1/seasons/spring/withdraw",
        body={"bot": "heron/dice"},
    ),
    Row(
        "GET",
        f"{SEASON}/removal",
        (401, 403, 200, 200),
        "/api/v1/seasons/spring/removal?bot=heron/close",
    ),
    Row("GET", f"{SEASON}/rehearse", (401, 403, 403, 200), "/api/v1/seasons/spring/rehearse"),
    Row("DELETE", f"{SEASON}/rehearse", (401, 403, 403, 204), "/api/v1/seasons/spring/rehearse"),
    everybody(f"{SEASON}/status", "/api/v1/seasons/spring/status"),
    everybody(f"{SEASON}/time-left", "/api/v1/seasons/spring/time-left"),
    Row("GET", f"{SEASON}/fairness", (401, 403, 403, 200), "/api/v1/seasons/spring/fairness"),
    Row(
        "POST",
        "/api/v1/matches/{match_id}/replay-match",
        (401, 403, 403, 422),
        "/api/v1/matches/1/replay-match",
        body={"reason": " "},
    ),
    Row(
        "POST",
        "/api/v1/matches/{match_id}/strike-match",
        (401, 403, 403, 422),
        "/api/v1/matches/1/strike-match",
        body={"reason": " "},
    ),
    Row(
        "POST",
        "/api/v1/matches/{match_id}/showcase",
        (401, 403, 403, 409),
        "/api/v1/matches/99999/showcase",
        body={"games": 1},
    ),
    Row("GET", "/api/v1/plan", (401, 403, 403, 200), "/api/v1/plan?rules=six-nimmt"),
    Row("GET", "/api/v1/workers", (401, 403, 403, 200)),
    Row("GET", "/api/v1/audit", (401, 403, 403, 200)),
    Row("GET", "/api/v1/account-links", (401, 403, 403, 200)),
    Row("POST", "/api/v1/invitations", (401, 403, 403, 201), body={"role": "author"}),
    Row(
        "POST",
        "/api/v1/accounts/{name}/access",
        (401, 403, 403, 200),
        "/api/v1/accounts/heron/access",
        body={"access": "enable"},
    ),
    Row(
        "POST",
        "/api/v1/accounts/{name}/reset",
        (401, 403, 403, 201),
        "/api/v1/accounts/heron/reset",
    ),
    Row("POST", "/api/v1/ladders", (401, 403, 403, 201), body={"rules": "x-nimmt", "boards": 4}),
    *(
        Row("POST", f"{LADDER}/{act}", (401, 403, 403, 404), f"/api/v1/ladders/99/{act}", body={})
        for act in ("pause", "resume", "close", "settings")
    ),
    Row(
        "POST",
        f"{LADDER}/enter",
        (401, 403, 403, 404),
        "/api/v1/ladders/99/enter",
        body={"bots": ["house/lowest"]},
    ),
    Row(
        "POST",
        f"{LADDER}/withdraw",
        (401, 403, 404, 404),
        "/api/v1/ladders/99/withdraw",
        body={"bot": "heron/close"},
    ),
    Row(
        "POST",
        f"{LADDER}/disqualify",
        (401, 403, 403, 404),
        "/api/v1/ladders/99/disqualify",
        body={"bot": "heron/close", "reason": "x"},
    ),
    Row("GET", f"{LADDER}/fairness", (401, 403, 403, 404), "/api/v1/ladders/99/fairness"),
    Row(
        "POST",
        f"{LADDER}/gate",
        (401, 403, 404, 404),
        "/api/v1/ladders/99/gate",
        body={"bot": "heron/close", "new": 2},
    ),
    Row("GET", "/api/v1/gates", (401, 200, 200, 200)),
    Row(
        "POST",
        "/api/v1/gates/{gate_id}/cancel",
        (401, 404, 404, 404),
        "/api/v1/gates/99/cancel",
        body={"reason": "x"},
    ),
    Row("POST", "/api/v1/gate-rule", (401, 403, 403, 204), body={"required": False}),
    Row("GET", f"{API_BOT}/gates", (401, 403, 200, 200), "/api/v1/bots/heron/close/gates"),
    Row("GET", f"{API_BOT}/why", (401, 403, 200, 200), "/api/v1/bots/heron/close/why"),
    Row(
        "POST",
        f"{API_BOT}/forgive",
        (401, 403, 403, 409),
        "/api/v1/bots/heron/close/forgive",
        body={"reason": "x"},
    ),
    everybody("/api/v1/ladders"),
    everybody("/api/v1/ladders/{ladder_id}/standings", "/api/v1/ladders/99/standings", 404),
    Row("GET", "/api/v1/me", (401, 200, 200, 200)),
    Row("GET", "/api/v1/me/messages", (401, 200, 200, 200)),
    Row("POST", "/api/v1/me/messages/read", (401, 204, 204, 204), body={"up_to": 1}),
    Row("GET", "/api/v1/me/webhook", (401, 200, 200, 200)),
    Row("PUT", "/api/v1/me/webhook", (401, 200, 200, 200), body={"url": None}),
    Row("GET", "/api/v1/tokens", (401, 200, 200, 200)),
    Row("POST", "/api/v1/tokens", (401, 201, 201, 201), body={"name": "t", "scopes": ["read"]}),
    Row("DELETE", "/api/v1/tokens/{token_id}", (401, 404, 404, 404), "/api/v1/tokens/999"),
]
TABLE = PAGES + API


def all_routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Method and path of all routes; there is nothing but plain routes."""
    for route in app.routes:
        assert isinstance(route, Route)
        plain = (route.methods or set()) - {"HEAD", "OPTIONS"}
        yield from ((method, route.path) for method in plain)


def test_every_route_has_its_row(app: FastAPI) -> None:
    assert set(all_routes(app)) == {(row.method, row.path) for row in TABLE}


@pytest.mark.heavy(but=("spectator", "heron"))
@pytest.mark.parametrize("role", ROLES)
def test_pages_give_each_role_what_the_table_says(app: FastAPI, role: str) -> None:
    who = None if role == "spectator" else role
    got = {}
    with browser(app, who) as reader:
        for row in PAGES:
            if row.method == "GET":
                got[row.method, row.path] = ask(reader, row)
                continue
            # A fresh browser for each act: some sign out, or leave notices.
            with browser(app, who) as client:
                got[row.method, row.path] = ask(client, row)
    assert got == {(row.method, row.path): row.expect[ROLES.index(role)] for row in PAGES}


def ask(client: Browser, row: Row) -> int:
    url = row.url or row.path
    if row.method == "GET":
        return client.get(url, follow_redirects=False).status_code
    return client.submit(url, dict(row.form)).status_code


@pytest.mark.heavy(but=("spectator", "heron"))
@pytest.mark.parametrize("role", ROLES)
def test_the_api_gives_each_role_what_the_table_says(app: FastAPI, store: Store, role: str) -> None:
    scopes = ("read", "submit", "manage", "organise") if role == "boss" else (
        "read", "submit", "manage")  # fmt: skip
    headers = {} if role == "spectator" else api_token(store, role, *scopes)
    got, expected = {}, {}
    with browser(app) as client:
        for row in API:
            answer = client.request(row.method, row.url or row.path, headers=headers, json=row.body)
            got[row.method, row.path] = answer.status_code
            expected[row.method, row.path] = row.expect[ROLES.index(role)]
            if answer.status_code >= 400:
                assert answer.headers["content-type"] == "application/problem+json"
                assert answer.json()["status"] == answer.status_code
    assert got == expected


def test_every_response_carries_the_headers_that_protect(spectator: Browser) -> None:
    for row in TABLE:
        if row.method == "GET":
            answer = spectator.get(row.url or row.path, follow_redirects=False)
            embed = row.path.endswith("/embed")
            assert answer.headers["content-security-policy"] == (EMBED_CSP if embed else CSP)
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-request-id"]


def test_no_page_has_inline_scripts_or_styles(boss: Browser) -> None:
    for row in PAGES:
        if row.method != "GET" or row.path.endswith(("/export", "/metrics")):
            continue
        answer = boss.get(row.url or row.path, follow_redirects=False)
        if "html" not in answer.headers.get("content-type", ""):
            continue
        page = answer.text.lower()
        assert "<style" not in page, row.path
        assert " style=" not in page, row.path
        assert page.count("<script") == page.count('<script type="module" src="'), row.path
        assert " onclick=" not in page, row.path


def test_a_draft_does_not_exist_for_anybody_but_organisers(
    spectator: Browser, heron: Browser, boss: Browser, seeded: Seeded
) -> None:
    for client, status in ((spectator, 404), (heron, 404), (boss, 200)):
        assert client.get(f"/seasons/{seeded.draft}").status_code == status
        assert client.get(f"/api/v1/seasons/{seeded.draft}").status_code == status
        assert (seeded.draft in client.get("/seasons").text) is (status == 200)
