"""A deployment for tests: docker-compose.yml with the stand-ins, a project and ports of its own."""

import json
import os
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import docker
import httpx2

from deploy.passwords import make_passwords
from tests.services import free_port, missing

ROOT = Path(__file__).resolve().parents[2]
FILES = ("docker-compose.yml", "deploy/standins.yml")
KEPT = ("PATH", "HOME", "DOCKER_HOST")
PATIENCE = 600.0
"""Against hanging; nothing here is about speed, and the machine may be very busy."""


def compose_command() -> list[str]:
    """Compose v2 or the older docker-compose, whichever is here."""
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    probe = ["docker", "compose", "version"]
    if not shutil.which("docker") or subprocess.run(probe, capture_output=True).returncode != 0:
        missing("Compose", "neither `docker-compose` nor `docker compose` is installed")
    return ["docker", "compose"]


def wait_until(what: Callable[[], object], about: str) -> None:
    """Until it is so."""
    deadline = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < deadline, f"it did not happen: {about}"
        time.sleep(0.5)


@dataclass
class Deployment:
    """A league that `docker compose up` started."""

    engine: docker.DockerClient
    secrets: Path
    """The folder with its passwords."""
    project: str = field(default_factory=lambda: f"bullring-test-{secrets.token_hex(4)}")
    port: int = field(default_factory=free_port)
    registry_port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        make_passwords(self.secrets)
        host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
        self.env = {
            **{name: os.environ[name] for name in KEPT if name in os.environ},
            "BULLRING_SECRETS": str(self.secrets),
            # Compose v2 would build with BuildKit, which needs a network that not every engine has.
            "DOCKER_BUILDKIT": "0",
            "BULLRING_IMAGE": "bullring:standin",
            "BULLRING_ADDRESS": "127.0.0.1",
            "BULLRING_PORT": str(self.port),
            "BULLRING_REGISTRY_PORT": str(self.registry_port),
            "BULLRING_BASE_URL": self.url,
            "BULLRING_DOCKER_SOCKET": host.removeprefix("unix://"),
            "BULLRING_DOCKER_ROOT": str(self.engine.info()["DockerRootDir"]),
        }  # fmt: skip

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def compose(self, *arguments: str) -> str:
        files = [part for name in FILES for part in ("-f", str(ROOT / name))]
        done = subprocess.run(
            [*compose_command(), "-p", self.project, *files, *arguments],
            env=self.env, cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, f"compose {arguments}:\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def bullring(self, *arguments: str) -> str:
        """A command as an operator types it."""
        return self.compose("exec", "-T", "dashboard", "bullring", *arguments)

    def containers(self, service: str | None = None) -> list[Any]:
        labels = [f"com.docker.compose.project={self.project}"]
        if service is not None:
            labels.append(f"com.docker.compose.service={service}")
        return list(self.engine.containers.list(all=True, filters={"label": labels}))

    def left(self) -> list[str]:
        """Everything the engine still knows of this deployment."""
        mine = {"label": f"com.docker.compose.project={self.project}"}
        return [
            *(str(one.name) for one in self.containers()),
            *(str(one.name) for one in self.engine.volumes.list(filters=mine)),
            *(str(one.name) for one in self.engine.networks.list(filters=mine)),
        ]

    def ready(self) -> bool:
        try:
            return httpx2.get(f"{self.url}/readyz", timeout=10).status_code == 200
        except httpx2.TransportError:
            return False

    def events(self, service: str) -> list[dict[str, Any]]:
        """The JSON lines a service has logged."""
        lines = [
            line
            for one in self.containers(service)
            for line in one.logs().decode().splitlines()
            if line.startswith("{")
        ]
        return [json.loads(line) for line in lines]

    def organiser_link(self) -> str:
        [dashboard] = self.containers("dashboard")

        def found() -> list[str]:
            return re.findall(rf"{re.escape(self.url)}(/link/[\w-]+)", dashboard.logs().decode())

        # Its line may come a moment after the first page.
        wait_until(found, "the organiser's link is in the log")
        return found()[-1]


@contextmanager
def deployed(engine: docker.DockerClient, folder: Path) -> Iterator[Deployment]:
    """Up, and in any case down again."""
    league = Deployment(engine, folder)
    try:
        league.compose("build", "--quiet")
        league.compose("up", "-d", "--scale", "worker=2")
        wait_until(league.ready, "the dashboard is ready")
        yield league
    except BaseException:
        # Also when somebody stops the tests: the containers are about to be removed.
        logs = league.compose("logs", "--no-color", "--tail", "40")
        print(logs[-20_000:])
        raise
    finally:
        league.compose("down", "-v", "--timeout", "60")


class Person(httpx2.Client):
    """Somebody with a browser."""

    def __init__(self, league: Deployment) -> None:
        super().__init__(base_url=league.url, timeout=60, headers={"origin": league.url})

    def fill_in(self, path: str, on: str, fields: dict[str, str], file: bytes | None = None) -> str:
        """Fill in the form of a page and send it; returns where that leads."""
        token = re.search(r'name="csrf" value="([^"]+)"', self.get(on).text)
        assert token is not None, f"no form on {on}"
        files = None if file is None else {"file": ("bot.tar.gz", file)}
        answer = self.post(path, data={"csrf": token[1], **fields}, files=files)
        assert answer.status_code == 303, answer.text[-2000:]
        return str(answer.headers["location"])
