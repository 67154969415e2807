"""A league of real processes whose metrics are recorded, and `promtool` to ask what would ring."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.ending import kill_group
from tests.services import free_port

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "deploy" / "alerts.yml"
PASSWORD = "between workers"
HOLD_MINUTES = 24
"""Simulated minutes for which each state of the league is held; longer than every `for`."""
STEPS = 6
IMPATIENT = {
    "BULLRING_DATABASE_CONNECT_SECONDS": "2",
    "BULLRING_DATABASE_LOCK_SECONDS": "3",
    "BULLRING_DATABASE_STATEMENT_SECONDS": "3",
}
"""For those whose database does not answer for a while."""
FIRING = 'ALERTS{alertstate="firing"}'
Series = dict[str, float]


@dataclass(slots=True)
class Part:
    """One process of the league and where its numbers are."""

    command: list[str]
    environment: dict[str, str]
    job: str
    url: str
    process: subprocess.Popen[bytes] | None = None

    def start(self, *before: str) -> None:
        """Start it; `before` is what the command runs in."""
        self.process = subprocess.Popen(
            [*before, sys.executable, "-m", "cli", *self.command],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            process_group=0,
        )
        wait(lambda: self.scrape() is not None, f"{self.command[0]} shows its numbers")

    def end(self, number: signal.Signals = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(timeout=60)
            self.process = None

    def scrape(self) -> Series | None:
        """What Prometheus would read; None: it does not answer."""
        try:
            with urllib.request.urlopen(self.url, timeout=10) as answer:
                text = answer.read().decode()
        except (OSError, urllib.error.URLError):
            return None
        labels = {"job": self.job, "instance": self.url.split("/")[2]}
        return {
            name_of(sample.name, {**sample.labels, **labels}): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name.startswith("bullring_") and not sample.name.endswith("_bucket")
        }


def name_of(metric: str, labels: dict[str, str]) -> str:
    inside = ",".join(f'{key}="{value}"' for key, value in sorted(labels.items()))
    return f"{metric}{{{inside}}}"


def wait(what: Callable[[], bool], named: str, seconds: float = 90.0) -> None:
    """Until it is so. The limit is against hanging; no timing is tested."""
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline, f"it did not happen: {named}"
        time.sleep(0.1)


@dataclass(slots=True)
class Recorder:
    """The states that the league went through, and which alarms each of them must ring."""

    parts: list[Part] = field(default_factory=list)
    snapshots: list[Series] = field(default_factory=list)
    """One a simulated minute."""
    expected: list[tuple[str, set[str] | None]] = field(default_factory=list)

    def value(self, metric: str) -> float:
        """The sum of a metric over all parts, now."""
        found = [one for part in self.parts for one in (part.scrape() or {}).items()]
        return sum(value for name, value in found if name.startswith(metric))

    def hold(self, state: str, *alarms: str, act: Callable[[], object] | None = None) -> None:
        """Record the league as it is, for as long as the alarms named need to ring.

        `act` happens all the while: it is done and recorded several times.
        """
        steps = STEPS if act is not None else 1
        for _ in range(steps):
            if act is not None:
                act()
            self.snapshots += [self._seen()] * (HOLD_MINUTES // steps)
        self.expected.append((state, set(alarms)))
        # Shown when the test fails.
        print(time.strftime("%T"), state, flush=True)

    def _seen(self) -> Series:
        seen: Series = {}
        for part in self.parts:
            found = part.scrape()
            target = {"job": part.job, "instance": part.url.split("/")[2]}
            seen[name_of("up", target)] = float(found is not None)
            seen |= found or {}
        return seen

    def settle(self) -> None:
        """Let time pass in which what was counted before may still ring."""
        self.hold("settling")
        self.expected[-1] = ("settling", None)

    def write(self, folder: Path) -> Path:
        """The recording as a test of `promtool`, one minute a sample."""
        names = sorted({name for snapshot in self.snapshots for name in snapshot})
        series = [{"series": name, "values": self._values(name)} for name in names]
        checks = [
            {
                # Whatever rang since the state had lasted for some minutes.
                "expr": f"group by (alertname) (max_over_time({FIRING}[{HOLD_MINUTES - 4}m]))",
                "eval_time": f"{(number + 1) * HOLD_MINUTES - 1}m",
                "exp_samples": [
                    {"labels": f'{{alertname="{alarm}"}}', "value": 1} for alarm in sorted(alarms)
                ],
            }
            for number, (_, alarms) in enumerate(self.expected)
            if alarms is not None
        ]
        case = {"interval": "1m", "input_series": series, "promql_expr_test": checks}
        file = folder / "recorded.yml"
        whole = {"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [case]}
        # Every JSON document is a YAML document.
        file.write_text(json.dumps(whole), encoding="utf-8")
        return file

    def _values(self, name: str) -> str:
        held, before = [], None
        for snapshot in self.snapshots:
            value = snapshot.get(name)
            if value is None:
                # As Prometheus notes it: a series that was there and is gone.
                held.append("_" if before is None else "stale")
            else:
                held.append("Inf" if value == float("inf") else repr(value))
            before = value
        return " ".join(held)


def environment(
    folder: Path, redis_url: str, database_url: str | None = None, **more: str
) -> dict[str, str]:
    """What the processes of one league share."""
    others = {k: v for k, v in os.environ.items() if not k.startswith("BULLRING_")}
    return {
        **others,
        "BULLRING_DATA_DIR": str(folder),
        "BULLRING_DATABASE_URL": database_url or f"sqlite:///{folder}/bullring.db",
        "BULLRING_REDIS_URL": redis_url,
        "BULLRING_WORKER_PASSWORD": PASSWORD,
        "BULLRING_TICK_SECONDS": "0.5",
        "BULLRING_CHECK_SECONDS": "1",
        "BULLRING_POLL_SECONDS": "0.5",
        "BULLRING_REDIS_SECONDS": "1",
        "BULLRING_LEASE_SECONDS": "8",
        # Other tests share this machine; a match must not wait for them.
        "BULLRING_FAIR_HOST": "0",
        **more,
    }


@contextmanager
def league(
    folder: Path, redis_url: str, database_url: str, hole_url: str
) -> Iterator[dict[str, Part]]:
    """Dashboard, clock, file service, a good worker; and others that are not started.

    Clock and good worker reach the database by an address that may swallow everything. Not started
    are a second good one, which can be the clock, and those with something wrong.
    """
    ports = [free_port() for _ in range(9)]
    files = {"BULLRING_FILES_URL": f"http://127.0.0.1:{ports[5]}"}

    # The same server, another of its databases: no bell of this league rings there.
    other_redis = redis_url.rpartition("/")[0] + "/1"
    hole = {"BULLRING_DATABASE_URL": hole_url, **IMPATIENT}

    def part(name: str, port: int, *command: str, **more: str) -> Part:
        numbers = {"BULLRING_METRICS_PORT": str(port)}
        chosen = environment(folder, redis_url, database_url, **numbers, **more)
        return Part(list(command), chosen, "bullring-workers", f"http://127.0.0.1:{port}/metrics")

    dashboard = Part(
        ["up", "--port", str(ports[0])],
        environment(folder, redis_url, database_url),
        "bullring",
        f"http://127.0.0.1:{ports[0]}/metrics",
    )
    parts = {
        "dashboard": dashboard,
        "clock": part("clock", ports[1], "clock", **hole),
        "files": part("files", ports[2], "files", "--port", str(ports[5])),
        "worker": part("worker", ports[3], "worker", "--no-clock", **files, **hole),
        "bad": part(
            "bad", ports[4], "worker", "--no-clock", **files, BULLRING_WORKER_PASSWORD="wrong"
        ),
        "second": part("second", ports[6], "worker", **files),
        "full": part("full", ports[7], "worker", "--no-clock"),
        "astray": part(
            "astray", ports[8], "worker", "--no-clock", **files, BULLRING_REDIS_URL=other_redis
        ),
    }
    try:
        yield parts
    finally:
        for one in parts.values():
            if one.process is not None:
                kill_group(one.process)
