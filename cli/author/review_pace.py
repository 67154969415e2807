"""How far a review has come, and how long it still takes: a bar, or plain lines in a log."""

import time
from collections.abc import Callable, Sequence
from typing import Any

from cli.local import LogLines, span
from cli.terminal import console, say


def work_of(document: Any, seats: Sequence[int] | None) -> list[int]:
    """What each decision of a replay costs, one beside the other: a rollout plays to the end of
    its round, so that early decisions cost most; those of seats not asked for cost nothing."""
    try:
        return [
            len(part["decisions"]) - at if seats is None or entry["seat"] in seats else 0
            for part in document["rounds"]
            for at, entry in enumerate(part["decisions"])
        ]
    except (KeyError, TypeError):
        return []  # No replay: whoever reviews it says what is wrong with it.


class ReviewPace:
    """Counts decisions; the time left goes by the work that is done and left."""

    def __init__(self, work: Sequence[int], clock: Callable[[], float] = time.monotonic) -> None:
        self.total = len(work)
        self.done = 0
        self._work = work
        self._clock = clock
        self._began = clock()

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return self._clock() - self._began

    @property
    def work(self) -> int:
        """What is done, as `work_of` counts it."""
        return sum(self._work[: self.done])

    @property
    def left(self) -> str:
        """The time left, as far as it is known."""
        if not self.work:
            return "time left: known after the first decision"
        return f"{span(self.seconds / self.work * sum(self._work[self.done :]))} left"

    @property
    def words(self) -> str:
        """All of it in one line.

        >>> now = iter((0.0, 12.0))
        >>> pace = ReviewPace([4, 3, 2, 1], lambda: next(now))
        >>> pace.done = 1
        >>> pace.words
        '1 of 4 decisions reviewed, 18 s left'
        """
        return f"{self.done} of {self.total} decisions reviewed, {self.left}"


class ReviewProgress:
    """Shows the pace on standard error. In a log only where it is slow: `in_logs`."""

    def __init__(self, work: Sequence[int], *, in_logs: bool) -> None:
        from rich.progress import BarColumn, Progress, TextColumn

        self.pace = ReviewPace(work)
        self._in_logs = in_logs
        self._lines = LogLines()
        screen = console(stderr=True)
        self._bar = Progress(
            BarColumn(),
            TextColumn("{task.fields[words]}", style="cyan"),
            console=screen,
            transient=True,
            disable=not screen.is_terminal,
        )
        self._task = self._bar.add_task("", total=sum(work), words=self.pace.words)

    def __enter__(self) -> Callable[[int, int], None]:
        self._bar.start()
        self._show()
        return self._advance

    def _advance(self, done: int, total: int) -> None:
        self.pace.done = done
        self._show()

    def _show(self) -> None:
        pace = self.pace
        if not self._bar.disable:
            self._bar.update(self._task, completed=pace.work, words=pace.words)
        elif self._in_logs and self._lines.is_due(pace.seconds):
            say(f"… {pace.words}", err=True)

    def __exit__(self, *_: object) -> None:
        self._bar.stop()
