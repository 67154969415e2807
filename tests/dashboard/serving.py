"""The dashboard on a loopback port, for tests that need a real connection."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from starlette.routing import Route

from cli.operate.embedded import server_for
from dashboard.app import create_app
from dashboard.services import Services
from dashboard.settings import Settings
from store import Store


@contextmanager
def served(
    settings: Settings,
    store: Store,
    services: Services | None = None,
    *,
    port: int = 0,
    routes: Sequence[Route] = (),
) -> Iterator[str]:
    """The address of a running dashboard; `port` 0 takes a free one, `routes` win over its own."""
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.bind(("127.0.0.1", port))
    sock.listen(128)
    url = f"http://127.0.0.1:{sock.getsockname()[1]}"
    app = create_app(settings.model_copy(update={"base_url": url}), store, services)
    app.router.routes[0:0] = routes
    server = server_for(app)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    yield url
    server.should_exit = True
    thread.join(timeout=20)
    sock.close()


def stream(
    url: str, path: str, headers: Mapping[str, str]
) -> Generator[tuple[str, Any], None, None]:
    """Server-sent events as they come: name and data. Close it to hang up."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=60)
    connection.request("GET", path, headers=dict(headers))
    answer = connection.getresponse()
    assert answer.status == 200, answer.read()
    name = ""
    try:
        # Lines end an event with an empty one; the end of the stream is no line at all.
        while raw := answer.readline():
            line = raw.decode().rstrip("\n")
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))
    finally:
        connection.close()
