"""The kit from the wheels alone, in an empty folder: the environments, the example, the arena."""

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from deploy.wheels import build

ROOT = Path(__file__).resolve().parents[2]
ARENA = """
import bullring, train
print(bullring.__file__)
print(bullring.play(["my-bot", "random", "random", "random"], games=200, seed=1))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheels hold: the tool's, and that of the kit that it needs."""
    folder = tmp_path_factory.mktemp("wheel")
    for wheel in build(folder):
        with zipfile.ZipFile(wheel) as file:
            file.extractall(folder / "site")
    return folder / "site"


@pytest.mark.heavy
def test_the_example_runs_from_the_wheels_in_an_empty_folder(site: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    [script] = re.findall(r"```python learn.py\n(.*?)```", page, re.DOTALL)

    def run(code: str) -> str:
        command = [sys.executable, "-c", code]
        environ = {"PYTHONPATH": str(site), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False, env=environ
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    # The page says `bullring` where nothing is a checkout: the command of the wheel.
    typed = "import sys; from cli.main import main; sys.argv[1:] = {}.split(); main()"
    run(typed.format("'new my-bot --rules six-nimmt'"))
    run(script)
    assert "It may play" in run(typed.format("'check my-bot --boards 4 --start-ms 60000'"))
    assert (tmp_path / "my-bot" / "Dockerfile").is_file(), "what `bullring submit my-bot` needs"
    where, _, _, best, *others = run(ARENA).splitlines()
    assert Path(where) == site / "bullring.py"
    name, points, half, *_ = best.split()
    assert name == "my-bot"
    assert float(points) + float(half) < min(float(line.split()[1]) for line in others)
