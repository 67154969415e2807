"""The deployment files: valid for the Compose that is here, and true to what they promise."""

import os
import re
import subprocess
from functools import cache
from typing import Any

import pytest

from dashboard.metrics import Metrics
from tests.deploy.league import FILES, ROOT, compose_command

yaml = pytest.importorskip("yaml", reason="PyYAML has no wheel for this Python yet")

SECRETS = {"BULLRING_DB_PASSWORD": "one", "BULLRING_WORKER_PASSWORD": "two"}
ELSEWHERE = {"BULLRING_LEAGUE": "10.0.0.1", "BULLRING_PRIVATE_ADDRESS": "10.0.0.1"}
OURS = ("setup", "dashboard", "clock", "files", "worker")
PARTS = (*OURS, "postgres", "redis", "registry")


def read(*files: str, **given: str) -> subprocess.CompletedProcess[str]:
    """What Compose makes of some files, with these settings and no others."""
    named = [part for name in files for part in ("-f", str(ROOT / name))]
    env = {"PATH": os.environ["PATH"], **given}
    command = [*compose_command(), *named, "config"]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@cache
def services() -> dict[str, Any]:
    """docker-compose.yml as Compose understands it."""
    done = read("docker-compose.yml", **SECRETS)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = yaml.safe_load(done.stdout)["services"]
    return found


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_that_is_missing_is_asked_for(secret: str) -> None:
    done = read("docker-compose.yml", **{**SECRETS, secret: ""})
    assert done.returncode != 0
    assert "set it in .env" in done.stderr


@pytest.mark.parametrize(
    "files",
    [FILES, ("docker-compose.yml", "deploy/share.yml"), ("deploy/worker.yml",)],
    ids=lambda files: files[-1],
)
def test_the_other_files_are_valid(files: tuple[str, ...]) -> None:
    done = read(*files, **SECRETS, **ELSEWHERE)
    assert done.returncode == 0, done.stderr


def test_a_worker_elsewhere_needs_two_settings() -> None:
    needed = {"BULLRING_LEAGUE": "10.0.0.1", "BULLRING_WORKER_PASSWORD": "two"}
    assert read("deploy/worker.yml", **needed).returncode == 0
    for name in needed:
        assert "set it to" in read("deploy/worker.yml", **{**needed, name: ""}).stderr


def test_only_the_worker_reaches_docker() -> None:
    reach = [name for name, one in services().items() if "docker.sock" in str(one)]
    assert reach == ["worker"]


def test_only_the_dashboard_is_reached_from_outside() -> None:
    ports = {name: str(one["ports"]) for name, one in services().items() if "ports" in one}
    assert set(ports) == {"dashboard", "registry"}
    assert "127.0.0.1" in ports["registry"]


def test_a_worker_has_neither_the_league_s_password_nor_its_data_folder() -> None:
    worker = services()["worker"]
    assert "one" not in worker["environment"].values()
    assert "postgresql://bullring_worker:two@" in worker["environment"]["BULLRING_DATABASE_URL"]
    assert "postgresql://bullring:" not in str(worker)
    mounted = str(worker["volumes"])
    assert "data" not in re.findall(r"\b(data|database|images|bells)\b", mounted)


@pytest.mark.parametrize("name", PARTS)
def test_every_part_is_limited_and_starts_again(name: str) -> None:
    part = services()[name]
    assert part["restart"] == ("no" if name == "setup" else "unless-stopped")
    assert part["security_opt"] == ["no-new-privileges:true"]
    assert part["cap_drop"] == ["ALL"]
    assert part["read_only"] is True
    assert part["mem_limit"]
    assert part["pids_limit"]
    assert part["logging"]["options"]["max-size"]


@pytest.mark.parametrize("name", OURS)
def test_every_service_runs_a_command_that_exists(name: str) -> None:
    from cli.main import build_app

    app = build_app()
    known = {one.name or getattr(one.callback, "__name__", "") for one in app.registered_commands}
    known |= {str(group.name) for group in app.registered_groups}
    assert services()[name]["command"][0] in known


def test_every_alert_uses_numbers_that_exist_and_has_its_page_in_the_runbook() -> None:
    rules = yaml.safe_load((ROOT / "deploy/alerts.yml").read_text(encoding="utf-8"))
    runbook = (ROOT / "docs/13-runbook.md").read_text(encoding="utf-8")
    titles = re.findall(r"^## (.+)$", runbook, re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}
    known = {
        sample.name for family in Metrics().registry.collect() for sample in family.samples
    } | {family.name for family in Metrics().registry.collect()}
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    assert len(alerts) >= 5
    for alert in alerts:
        used = re.findall(r"\bbullring_\w+", alert["expr"])
        assert used or alert["expr"].startswith("up{"), alert["alert"]
        assert {name.removesuffix("_total") for name in used} <= known, alert["alert"]
        page, _, anchor = alert["annotations"]["runbook"].partition("#")
        assert page == "docs/13-runbook.md"
        assert anchor in anchors, alert["alert"]
