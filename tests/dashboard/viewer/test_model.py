"""The folding module in JavaScript against the rules in Python, by the Node that Playwright has."""

import json
import os
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest

from dashboard.viewer import build_payload
from dashboard.viewer.export import ENTRY
from nimmt.events import RoundStart
from nimmt.table import Table, fold
from nimmt.verify import read
from tests.dashboard.viewer.samples import SAMPLES, sample
from tests.services import missing

HERE = Path(__file__).resolve().parent


def node() -> Path:
    try:
        import playwright
    except ImportError:
        missing("Node", "install the e2e extra, whose playwright carries one")
    found = Path(playwright.__file__).parent / "driver" / "node"
    if not found.exists():
        missing("Node", f"playwright has none at {found}")
    return found


def tables_by_step(document: dict[str, object]) -> list[dict[str, object]]:
    """The table after every step as nimmt folds it, cut where the payload cuts."""
    replay = read(document)
    table = fold(Table(replay.state.players), replay.state.opening)
    tables = [asdict(table)]
    for step in replay.steps():
        events = step.events
        cut = next((at for at, e in enumerate(events) if isinstance(e, RoundStart)), len(events))
        tables.append(asdict(fold(table, events[:cut])))
        if cut < len(events):
            tables.append(asdict(fold(table, events[cut:])))
    return tables


def events_for(document: dict[str, object], seat: int) -> list[object]:
    steps = build_payload(document, seat=seat)["steps"]
    return [event for step in steps for event in step["events"]]


def test_the_javascript_model_agrees_with_the_rules(tmp_path: Path) -> None:
    cases = {}
    for name in SAMPLES:
        document = sample(name)
        seats = range(len(SAMPLES[name][2]))
        cases[name] = {
            "payload": build_payload(document),
            "tables": tables_by_step(document),
            "seats": [events_for(document, seat) for seat in seats],
        }
    file = tmp_path / "cases.json"
    file.write_text(json.dumps(cases))
    environment = {
        **os.environ,
        "BULLRING_REPLAY_MODULES": ENTRY.parent.as_uri(),
        "BULLRING_REPLAY_CASES": str(file),
    }
    # Without a package file Node looks into each module to see what it is, and warns of it.
    command = [str(node()), "--no-warnings", "--test", str(HERE / "model.test.mjs")]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    # Six laws for every sample and six tests of their own: none may be left out silently.
    assert f"pass {6 * len(SAMPLES) + 6}\n" in run.stdout


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_cut_into_as_many_steps_as_tables(name: str) -> None:
    document = sample(name)
    assert len(tables_by_step(document)) == len(build_payload(document)["steps"])
