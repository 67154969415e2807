"""The Docker engine, asynchronous and typed: one small method per call that the sandbox makes.

The only module that talks to the `docker` package; its errors become `EngineError` here, once.
"""

import asyncio
import json
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

import docker
import docker.errors
import docker.utils
import requests.exceptions

from sandbox.api import PlatformFault

T = TypeVar("T")
Json = dict[str, Any]

CALL_SECONDS = 60.0
"""No single call may take longer; a daemon that hangs is a platform fault, not a hung match."""

THREADS = 256
"""A waiting container holds one thread; more bots than this on one machine would queue here."""


DEFAULT_URL = "unix:///var/run/docker.sock"


def _knock(url: str) -> None:
    """Fail early on a socket without a listener: the library would leak one of its own."""
    for prefix in ("unix://", "http+unix://"):
        if url.startswith(prefix):
            with socket.socket(socket.AF_UNIX) as probe:
                probe.connect("/" + url.removeprefix(prefix).lstrip("/"))


class EngineError(PlatformFault):
    """The engine refused or failed; `status` is its HTTP status, None when it was not reached."""

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.status = status


class Engine:
    """A connection to the local Docker engine."""

    def __init__(self, base_url: str | None = None, seconds: float = CALL_SECONDS) -> None:
        url = {"base_url": base_url} if base_url else docker.utils.kwargs_from_env()
        try:
            _knock(str(url.get("base_url", DEFAULT_URL)))
            self._api: Any = docker.APIClient(
                timeout=round(seconds) or 1, max_pool_size=THREADS, **url
            )
        except (OSError, docker.errors.DockerException) as error:
            raise EngineError(
                f"The Docker engine cannot be reached ({error}). "
                "Start it (systemctl start docker) and make sure that this user may use its socket."
            ) from error
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="docker")

    def close(self) -> None:
        """Let the connections go; waiting calls end when their containers do."""
        self._api.close()
        self._pool.shutdown(wait=False)

    async def call(self, work: Callable[[Any], T]) -> T:
        """Run blocking work with the client in a thread, its errors mapped."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._mapped, work)

    def _mapped(self, work: Callable[[Any], T]) -> T:
        try:
            return work(self._api)
        except docker.errors.APIError as error:
            status = error.response.status_code if error.response is not None else None
            failure = EngineError(f"Docker said: {error.explanation or error}", status)
        except (docker.errors.DockerException, requests.exceptions.RequestException) as error:
            failure = EngineError(f"The Docker engine did not answer: {error}")
        # Raised out here, it does not hold on to the library's own error and the socket in that.
        raise failure

    async def info(self) -> Json:
        """What the engine says about itself and its host."""
        return await self.call(lambda api: dict(api.info()))

    async def version(self) -> Json:
        """The versions of the engine and its parts."""
        return await self.call(lambda api: dict(api.version()))

    async def create(self, config: Json, name: str) -> str:
        """Create a container from a raw configuration; returns its id."""
        made = await self.call(lambda api: api.create_container_from_config(config, name))
        return str(made["Id"])

    async def start(self, container: str) -> None:
        """Start a created container."""
        await self.call(lambda api: api.start(container))

    async def wait(self, container: str) -> int:
        """Wait, without a limit, until a container has stopped; returns its status code."""
        done = await self.call(lambda api: api.wait(container, timeout=None))
        return int(done["StatusCode"])

    async def inspect(self, container: str) -> Json:
        """Everything about a container."""
        return await self.call(lambda api: dict(api.inspect_container(container)))

    async def kill(self, container: str) -> None:
        """SIGKILL; a container that has already stopped or gone is fine."""
        try:
            await self.call(lambda api: api.kill(container))
        except EngineError as error:
            if error.status not in (404, 409):
                raise

    async def remove(self, container: str) -> None:
        """Remove by force with its volumes; one that is gone, or going, is fine."""
        try:
            await self.call(lambda api: api.remove_container(container, v=True, force=True))
        except EngineError as error:
            if error.status not in (404, 409):
                raise

    async def attach(self, container: str) -> Any:
        """The raw output stream of a container, to be closed before the container is removed."""
        ask = {"stream": 1, "stdout": 1, "stderr": 1, "logs": 0}
        return await self.call(lambda api: api.attach_socket(container, ask))

    async def pause(self, container: str, *, on: bool) -> None:
        """The engine's own pause, for hosts whose cgroup files we cannot reach."""
        try:
            await self.call(lambda api: api.pause(container) if on else api.unpause(container))
        except EngineError as error:
            # 409 is "already paused" or "not paused" or "not running": nothing to do.
            if error.status != 409:
                raise

    async def stats(self, container: str) -> Json:
        """One reading of the engine's own counters."""
        return await self.call(lambda api: dict(api.stats(container, stream=False, one_shot=True)))

    async def containers(self, label: str) -> list[Json]:
        """All containers, running or not, that carry a label (`key` or `key=value`)."""
        return await self.call(
            lambda api: [dict(c) for c in api.containers(all=True, filters={"label": label})]
        )

    async def image(self, reference: str) -> Json:
        """Everything about an image."""
        return await self.call(lambda api: dict(api.inspect_image(reference)))

    async def images(self, label: str) -> list[Json]:
        """All images that carry a label, intermediate ones too."""
        return await self.call(
            lambda api: [dict(i) for i in api.images(all=True, filters={"label": label})]
        )

    async def image_names(self) -> list[str]:
        """Every name (`repository:tag`) that an image of this engine has."""
        return await self.call(
            lambda api: [str(name) for found in api.images() for name in found["RepoTags"] or ()]
        )

    async def tag_image(self, reference: str, repository: str, tag: str) -> None:
        """Give an image one more name."""
        await self.call(lambda api: api.tag(reference, repository, tag))

    async def remove_image(self, reference: str) -> None:
        """Remove a name or an image; one that is gone, or still in use by another, is fine."""
        try:
            await self.call(lambda api: api.remove_image(reference, force=False, noprune=False))
        except EngineError as error:
            if error.status not in (404, 409):
                raise


@cache
def default_engine(seconds: float = CALL_SECONDS) -> Engine:
    """The connection that all sandboxes of this process share unless they are given another."""
    return Engine(seconds=seconds)


def compact(document: object) -> str:
    """JSON without spaces, the same for equal documents."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"))
