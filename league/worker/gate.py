"""The gate of a worker: bells and the poll both come in here, and only a free slot goes out."""

import random
import threading
import time


class Gate:
    """Counts the slots of a worker and wakes those that are free."""

    def __init__(self, slots: int) -> None:
        self._slots = slots
        self._busy = 0
        self._rung = 0
        self._changed = threading.Condition()

    @property
    def busy(self) -> int:
        """Slots in use."""
        return self._busy

    def enter(self) -> None:
        """A slot has something to do."""
        with self._changed:
            self._busy += 1

    def leave(self) -> None:
        """It is free again."""
        with self._changed:
            self._busy -= 1
            self._changed.notify_all()

    def ring(self) -> None:
        """Something may be waiting: wake one slot. More rings than slots say nothing new."""
        with self._changed:
            self._rung = min(self._rung + 1, self._slots)
            self._changed.notify_all()

    def ring_when_free(self, seconds: float) -> bool:
        """Keep a bell until a slot is free, so that others get the bells that this worker cannot
        use; False: none was within that time, and the bell is worth nothing any more."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while self._busy >= self._slots:
                left = deadline - time.monotonic()
                if left <= 0 or not self._changed.wait(left):
                    return False
        self.ring()
        return True

    def wait(self, seconds: float) -> bool:
        """Sleep until a bell rings or the time is over; True: a bell rang."""
        deadline = time.monotonic() + seconds
        with self._changed:
            while not self._rung:
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
            self._rung -= 1
            return True

    def wake_all(self) -> None:
        """Let every slot look up: the worker ends, or goes on."""
        with self._changed:
            self._rung = self._slots
            self._changed.notify_all()


def jittered(seconds: float) -> float:
    """Half to one and a half of it, so that workers that started together do not ask together."""
    return seconds * random.uniform(0.5, 1.5)
