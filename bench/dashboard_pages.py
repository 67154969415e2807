"""The three pages that most people open, signed in, while results arrive; each beside /healthz.

Cold: every request draws its page, because none is kept. Warm: as served, where a page is drawn
again when its data have changed.
"""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from bench.dashboard_load import Asking, beside, serving
from bench.dashboard_results import arriving
from dashboard.http import cookie_name
from dashboard.settings import Settings
from store import Store, accounts

PAGES = ("/", "/seasons/spring", "/matches/1/games/0/0")
GOAL = 5.0
"""Times /healthz at p50, when warm."""


def sign_in(store: Store, settings: Settings) -> dict[str, str]:
    """The cookie of a browser in which an author is signed in."""
    with store.write() as session:
        owner = accounts.owner_by_handle(session, "heron")
        assert owner is not None
        return {"cookie": f"{cookie_name(settings)}={accounts.sign_in(session, owner.id)}"}


def measure_pages(
    folder: Path, headers: dict[str, str], *, requests: int, clients: int, per_second: float
) -> list[dict[str, Any]]:
    """Each page cold and warm."""
    rows: list[dict[str, Any]] = []
    for kind, kept in (("cold", 0), ("warm", 64 * 1024 * 1024)):
        changes = {"BULLRING_PAGE_SHELF_BYTES": str(kept)}
        results = arriving(folder, per_second) if per_second else nullcontext()
        with serving(folder, 2.0, environment=changes) as port, results:
            asking = Asking(port=port, requests=requests, clients=clients, headers=headers)
            rows += [{"kind": kind, **beside(asking, path)} for path in PAGES]
    return rows


def report(rows: list[dict[str, Any]], per_second: float) -> None:
    """A table on the terminal."""
    print(f"\nsigned in, {per_second:g} results a second; times /healthz in the same run")
    print(f"{'page':28} {'':5} {'healthz p50':>11} {'p50 ms':>8} {'x':>6} {'p95':>8} {'CPU ms':>7} "
          f"{'x':>6} {'queries':>7}  goal")  # fmt: skip
    for row in rows:
        times = row["p50_ms"] / row["healthz_ms"]
        judged = "" if row["kind"] == "cold" else "met" if times <= GOAL else f"missed ({GOAL:g})"
        print(f"{row['path']:28} {row['kind']:5} {row['healthz_ms']:11.2f} {row['p50_ms']:8.2f} "
              f"{times:6.1f} {row['p95_ms']:8.2f} {row['cpu_ms']:7.2f} "
              f"{row['cpu_ms'] / row['healthz_cpu_ms']:6.1f} {row['queries']:7d}  "
              f"{judged}")  # fmt: skip
