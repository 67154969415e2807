"""The registry in which a league keeps accepted images, so that every worker's engine has them.

An image is asked for by its id, which is the hash of its configuration and through that of its
files: whatever a registry answers with, only that image is ever run.
"""

import asyncio
import base64

from sandbox import http
from sandbox.api import PlatformFault
from sandbox.engine import Engine, EngineError
from sandbox.intake import TAG, short_id

NO_LOGIN = {"X-Registry-Auth": base64.urlsafe_b64encode(b"{}").decode()}
"""The engine insists on the header, also for a registry that asks nobody who they are."""
ANSWER_BYTES = 300
REGISTRY_SECONDS = 300.0
"""How long an image may take to come or go."""


class Registry:
    """One registry, by the name under which the engines reach it (`host:port`)."""

    def __init__(self, host: str, engine: Engine, seconds: float = REGISTRY_SECONDS) -> None:
        self._repository = f"{host}/{TAG}"
        self._engine = engine
        self._seconds = seconds

    async def keep(self, image: str) -> None:
        """Push an image of this machine."""
        tag = short_id(image)
        await self._engine.tag_image(image, self._repository, tag)
        try:
            await self._ask(f"/images/{self._repository}/push", {"tag": tag}, f"keep {image}")
        finally:
            await self._engine.remove_image(f"{self._repository}:{tag}")

    async def fetch(self, image: str, name: str = TAG) -> None:
        """Pull an image that some worker kept, see that it is the one, and name it here."""
        tag = short_id(image)
        query = {"fromImage": self._repository, "tag": tag}
        try:
            await self._ask("/images/create", query, f"find {image}")
            await self._engine.image(image)
            await self._engine.tag_image(image, name, tag)
        except EngineError as error:
            if error.status != 404:
                raise
            raise PlatformFault(
                f"The registry {self._repository} has no image {image}: {error}"
            ) from error
        finally:
            await self._engine.remove_image(f"{self._repository}:{tag}")

    async def _ask(self, path: str, query: dict[str, str], what: str) -> None:
        try:
            async with asyncio.timeout(self._seconds):
                await self._follow(path, query, what)
        except TimeoutError:
            raise EngineError(
                f"{self._repository} could not {what} within {self._seconds:.0f} seconds"
            ) from None

    async def _follow(self, path: str, query: dict[str, str], what: str) -> None:
        """A long request whose answer is lines; one with an error in it is the failure."""
        async with http.request("POST", path, query, headers=NO_LOGIN) as response:
            failure = None if response.status == 200 else f"status {response.status}".encode()
            async for line in response.lines():
                if failure is not None or b'"error"' in line:
                    failure = line
                    break
            if failure is not None:
                answer = failure[:ANSWER_BYTES].decode("utf-8", "replace")
                status = 404 if b"not found" in failure or b"unknown" in failure else None
                raise EngineError(f"{self._repository} could not {what}: {answer}", status)
