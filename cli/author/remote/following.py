"""Following a submission until its check is over, whatever the connection does meanwhile."""

import time
from collections.abc import Callable
from typing import Any

from api_models.models import SubmissionOut
from api_models.words import clean
from cli.author.remote.client import Client, Unanswered

PAUSE_SECONDS = 2.0
GIVE_UP = 30
"""After this many failed requests in a row it stops: the league needs attention."""


def follow(client: Client, number: int, tell: Callable[[str], None]) -> SubmissionOut:
    """Print each new line of the log as it comes; returns the submission when it is over."""
    seen = _Seen(tell)
    failed = 0
    while True:
        try:
            for state in client.events(f"/submissions/{number}/events"):
                failed = 0
                seen.look(state)
                if state.get("final"):
                    break
            found = client.get(f"/submissions/{number}", SubmissionOut)
            if found.finished_at is not None:
                return found
        except Unanswered as error:
            failed += 1
            if error.status not in (None, 429, 503) or failed >= GIVE_UP:
                raise
        time.sleep(PAUSE_SECONDS)


class _Seen:
    """What has been printed already, so that every line is printed once."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._log = ""
        self._state = ""

    def look(self, state: dict[str, Any]) -> None:
        if state.get("final"):
            # What comes with the verdict is in the report, which is printed by itself.
            return
        if state["state"] != self._state:
            self._state = str(state["state"])
            if self._state == "received":
                self._tell("Waiting for a worker to take it.")
        log = clean(state["log"])
        for line in fresh_lines(self._log, log):
            if line.strip():
                self._tell(line)
        self._log = log


def fresh_lines(before: str, now: str) -> list[str]:
    """The lines that are new; of a long log only its end comes, so the beginning may be gone.

    >>> fresh_lines("a\\nb\\n", "b\\nc\\n")
    ['c']
    """
    for start in range(len(before) + 1):
        if now.startswith(before[start:]):
            return now[len(before) - start :].splitlines()
    return []
