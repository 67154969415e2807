"""Progress in a notebook: shown in one output that changes, with nothing but IPython."""

import sys
from types import ModuleType
from typing import Any

import pytest
import rich.console

from arena.progress import NotebookBar, Progress


class Output:
    """What a notebook shows below a cell."""

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []

    def display(self, bundle: dict[str, str], *, raw: bool, display_id: bool) -> "Output":
        assert raw
        assert display_id, "else it cannot be changed"
        self.shown.append(bundle)
        return self

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(bundle)


@pytest.fixture
def output(monkeypatch: pytest.MonkeyPatch) -> Output:
    """This process as the kernel of a notebook without ipywidgets."""
    found = Output()
    display: Any = ModuleType("IPython.display")
    display.display = found.display
    monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    monkeypatch.setattr(rich.console, "_is_jupyter", lambda: True)
    return found


def test_a_notebook_shows_progress_in_one_place_and_clears_it(output: Output) -> None:
    now = [0.0]
    bar = NotebookBar("games", 40, lambda: now[0])
    bar.start()
    now[0] = 30.0
    bar.advance(10)
    bar.advance(1)  # At the same moment: nothing is sent.
    bar.stop()
    first, second, last = output.shown
    assert first["text/plain"] == "games: 0 of 40"
    assert second["text/plain"] == "games: 10 of 40, 1:30 left"
    assert '<progress value="10" max="40">' in second["text/html"]
    assert last == {"text/plain": "", "text/html": ""}


def test_the_arena_takes_it_in_a_notebook_and_can_be_silent(
    output: Output, capsys: pytest.CaptureFixture[str]
) -> None:
    with Progress("games", 2) as advance:
        advance(1)
    assert output.shown[0]["text/plain"] == "games: 0 of 2"
    before = len(output.shown)
    with Progress("games", 2, shown=False) as advance:
        advance(1)
    assert len(output.shown) == before
    assert capsys.readouterr() == ("", ""), "rich warns there that ipywidgets is not installed"
