"""What a bot imports at every start: grpc, protobuf, and the few modules of ours that it uses."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = (
    "import asyncio, gc, grpc, grpc.aio, random\n"
    "import google.protobuf.internal.builder, google.protobuf.runtime_version"
)
"""What a connection takes, and the random numbers of a bot."""
OURS = {
    *("botkit", "botkit.bot", "botkit.client", "botkit.loading"),
    *("wire", "wire.codec", "wire.fast", "wire.v1", "wire.v1.bot_pb2"),
    *("nimmt", "nimmt.cards", "nimmt.choices", "nimmt.errors", "nimmt.events", "nimmt.house"),
    "nimmt.views",
}


def loaded_by(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_a_bot_imports_only_what_it_uses() -> None:
    assert loaded_by("from botkit import Bot, run") - loaded_by(NEEDED) == OURS


@pytest.mark.parametrize("name", ["rules", "search"])
def test_whoever_looks_at_the_rules_gets_them(name: str) -> None:
    code = {
        "rules": "from botkit.bot import Bot, Played\nbot = Bot()\n"
        "bot._played = Played('six-nimmt', {'rounds': 1})\nassert bot.rules is bot._played.rules\n"
        "assert bot.rules.options['rounds'] == 1",
        "search": "import botkit\nfrom nimmt.search import Memory",
    }[name]
    assert loaded_by(code) >= {"nimmt.six", "nimmt.laid"}


@pytest.mark.parametrize("collecting", [True, False])
def test_importing_leaves_the_garbage_collector_as_it_was(collecting: bool) -> None:
    before = "" if collecting else "import gc; gc.disable()"
    script = f"{before}\nimport botkit, gc\nprint(gc.isenabled())"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [str(collecting)]
