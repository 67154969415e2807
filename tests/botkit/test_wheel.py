"""What a bot author installs: a wheel that holds botkit and what it needs, and plays."""

import re
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT / "packaging" / "botkit", check=True, capture_output=True)
    [built] = folder.glob("*.whl")
    return built


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
