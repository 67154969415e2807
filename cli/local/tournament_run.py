"""One run of `bullring tournament`: what ends is kept and shown, and Ctrl-C stops it cleanly."""

import asyncio
import contextlib
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.local.pace import looking
from cli.local.tournament_view import TournamentView
from cli.local.write import write_game
from cli.options import refuse
from cli.terminal import say

if TYPE_CHECKING:
    from league.local import News, PlayedMatch, ResultsFile, Tournament


class TournamentRun:
    """One run of the command: keeps what ends, shows what happens, stops when it is told to."""

    def __init__(
        self,
        plan: "Tournament",
        file: "ResultsFile",
        played: "list[PlayedMatch]",
        replays: Path | None,
    ) -> None:
        self.plan = plan
        self.file = file
        self.played = played
        self._replays = replays
        self._view = TournamentView(plan, played)
        self._stop = asyncio.Event()
        self._decided = False

    async def play(self, jobs: int, thinkers: int) -> bool:
        """Play on; whether it came to its end."""
        from league.local import run_tournament

        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupted, loop)
        say(f"Results: {self.file.path}, seed {self.plan.seed}", err=True)
        if self._is_decided():
            return True
        done = {match.number for match in self.played}
        with self._view, _told_failures(self.file.path):
            async with looking(self._view.tick):
                await run_tournament(
                    self.plan,
                    done,
                    jobs=jobs,
                    thinkers=thinkers,
                    stop=self._stop,
                    tell=self._take,
                )
        return self._decided or not self._stop.is_set()

    def _interrupted(self, loop: asyncio.AbstractEventLoop) -> None:
        """The first Ctrl-C ends it in good order; the second one aborts it."""
        self._stop.set()
        loop.remove_signal_handler(signal.SIGINT)

    def _take(self, news: "News") -> None:
        from league.local import GameEnded, MatchEnded

        if isinstance(news, GameEnded):
            if self._replays is not None:
                write_game(self._replays, news.game, f"match{news.number:04d}-")
            return
        if isinstance(news, MatchEnded):
            self.file.append(news.match)
            self.played.append(news.match)
            self.played.sort(key=lambda match: match.number)
            if self._is_decided():
                self._decided = True
                self._stop.set()
        self._view.show(news)

    def _is_decided(self) -> bool:
        from league.local import judge

        found = judge(self.plan, self.played)
        return found is not None and found.finished


@contextlib.contextmanager
def _told_failures(path: Path) -> Any:
    """What breaks off a tournament and is no fault of a bot, in words; what is over is kept."""
    from sandbox.api import PlatformFault

    try:
        yield
    except (PlatformFault, OSError) as error:
        refuse(f"{error} What is over is kept; go on with: {again(path)}")


def again(path: Path) -> str:
    """The command that goes on with the tournament of a file."""
    return f"bullring tournament --resume {path}"
