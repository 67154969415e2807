"""A bar while games are played: on a terminal or in a notebook, and nowhere else."""

from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar


class Progress:
    """Use it as a context; it gives a function that adds to what is done."""

    def __init__(self, what: str, total: int | None, *, shown: bool = True) -> None:
        console = Console(stderr=True)
        self._bar = Bar(
            TextColumn(what),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not shown or not (console.is_terminal or console.is_jupyter),
        )
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Callable[[int], None]:
        self._bar.start()
        return lambda count: self._bar.advance(self._task, count)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
