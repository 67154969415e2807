"""`bullring review`: judge the decisions of replays, with a ledger of skill and luck."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.author.bot_review import tell_bot
from cli.author.remote.options import ServerOption, TokenOption
from cli.options import refuse, was_typed
from cli.terminal import say, say_json
from league.words import counted

if TYPE_CHECKING:
    from review import Review

DEFAULT_BUDGET = 28_000
FEWEST, MOST = 64, 10_000_000
"""Bounds of a budget, as in `review`, which help need not import; a test compares them."""
OF_REPLAYS = ("seat", "budget", "seed", "hindsight")
"""Options that only a review made here obeys."""
STOPPED = 130
"""The exit code of a command that Ctrl-C ended."""


def review(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="FILE|FOLDER…",
            help="Replays: plain, gzip or zstd, one game each or one a line; folders are searched.",
        ),
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option("--bot", help="Instead of replays: where this bot of yours loses points."),
    ] = None,
    sample: Annotated[
        int, typer.Option(min=1, max=100, help="With --bot: how many of its games are reviewed.")
    ] = 20,
    seat: Annotated[
        list[int] | None, typer.Option("--seat", "-s", min=1, max=10, help="Only this seat.")
    ] = None,
    budget: Annotated[
        int,
        typer.Option(
            "--budget", "-b", min=FEWEST, max=MOST, help="The most rollouts for one decision."
        ),
    ] = DEFAULT_BUDGET,
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=2**63 - 1, help="The same seed and budget give the same review everywhere."
        ),
    ] = 0,
    hindsight: Annotated[
        bool, typer.Option(help="Show the costliest decisions with all hands open, too.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print bullring-review/1, one document a line.")
    ] = False,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """Show what every decision of a game was worth, by what the bot knew then.

    Prints where each seat's points come from (hand, decisions, faults, luck) and its three
    costliest decisions; after several games also those of every bot over all of them. Nothing
    hidden is used: the cards of others are guessed by their play.

    With `--bot` the league reviews a random sample of the bot's games and averages its losses by
    kind of decision, phase and version, beside those of the others at its tables.
    """
    if bot is not None:
        if paths:
            refuse("got replays and --bot, expected one of them")
        if idle := [f"--{name}" for name in OF_REPLAYS if was_typed(context, name)]:
            refuse(
                f"got --bot and {idle[0]}, expected one of them: the league reviews the games of a"
                f" bot its own way; leave {idle[0]} out, or name replays instead of --bot"
            )
        tell_bot(bot, sample, as_json, server, token)
        return
    if was_typed(context, "sample"):
        refuse(
            "got --sample without --bot, expected both: it is for the games of a bot on a league"
        )
    if not paths:
        refuse("got no replays, expected FILE or FOLDER, or --bot BOT")
    from cli.local import UnreadableReplay, find
    from nimmt.core import engine
    from review import ReviewError, Settings

    try:
        seats = tuple(sorted({one - 1 for one in seat})) if seat else None
        settings = Settings(seed=seed, rollouts=budget, seats=seats, hindsight=hindsight)
        files = list(find(paths))
    except (ReviewError, UnreadableReplay) as error:
        refuse(str(error))
    slow = not engine().compiled
    if slow:
        say(f"Slow, minutes a round: {engine().about}", err=True)
        say("--budget 2000 takes a tenth of the time, --seat N reviews one seat.", err=True)
    if not _all(files, settings, as_json, slow):
        raise typer.Exit(1)


def _all(files: list[Path], settings: Any, as_json: bool, slow: bool) -> bool:
    """Review all games, then say what cost most in all of them; whether everything could be done.

    Ctrl-C ends the command with what is finished.
    """
    from cli.author.review_text import Worst
    from cli.local import UnreadableReplay, is_notes, read

    bad = finished = 0
    worst, stopped = Worst(), False
    try:
        for path in files:
            try:
                for label, document in read(path):
                    if not is_notes(document):
                        made = _one(label, document, settings, as_json, slow)
                        bad += made is None
                        if made is not None:
                            finished += 1
                            worst.add(label, made)
            except UnreadableReplay as error:
                bad += 1
                say(str(error), err=True, fg="red")
    except KeyboardInterrupt:
        stopped = True
    for line in () if as_json else worst.lines():
        say(line)
    if stopped:
        whole = f"{counted(finished, 'review')} finished"
        say(f"Stopped by Ctrl-C: {whole}; the unfinished one is not shown.", err=True)
        raise typer.Exit(STOPPED)
    return not bad


def _one(label: str, document: Any, settings: Any, as_json: bool, slow: bool) -> "Review | None":
    """Review one game and print it; None if it could not be done."""
    from cli.author.review_pace import ReviewProgress, work_of
    from cli.author.review_text import tell_review
    from nimmt.errors import ReplayError
    from review import ReviewError, review_game, to_json

    seats = len(document.get("players", ())) if isinstance(document, dict) else 0
    beyond = [seat + 1 for seat in settings.seats or () if seat >= seats]
    if seats and beyond:
        say(f"{label}: got seat {beyond[0]}, expected 1 to {seats}", err=True, fg="red")
        return None
    try:
        with ReviewProgress(work_of(document, settings.seats), in_logs=slow) as advance:
            made = review_game(document, settings, advance)
    except (ReplayError, ReviewError) as error:
        say(f"{label}: {error}", err=True, fg="red")
        return None
    if as_json:
        say_json(to_json(made))
    else:
        say(label)
        for line in tell_review(made):
            say(line)
    return made


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(review)
