"""Whose fault it is that a container did not start, by what the engine and the image say."""

from pathlib import Path

import pytest

from sandbox.api import StartRefused
from sandbox.docker import start_error
from sandbox.engine import EngineError
from sandbox.layer_files import first_obstacle

IMAGES_FAULT = {
    "runc, no program": ('exec: "/x": stat /x: no such file or directory: unknown', 127, False),
    "runsc, no program": ("creating process: failed to load /x: no such file: unknown", 127, False),
    "runsc, not to be executed": ("failed to load /x: permission denied: unknown", 126, False),
    "runsc, a file at /run": ("cannot read client sync file: EOF: unknown", 128, True),
    "runc, a file at /run": ("mounting x to rootfs at /run/bullring: unknown", 128, False),
}


@pytest.mark.parametrize("case", IMAGES_FAULT)
def test_a_start_that_the_image_prevents_is_the_bot_s_fault_under_both_runtimes(
    case: str, tmp_path: Path
) -> None:
    text, status, blocked = IMAGES_FAULT[case]
    error = EngineError(f"Docker said: OCI runtime start failed: {text}", 500)
    assert isinstance(start_error(error, status, [str(tmp_path)], blocked=blocked), StartRefused)
    # When our own folder is gone, what the image has is not the reason.
    gone = [str(tmp_path / "gone")]
    assert start_error(error, status, gone, blocked=blocked) is error


@pytest.mark.parametrize("text", ["cannot read client sync file: EOF", "failed to load x"])
def test_a_start_that_fails_for_another_reason_is_ours(text: str, tmp_path: Path) -> None:
    error = EngineError(f"Docker said: {text}: unknown", 500)
    assert start_error(error, 128, [str(tmp_path)]) is error


def test_what_stands_in_the_way_is_found_in_the_topmost_layer_that_has_it(tmp_path: Path) -> None:
    top, low = tmp_path / "top", tmp_path / "low"
    for folder in (top, low):
        folder.mkdir()
    (low / "tmp").touch()
    (low / "run").symlink_to("/nowhere")
    assert first_obstacle([top, low], ["proc", "tmp"]) == "tmp"
    assert first_obstacle([top, low], ["run/bullring", "run"]) == "run"
    (top / "tmp").mkdir()
    assert first_obstacle([top, low], ["proc", "tmp"]) is None
    assert first_obstacle([tmp_path / "out-of-reach"], ["tmp"]) is None
    assert first_obstacle([], ["tmp"]) is None
