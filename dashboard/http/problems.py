"""Refusals: one exception, one mapping from other parts' errors, and problem+json (RFC 9457)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from dashboard.http.limits import TooMany, TooManyTopics
from league.errors import LeagueRefusal, Malformed, NotAllowed, NotThere, TooOften
from nimmt import RulesError
from store import (
    DATABASE_ERRORS,
    BadName,
    BlobError,
    BlobMissing,
    Conflict,
    NotFound,
    StoreError,
)

PROBLEM_TYPE = "application/problem+json"


class Refused(Exception):
    """A request that is not carried out, with what to do about it."""

    def __init__(
        self, status: int, detail: str, *, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})


@dataclass(frozen=True, slots=True)
class Problem:
    """What went wrong, for a page or for a program."""

    status: int
    title: str
    detail: str
    headers: dict[str, str] = field(default_factory=dict)
    errors: Sequence[Mapping[str, object]] = ()

    def json(self, instance: str) -> JSONResponse:
        """The problem as a response of the API."""
        body: dict[str, object] = {
            "type": "about:blank",
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": instance,
        }
        if self.errors:
            body["errors"] = self.errors
        return JSONResponse(body, self.status, headers=self.headers, media_type=PROBLEM_TYPE)


def problem_of(error: Exception) -> Problem | None:
    """The problem behind an exception; None: it is a bug."""
    match error:
        case Refused():
            return _problem(error.status, error.detail, error.headers)
        case TooMany():
            return _problem(429, str(error), {"retry-after": str(error.retry_after)})
        case TooManyTopics():
            detail = "too many live pages are open; try again soon"
            return _problem(503, detail, {"retry-after": "10"})
        case RequestValidationError():
            return _invalid(error)
        case HTTPException():
            return _problem(error.status_code, _http_detail(error), dict(error.headers or {}))
        case Malformed() | BadName():
            return _problem(422, str(error))
        case NotAllowed():
            return _problem(403, str(error))
        case TooOften():
            return _problem(429, str(error), {"retry-after": str(error.retry_after)})
        case NotFound() | NotThere() | BlobMissing():
            return _problem(404, str(error))
        case Conflict() | LeagueRefusal():
            return _problem(409, str(error))
        case RulesError():
            return _problem(422, str(error))
        case BlobError():
            return _problem(503, "this file cannot be read now; tell an organiser")
        case StoreError():
            return _problem(503, "the store cannot answer now; try again", {"retry-after": "5"})
    if isinstance(error, DATABASE_ERRORS):
        # Away, or locked by others for too long.
        return _problem(503, "the database is busy; try again", {"retry-after": "5"})
    return None


def _problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Problem:
    return Problem(status, HTTPStatus(status).phrase, detail, dict(headers or {}))


def _http_detail(error: HTTPException) -> str:
    if error.status_code == 404:
        return "there is nothing at this address"
    if error.status_code == 405:
        return "this address takes what a form sends; the form is on the page before it"
    return str(error.detail)


def _invalid(error: RequestValidationError) -> Problem:
    # Only what a message itself repeats of what was sent: the rest may be long, or no JSON.
    errors = [
        {"where": "/".join(str(part) for part in one["loc"]), "message": one["msg"]}
        for one in error.errors()
    ]
    found = "; ".join(f"{one['where']}: {one['message']}" for one in errors[:5])
    return Problem(422, HTTPStatus(422).phrase, f"the request does not fit: {found}", errors=errors)
