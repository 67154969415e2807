"""Queries walk along an index at any size: the plan is asked for, no time is measured."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlmodel import Session

from store import (
    MatchState,
    Store,
    attempts,
    audit,
    inbox,
    match_lists,
    matches,
    ratings,
    results,
    seasons,
    workers,
)

Query = Callable[[Session], object]

QUERIES: dict[str, Query] = {
    "matches of a season": lambda s: match_lists.matches(s, season_id=1, before=9),
    "stuck matches of a season": lambda s: match_lists.matches(
        s, season_id=1, states=[MatchState.STUCK], before=9
    ),
    "matches of a ladder": lambda s: match_lists.matches(s, scale_id=1, before=9),
    "matches of a bot": lambda s: match_lists.matches(s, bot_id=1, before=9),
    "matches of a version": lambda s: match_lists.matches(s, version_id=1, before=9),
    "all matches": lambda s: match_lists.matches(s, before=9),
    "running matches": lambda s: match_lists.matches(s, states=[MatchState.RUNNING]),
    "matches that all may see": lambda s: match_lists.matches(s, before=9, hidden=[1, 2]),
    "latest matches": match_lists.latest,
    "latest matches that all may see": lambda s: match_lists.latest(s, hidden=[1, 2]),
    "seats of matches": lambda s: match_lists.seated(s, [1, 2, 3]),
    "attempts of a match": lambda s: match_lists.attempts(s, 1),
    "faults of a version": lambda s: match_lists.faults_of(s, [1], before=9),
    "games of a match": lambda s: results.games(s, 1),
    "faults of a match": lambda s: results.faults(s, 1),
    "blocks of a ladder": lambda s: list(results.blocks(s, 1, after=(5, 0))),
    "progress of a season": lambda s: seasons.progress(s, 1),
    "matches of an entrant": lambda s: seasons.matches_of_version(s, 1, 1),
    "commitments of a season": lambda s: seasons.commitments(s, 1),
    "history of a version": lambda s: ratings.history(s, 1, [1]),
    "sizes of the queues": workers.queue_sizes,
    "inbox": lambda s: inbox.messages(s, 1),
    "audit log": lambda s: audit.page(s, subject="season", subject_id=1),
}
WRITES: dict[str, Query] = {
    "enqueue": lambda s: matches.enqueue(s, limit=10),
    "claim": lambda s: attempts.claim(s, 1, "w1"),
    "heartbeat": lambda s: attempts.heartbeat(s, "token"),
    "reap": attempts.reap,
}


@pytest.fixture(scope="module")
def lone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    folder: Path = tmp_path_factory.mktemp("plans")
    store = Store(f"sqlite:///{folder}/league.db", folder / "blobs")
    store.migrate()
    yield store
    store.close()


def plan(session: Session, query: Query) -> str:
    """What SQLite would do for the statements of a query."""
    seen: list[tuple[str, Any]] = []

    def note(_c: Any, _cursor: Any, text: str, parameters: Any, *_: Any) -> None:
        seen.append((text, parameters))

    connection = session.connection()
    sa.event.listen(connection, "before_cursor_execute", note)
    query(session)
    sa.event.remove(connection, "before_cursor_execute", note)
    steps = []
    for text, parameters in seen:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", parameters)
        steps += [row[-1] for row in rows]
    assert steps
    return "\n".join(steps)


@pytest.mark.parametrize("name", QUERIES)
def test_a_page_reads_along_an_index(lone: Store, name: str) -> None:
    with lone.read() as session:
        steps = plan(session, QUERIES[name])
    scans = [step for step in steps.splitlines() if "SCAN" in step and "INDEX" not in step]
    # The newest matches of all are read backwards along the primary key, up to the limit.
    assert scans == []
    # These sort or group what few rows they have found.
    if name not in ("sizes of the queues", "progress of a season", "running matches"):
        assert "TEMP B-TREE" not in steps


@pytest.mark.parametrize("name", WRITES)
def test_the_queue_finds_its_rows_along_an_index(lone: Store, name: str) -> None:
    with lone.write() as session:
        steps = plan(session, WRITES[name])
    assert "SCAN matches" not in steps
    assert "SCAN attempts" not in steps
