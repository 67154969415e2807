"""The base image of Python bots: what goes into it, and that bots search in C there."""

import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path

import docker
import pytest

from sandbox.base import make


def test_the_sources_of_the_core_go_in_and_no_library_of_this_machine(tmp_path: Path) -> None:
    # As installed from a wheel for this platform, which brings a core that was built for it.
    root, site = tmp_path / "installed", tmp_path / "site"
    for package in make.OURS:
        shutil.copytree(make.ROOT / package, root / package)
    (root / "nimmt/core/nimmt-core-0123456789abcdef.so").write_bytes(b"of this machine")
    (site / "grpc").mkdir(parents=True)
    (site / "grpc/cygrpc.so").write_bytes(b"of the image")
    with tarfile.open(fileobj=io.BytesIO(make.build_context(site, root))) as tar:
        names = tar.getnames()
    assert "site/nimmt/core/core.h" in names
    assert "Dockerfile" in names
    assert [name for name in names if name.endswith(".so")] == ["site/grpc/cygrpc.so"]


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


COMPILED = """
import importlib.util, json, pathlib, sys
import botkit
found = {}
for module in list(sys.modules.values()):
    file = getattr(module, "__file__", None) or ""
    if file.endswith(".py"):
        compiled = pathlib.Path(importlib.util.cache_from_source(file))
        head = compiled.read_bytes()[:8] if compiled.exists() else b""
        found[file] = int.from_bytes(head[4:], "little") if head else -1
print(json.dumps(found))
"""


def test_nothing_is_compiled_at_the_start_of_a_bot_and_our_code_is_taken_as_it_is(
    docker_engine: docker.DockerClient, base_image: str
) -> None:
    command = ["python3", "-c", COMPILED]
    told = docker_engine.containers.run(base_image, command, remove=True, network_disabled=True)
    modes: dict[str, int] = json.loads(told)
    assert [file for file, mode in modes.items() if mode == -1] == []
    ours = {file: mode for file, mode in modes.items() if file.startswith("/opt/bullring/")}
    assert "/opt/bullring/botkit/client.py" in ours
    # The first bit says that it belongs to the source's hash, the second that this is looked at.
    assert set(ours.values()) == {0b01}
