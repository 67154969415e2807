"""Plays the matches of a tournament, several at once, and tells what happens as it happens."""

import asyncio
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from league.local.match import play_local
from league.local.tournament.plan import Tournament
from league.local.tournament.results_file import LOG_KEPT, PlayedMatch
from referee.lines import FromReferee, ToWatchers
from referee.result import BotRecord, GameRecord, MatchResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """A match has come further, or begins: `games` and `decisions` so far."""

    number: int
    games: int = 0
    decisions: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GameEnded:
    """A game is over."""

    number: int
    game: GameRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Faulted:
    """A bot of the tournament did something wrong."""

    number: int
    bot: int
    kind: str
    out: bool
    cause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded:
    """A match is over and counts."""

    match: PlayedMatch


News = Moved | GameEnded | Faulted | MatchEnded


async def run_tournament(
    tournament: Tournament,
    played: Collection[int],
    *,
    jobs: int,
    thinkers: int | None,
    stop: asyncio.Event,
    tell: Callable[[News], None],
) -> None:
    """Play all matches whose numbers are not in `played`, `jobs` at a time.

    Setting `stop` ends it; matches in play then are not told as ended and count for nothing. The
    first failure of the platform ends it too, and is raised.
    """
    todo = iter([(n, table) for n, table in enumerate(tournament.tables(), 1) if n not in played])
    runner = _Runner(tournament, thinkers, stop, tell)
    workers = [asyncio.create_task(runner.work(todo)) for _ in range(jobs)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


class _Runner:
    def __init__(
        self,
        tournament: Tournament,
        thinkers: int | None,
        stop: asyncio.Event,
        tell: Callable[[News], None],
    ) -> None:
        self._tournament = tournament
        self._thinkers = thinkers
        self._stop = stop
        self._tell = tell

    async def work(self, todo: Iterator[tuple[int, tuple[int, ...]]]) -> None:
        for number, table in todo:
            if self._stop.is_set():
                return
            self._tell(Moved(number=number))
            await self._play(number, table)

    async def _play(self, number: int, table: tuple[int, ...]) -> None:
        match = self._tournament.match(number, table, self._thinkers)
        asks = games = 0
        async for news in play_local(match, stop=self._stop):
            if isinstance(news, MatchResult):
                if news.complete:
                    self._tell(MatchEnded(match=_kept(number, table, news)))
                return
            if news["type"] in (ToWatchers.PROGRESS, FromReferee.ASKED):
                games = news.get("games", games)
                asks = max(asks, news.get("decisions", 0), news.get("asks", 0))
                self._tell(Moved(number=number, games=games, decisions=asks))
            else:
                self._report(number, table, news)

    def _report(self, number: int, table: tuple[int, ...], news: dict[str, Any]) -> None:
        if news["type"] == FromReferee.GAME:
            self._tell(GameEnded(number=number, game=news["game"]))
        elif news["type"] == FromReferee.FAULT:
            fault = news["fault"]
            self._tell(
                Faulted(
                    number=number,
                    bot=table[fault["bot"]],
                    kind=fault["kind"],
                    out=fault["out"],
                    cause=fault["cause"],
                )
            )


def _kept(number: int, table: tuple[int, ...], result: MatchResult) -> PlayedMatch:
    return PlayedMatch(
        number=number,
        table=table,
        games=tuple(replace(game, replay="", notes={}) for game in result.games),
        bots=tuple(_short(bot) for bot in result.bots),
        decisions=result.decisions,
        wall_s=result.wall_s,
    )


def _short(bot: BotRecord) -> BotRecord:
    return replace(bot, log=bot.log[-LOG_KEPT:] if bot.faults else "")
