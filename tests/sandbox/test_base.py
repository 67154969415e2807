"""The base image of Python bots: what goes into it, and that bots search in C there."""

import io
import subprocess
import tarfile
from pathlib import Path

import docker
import pytest

from sandbox.base import make


def test_the_sources_of_the_core_go_in_and_no_library_of_this_machine(tmp_path: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(make.build_context(tmp_path))) as tar:
        names = tar.getnames()
    assert "site/nimmt/core/core.h" in names
    assert "Dockerfile" in names
    assert not [name for name in names if name.endswith(".so")]


def test_a_compiler_that_cannot_be_had_costs_the_core_and_not_the_image(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(tag: str, packages: object) -> str:
        raise subprocess.CalledProcessError(1, "debootstrap")

    monkeypatch.setattr(make, "make_debian", refuse)
    assert make.compiler_image() is None
    assert "bots will search in pure Python" in capsys.readouterr().err


def test_bots_of_the_base_search_in_c(docker_engine: docker.DockerClient, base_image: str) -> None:
    script = "from nimmt.core import engine; print(engine().about)"
    command = ["python3", "-c", script]
    told = docker_engine.containers.run(base_image, command, remove=True, network_disabled=True)
    assert told.decode().startswith("compiled core (/opt/bullring/nimmt/core/nimmt-core-")
