"""What a bot author installs: a wheel that holds botkit and what it needs, and plays."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from nimmt.core.build import find_compiler
from tests.botkit.test_client import match

ROOT = Path(__file__).resolve().parents[2]

BOT = """
import sys
sys.path[:0] = [{wheel!r}]
import botkit
print(botkit.__file__, flush=True)
class Mine(botkit.Bot):
    def choose_card(self, view):
        return max(view.hand)
botkit.run(Mine)
"""


SEARCH = """
import nimmt
from nimmt.core import engine
from nimmt.search import Memory
assert "{folder}" in nimmt.__file__, nimmt.__file__
rules = nimmt.get("x-nimmt")
state = rules.start(3, nimmt.KeyedBoard(nimmt.key_from_seed(1)))
memory = Memory(rules, 3, 0)
for event in state.opening:
    memory.see(event)
print(engine().name, memory.rollouts("card", state.legal(0), 80, 1).sums)
"""


def built_wheel(folder: Path, core: str) -> Path:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    environ = {**os.environ, "BULLRING_CORE": core}
    subprocess.run(
        build, cwd=ROOT / "packaging" / "botkit", env=environ, check=True, capture_output=True
    )
    [built] = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(tmp_path_factory.mktemp("wheel"), core="")


@pytest.fixture(scope="module")
def wheel_with_core(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if find_compiler() is None:
        pytest.skip("needs a C compiler")
    return built_wheel(tmp_path_factory.mktemp("wheel-with-core"), core="1")


def installed(wheel: Path, folder: Path) -> Path:
    """The wheel in a folder, put there by an installer that reads its tags."""
    if importlib.util.find_spec("pip"):
        command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    elif uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--python", sys.executable]
    else:
        pytest.skip("needs pip or uv")
    more = ["--no-index", "--no-deps", "--target", str(folder), str(wheel)]
    subprocess.run([*command, *more], check=True, capture_output=True)
    return folder


def searched(folder: Path) -> list[str]:
    """Which engine the installed packages run, and what it finds."""
    # An environment of its own, so that the core of this one is not found.
    script = f"import sys; sys.path[:0] = [{str(folder)!r}]; sys.prefix = '/nowhere'\n"
    command = [sys.executable, "-I", "-S", "-c", script + SEARCH.format(folder=folder)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    return answer.stdout.split(maxsplit=1)


def test_a_wheel_without_the_core_is_for_every_platform_and_searches_in_python(
    wheel: Path, tmp_path: Path
) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")
    folder = installed(wheel, tmp_path / "site")
    assert not list(folder.rglob("*.so"))
    assert searched(folder)[0] == "pure"


@pytest.mark.heavy
def test_a_wheel_with_the_core_is_for_this_platform_and_searches_in_c(
    wheel: Path, wheel_with_core: Path, tmp_path: Path
) -> None:
    assert "-py3-none-any" not in wheel_with_core.name
    if sys.platform == "linux":
        assert re.search(r"-py3-none-manylinux_2_\d+_\w+\.whl$", wheel_with_core.name)
    compiled = searched(installed(wheel_with_core, tmp_path / "compiled"))
    assert compiled[0] == "compiled"
    assert compiled[1] == searched(installed(wheel, tmp_path / "pure"))[1]


def test_the_wheel_holds_three_packages_and_asks_for_two(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [about] = [name for name in names if name.endswith("METADATA")]
        asked = Parser().parsestr(archive.read(about).decode()).get_all("Requires-Dist")
    packages = {name.split("/")[0] for name in names if ".dist-info/" not in name}
    assert packages == {"botkit", "wire", "nimmt"}
    assert not [name for name in names if "__pycache__" in name]
    assert sorted(re.split("[<>=]", need)[0] for need in asked or []) == ["grpcio", "protobuf"]


@pytest.mark.anyio
async def test_a_bot_that_has_only_the_wheel_plays(wheel: Path, tmp_path: Path) -> None:
    result = await match(tmp_path, BOT.format(wheel=str(wheel)))
    assert str(wheel) in result.bots[0].log
    assert not result.bots[0].faults
