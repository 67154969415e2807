"""More of `bullring season`: plan it, rehearse it, see how long it takes and whether it is fair."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from cli.on_store import ACTOR, JsonOption, change, open_database
from cli.options import OptionOption, parse_options, refuse
from cli.organise.season.steps import SeasonArgument, find_season, season
from league.words import counted

if TYPE_CHECKING:
    from league.ratings import FairnessReport
    from league.seasons import Fleet, ForecastQuestion, RehearsalFindings
    from store import Store


@season.command()
def plan(
    bots: Annotated[int, typer.Option(min=2, help="How many bots take part.")],
    gap: Annotated[float, typer.Option(min=0.01, help="Points per round to be told apart.")],
    rules: Annotated[str, typer.Option(help="The rules; their matches so far are measured.")],
    table: Annotated[int, typer.Option(min=2, max=10, help="Seats at a table.")] = 4,
    boards: Annotated[int, typer.Option(min=1, help="Boards in a match.")] = 100,
    meetings: Annotated[int, typer.Option(min=1, help="How often every two bots meet.")] = 1,
    power: Annotated[float, typer.Option(min=0.5, max=0.99, help="Chance to see it.")] = 0.8,
    option: OptionOption = None,
    as_json: JsonOption = False,
) -> None:
    """How many games, and how long on this fleet, until bots this far apart are separated.

    Where nothing like it has been played here, a short match of sample bots is played to time it.
    """
    from league import seasons
    from league.errors import LeagueRefusal
    from league.settings import LeagueSettings

    question = seasons.ForecastQuestion(
        rules=rules,
        options=parse_options(option) if option else None,
        bots=bots,
        table_size=table,
        boards=boards,
        meetings=meetings,
        power=power,
    )
    try:
        with open_database().read() as session:
            found = seasons.look_ahead(session, question, [gap], slots=LeagueSettings().slots)
        if found.measured.timed == "guess" and (trial := _trial(question)) is not None:
            with open_database().write() as session:
                seasons.keep_trial(session, question, trial)
                found = seasons.look_ahead(session, question, [gap], slots=LeagueSettings().slots)
    except LeagueRefusal as error:
        refuse(str(error))
    if as_json:
        typer.echo(json.dumps(asdict(found)))
        return
    typer.echo(found.gaps[0].words)
    typer.echo(
        f"Played {counted(meetings, 'time')} by everybody against everybody: {found.reach.words}"
    )
    typer.echo(found.measured.words)


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
    typer.echo(left.words)
    verdict = found.budget.get("verdict")
    if isinstance(verdict, dict):
        typer.echo(str(verdict["words"]))
        for pair in verdict["open"]:
            typer.echo(f"  open: {pair['upper']} before {pair['lower']}")


@season.command()
def fairness(name: SeasonArgument, as_json: JsonOption = False) -> None:
    """Balance, who gains beside whom, who chooses alike, which owners belong together."""
    from league.ratings import season_fairness as report

    database = open_database()
    with database.read() as session:
        found = find_season(session, name)
    result = report(database, found)
    if as_json:
        typer.echo(json.dumps(result.to_json()))
        return
    say_fairness(result)


def say_fairness(found: "FairnessReport") -> None:
    """A fairness report as lines of text."""
    typer.echo(found.balance or "There is no schedule whose balance could be told.")
    typer.echo(f"Gains by another's presence, {found.presence_pairs} pairs compared:")
    for one in found.presence:
        typer.echo(f"  {one.bot} beside {one.beside}: {one.gain:+.3f} a game and opponent")
    if not found.presence:
        typer.echo("  none that luck does not explain")
    typer.echo(f"Identical first choices, {found.probes} probes at most:")
    for pair in found.alike:
        typer.echo(f"  {pair.first} and {pair.second}: all {pair.probes} the same")
    if not found.alike:
        unknown = "  no match was played in duplicate form, so there are no probes"
        typer.echo("  none" if found.probes else unknown)
    typer.echo("Owners that share something:")
    for link in found.linked:
        typer.echo(f"  {'; '.join(link.reasons)}")
    if not found.linked:
        typer.echo("  none")


@season.command()
def rehearse(
    name: SeasonArgument,
    bots: Annotated[
        int | None, typer.Option(min=2, help="Entrants; as entered if left out.")
    ] = None,
    boards: Annotated[
        int | None,
        typer.Option(
            min=1, help="Boards in a match, for a shorter rehearsal; the season's if left out."
        ),
    ] = None,
    minutes: Annotated[float, typer.Option(help="Give up after so long.")] = 60.0,
    stop: Annotated[
        bool, typer.Option("--stop", help="Only stop the one that is on, and remove it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Play the whole season with samples on the real queue, say what was found, remove it all.

    Uses the workers that are alive; where there is none, one in this process.
    """
    import logging

    from dashboard.logs import configure_logs
    from league import seasons
    from league.errors import LeagueRefusal

    database = open_database()
    with database.read() as session:
        real = find_season(session, name)
    seasons.stop_rehearsal(database, real.id, ACTOR)
    if stop:
        typer.echo(f"No rehearsal of {name} is on any more.")
        return
    # What a worker of our own has to say in passing would drown the findings.
    configure_logs(logging.WARNING)
    try:
        with database.write() as session:
            made = seasons.begin_rehearsal(session, real, ACTOR, bots=bots, boards=boards)
    except (LeagueRefusal, ValueError) as error:
        refuse(str(error))
    try:
        with _workers(database):
            complete = _wait(database, made.id, minutes)
        found = seasons.examine_rehearsal(database, made.id)
    finally:
        seasons.remove_rehearsal(database, made.id)
    if as_json:
        typer.echo(json.dumps({**asdict(found), "complete": complete, "good": found.good}))
    else:
        _tell(found, complete)
    raise typer.Exit(0 if found.good else 1)


@contextmanager
def _workers(database: "Store") -> Iterator[None]:
    """The workers that are there; else one of our own while the block runs."""
    import store
    from league.settings import LeagueSettings
    from league.wiring import make_worker

    with database.read() as session:
        alive = store.workers.alive(session)
    if alive:
        yield
        return
    worker = make_worker(LeagueSettings(), database)
    worker.start()
    try:
        yield
    finally:
        worker.stop()


def _wait(database: "Store", rehearsal_id: int, minutes: float) -> bool:
    import store
    from cli.progress import progress
    from league import seasons

    deadline = time.monotonic() + 60 * minutes
    with database.read() as session:
        total = store.seasons.progress(session, rehearsal_id).total
    done = 0
    with progress("matches", total) as advance:
        while time.monotonic() < deadline:
            with database.read() as session:
                now = store.seasons.progress(session, rehearsal_id).done
                over = seasons.rehearsal_is_over(session, rehearsal_id)
            advance(now - done)
            done = now
            if over:
                return True
            time.sleep(0.2)
    return False


def _tell(found: "RehearsalFindings", complete: bool) -> None:
    if not complete:
        typer.echo("The time was up before everything was played.")
    took = "–" if found.match_seconds is None else f"{found.match_seconds:.1f} s"
    typer.echo(
        f"{found.done} of {found.matches} matches, {found.games} games in {found.seconds:.0f} s"
        f" on {found.workers} workers; a match took {took}."
    )
    typer.echo(
        f"Replays: {found.games - found.replays_wrong} verified, {found.replays_wrong} wrong."
    )
    for what, count in found.faults.items():
        typer.echo(f"Fault, {counted(count, 'time')}: {what}")
    for reason, count in found.void.items():
        typer.echo(f"Attempt void, {counted(count, 'time')}: {reason}")
    if found.stuck:
        stuck = counted(found.stuck, "match is", "matches are")
        typer.echo(f"{stuck} stuck; the real season would have the same trouble.")
    typer.echo("The rehearsal is removed. " + ("All is well." if found.good else "Look into it."))


@season.command()
def showcase(
    match: Annotated[int, typer.Argument(help="The number of a match whose bots shall play.")],
    games: Annotated[int, typer.Option(min=1, max=50, help="Games, one after the other.")] = 1,
) -> None:
    """Let the table of a match play once more for people to watch: fresh boards, not rated.

    One game at a time, slowly enough to follow it on its live page.
    """
    from league.matches import add_showcase

    made = change(lambda session: add_showcase(session, match, ACTOR, games))
    typer.echo(f"Match {made} is queued; follow it at /matches/{made}/live.")


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
