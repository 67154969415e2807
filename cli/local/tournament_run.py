"""One run of `bullring tournament`: what ends is kept and shown, and Ctrl-C stops it cleanly."""

import asyncio
import contextlib
import shlex
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli.local.bots import SandboxKind
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
        given: Mapping[str, Any],
    ) -> None:
        self.plan = plan
        self.file = file
        self.played = played
        self.again = again(file.path, plan, given)
        """The command that goes on with it."""
        self._replays: Path | None = given["replays"]
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
        with self._view, _told_failures(self.again):
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
def _told_failures(again: str) -> Any:
    """What breaks off a tournament and is no fault of a bot, in words; what is over is kept."""
    from sandbox.api import PlatformFault

    try:
        yield
    except (PlatformFault, OSError) as error:
        refuse(f"{error} What is over is kept; go on with: {again}")


# Options that the file of a tournament does not hold: they must be typed again.
_NOT_KEPT = {
    "jobs": "--jobs", "thinkers": "--thinkers", "replays": "--replays", "csv": "--csv",
    "games_csv": "--games-csv",
}  # fmt: skip


def again(path: Path, plan: "Tournament", given: Mapping[str, Any]) -> str:
    """The command that goes on with the tournament of a file, as it can be pasted.

    A file never says what is run: where a bot is a command, rules and bots are typed again.
    """
    from league.bots import is_command

    words = ["bullring", "tournament", "--resume", str(path)]
    for name, option in _NOT_KEPT.items():
        if given[name] is not None:
            words += [option, str(given[name])]
    if given["as_json"]:
        words.append("--json")
    typed = [bot.typed for bot in plan.bots]
    if plan.sandbox == SandboxKind.PROCESS and any(map(is_command, typed)):
        words += [plan.rules, *typed]
    return shlex.join(words)
