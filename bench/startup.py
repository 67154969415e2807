"""What it takes to start a command: CPU seconds and modules, as ratios to `--help`.

`python -m bench.startup`. The remote commands ask an address where nothing listens, so this is all
that they do before the first answer of a league.
"""

import resource
import subprocess
import sys
from pathlib import Path

from bench.options import described

ROOT = Path(__file__).resolve().parent.parent
AWAY = ("--server", "http://127.0.0.1:9", "--token", "none")
"""The port of discard: the connection is refused at once."""
COMMANDS: dict[str, tuple[str, ...]] = {
    "--help": ("--help",),
    "status": ("status", *AWAY),
    "versions": ("versions", "mine", *AWAY),
    "logs": ("logs", *AWAY),
    "watch": ("watch", "--recent", *AWAY),
    "replay get": ("replay", "get", "1", *AWAY),
}
COUNT = """
import atexit, sys
atexit.register(lambda: sys.stderr.write(f"\\nMODULES {len(sys.modules)}\\n"))
from cli.main import main
sys.argv[0] = "bullring"
main()
"""


def cpu_seconds(words: tuple[str, ...]) -> float:
    """What one start uses, in user and system time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "cli", *words]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def modules(words: tuple[str, ...]) -> int:
    """How many modules are loaded in the end."""
    command = [sys.executable, "-c", COUNT, *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return int(done.stderr.rpartition("MODULES ")[2])


def main() -> None:
    """Print a table."""
    parser = described(__doc__)
    parser.add_argument("--runs", type=int, default=7, help="starts of each; the quickest counts")
    runs = parser.parse_args().runs
    found = {name: min(cpu_seconds(words) for _ in range(runs)) for name, words in COMMANDS.items()}
    print(f"{'command':12} {'CPU s':>7} {'x help':>7} {'modules':>8}")
    for name, seconds in found.items():
        ratio = seconds / found["--help"]
        print(f"{name:12} {seconds:7.3f} {ratio:7.2f} {modules(COMMANDS[name]):8}")


if __name__ == "__main__":
    main()
