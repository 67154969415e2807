"""`bullring season plan` and `time-left`: how long a season takes, and what it can tell apart."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.on_store import JsonOption, open_database, refusals
from cli.options import OptionOption, parse_options
from cli.organise.season import plan_options
from cli.organise.season.group import SeasonArgument, find_season, season
from cli.terminal import say, say_json
from league.given import take
from league.seasons import BOTS, USUAL, SeasonWords
from league.words import counted

if TYPE_CHECKING:
    from league.seasons import Fleet, ForecastQuestion


@season.command()
def plan(
    bots: Annotated[int, typer.Option(help=f"How many bots take part, {BOTS.span}.")],
    gap: Annotated[float, typer.Option(min=0.01, help="The gap to find, in points per round.")],
    rules: Annotated[str, typer.Option(help="The rules; their matches so far are measured.")],
    table: Annotated[int, plan_options.option("table")] = USUAL.table,
    boards: Annotated[int, plan_options.option("boards")] = USUAL.boards,
    meetings: Annotated[int, plan_options.option("meetings")] = USUAL.meetings,
    power: Annotated[float, typer.Option(min=0.5, max=0.99, help="Chance of finding it.")] = 0.8,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """How many games, and how long on this fleet, until bots this far apart are separated.

    Where nothing like it has been played here, a short match of sample bots is played to time it.
    """
    from league import seasons
    from league.settings import LeagueSettings

    with refusals():
        BOTS.check("bots", bots)
        take(SeasonWords, {"table": table, "boards": boards, "meetings": meetings})
    question = seasons.ForecastQuestion(
        rules=rules,
        options=parse_options(option) if option else None,
        bots=bots,
        table_size=table,
        boards=boards,
        meetings=meetings,
        power=power,
    )
    slots = LeagueSettings().slots
    with refusals():
        with open_database().read() as session:
            found = seasons.look_ahead(session, question, [gap], slots=slots)
        if found.measured.timed == "guess" and (trial := _trial(question)) is not None:
            with open_database().write() as session:
                seasons.keep_trial(session, question, trial)
                found = seasons.look_ahead(session, question, [gap], slots=slots)
    if as_json:
        say_json(asdict(found))
        return
    say(found.gaps[0].words)
    say(f"Played {counted(meetings, 'time')} with every two bots meeting: {found.reach.words}")
    say(found.measured.words)


def _trial(question: "ForecastQuestion") -> "Fleet | None":
    """What a short match on this machine takes; None where it cannot be played."""
    from league.local import time_a_match
    from league.seasons import Fleet

    timed = time_a_match(question.rules, question.full_options, question.table_size)
    if timed is None:
        return None
    return Fleet(seconds_per_game=timed.seconds_per_game, start_seconds=timed.start_seconds)


@season.command("time-left")
def time_left(name: SeasonArgument) -> None:
    """How much a season still has to play, and what is undecided."""

    from league import seasons

    with open_database().read() as session:
        found = find_season(session, name)
        left = seasons.time_left(session, found)
    say(left.words)
    verdict: Any = found.verdict
    if isinstance(verdict, dict):
        say(str(verdict["words"]))
        for pair in verdict["open"]:
            say(f"  open: {pair['upper']} before {pair['lower']}")


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
