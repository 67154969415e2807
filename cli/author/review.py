"""`bullring review`: judge the decisions of replays, with a ledger of skill and luck."""

from pathlib import Path
from typing import Annotated, Any

import typer

from cli.author.bot_review import tell_bot
from cli.author.remote.options import ServerOption, TokenOption
from cli.options import refuse, was_typed
from cli.terminal import say, say_json
from league.words import counted

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
    costliest decisions. Nothing hidden is used: the cards of others are guessed by their play.

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
        refuse("got --sample without --bot, expected both: it is for the games of a bot on a league")
    if not paths:
        refuse("got no replays, expected FILE or FOLDER, or --bot BOT")
    from cli.local import UnreadableReplay, find, is_notes, read
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
    bad = games = 0
    try:
        for path in files:
            try:
                for label, document in read(path):
                    if not is_notes(document):
                        bad += not _one(label, document, settings, as_json, slow)
                        games += 1
            except UnreadableReplay as error:
                bad += 1
                say(str(error), err=True, fg="red")
    except KeyboardInterrupt:
        whole = f"{counted(games, 'game')} reviewed to the end"
        say(f"Stopped by Ctrl-C: {whole}, nothing is printed of the next.", err=True)
        raise typer.Exit(STOPPED) from None
    if bad:
        raise typer.Exit(1)


def _one(label: str, document: Any, settings: Any, as_json: bool, slow: bool) -> bool:
    """Review one game; says whether it could be done."""
    from cli.author.review_pace import ReviewProgress, work_of
    from cli.author.review_text import tell_review
    from nimmt.errors import ReplayError
    from review import ReviewError, review_game, to_json

    seats = len(document.get("players", ())) if isinstance(document, dict) else 0
    beyond = [seat + 1 for seat in settings.seats or () if seat >= seats]
    if seats and beyond:
        say(f"{label}: got seat {beyond[0]}, expected 1 to {seats}", err=True, fg="red")
        return False
    try:
        with ReviewProgress(work_of(document, settings.seats), in_logs=slow) as advance:
            made = review_game(document, settings, advance)
    except (ReplayError, ReviewError) as error:
        say(f"{label}: {error}", err=True, fg="red")
        return False
    if as_json:
        say_json(to_json(made))
    else:
        say(label)
        for line in tell_review(made):
            say(line)
    return True


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command()(review)
