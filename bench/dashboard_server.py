"""The dashboard that bench.dashboard measures, in a process of its own; prints its port.

    python -m bench.dashboard_server FOLDER CACHE_SECONDS [MATCH]

With a match, that one is being played: an endless game whose moves come twice a second.
"""

import itertools
import logging
import resource
import socket
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
import structlog
import uvicorn
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from bench.options import described
from dashboard.app import create_app
from dashboard.live import streams
from dashboard.services import NoServices
from dashboard.settings import Settings
from league.live import Broadcast, Item
from store import Match, Store, present
from tests.league.watched import told, watched_plan

MOVE_SECONDS = 0.5


class Playing(NoServices):
    """A league in which one match is being played."""

    def __init__(self) -> None:
        self.broadcast = Broadcast()

    def live(self, match_id: int, after: tuple[int, int]) -> Sequence[Item]:
        """What has happened."""
        return self.broadcast.since(match_id, after)

    def play(self, store: Store, match_id: int) -> None:
        """Games for ever, a move at a time."""
        with store.read() as session:
            key = present(session, Match, match_id).key.hex()
        plan = replace(watched_plan(players=4, boards=20), key=key)
        messages = list(told(plan))
        for attempt in itertools.count(1):
            self.broadcast.begin(match_id, replace(plan, attempt=attempt))
            for message in messages:
                self.broadcast.tell(match_id, message)
                time.sleep(MOVE_SECONDS)


def main() -> None:
    """Serve until the process is ended."""
    parser = described(__doc__)
    parser.add_argument("folder", type=Path, help="of the league")
    parser.add_argument("cache", type=float, help="seconds that pages are kept for everybody")
    parser.add_argument("match", type=int, nargs="?", help="the one that is being played")
    given = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    settings = Settings(
        data_dir=given.folder,
        page_cache_seconds=given.cache,
        read_limit="100000000/minute",
        page_limit="100000000/minute",
        live_speed=100.0,
    )
    store = Store(settings.database, settings.blobs)
    # All watchers of a measurement come from one address.
    streams.MAX_STREAMS_OF_ONE = streams.MAX_STREAMS
    services = Playing()
    if given.match is not None:
        threading.Thread(target=services.play, args=(store, given.match), daemon=True).start()
    app = create_app(settings, store, services)
    counted = [0]

    def count(*about: object) -> None:
        counted[0] += str(about[2]).startswith("SELECT")

    sa.event.listen(store.engine, "before_cursor_execute", count)

    async def numbers(request: Request) -> Response:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        cpu = usage.ru_utime + usage.ru_stime
        return JSONResponse({"queries": counted[0], "cpu_s": cpu, "peak_kib": usage.ru_maxrss})

    app.router.routes.append(Route("/bench/numbers", numbers))
    # asyncio switches Nagle's algorithm off only for sockets that say they are TCP.
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.bind(("127.0.0.1", 0))
    sock.listen(512)
    print(sock.getsockname()[1], flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[sock])


if __name__ == "__main__":
    main()
