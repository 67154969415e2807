"""What a person has chosen but not confirmed: the module in JavaScript, by Playwright's Node."""

import os
import subprocess
from pathlib import Path

from tests.dashboard.viewer.test_model import node

HERE = Path(__file__).resolve().parent
MODULES = HERE.parents[2] / "dashboard" / "static" / "js" / "play"


def test_choices_are_planned_as_the_ask_allows() -> None:
    script = HERE / "plan.test.mjs"
    run = subprocess.run(
        [node(), "--no-warnings", "--test", str(script)],
        env={**os.environ, "BULLRING_PLAY_MODULES": MODULES.as_uri()},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-2000:]
    # None may be left out silently.
    assert f"pass {script.read_text().count('test(')}\n" in run.stdout
