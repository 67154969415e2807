"""Pages with sample replays on a loopback server: for browser tests, and to look at by hand.

`python -m tests.dashboard.viewer.serve_samples` prints an address and serves until interrupted.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, urlsplit

from jinja2 import Environment, FileSystemLoader

from dashboard.http import Assets
from dashboard.viewer import Links, build_payload, export_html
from tests.dashboard.viewer.samples import SAMPLES, sample

DASHBOARD = Path(__file__).resolve().parents[3] / "dashboard"
CSP = "default-src 'self'; frame-ancestors *; base-uri 'none'; object-src 'none'"
ASSETS = Assets()
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ replay.meta.title }}</title>
<link rel="icon" href="/static/img/favicon.svg">
<link rel="stylesheet" href="/static/css/tokens.css">
<link rel="stylesheet" href="/static/css/viewer.css">
<script type="module" src="/static/js/replay/view.js"></script></head>
<body class="replay-page"><main><h1>{{ replay.meta.title }}</h1>
<p class="replay-about"><label>Search <input type="search" id="search"></label></p>
{% include "replay/viewer.html" %}</main></body></html>"""


@cache
def payload(name: str, seat: int | None) -> dict[str, object]:
    players = len(SAMPLES[name][2])
    links: Links = {
        "page": f"/{name}",
        "embed": f"/{name}/embed",
        "download": f"/{name}/replay.json",
        "export": f"/{name}/export",
        "match": "/",
        "rules": "/",
        "previous": f"/{name}?previous",
        "next": f"/{name}?next",
        "seatings": [
            {"label": f"pass {at}", "href": f"/{name}?pass={at}", "current": at == 0}
            for at in range(min(players, 4))
        ],
    }
    notes = {(0, at): f"note <b>{at}</b>" for at in range(6)}
    return build_payload(sample(name), seat=seat, links=links, notes=notes)


class Handler(BaseHTTPRequestHandler):
    """Answers GET for the pages, data and files of the viewer."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        name, _, rest = address.path[1:].partition("/")
        seat = parse_qs(address.query).get("seat")
        if name == "static":
            asset = ASSETS.files[rest]
            self.answer(asset.body, asset.media_type)
        elif name not in SAMPLES:
            body = "".join(f'<p><a href="/{known}">{known}</a></p>' for known in SAMPLES)
            self.answer(body.encode(), "text/html")
        elif rest == "data":
            data = json.dumps(payload(name, int(seat[0]) if seat else None))
            self.answer(data.encode(), "application/json")
        elif rest == "export":
            self.answer(
                export_html(payload(name, None)).encode(), "text/html; charset=utf-8", csp=""
            )
        else:
            self.answer(render(name, rest, seat).encode(), "text/html; charset=utf-8")

    def answer(self, body: bytes, media_type: str, csp: str = CSP) -> None:
        self.send_response(200)
        self.send_header("content-type", media_type)
        self.send_header("content-length", str(len(body)))
        if csp:
            self.send_header("content-security-policy", csp)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name that the library gives it
        """The console stays quiet."""


def render(name: str, rest: str, seat: list[str] | None) -> str:
    environment = Environment(loader=FileSystemLoader(DASHBOARD / "templates"), autoescape=True)
    template = (
        environment.get_template("replay/embed.html")
        if rest == "embed"
        else environment.from_string(PAGE)
    )
    query = f"?seat={seat[0]}" if seat else ""
    return template.render(
        replay=payload(name, int(seat[0]) if seat else None),
        replay_src=f"/{name}/data{query}",
        static=lambda path: f"/static/{path}",
    )


@contextmanager
def serving() -> Iterator[str]:
    """The address of a running server, on a port that was free."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


if __name__ == "__main__":
    with serving() as url:
        print(url, flush=True)
        sys.stdin.read()
