"""One progress bar for all commands: what is done, the rate, the time left."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cli.terminal import clean, console


@contextmanager
def progress(
    what: str, total: int, *, quiet: bool = False, in_bytes: bool = False
) -> Iterator[Callable[[int], None]]:
    """A bar on standard error while the block runs; `advance(n)` moves it. Silent when asked,
    and where standard error is not a terminal."""
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:,.0f}/s" if speed else "", style="cyan")

    screen = console(stderr=True)
    columns = (
        TextColumn(clean(what)),
        BarColumn(),
        DownloadColumn() if in_bytes else MofNCompleteColumn(),
        TransferSpeedColumn() if in_bytes else Rate(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=screen, transient=True, disable=quiet or not screen.is_terminal
    ) as bar:
        task = bar.add_task(clean(what), total=total)
        yield lambda count: bar.advance(task, count)
