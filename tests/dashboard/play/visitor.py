"""A scripted person: a browser's requests, one by one, with every byte that came back kept."""

import http.client
import json
import re
from collections.abc import Callable, Generator
from typing import Any
from urllib.parse import urlencode, urlsplit

Frame = dict[str, Any]
Policy = Callable[[Frame], Any]


def lowest(frame: Frame) -> Any:
    """The first legal choice."""
    legal = frame["legal"]
    if not isinstance(legal, dict):
        return legal[0]
    for pile, cards in legal["plays"].items():
        return {"play": {pile: cards[:1]}}
    return {"take": legal["takes"][0]}


class Visitor:
    """One browser."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.cookies: dict[str, str] = {}
        self.received = b""
        """Every byte of every answer."""

    def request(
        self, method: str, path: str, body: str | None = None, **headers: str
    ) -> tuple[int, str, bytes]:
        """Send one request; status, Location and body."""
        connection = self._connect(method, path, body, **headers)
        answer = connection.getresponse()
        self._keep_cookies(answer)
        data = answer.read()
        self.received += str(answer.headers).encode() + data
        connection.close()
        return answer.status, answer.headers.get("location", ""), data

    def _connect(
        self, method: str, path: str, body: str | None, **headers: str
    ) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(urlsplit(self.url).netloc, timeout=180)
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent = {"cookie": cookies, "origin": self.url}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body=body, headers=sent)
        return connection

    def _keep_cookies(self, answer: http.client.HTTPResponse) -> None:
        for line in answer.headers.get_all("set-cookie") or ():
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value

    def token(self, path: str = "/play") -> str:
        """The token of a page for the next form."""
        status, _, body = self.request("GET", path)
        assert status == 200, body
        found = re.search(rb'(?:name="csrf" value| token)="([^"]+)"', body)
        assert found is not None, body
        return found[1].decode()

    def form(self, path: str, page: str = "/play", **fields: Any) -> tuple[int, str, bytes]:
        """Send a form of a page."""
        body = urlencode({"csrf": self.token(page), **fields}, doseq=True)
        kind = "application/x-www-form-urlencoded"
        return self.request("POST", path, body, content_type=kind)

    def open(self, **fields: Any) -> str:
        """Open a table; its code."""
        status, location, body = self.form("/play", **fields)
        assert status == 303, body
        return location.removeprefix("/play/")

    def stream(self, code: str, last: int = 0) -> Generator[tuple[str, int, Frame], None, None]:
        """Events of a table as they come: name, id, data. Close it to hang up."""
        headers = {"last_event_id": str(last)} if last else {}
        connection = self._connect("GET", f"/play/{code}/stream", None, **headers)
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
        event: dict[str, str] = {}
        try:
            while raw := answer.readline():
                self.received += raw
                field, _, value = raw.decode().rstrip("\n").partition(": ")
                if field:
                    event[field] = value
                    continue
                if "data" in event:
                    yield event["event"], int(event.get("id", 0)), json.loads(event["data"])
                event = {}
        finally:
            connection.close()

    def choose(self, code: str, token: str, ask: int, choice: Any) -> tuple[int, bytes]:
        """Answer an ask; status and body."""
        body = json.dumps({"ask": ask, "choice": choice})
        status, _, answer = self.request(
            "POST",
            f"/play/{code}/choice",
            body,
            x_csrf_token=token,
            content_type="application/json",
        )
        return status, answer

    def play(self, code: str, policy: Policy = lowest) -> list[tuple[int, Frame]]:
        """Play a table to its end; every frame with its number."""
        token, frames = self.token(f"/play/{code}"), []
        for name, number, data in self.stream(code):
            if name == "end":
                break
            if name != "frame":
                continue
            frames.append((number, data))
            if data["type"] == "ask":
                status, body = self.choose(code, token, data["ask"], policy(data))
                assert status == 204, body
        return frames
