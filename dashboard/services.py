"""What the dashboard asks of the league, and nothing more. The league implements `Services`."""

from collections.abc import Sequence
from typing import Protocol

from league.live import Item
from league.needs import Missing
from store import Doorbell


class Services(Protocol):
    """The doors from the web process to the league; no call may take long or raise."""

    def submitted(self, submission_id: int) -> None:
        """A submission is stored: wake a worker. The store is the truth; this is a doorbell."""

    def review_wanted(self, review_id: int) -> None:
        """A review waits in the store: wake a worker."""

    def match_queued(self, bell: Doorbell) -> None:
        """A match waits in the store that somebody asked for just now: wake a worker."""

    def missing(self) -> Sequence[Missing]:
        """What keeps submissions from being checked now; empty: all is there."""

    def live(self, match_id: int, after: tuple[int, int]) -> Sequence[Item]:
        """What has happened in a match after this place of its record; public things only."""

    def refuses_uploads(self) -> Missing | None:
        """Why nothing can be submitted here at all; None: it can, and waits for a worker."""

    def broker_problem(self) -> str | None:
        """Why the broker cannot be reached, for /readyz; None: it can, or there is none."""


class NoServices:
    """No league behind the pages: submissions are kept and wait."""

    def submitted(self, submission_id: int) -> None:
        """There is no worker to wake; the row in the store waits for one."""

    def review_wanted(self, review_id: int) -> None:
        """There is no worker to wake; the row in the store waits for one."""

    def match_queued(self, bell: Doorbell) -> None:
        """There is no worker to wake; the row in the store waits for one."""

    def missing(self) -> Sequence[Missing]:
        """Say that the pages run alone."""
        return [
            Missing(
                what="a worker",
                why="These pages run without a league behind them.",
                fix="Start a worker; submissions wait for it.",
            )
        ]

    def live(self, match_id: int, after: tuple[int, int]) -> Sequence[Item]:
        """No match is played."""
        return []

    def refuses_uploads(self) -> Missing | None:
        """Submissions are accepted and wait."""
        return None

    def broker_problem(self) -> str | None:
        """There is no broker."""
        return None
