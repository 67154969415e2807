"""Several processes on one database: nothing is lost, nothing is done twice."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlmodel import col

from store import Attempt, Match, Setting, Store, attempts, present
from store import settings as store_settings
from tests.store.support import queued_matches

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = 4
TOGETHER = """
import json, os, sys
import store, tests.store.support
code, *jobs = json.loads(sys.stdin.read())
pids = []
for number, arguments in enumerate(jobs):
    pid = os.fork()
    if not pid:
        sys.argv[1:] = arguments
        with open(f"out{number}", "w") as sys.stdout:
            exec(code)
        os._exit(0)
    pids.append(pid)
sys.exit(sum(os.waitpid(pid, 0)[1] != 0 for pid in pids))
"""
"""Starts the processes out of one that has imported everything and opened nothing."""

# Starting processes takes its time on a busy machine, and no time is asserted here.
pytestmark = pytest.mark.timeout(600)

COUNT = """
import sys
from store import Setting, Store, locked
store = Store(sys.argv[1], sys.argv[2])
for _ in range(int(sys.argv[3])):
    with store.write() as session:
        row = locked(session, Setting, "counter")
        row.value = {"count": row.value["count"] + 1}
"""

CLAIM = """
import json, sys
from store import Store, attempts
from tests.store.support import outcome
store = Store(sys.argv[1], sys.argv[2])
won, kept = [], []
for match_id in json.loads(sys.argv[4]):
    with store.write() as session:
        attempt = attempts.claim(session, match_id, sys.argv[3])
    if attempt is not None:
        won.append(match_id)
        with store.write() as session:
            assert attempts.heartbeat(session, attempt.token)
        with store.write() as session:
            kept.append(attempts.finish(session, attempt.token, outcome()))
print(json.dumps([won, kept]))
"""


def run_together(code: str, arguments: list[list[str]], folder: Path) -> list[str]:
    """Run the code in several processes at once; all have to end well."""
    done = subprocess.run(
        [sys.executable, "-c", TOGETHER],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        input=json.dumps([code, *arguments]),
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [(folder / f"out{number}").read_text() for number in range(len(arguments))]


@pytest.mark.heavy(but="sqlite")
def test_four_writing_processes_lose_nothing(
    store: Store, migrated_url: str, tmp_path: Path
) -> None:
    rounds = 60
    with store.write() as session:
        store_settings.write(session, "counter", {"count": 0})
    run_together(COUNT, [[migrated_url, str(tmp_path), str(rounds)]] * PROCESSES, tmp_path)
    with store.read() as session:
        assert present(session, Setting, "counter").value == {"count": rounds * PROCESSES}


@pytest.mark.heavy(but="sqlite")
def test_a_match_is_claimed_by_one_process_and_finished_once(
    store: Store, migrated_url: str, tmp_path: Path
) -> None:
    ids = queued_matches(store, 24)
    jobs = [
        [migrated_url, str(tmp_path), f"w{number}", json.dumps(ids)] for number in range(PROCESSES)
    ]
    answers = [json.loads(text) for text in run_together(CLAIM, jobs, tmp_path)]
    won = [match_id for own, _ in answers for match_id in own]
    assert sorted(won) == ids
    assert {state for _, kept in answers for state in kept} == {"accepted"}
    with store.read() as session:
        attempts = session.execute(sa.select(sa.func.count()).select_from(Attempt)).scalar_one()
        states = set(session.execute(sa.select(col(Match.state))).scalars())
    assert attempts == len(ids)
    assert states == {"done"}


def test_the_table_itself_refuses_a_second_running_attempt(store: Store) -> None:
    (match_id,) = queued_matches(store)
    with store.write() as session:
        first = attempts.claim(session, match_id, "w1")
        assert first is not None
    twin = Attempt(
        match_id=match_id,
        number=2,
        token="another",
        worker="w2",
        started_at=first.started_at,
        heartbeat_at=first.started_at,
    )
    with pytest.raises(sa.exc.IntegrityError), store.write() as session:
        session.add(twin)
