"""A small client of `/api/v1`: typed answers, and refusals that say what to do next."""

import json
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

import requests
from pydantic import TypeAdapter, ValidationError

from api_models.models import LeagueOut, MeOut
from cli.author.remote.logins import Login, is_loopback
from cli.installed import UPDATE

Answer = TypeVar("Answer")
Params = Mapping[str, str | int | list[str]]

API = "1"
"""The version of the API that this client speaks."""
CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0
STREAM_SECONDS = 45.0
"""A live stream sends something every 15 seconds, if only a sign of life."""
PATIENCE_SECONDS = 30
"""A rate-limited read is repeated by itself, if the wait is no longer than this."""


class Unanswered(Exception):
    """A request that failed; the text says what to do."""

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.status = status
        """None: there was no answer at all."""


class _Bearer(requests.auth.AuthBase):
    """The token. As an object of its own, so that a .netrc file cannot take its place."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class _Nobody(requests.auth.AuthBase):
    """No token; an object for the same reason."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


class Client:
    """The API of one league, as one owner, or as anybody where the token is empty."""

    def __init__(self, login: Login) -> None:
        self.url = login.url
        self._session = requests.Session()
        self._session.auth = _Bearer(login.token) if login.token else _Nobody()
        self._session.headers["User-Agent"] = f"bullring-client/{API}"
        # A proxy is of no use for an address on this machine.
        self._session.trust_env = not is_loopback(login.url)

    def close(self) -> None:
        """Close the connections."""
        self._session.close()

    def league(self) -> LeagueOut:
        """What the league says of itself; refused where it speaks another version of the API."""
        try:
            found = self.get("/league", LeagueOut)
        except Unanswered as error:
            if error.status != 404:
                raise
            raise Unanswered(
                f"{self.url} has no /api/v{API}/league: it is not a Bullring league, or older than"
                " this command. Check the address; if it is right, ask its operator to update.",
                404,
            ) from error
        if found.api != API:
            raise Unanswered(
                f"{self.url} speaks version {found.api} of the API, this command version {API}."
                f" Update it ({UPDATE}) and try again."
            )
        return found

    def me(self) -> MeOut:
        """Whose token this is."""
        return self.get("/me", MeOut)

    def get(self, path: str, kind: type[Answer], params: Params | None = None) -> Answer:
        """A document as the type it should have."""
        response = self._ask("GET", path, params=params)
        if response.status_code == 429 and _wait_of(response) <= PATIENCE_SECONDS:
            time.sleep(_wait_of(response))
            response = self._ask("GET", path, params=params)
        return self._read(response, kind)

    def change(
        self, method: str, path: str, kind: type[Answer], fields: Mapping[str, Any]
    ) -> Answer:
        """Send a document, and read the answer to it."""
        return self._read(self._ask(method, path, json=dict(fields)), kind)

    def tell(self, method: str, path: str, fields: Mapping[str, Any]) -> None:
        """Send a document; the answer is empty."""
        self._good(self._ask(method, path, json=dict(fields)))

    def upload(
        self, path: str, kind: type[Answer], body: Iterable[bytes], headers: Mapping[str, str]
    ) -> Answer:
        """Send a body that is read while it is sent."""
        return self._read(self._ask("POST", path, data=body, headers=dict(headers)), kind)

    def text(self, path: str) -> str:
        """A plain text."""
        return self._good(self._ask("GET", path)).text

    def download(self, path: str) -> Iterator[bytes]:
        """A long answer in pieces."""
        response = self._good(self._ask("GET", path, stream=True))
        with response:
            yield from self._guarded(response.iter_content(1 << 16))

    def events(self, path: str) -> Iterator[dict[str, Any]]:
        """The states of a live stream; ends when the league ends it."""
        seconds = (CONNECT_SECONDS, STREAM_SECONDS)
        response = self._good(self._ask("GET", path, stream=True, timeout=seconds))
        with response:
            for line in self._guarded(response.iter_lines()):
                if line.startswith(b"data:"):
                    yield json.loads(line.removeprefix(b"data:"))

    def _ask(self, method: str, path: str, **more: Any) -> requests.Response:
        address = f"{self.url}/api/v{API}{path}"
        more.setdefault("timeout", (CONNECT_SECONDS, READ_SECONDS))
        try:
            # A redirect would turn a POST into a GET, and take the token somewhere else.
            return self._session.request(method, address, allow_redirects=False, **more)
        except requests.RequestException as error:
            raise self._silence(error) from error

    def _guarded(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        try:
            yield from pieces
        except requests.RequestException as error:
            raise self._silence(error) from error

    def _silence(self, error: requests.RequestException) -> Unanswered:
        if isinstance(error, requests.exceptions.SSLError):
            return Unanswered(f"{self.url} has no certificate that this machine trusts: {error}")
        if isinstance(error, requests.Timeout):
            return Unanswered(f"{self.url} did not answer in time; try again, nothing is lost.")
        return Unanswered(
            f"{self.url} cannot be reached ({_root(error)}). Is the league up, and is the address"
            " right? Try again later, or log in elsewhere: bullring login URL"
        )

    def _read(self, response: requests.Response, kind: type[Answer]) -> Answer:
        try:
            return TypeAdapter(kind).validate_json(self._good(response).content)
        except ValidationError as error:
            raise Unanswered(
                f"{self.url} answered in a form unknown to this command: it is newer, or not a"
                f" Bullring league. Update this command ({UPDATE}). {error.errors()[0]['msg']}"
            ) from error

    def _good(self, response: requests.Response) -> requests.Response:
        if response.status_code < 300:
            return response
        with response:
            raise Unanswered(self._advice(response), response.status_code)

    def _advice(self, response: requests.Response) -> str:
        """What happened, and what to do next."""
        detail = _detail(response)
        match response.status_code:
            case 301 | 302 | 307 | 308:
                where = response.headers.get("location", "elsewhere").partition("/api/")[0]
                return f"{self.url} has moved to {where}; run: bullring login {where}"
            case 401:
                return (
                    f"{detail}. The token is wrong, has expired or was ended. Make a new one at"
                    f" {self.url}/mine and run: bullring login {self.url}"
                )
            case 403:
                return (
                    f"{detail}. This command needs the scopes read, submit and manage; make a token"
                    f" at {self.url}/mine and run: bullring login {self.url}"
                )
            case 413:
                return f"{detail}. Leave out what the bot does not need."
            case 429:
                return f"{detail}. Try again in {_wait_of(response)} seconds."
            case status if status >= 500:
                return f"{self.url} is in trouble ({status}: {detail}). Nothing is lost; try again."
        return detail


def _wait_of(response: requests.Response) -> int:
    text = response.headers.get("retry-after", "")
    return int(text) if text.isascii() and text.isdigit() else 60


def _detail(response: requests.Response) -> str:
    """The league's own words, or what can be said where it has none."""
    try:
        problem = response.json()
        detail = str(problem["detail"])
        errors = "; ".join(f"{one['where']}: {one['message']}" for one in problem.get("errors", ()))
    except (ValueError, LookupError, TypeError):
        return f"it answered {response.status_code} {response.reason}"
    return f"{detail} ({errors})" if errors else detail.rstrip(".")


def _root(error: BaseException) -> str:
    """The innermost reason, in the words of the system."""
    reason = getattr(error.args[0], "reason", None) if error.args else None
    inner = reason or error.__context__ or error
    while inner.__context__ is not None and inner.__context__ is not inner:
        inner = inner.__context__
    return getattr(inner, "strerror", None) or type(inner).__name__
