"""A bell inside one process: whoever waits for a table hears at once that something is there.

Only a hint. Where pages and worker are different processes nobody hears it, and both look.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LOOK_SECONDS = 0.25
"""How often both sides look by themselves."""

Topic = tuple[str, int]
CHOICES, FRAMES = "choices", "frames"
"""What the pages have added, and what the worker has added; each with the id of the match."""


class Bell:
    """Wakes who listens for a topic. Safe from any thread."""

    def __init__(self) -> None:
        self._listeners: dict[Topic, list[Callable[[], object]]] = {}
        self._lock = threading.Lock()

    def ring(self, topic: Topic) -> None:
        """Something is there."""
        with self._lock:
            heard = list(self._listeners.get(topic, ()))
        for wake in heard:
            wake()

    @contextmanager
    def heard_by(self, topic: Topic, wake: Callable[[], object]) -> Iterator[None]:
        """Call `wake`, which must not block, at every ring while the block runs."""
        with self._lock:
            self._listeners.setdefault(topic, []).append(wake)
        try:
            yield
        finally:
            with self._lock:
                left = self._listeners[topic]
                left.remove(wake)
                if not left:
                    del self._listeners[topic]


BELL = Bell()
"""The one of this process."""
