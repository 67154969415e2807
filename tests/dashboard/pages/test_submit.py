"""Submitting: streaming, limits, idempotency, what is missing, the page of a submission."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from fastapi import FastAPI
from httpx2 import Response

from dashboard.app import create_app
from dashboard.http import Refused, forms, uploads
from dashboard.services import NoServices
from dashboard.settings import Settings
from league.needs import Missing
from store import Store, Submission, SubmissionState, bots, present
from tests.dashboard.conftest import ORIGIN, Browser, api_token, browser


class League(NoServices):
    """A league that only notes what it is told."""

    def __init__(self) -> None:
        self.told: list[int] = []

    def submitted(self, submission_id: int) -> None:
        self.told.append(submission_id)

    def missing(self) -> Sequence[Missing]:
        return [Missing(what="Docker", why="No engine answers.", fix="Start Docker.")]


@pytest.fixture
def league() -> League:
    return League()


@pytest.fixture
def app(settings: Settings, store: Store, league: League) -> FastAPI:
    return create_app(settings, store, league)


def files_in(settings: Settings) -> list[Path]:
    return sorted(settings.uploads.glob("*")) if settings.uploads.exists() else []


def submit_bot(client: Browser, data: bytes, **fields: str) -> Response:
    form = {"csrf": client.token_on("/submit"), "kind": "build_context", **fields}
    return client.post(
        "/submit",
        data=form,
        files={"file": ("bot.tar.gz", data)},
        headers={"origin": ORIGIN},
        follow_redirects=False,
    )


def test_a_file_becomes_a_submission_and_the_league_is_told(
    heron: Browser, store: Store, settings: Settings, league: League
) -> None:
    answer = submit_bot(
        heron, b"x" * 150_000, new_name="fresh", **{"rules-x-nimmt": "1"}, note="hi"
    )
    assert answer.status_code == 303
    number = int(answer.headers["location"].rsplit("/", 1)[1])
    assert league.told == [number]
    with store.read() as session:
        row = present(session, Submission, number)
        bot = bots.find_bot(session, "heron/fresh")
    assert bot is not None
    assert bot.rules == ["x-nimmt"]
    assert row.state is SubmissionState.RECEIVED
    assert row.size == 150_000
    assert row.detail["note"] == "hi"
    stored = settings.uploads / row.source
    assert stored.read_bytes() == b"x" * 150_000
    assert stored.stat().st_mode & 0o077 == 0


def test_too_large_a_file_is_refused_and_leaves_nothing(
    heron: Browser, settings: Settings, league: League
) -> None:
    answer = submit_bot(heron, b"x" * 900_000, bot="close")
    assert answer.status_code == 413
    assert files_in(settings) == []
    assert league.told == []


def test_a_sender_who_lies_about_the_length_is_cut_off(
    heron: Browser, store: Store, settings: Settings
) -> None:
    def body() -> Iterator[bytes]:
        yield b'--b\r\ncontent-disposition: form-data; name="bot"\r\n\r\nclose\r\n'
        yield b'--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n'
        for _ in range(100):
            yield b"y" * 10_000

    headers = api_token(store, "heron", "submit")
    headers["content-type"] = "multipart/form-data; boundary=b"
    answer = heron.post("/api/v1/submissions", content=body(), headers=headers)
    assert answer.status_code == 413
    assert files_in(settings) == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--b\r\n",
        b'--b\r\ncontent-disposition: form-data; name="bot"\r\n\r\nclose',
        b"nonsense",
        b'--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\ndata',
        b"--b\r\n" + b"h: v\r\n" * 50,
    ],
)
def test_a_broken_form_is_refused_and_leaves_nothing(
    heron: Browser, store: Store, settings: Settings, body: bytes
) -> None:
    headers = api_token(store, "heron", "submit")
    headers["content-type"] = "multipart/form-data; boundary=b"
    answer = heron.post("/api/v1/submissions", content=body, headers=headers)
    assert answer.status_code == 422
    assert files_in(settings) == []


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"bot": "close", "kind": "nonsense"}, "expected one of"),
        ({"new_name": "No Name", "rules-x-nimmt": "1"}, "expected 1 to 40"),
        ({"new_name": "fresh"}, "new bot needs its rules"),
        (
            {"bot": "close", "kind": "reference", "reference": "r/x:latest"},
            "a reference and a file",
        ),
    ],
)
def test_an_unfit_submission_says_why_and_leaves_nothing(
    heron: Browser, settings: Settings, league: League, fields: dict[str, str], says: str
) -> None:
    answer = submit_bot(heron, b"data", **fields)
    assert answer.status_code == 422
    assert says in answer.text
    assert files_in(settings) == []
    assert league.told == []


def test_one_cannot_hand_in_for_anothers_bot(heron: Browser, store: Store) -> None:
    answer = submit_bot(heron, b"data", bot="stumble")
    assert answer.status_code == 422
    with store.read() as session:
        assert bots.find_bot(session, "heron/stumble") is None


def test_the_same_key_is_the_same_submission(
    heron: Browser, store: Store, settings: Settings, league: League
) -> None:
    headers = api_token(store, "heron", "submit") | {"idempotency-key": "try-1"}
    answers = [
        heron.post(
            "/api/v1/submissions",
            data={"bot": "close", "kind": "image_archive"},
            files={"file": ("bot.tar", b"data")},
            headers=headers,
        )
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert answers[0].json()["id"] == answers[1].json()["id"]
    assert len(league.told) == 1
    assert len(files_in(settings)) == 1


def test_the_pages_say_what_is_missing(heron: Browser) -> None:
    for path in ("/submit", "/submissions/3"):
        page = heron.get(path).text
        assert "No engine answers." in page
        assert "Start Docker." in page
    assert "No engine answers." not in heron.get("/submissions/1").text


def test_nothing_is_stored_where_nothing_is_taken(
    heron: Browser, league: League, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = Missing(what="Docker", why="Bots are not taken here.", fix="Ask elsewhere.")
    monkeypatch.setattr(league, "refuses_uploads", lambda: why)
    monkeypatch.setattr(forms, "PartFile", None)
    answer = submit_bot(heron, b"data", bot="close")
    assert answer.status_code == 409
    assert "Bots are not taken here." in answer.text


def test_the_limit_of_a_day_and_a_used_key_come_before_the_file(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Three are in the seeded league.
    app = create_app(settings.model_copy(update={"submissions_per_day": 4}), store)
    token = api_token(store, "heron", "submit")
    keyed = token | {"idempotency-key": "one"}
    data, files = {"bot": "close", "kind": "image_archive"}, {"file": ("b", b"data")}

    def post(client: Browser, headers: dict[str, str]) -> Response:
        return client.post("/api/v1/submissions", headers=headers, data=data, files=files)

    with browser(app, "heron") as client:
        first = post(client, keyed)
        assert first.status_code == 201
        monkeypatch.setattr(forms, "PartFile", None)
        again = post(client, keyed)
        assert (again.status_code, again.json()["id"]) == (200, first.json()["id"])
        late = post(client, token)
        assert late.status_code == 429
        assert submit_bot(client, b"data", bot="close").status_code == 429


def test_two_uploads_of_an_owner_at_once_are_enough(app: FastAPI) -> None:
    one = app.state.site.uploading.one
    refused = pytest.raises(Refused, match="wait until one has ended")
    with one(3), one(3), one(4), refused, one(3):
        pass
    with one(3):
        pass


def test_a_disk_that_is_almost_full_takes_no_upload(
    heron: Browser, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploads, "RESERVE", 2**62)
    answer = submit_bot(heron, b"data", bot="close")
    assert answer.status_code == 507
    assert "almost full" in answer.text
    assert files_in(settings) == []


def test_a_start_clears_away_what_a_dead_process_was_receiving(
    app: FastAPI, settings: Settings
) -> None:
    settings.uploads.mkdir(parents=True)
    for name, age in ((".part-old", 2 * uploads.STALE_SECONDS), (".part-new", 0), ("whole", 10**6)):
        path = settings.uploads / name
        path.write_bytes(b"")
        os.utime(path, (time.time() - age,) * 2)
    with browser(app):
        assert [path.name for path in files_in(settings)] == [".part-new", "whole"]


def test_a_boundary_that_is_too_long_is_refused(heron: Browser, store: Store) -> None:
    headers = api_token(store, "heron", "submit")
    headers["content-type"] = "multipart/form-data; boundary=" + "b" * 300
    answer = heron.post("/api/v1/submissions", content=b"--b", headers=headers)
    assert answer.status_code == 422


def test_an_empty_form_is_refused(app: FastAPI) -> None:
    with browser(app, "heron") as client:
        answer = client.post(
            "/submit",
            data={"csrf": client.token_on("/submit"), "bot": "close", "kind": "build_context"},
            files={"file": ("", b"")},
            headers={"origin": ORIGIN},
        )
    assert answer.status_code == 422
    assert "needs a file" in answer.text
