"""What the league refuses, by HTTP: every refusal of the tree has its status, and is drawn."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from starlette.testclient import TestClient

from dashboard.http import problem_of
from league import errors
from league.errors import LeagueRefusal, Malformed, NotAllowed, NotThere, TooOften
from store import Store

STATUS: dict[type[LeagueRefusal], int] = {
    LeagueRefusal: 409,
    Malformed: 422,
    NotAllowed: 403,
    NotThere: 404,
    TooOften: 429,
}


def tree(root: type[LeagueRefusal] = LeagueRefusal) -> Iterator[type[LeagueRefusal]]:
    yield root
    for one in root.__subclasses__():
        if one.__module__ == root.__module__:
            yield from tree(one)


@pytest.mark.parametrize("kind", list(tree()))
def test_every_refusal_has_a_status_and_its_place_in_the_drawing(kind: type[LeagueRefusal]) -> None:
    error = kind("no", retry_after=60) if kind is TooOften else kind("no")
    problem = problem_of(error)
    assert problem is not None
    assert (problem.status, problem.detail) == (STATUS[kind], "no")
    assert f"{kind.__name__} " in (errors.__doc__ or "")


def test_too_often_says_when_to_try_again() -> None:
    problem = problem_of(TooOften("slowly", retry_after=60))
    assert problem is not None
    assert problem.headers == {"retry-after": "60"}


def test_a_busy_database_is_no_bug_but_a_reason_to_try_again(
    app: FastAPI, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object, **__: object) -> None:
        raise sa.exc.OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))

    monkeypatch.setattr(store, "read", locked)
    with TestClient(app, raise_server_exceptions=False) as client:
        for address in ("/api/v1/bots", "/bots"):
            answer = client.get(address)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
            assert "database is busy" in answer.text
            assert "BEGIN" not in answer.text
