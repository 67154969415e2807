"""A bar while games are played: on a terminal or in a notebook, and nowhere else."""

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

BETWEEN = 0.2
"""Seconds between two changes of what a notebook shows; more would slow the games down."""


class Progress:
    """Use it as a context; it gives a function that adds to what is done."""

    def __init__(self, what: str, total: int | None, *, shown: bool = True) -> None:
        console = Console(stderr=True)
        self._notebook = NotebookBar(what, total) if shown and console.is_jupyter else None
        self._bar = Bar(
            TextColumn(what),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not shown or not console.is_terminal or console.is_jupyter,
        )
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Callable[[int], None]:
        if self._notebook is not None:
            self._notebook.start()
            return self._notebook.advance
        self._bar.start()
        return lambda count: self._bar.advance(self._task, count)

    def __exit__(self, *_: object) -> None:
        if self._notebook is not None:
            self._notebook.stop()
        self._bar.stop()


class NotebookBar:
    """A bar in the output of a cell, changed in place.

    The bar of rich needs ipywidgets for that, which a notebook often does not have.
    """

    def __init__(
        self, what: str, total: int | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._what = what
        self._total = total
        self._clock = clock
        self._done = 0
        self._shown = 0.0
        self._handle: Any = None

    def start(self) -> None:
        """Put the bar below the cell."""
        self._began = self._shown = self._clock()
        display = import_module("IPython.display").display
        self._handle = display(self._bundle(), raw=True, display_id=True)

    def advance(self, count: int) -> None:
        """Add to what is done."""
        self._done += count
        now = self._clock()
        if now - self._shown >= BETWEEN:
            self._shown = now
            self._handle.update(self._bundle(), raw=True)

    def stop(self) -> None:
        """Leave nothing behind: the result takes the bar's place."""
        self._handle.update({"text/plain": "", "text/html": ""}, raw=True)

    def _bundle(self) -> dict[str, str]:
        of = "" if self._total is None else f" of {self._total}"
        words = f"{self._what}: {self._done}{of}{self._left()}"
        known = "" if self._total is None else f' value="{self._done}" max="{self._total}"'
        return {"text/plain": words, "text/html": f"<progress{known}></progress> {words}"}

    def _left(self) -> str:
        if self._total is None or not self._done:
            return ""
        gone = self._clock() - self._began
        minutes, seconds = divmod(round(gone / self._done * (self._total - self._done)), 60)
        return f", {minutes}:{seconds:02} left"
