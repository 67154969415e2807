"""Results that arrive while bench.dashboard measures, from a process of its own as in a league.

    python -m bench.dashboard_results FOLDER PER_SECOND

Takes queued matches of the season and stores a result with replays for each, until it is ended.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path

from sqlmodel import Session, col, select

from bench.options import described
from dashboard.settings import Settings
from store import (
    BlobKind,
    MatchKind,
    NewMatch,
    Store,
    Version,
    attempts,
    matches,
    results,
    scales,
    seasons,
)
from tests.store.support import outcome

WAITING = 3000
"""Matches that are queued for them; ten a second last five minutes."""


def queue_matches(store: Store) -> None:
    """Matches of the season that wait to be played."""
    with store.write() as session:
        spring = seasons.by_name(session, "spring")
        assert spring is not None
        versions = list(session.exec(select(Version.id).order_by(col(Version.id)).limit(8)))
        new = [
            NewMatch(
                kind=MatchKind.SEASON,
                rules=spring.rules,
                options=spring.options,
                versions=tuple(versions[(number + at) % 8] for at in range(4)),
                boards=4,
                key=(1 << 200 | number).to_bytes(32, "big"),
                season_id=spring.id,
                scale_id=scales.of_season(session, spring.id).id,
            )
            for number in range(WAITING)
        ]
        matches.publish(session, matches.plan(session, new))


@contextmanager
def arriving(folder: Path, per_second: float) -> Iterator[None]:
    """Results come in while this lasts."""
    command = [sys.executable, "-m", "bench.dashboard_results", str(folder), str(per_second)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        process.stdout.readline()
        yield
        if process.poll() is not None:
            raise RuntimeError("the results stopped while the pages were measured")
    finally:
        process.terminate()
        process.wait()


def _replays(session: Session, store: Store) -> list[dict[str, object]]:
    blob = results.blob_of(session, 1, BlobKind.REPLAY)
    assert blob is not None
    return [json.loads(line) for line in store.blobs.lines(blob.sha256)][:4]


def main() -> None:
    """Store results at the given pace until the process is ended."""
    parser = described(__doc__)
    parser.add_argument("folder", type=Path, help="of the league")
    parser.add_argument("per_second", type=float, help="results")
    given = parser.parse_args()
    settings = Settings(data_dir=given.folder)
    store = Store(settings.database, settings.blobs)
    with store.read() as session:
        documents = _replays(session, store)
    pause, began = 1 / given.per_second, time.monotonic()
    print("ready", flush=True)
    for number in count(1):
        # Every match has replays of its own, as in a league: nothing about them is known yet.
        lines = [json.dumps({**one, "match": f"m{time.time_ns()}"}).encode() for one in documents]
        blob = store.blobs.write(lines)
        with store.write() as session:
            waiting = attempts.next_queued(
                session, "bench", queues=matches.LEAGUE_QUEUES, others=False
            )
            assert waiting is not None, "no match is left to play"
            attempt = attempts.claim(session, waiting, "bench")
            assert attempt is not None
        with store.write() as session:
            attempts.finish(session, attempt.token, replace(outcome(), replay=blob))
        time.sleep(max(0.0, began + number * pause - time.monotonic()))


if __name__ == "__main__":
    main()
