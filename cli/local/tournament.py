"""`bullring tournament`: many matches between many bots on this machine, on all its cores."""

import asyncio
import os
import secrets
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import nimmt
from cli.local.bots import SandboxKind, SandboxOption, find_bots
from cli.local.match_options import (
    BankMsOption,
    DuplicateOption,
    InFlightOption,
    MoveMsOption,
    ReplaysOption,
    SeedOption,
    StartMsOption,
    TcpOption,
)
from cli.local.play import CRASHED
from cli.local.tournament_files import write_games_csv, write_standings_csv
from cli.local.tournament_run import TournamentRun
from cli.local.tournament_view import print_outcome
from cli.local.write import check_target, make_folder
from cli.options import OptionOption, parse_options, refuse, was_typed
from cli.terminal import say, say_json
from league.local import BUDGET, GAIN, MEETINGS, Format

if TYPE_CHECKING:
    from league.local import PlayedMatch, ResultsFile, Tournament

INTERRUPTED = 130
UNDECIDED = 4
TABLE = 4


def tournament(
    context: typer.Context,
    rules: Annotated[
        str | None,
        typer.Argument(
            metavar="RULES",
            help=f"The rules: {', '.join(nimmt.GAMES)}. Not needed with --resume.",
            show_default=False,
        ),
    ] = None,
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT BOT …",
            help="Two or more, each a sample's name, a Python file, a folder with bot.py, or a"
            " command in quotes. Not needed with --resume.",
            show_default=False,
        ),
    ] = None,
    format_: Annotated[
        Format,
        typer.Option(
            "--format",
            "-f",
            help="round-robin: all meet equally often. gauntlet: the first bot plays every match."
            " sequential: is the first bot better than the second? Stops when the games tell.",
        ),
    ] = Format.ROUND_ROBIN,
    table: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=10,
            help="Seats at a table. Default: 4, or all bots if there are fewer; 2 for sequential.",
            show_default=False,
        ),
    ] = None,
    meetings: Annotated[
        int,
        typer.Option(
            "--meetings",
            "-m",
            min=1,
            max=10_000,
            help="How often two bots meet; each time is a match.",
        ),
    ] = MEETINGS,
    boards: Annotated[
        int, typer.Option("--boards", "-b", min=1, max=100_000, help="Boards of a match.")
    ] = 100,
    duplicate: DuplicateOption = None,
    gain: Annotated[
        float,
        typer.Option(
            help="With sequential: points per round, above 0, by which the first is to be better."
        ),
    ] = GAIN,
    budget: Annotated[
        int, typer.Option(min=20, max=1_000_000, help="With sequential: the most blocks to play.")
    ] = BUDGET,
    seed: SeedOption = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            min=1,
            help="Matches at once. Default: one per core.",
            show_default=False,
        ),
    ] = None,
    thinkers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many bots of a match may think at once. Default: the cores shared out among"
            " the jobs, so that no bot is slowed down by another match.",
            show_default=False,
        ),
    ] = None,
    move_ms: MoveMsOption = 100,
    bank_ms: BankMsOption = 1000,
    start_ms: StartMsOption = 10_000,
    in_flight: InFlightOption = 64,
    option: OptionOption = None,
    results: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the results in this new file. Default: a new one in this folder.",
        ),
    ] = None,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Go on with the tournament of this file. What else you give must be as it was.",
        ),
    ] = None,
    replays: ReplaysOption = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Write the standings as CSV, a row a bot."),
    ] = None,
    games_csv: Annotated[
        Path | None,
        typer.Option(
            "--games-csv", metavar="FILE", help="Write all games as CSV, a row a seat of a game."
        ),
    ] = None,
    sandbox: SandboxOption = SandboxKind.PROCESS,
    tcp: TcpOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the outcome as JSON.")] = False,
) -> None:
    """Play a tournament between bots on this machine, with the statistics of a season.

    Every match that is over is kept in a file. Ctrl-C or a crash loses only the matches in play:
    `--resume FILE` goes on. Exit code 0: played to its end (sequential: the first is better); 1:
    sequential, it is not better; 3: a bot of yours crashed; 4: sequential, undecided; 130: stopped.

    For example: bullring tournament six-nimmt my_bot.py gap slotrisk random -o rounds=1
    """
    given = dict(context.params)
    typed = {name for name in given if was_typed(context, name)}
    for folder_option, target in (("--csv", csv), ("--games-csv", games_csv)):
        check_target(folder_option, target)
    if replays is not None:
        make_folder("--replays", replays)
    file, plan, played = _resumed(context, given, typed) if resume else _begun(context, given)
    with file:
        run = TournamentRun(plan, file, played, given)
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
        at_once = jobs or cores
        finished = asyncio.run(run.play(at_once, thinkers or max(1, cores // at_once)))
    if csv is not None:
        write_standings_csv(csv, plan, run.played)
    if games_csv is not None:
        write_games_csv(games_csv, plan, run.played)
    _conclude(plan, run, finished=finished, as_json=as_json)


def _begun(
    context: typer.Context, given: dict[str, Any]
) -> "tuple[ResultsFile, Tournament, list[PlayedMatch]]":
    """A new tournament and its new file."""
    from league.local import ResultsFile, ResultsFileError

    if given["rules"] is None or not given["bots"]:
        refuse(
            "got no rules and bots, expected RULES BOT BOT …, such as: bullring tournament"
            " six-nimmt my_bot.py gap random; or go on with one: --resume FILE"
        )
    if given["seed"] is None:
        given["seed"] = secrets.randbelow(1_000_000)
    plan = _plan(context, given)
    path = given["results"] or Path(f"tournament-{datetime.now(UTC):%Y%m%d-%H%M%S}.jsonl")
    try:
        return ResultsFile.create(path, plan.about()), plan, []
    except ResultsFileError as error:
        refuse(str(error))


def _resumed(
    context: typer.Context, given: dict[str, Any], typed: set[str]
) -> "tuple[ResultsFile, Tournament, list[PlayedMatch]]":
    """The tournament of a file; whatever was typed beside must agree with it."""
    from league.local import ResultsFile, ResultsFileError, differences, misfit

    path = given["resume"]
    if "results" in typed:
        refuse("got both --resume and --results, expected one: --resume goes on with its own file")
    try:
        file, about, played = ResultsFile.reopen(path)
    except ResultsFileError as error:
        refuse(str(error))
    try:
        found = _from_file(context, about)
        if "bots" not in typed and found["sandbox"] is SandboxKind.PROCESS:
            _refuse_commands(path, found["bots"])
        plan = _plan(context, {**found, **{k: given[k] for k in typed if k in given}})
        wrong = differences(about, plan.about())
        if wrong:
            refuse(
                f"{path} belongs to another tournament: {'; '.join(wrong)}. Use what it was started"
                " with, or start a new one with --results"
            )
        if (odd := misfit(plan.tables(), played)) is not None:
            refuse(f"{path} is not what a tournament wrote: {odd}; start a new one with --results")
    except BaseException:
        file.close()
        raise
    return file, plan, played


def _refuse_commands(path: Path, bots: list[str]) -> None:
    """A file may come from elsewhere: what it says is never run as a command."""
    from league.bots import is_command

    if commands := [text for text in bots if is_command(text)]:
        refuse(
            f"{path} names the command {commands[0]!r}, which is not run because a file says so;"
            " name the rules and the bots again: bullring tournament --resume"
            f" {shlex.quote(str(path))} RULES BOT BOT"
        )


def _from_file(context: typer.Context, about: dict[str, Any]) -> dict[str, Any]:
    """The options of the command line that give the tournament of a file."""
    try:
        plain = ("rules", "table", "meetings", "boards", "seed", "duplicate", "in_flight", "tcp",
            "gain", "budget")  # fmt: skip
        found = {**{name: about[name] for name in plain}, **about["time"]}
        # With the bounds that they have on the command line.
        bounds = {one.name: one for one in context.command.params}
        return {
            **{name: bounds[name].process_value(context, found[name]) for name in found},
            "format_": Format(about["kind"]),
            "bots": [str(one["typed"]) for one in about["bots"]],
            "sandbox": SandboxKind(about["sandbox"]),
            "option": [f"{name}={_typed(value)}" for name, value in about["options"].items()],
        }
    except typer.BadParameter as error:
        refuse(f"the file's first line cannot be used: {error.message} Start a new tournament")
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        refuse(f"the file's first line cannot be read ({error!r}); start a new tournament")


def _typed(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _plan(context: typer.Context, given: dict[str, Any]) -> "Tournament":
    from league.bots import bot_fingerprint, distinct_names
    from league.local import Contestant, Tournament
    from referee.plan import TimeControl

    if given["tcp"] and given["sandbox"] is not SandboxKind.PROCESS:
        refuse(
            "got --tcp with --sandbox docker, expected one of them: contained bots have no network;"
            " leave --tcp out"
        )
    if not given["gain"] > 0:
        refuse(f"got --gain {given['gain']:g}, expected more than 0, such as --gain {GAIN:g}")
    texts = given["bots"]
    found = find_bots(texts, given["sandbox"], context)
    usual = 2 if given["format_"] is Format.SEQUENTIAL else min(TABLE, max(2, len(texts)))
    plan = Tournament(
        rules=given["rules"],
        options=parse_options(given["option"]),
        bots=tuple(
            Contestant(name=name, typed=text, fingerprint=bot_fingerprint(text, bot), bot=bot)
            for name, text, bot in zip(distinct_names(found), texts, found, strict=True)
        ),
        format=given["format_"],
        table=given["table"] or usual,
        time=TimeControl(**{name: given[name] for name in ("move_ms", "bank_ms", "start_ms")}),
        sandbox=given["sandbox"].value,
        **{
            name: given[name]
            for name in (
                "meetings", "boards", "duplicate", "seed", "in_flight", "tcp", "gain", "budget",
            )
        },
    )  # fmt: skip
    try:
        plan.check()
    except ValueError as error:
        refuse(str(error))
    return plan


def _conclude(plan: "Tournament", run: TournamentRun, *, finished: bool, as_json: bool) -> None:
    from league.gate import GateVerdict
    from league.local import crashed, judge, outcome_to_json

    if as_json:
        say_json(outcome_to_json(plan, run.played))
    else:
        print_outcome(plan, run.played)
    if not finished:
        planned = len(plan.tables())
        say(f"Stopped after {len(run.played)} of {planned} matches.", err=True)
        say(f"Go on: {run.again}", err=True)
        raise typer.Exit(INTERRUPTED)
    failed = crashed(plan, run.played)
    if failed:
        say(f"Crashed: {', '.join(failed)}. Exit code {CRASHED}.", err=True)
        raise typer.Exit(CRASHED)
    verdict = judge(plan, run.played)
    if verdict is not None:
        codes = {GateVerdict.PASS: 0, GateVerdict.FAIL: 1, GateVerdict.UNDECIDED: UNDECIDED}
        raise typer.Exit(codes[verdict.verdict])


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(tournament)
