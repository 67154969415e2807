"""The deployment file: valid for the Compose that is here, and true to what it promises."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.services import missing

ROOT = Path(__file__).resolve().parents[2]


def compose() -> list[str]:
    """Compose v2 or the older docker-compose, whichever is here."""
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    probe = ["docker", "compose", "version"]
    if not shutil.which("docker") or subprocess.run(probe, capture_output=True).returncode != 0:
        missing("Compose", "neither `docker-compose` nor `docker compose` is installed")
    return ["docker", "compose"]


def test_the_file_is_valid_and_asks_for_its_secret() -> None:
    command = [*compose(), "-f", str(ROOT / "docker-compose.yml"), "config"]
    bare = {"PATH": os.environ["PATH"]}
    without = subprocess.run(command, env=bare, capture_output=True, text=True, check=False)
    assert without.returncode != 0
    assert "set it in .env" in without.stderr
    given = {**bare, "BULLRING_DB_PASSWORD": "secret"}
    done = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def service(name: str) -> str:
    """The lines of one service, as written."""
    text = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
    services = text.split("\nservices:\n")[1].split("\nvolumes:\n")[0]
    found = re.split(r"\n(?=  [a-z]+:\n)", "\n" + services)
    [part] = [one for one in found if one.strip().startswith(f"{name}:")]
    return part


@pytest.mark.parametrize("name", ["postgres", "redis", "dashboard", "clock"])
def test_only_the_worker_reaches_docker(name: str) -> None:
    assert "docker.sock" not in service(name)


def test_the_worker_reaches_docker_and_shares_its_socket_folder() -> None:
    worker = service("worker")
    assert "/var/run/docker.sock:/var/run/docker.sock" in worker
    assert "- /run/bullring:/run/bullring" in worker


def test_only_the_dashboard_is_reached_from_outside() -> None:
    names = ("postgres", "redis", "dashboard", "clock", "worker")
    assert [name for name in names if "ports:" in service(name)] == ["dashboard"]


@pytest.mark.parametrize("name", ["dashboard", "clock", "worker"])
def test_every_service_runs_a_command_that_exists(name: str) -> None:
    from cli.main import build_app

    found = re.search(r"command: (\[.*\])", service(name))
    assert found is not None
    known = {
        command.name or getattr(command.callback, "__name__", "")
        for command in build_app().registered_commands
    }
    assert json.loads(found[1])[0] in known
