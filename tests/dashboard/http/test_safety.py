"""Forgery, hostile text, private things, secrets of live matches, limits, stray paths."""

import html
import json
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlmodel import Session

from api_models.words import clean
from dashboard.app import create_app
from dashboard.settings import Settings
from store import (
    Bot,
    Match,
    MatchState,
    Owner,
    Season,
    SeasonState,
    Store,
    Submission,
    Version,
    accounts,
    bots,
    locked,
    present,
)
from tests.dashboard.conftest import ORIGIN, Browser, api_token, browser
from tests.dashboard.http.test_routes import TABLE
from tests.dashboard.seed import PASSWORD, Seeded

HOSTILE = [
    '<script>alert("1")</script>',
    "\"><img src=x onerror=alert('2')>",
    "</textarea></title><svg onload=alert(3)>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(4)",
    "\x1b[31mred\x1b]0;title\x07",
    "right\u202eto left\u2066",
    "nul\x00 and \x08 bell\x07",
    "=HYPERLINK(evil)",
    "x" * 3000,
]


# Forgery -------------------------------------------------------------------------------------


def posts() -> list[str]:
    return [
        row.url or row.path for row in TABLE if row.method == "POST" and "/api/" not in row.path
    ]


@pytest.mark.parametrize("path", posts())
def test_a_form_needs_our_origin_and_its_token(heron: Browser, app: FastAPI, path: str) -> None:
    token = heron.token_on("/mine")
    evil = {"origin": "https://evil.example"}
    assert heron.post(path, data={"csrf": token}, headers=evil).status_code == 403
    assert heron.post(path, data={"csrf": token}, headers={"origin": "null"}).status_code == 403
    assert heron.post(path, data={"csrf": token}).status_code == 403
    if path != "/submit":
        ours = {"origin": ORIGIN}
        assert heron.post(path, data={"csrf": ""}, headers=ours).status_code == 403
        assert heron.post(path, data={"csrf": "x" * 88}, headers=ours).status_code == 403
        with browser(app, "otter") as other:
            stolen = other.token_on("/mine")
        assert heron.post(path, data={"csrf": stolen}, headers=ours).status_code == 403


def test_an_upload_is_refused_before_its_file_when_the_token_is_wrong(
    heron: Browser, settings: Settings
) -> None:
    answer = heron.post(
        "/submit",
        data={"csrf": "wrong", "new_name": "x", "kind": "build_context"},
        files={"file": ("bot.tar", b"data")},
        headers={"origin": ORIGIN},
    )
    assert answer.status_code == 403
    assert not list(settings.uploads.glob("*"))


def test_the_api_takes_no_change_by_cookie(heron: Browser) -> None:
    body = {"name": "forged", "rules": ["six-nimmt"]}
    assert heron.post("/api/v1/bots", json=body).status_code == 401
    assert heron.get("/api/v1/submissions").status_code == 200


def test_other_sites_read_what_is_public_and_nothing_as_somebody(heron: Browser) -> None:
    answer = heron.get("/api/v1/rules", headers={"origin": "https://other.example"})
    assert answer.headers["access-control-allow-origin"] == "*"
    assert "access-control-allow-credentials" not in answer.headers


# Hostile text --------------------------------------------------------------------------------


def poison(session: Session, text: str) -> None:
    """Put the text wherever somebody could have typed it."""
    owner = accounts.owner_by_handle(session, "heron")
    assert owner is not None
    owner = locked(session, Owner, owner.id)
    owner.name = text[:100]
    bot = bots.find_bot(session, "heron/close")
    assert bot is not None
    bot = locked(session, Bot, bot.id)
    bot.about, bot.suspended_why = text, text
    bot.suspended_at = bot.created_at
    version = session.get(Version, 3) or present(session, Version, 1)
    for one in bots.versions(session, bot.id) or [version]:
        one.log, one.note, one.report = text, text, {text[:200]: [text, {"why": text}]}
        session.add(one)
    submission = present(session, Submission, 1)
    submission.log, submission.report = text, {"problem": text}
    submission.detail = {"note": text, "filename": text}
    season = present(session, Season, 1)
    season.title = season.about = text
    match = present(session, Match, 1)
    match.rated_why, match.rated = text, False
    for row in (owner, bot, submission, season, match):
        session.add(row)


PAGES_WITH_TEXT = (
    "/",
    "/seasons",
    "/seasons/spring",
    "/bots",
    "/bots/heron/close",
    "/bots/heron/close/manage",
    "/bots/heron/close/badge.svg",
    "/bots/heron/close/card.svg",
    "/seasons/spring/card.svg",
    "/matches/1/card.svg",
    "/matches/1",
    "/mine",
    "/submissions/1",
    "/submit",
    "/feed.atom",
)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:20]))
def test_hostile_text_is_harmless_on_every_page(heron: Browser, store: Store, text: str) -> None:
    with store.write() as session:
        poison(session, text.replace("\x00", "") if store.is_postgresql else text)
    seen = ""
    for path in PAGES_WITH_TEXT:
        answer = heron.get(path)
        assert answer.status_code == 200, path
        seen += answer.text
        for mark in ("<script>alert", "<img src=x", "<svg onload", 'href="javascript:'):
            assert mark not in answer.text, path
        for letter in ("\x00", "\x08", "\x1b", "\u202e", "\u2066"):
            assert letter not in answer.text, path
    # It is shown all the same, as text.
    assert str(html.escape(clean(text)[:60], quote=False)).split("&")[0][:10] in html.unescape(seen)


def test_exports_disarm_formulas(spectator: Browser, store: Store) -> None:
    with store.write() as session:
        season = present(session, Season, 1)
        rows = json.loads(json.dumps(season.standings))
        rows["rows"][0]["bot"] = "=cmd/x"
        season.standings = rows
        session.add(season)
    lines = spectator.get("/api/v1/seasons/spring/standings.csv").text.splitlines()
    assert lines[1].startswith("'=cmd/x")


# Private things ------------------------------------------------------------------------------


def test_logs_reports_and_notes_are_for_their_owner_and_organisers(
    spectator: Browser, otter: Browser, heron: Browser, boss: Browser, seeded: Seeded
) -> None:
    places = (
        f"/submissions/{seeded.submission}",
        f"/api/v1/submissions/{seeded.submission}",
        f"/api/v1/submissions/{seeded.submission}/log",
        "/bots/heron/close/manage",
        "/bots/heron/close",
        "/api/v1/bots/heron/close/versions",
        "/api/v1/bots/heron/close/versions/1",
        "/matches/1",
        "/api/v1/matches/1",
        "/api/v1/matches/1/games/0/0/replay",
    )
    secrets = (seeded.secret_log, "private note", "all answers legal", "played 4 games")
    for client in (spectator, otter):
        own = "otter" if client is otter else ""
        for path in places:
            text = client.get(path).text
            for secret in secrets:
                # Otter reads the log of its own bot in a match, nobody else's.
                if not (own and secret == "played 4 games"):
                    assert secret not in text, (path, secret)
            assert "heron/close ready" not in text
    for client in (heron, boss):
        assert seeded.secret_log in client.get(places[2]).text
        assert "all answers legal" in client.get("/bots/heron/close/manage").text


def test_notes_in_replays_are_shown_to_those_allowed_only(
    spectator: Browser, boss: Browser, store: Store
) -> None:
    def noted(client: Browser) -> int:
        count = 0
        for number in range(4):
            data = client.get(f"/matches/1/games/0/{number}/data").json()
            steps = data["steps"]
            count += sum("note" in d for step in steps for d in step["decisions"])
        return count

    assert noted(boss) > 0
    assert noted(spectator) == 0


def test_a_token_does_what_its_scopes_say_and_no_more(spectator: Browser, store: Store) -> None:
    read = api_token(store, "heron", "read")
    assert spectator.get("/api/v1/submissions", headers=read).status_code == 200
    body = {"name": "new", "rules": ["six-nimmt"]}
    assert spectator.post("/api/v1/bots", json=body, headers=read).status_code == 403
    manage = api_token(store, "heron", "manage")
    assert spectator.get("/api/v1/submissions", headers=manage).status_code == 403
    wish = {"name": "more", "scopes": ["submit"]}
    assert spectator.post("/api/v1/tokens", json=wish, headers=manage).status_code == 403
    wish = {"name": "more", "scopes": ["organise"]}
    assert spectator.post("/api/v1/tokens", json=wish, headers=manage).status_code == 403


def test_an_organisers_token_without_the_scope_is_an_authors(
    spectator: Browser, store: Store, seeded: Seeded
) -> None:
    weak = api_token(store, "boss", "read")
    assert spectator.get("/api/v1/submissions/1", headers=weak).status_code == 404
    strong = api_token(store, "boss", "read", "organise")
    assert spectator.get("/api/v1/submissions/1", headers=strong).status_code == 200


def test_a_mistyped_token_is_refused_without_a_look_at_the_store(
    spectator: Browser, store: Store
) -> None:
    good = api_token(store, "heron", "read")["authorization"]
    bad = good[:-1] + ("a" if good[-1] != "a" else "b")
    answer = spectator.get("/api/v1/me", headers={"authorization": bad})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


# Live matches --------------------------------------------------------------------------------


def test_no_route_gives_away_a_match_that_is_not_done(
    boss: Browser, heron: Browser, spectator: Browser, store: Store, seeded: Seeded
) -> None:
    with store.read() as session:
        keys = {
            number: present(session, Match, number).key.hex()
            for number in (seeded.running, seeded.waiting)
        }
    for client in (boss, heron, spectator):
        for number, key in keys.items():
            for row in TABLE:
                if row.method != "GET" or "{match_id" not in row.path:
                    continue
                if row.path.endswith("/live") and "/api/" in row.path:
                    # It goes on as long as the match: test_live_safety.py reads it.
                    continue
                path = row.url.replace("matches/1", f"matches/{number}")
                answer = client.get(path)
                assert key not in answer.text
                if "games/" in path or path.endswith("/replays"):
                    assert answer.status_code == 404, path
            listed = client.get("/api/v1/matches", params={"limit": 200}).text
            assert key not in listed


def test_a_match_that_is_played_again_hides_its_cards_again(
    spectator: Browser, store: Store, seeded: Seeded
) -> None:
    path = f"/api/v1/matches/{seeded.done}/games/0/0/replay"
    assert spectator.get(path).json()["key"]
    with store.write() as session:
        locked(session, Match, seeded.done).state = MatchState.QUEUED
    assert spectator.get(path).status_code == 404
    assert spectator.get(f"/matches/{seeded.done}/games/0/0/data").status_code == 404
    review = f"/api/v1/matches/{seeded.done}/games/0/0/review"
    assert spectator.get(review).status_code == 404


def test_one_seats_view_holds_no_other_hand(spectator: Browser) -> None:
    whole = spectator.get("/api/v1/matches/1/games/0/0/replay").json()
    hands = whole["rounds"][0]["deal"]["hands"]
    seen = spectator.get("/api/v1/matches/1/games/0/0/replay?seat=1").json()
    dealt = [
        event
        for step in seen["steps"][:1]
        for event in step["events"]
        if event["event"] == "move" and event["dst"].startswith("hand:")
    ]
    assert {event["dst"]: event["cards"] for event in dealt} == {
        f"hand:{seat}": sorted(hand) if seat == 1 else [0] * len(hand)
        for seat, hand in enumerate(hands)
    }
    assert "key" not in seen["meta"]


def test_matches_of_a_draft_are_for_organisers(
    spectator: Browser, boss: Browser, store: Store, seeded: Seeded
) -> None:
    with store.write() as session:
        locked(session, Season, seeded.season_id).state = SeasonState.DRAFT
    for path in ("/matches/1", "/api/v1/matches/1", "/matches/1/games/0/0", "/seasons/spring"):
        assert spectator.get(path).status_code == 404
        assert boss.get(path).status_code == 200
    assert spectator.get("/api/v1/matches").json()["items"] == []
    assert "Match 1<" not in spectator.get("/").text


# Limits --------------------------------------------------------------------------------------


def test_signing_in_is_limited(settings: Settings, store: Store) -> None:
    app = create_app(settings.model_copy(update={"sign_in_limit": "3/minute"}), store)
    with browser(app) as client:
        for _ in range(3):
            wrong = client.submit("/sign-in", {"handle": "heron", "password": "wrong"})
            assert wrong.status_code == 403
        late = client.submit("/sign-in", {"handle": "heron", "password": PASSWORD})
        assert late.status_code == 429
        assert int(late.headers["retry-after"]) > 0
        assert "Slow down" in late.text


def test_submitting_is_limited(settings: Settings, store: Store) -> None:
    app = create_app(settings.model_copy(update={"submit_limit": "1/minute"}), store)
    headers = api_token(store, "heron", "submit")
    body = {"bot": "close", "kind": "reference", "reference": "r/x@sha256:" + "0" * 64}
    with browser(app) as client:
        assert client.post("/api/v1/submissions", json=body, headers=headers).status_code == 201
        late = client.post("/api/v1/submissions", json=body, headers=headers)
        assert late.status_code == 429
        assert "retry-after" in late.headers


def test_submissions_of_a_day_are_limited(settings: Settings, store: Store) -> None:
    app = create_app(settings.model_copy(update={"submissions_per_day": 4}), store)
    headers = api_token(store, "heron", "submit")
    body = {"bot": "close", "kind": "reference", "reference": "r/x@sha256:" + "0" * 64}
    with browser(app) as client:
        # Three are in the seeded league.
        assert client.post("/api/v1/submissions", json=body, headers=headers).status_code == 201
        assert client.post("/api/v1/submissions", json=body, headers=headers).status_code == 429


def test_reading_the_api_is_limited(settings: Settings, store: Store) -> None:
    app = create_app(settings.model_copy(update={"read_limit": "2/minute"}), store)
    with browser(app) as client:
        answers = [client.get("/api/v1/rules").status_code for _ in range(3)]
    assert answers == [200, 200, 429]


# Stray paths ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/static/x/../../settings.py",
        "/static/x/%2e%2e/%2e%2e/settings.py",
        "/static/x/..%2f..%2fsettings.py",
        "/static/x//etc/passwd",
        "/docs/..%2f..%2fREADME",
        "/docs/%2e%2e",
        "/link/..%2f..%2f",
        "/bots/..%2f../x",
    ],
)
def test_no_path_leads_out_of_its_folder(spectator: Browser, path: str) -> None:
    answer = spectator.get(path)
    assert answer.status_code == 404
    assert "BULLRING" not in answer.text.replace("Bullring", "")


def test_an_upload_is_never_named_by_its_sender(heron: Browser, settings: Settings) -> None:
    answer = heron.post(
        "/submit",
        data={"csrf": heron.token_on("/submit"), "bot": "close", "kind": "build_context"},
        files={"file": ("../../evil.sh", b"data")},
        headers={"origin": ORIGIN},
        follow_redirects=False,
    )
    assert answer.status_code == 303
    names = [path.name for path in settings.uploads.iterdir()]
    assert len(names) == 1
    assert set(names[0]) <= set("0123456789abcdef")
    assert not (Path(settings.data_dir).parent / "evil.sh").exists()


def test_a_bug_shows_a_number_and_no_detail(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("secret detail")

    monkeypatch.setattr("dashboard.reads.visible_seasons", broken)
    with browser(app) as client:
        for path in ("/seasons", "/api/v1/seasons"):
            answer = client.get(path)
            assert answer.status_code == 500
            assert answer.headers["x-request-id"] in answer.text
            assert "secret detail" not in answer.text
            assert "content-security-policy" in answer.headers
