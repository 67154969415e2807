"""What the league refuses, by HTTP: every refusal of the tree has its status, and is drawn."""

from collections.abc import Iterator

import pytest

from dashboard.http import problem_of
from league import errors
from league.errors import LeagueRefusal, Malformed, NotAllowed, NotThere, TooOften

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
