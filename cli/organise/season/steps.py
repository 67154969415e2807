"""`bullring season open` to `finish`, and `dates`: the life of a season, one command a step.

What a step does, when it can be taken and what comes next is the league's table of steps.
"""

from typing import Annotated, Any

import typer

from cli.on_store import ACTOR, change, open_database
from cli.options import refuse
from cli.organise.season import plan_options
from cli.organise.season.group import SeasonArgument, find_season, moment, season
from cli.terminal import say


@season.command()
def dates(
    name: SeasonArgument,
    opens: plan_options.OpensOption = None,
    freezes: plan_options.FreezesOption = None,
    starts: plan_options.StartsOption = None,
    ends: plan_options.EndsOption = None,
) -> None:
    """Change when a season takes its steps by itself; an empty text removes a date."""
    from league import seasons

    given = zip(seasons.DATES, (opens, freezes, starts, ends), strict=True)
    moments = {which: moment(text or None) for which, text in given if text is not None}
    if not moments:
        refuse("give at least one of --opens, --freezes, --starts and --ends")

    def act(session: Any) -> Any:
        return seasons.set_dates(session, find_season(session, name).id, moments, ACTOR)

    made = change(act)
    for which in seasons.DATES:
        at = getattr(made, which)
        say(f"{which.removesuffix('_at')}: {f'{at:%F %R} UTC' if at else 'by hand'}")


def _take(name: str, step_name: str, *, early: bool = False) -> None:
    """Take the step of that name, and say what comes next."""
    from league.seasons import SEASON_STEPS
    from league.steps import named

    step = named(SEASON_STEPS, step_name)
    take = step.early if early and step.early is not None else step.take
    done = change(lambda session: take(session, find_season(session, name).id, ACTOR))
    say(f"Season {name} is {done.state}.")
    say_next(name)


def say_next(name: str) -> None:
    """What comes next for a season, or what the next step still waits for."""
    from league import seasons
    from store import SeasonState

    with open_database().read() as session:
        found = find_season(session, name)
        coming = seasons.next_step(session, found)
    if coming is None:
        if found.state is SeasonState.RUNNING:
            say(f"Follow it: bullring season status {name} --follow")
    elif coming.missing:
        say(f"Before you can {coming.step.name} it: {coming.missing}.")
        if found.state is SeasonState.OPEN:
            say(f"Enter bots: bullring season enter {name} OWNER/BOT")
    else:
        say(f"Next: bullring season {coming.step.name} {name}")


@season.command("open")
def open_(name: SeasonArgument) -> None:
    """Let bots be entered."""
    _take(name, "open")


@season.command()
def freeze(name: SeasonArgument) -> None:
    """Pin the entries to versions, plan all matches and commit to their keys."""
    _take(name, "freeze")
    with open_database().read() as session:
        found = find_season(session, name)
        say((found.balance or {}).get("words", ""))
        say(f"Commitment to all keys: {found.commitment}")


@season.command()
def start(name: SeasonArgument) -> None:
    """Let the workers play the matches."""
    _take(name, "start")


@season.command()
def pause(name: SeasonArgument) -> None:
    """Hold back matches that are not being played yet."""
    _take(name, "pause")


@season.command()
def resume(name: SeasonArgument) -> None:
    """Go on after a pause."""
    _take(name, "resume")


@season.command()
def call_off(name: SeasonArgument) -> None:
    """End a season that takes entries: nothing is planned or played, its page stays."""
    _take(name, "call-off")
    say("Tell the entrants. Another season: bullring season create")


@season.command()
def finish(
    name: SeasonArgument,
    early: Annotated[bool, typer.Option(help="Cancel what is not played yet.")] = False,
) -> None:
    """End a season; without --early only when all matches are over."""
    _take(name, "finish", early=early)


@season.command()
def finish_without(name: SeasonArgument) -> None:
    """End a season without its stuck matches, once everything else is played."""
    _take(name, "finish-without")


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
