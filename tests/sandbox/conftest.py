"""Fixtures of the sandbox tests: the images that the zoo lives in."""

import asyncio
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import docker
import pytest

from sandbox.base.make import BASE_TAG, make_base
from sandbox.engine import Engine
from tests.sandbox.harness import build_image, remove_test_images
from tests.services import missing

ZOO_DOCKERFILE = f"""
FROM {BASE_TAG}
RUN cp /usr/bin/id /setuid-id && chmod 4755 /setuid-id \\
 && mknod -m 666 /baked-device c 10 237 && mknod -m 666 /baked-disk b 254 0
"""


@pytest.fixture(scope="session")
def engine(docker_engine: docker.DockerClient) -> Iterator[Engine]:
    """A connection of our own to the engine."""
    opened = Engine()
    yield opened
    asyncio.run(remove_test_images(opened))
    opened.close()


@pytest.fixture(scope="session")
def base_image(docker_engine: docker.DockerClient) -> str:
    """The base image of Python bots, made when it is not there yet."""
    try:
        return make_base()
    except (SystemExit, subprocess.CalledProcessError) as error:
        missing("the base image", f"python -m sandbox.base.make failed ({error})")


@pytest.fixture(scope="session")
def zoo_image(engine: Engine, base_image: str) -> str:
    """The base image with a setuid program and device nodes baked in."""
    return build_image(engine, ZOO_DOCKERFILE)


@pytest.fixture
def state() -> Iterator[Path]:
    """A short state directory: unix socket paths are limited."""
    folder = Path(tempfile.mkdtemp(prefix="br-"))
    folder.chmod(0o711)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
