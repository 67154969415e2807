"""Bots in containers as they are typed at home: building them takes minutes, and is told."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cli.local.bots import SandboxKind, find_bots
from league.bots import containers
from sandbox import engine, owner


class NoEngine:
    """An engine that is there and is asked nothing."""

    def close(self) -> None:
        """Nothing is open."""


def test_every_image_that_is_built_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def built(*_: object) -> Any:
        return SimpleNamespace(image="sha256:1")

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "Dockerfile").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(owner, "default_state_dir", lambda: tmp_path / "state")
    monkeypatch.setattr(engine, "Engine", NoEngine)
    monkeypatch.setattr(containers, "build_folder", built)
    context: Any = SimpleNamespace(call_on_close=lambda _: None)
    found = find_bots(["mine", "gap", "gap"], SandboxKind.DOCKER, context)
    assert [bot.name for bot in found] == ["mine", "gap", "gap"]
    said = capsys.readouterr()
    assert said.err.splitlines() == ["… building mine", "… building gap"]
    assert said.out == "", "what is printed as JSON stays JSON"
