"""How fast the pages and the API answer, each beside /healthz in the same run.

    python -m bench.dashboard --bots 200 --matches 100000

The store is filled with bots, seasons and matches of that size; a few matches are really played, so
that replays and ratings are there. First the three pages that most people open, signed in while
results arrive (`--pages`: only these). The server is a process of its own, and requests go over
loopback. Then 200 watchers follow one running match, and Chromium, where it is, weighs whole pages
and counts the frames of the viewer.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

from bench import dashboard_browser, dashboard_live, dashboard_pages
from bench.dashboard_fill import fill, running_match
from bench.dashboard_load import Asking, beside, serving
from bench.dashboard_results import queue_matches
from bench.options import described
from dashboard.settings import Settings
from store import Store

ROUTES = (
    "/healthz",
    "/",
    "/seasons",
    "/seasons/spring",
    "/bots",
    "/bots/heron/close",
    "/matches",
    "/matches/1",
    "/matches/1/games/0/0",
    "/matches/1/games/0/0/data",
    "/live",
    "/docs/api",
    "/sign-in",
    "/feed.atom",
    "/api/v1/rules",
    "/api/v1/bots",
    "/api/v1/matches",
    "/api/v1/matches?bot=heron/close",
    "/api/v1/matches/1",
    "/api/v1/matches/1/games/0/0/replay",
    "/api/v1/seasons/spring",
    "/api/v1/seasons/spring/standings",
    "/api/v1/bots/heron/close/ratings",
)


def report(rows: list[dict[str, Any]], title: str) -> None:
    """A table on the terminal."""
    print(f"\n{title}")
    print(f"{'route':44} {'p50 ms':>8} {'p95':>8} {'p99':>8} {'x healthz':>9} {'CPU ms':>7} "
          f"{'x':>5} {'req/s':>7} {'KiB':>6} {'queries':>7}")  # fmt: skip
    for row in rows:
        print(f"{row['path']:44} {row['p50_ms']:8.2f} {row['p95_ms']:8.2f} {row['p99_ms']:8.2f} "
              f"{row['p50_ms'] / row['healthz_ms']:9.1f} {row['cpu_ms']:7.2f} "
              f"{row['cpu_ms'] / row['healthz_cpu_ms']:5.1f} {row['per_s']:7.0f} "
              f"{row['kib']:6.1f} {row['queries']:7d}")  # fmt: skip


def parse() -> argparse.Namespace:
    """The sizes that were asked for."""
    parser = described(__doc__)
    parser.add_argument("--bots", type=int, default=40, help="in the store")
    parser.add_argument("--matches", type=int, default=2000, help="in the store")
    parser.add_argument("--requests", type=int, default=200, help="to each page")
    parser.add_argument("--clients", type=int, default=4, help="that ask at once")
    parser.add_argument("--watchers", type=int, default=200, help="of the running match")
    parser.add_argument("--seconds", type=float, default=20.0, help="how long they watch")
    parser.add_argument("--results", type=float, default=10.0, help="results a second")
    parser.add_argument("--pages", action="store_true", help="only the three pages")
    parser.add_argument("--json", type=Path, help="write the numbers into this file, too")
    return parser.parse_args()


def _others(folder: Path, match: int, options: argparse.Namespace) -> dict[str, Any]:
    """Every route, watchers of a match, and a browser."""
    results: dict[str, Any] = {}
    for title, cache in (
        ("as served (pages kept for 2 s)", 2.0),
        ("without the page cache", 0.0),
    ):
        with serving(folder, cache) as port:
            asking = Asking(port=port, requests=options.requests, clients=options.clients)
            rows = [beside(asking, path) for path in ROUTES]
        report(rows, title)
        results[title] = rows
    with serving(folder, 2.0, match) as port:
        watched = dashboard_live.watch(port, match, options.watchers, options.seconds)
        dashboard_live.report(watched)
        results["watchers"] = watched
        if dashboard_browser.find_chromium() is not None:
            results["browser"] = dashboard_browser.measure(port)
            dashboard_browser.report(results["browser"])
    return results


def main() -> None:
    """Fill, serve, measure, print."""
    options = parse()
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="bullring-bench-") as name:
        settings = Settings(data_dir=Path(name))
        store = Store(settings.database, settings.blobs)
        store.migrate()
        began = time.perf_counter()
        fill(store, options.bots, options.matches)
        match = running_match(store)
        queue_matches(store)
        headers = dashboard_pages.sign_in(store, settings)
        store.close()
        print(f"{options.bots} bots, {options.matches} matches more, filled in "
              f"{time.perf_counter() - began:.0f} s")  # fmt: skip
        results["pages"] = dashboard_pages.measure_pages(
            Path(name),
            headers,
            requests=options.requests,
            clients=options.clients,
            per_second=options.results,
        )
        dashboard_pages.report(results["pages"], options.results)
        if not options.pages:
            results |= _others(Path(name), match, options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
