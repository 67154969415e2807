"""`bullring replay`: verify replays by playing them again, and tell one in the terminal."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from cli.options import refuse
from cli.terminal import say

replay_app = typer.Typer(
    no_args_is_help=True, help="Verify replays, and read them in the terminal."
)


@replay_app.command()
def verify(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE|FOLDER…",
            help="Replays: plain, gzip or zstd, one game each or one a line; folders are searched.",
        ),
    ],
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only what is wrong.")] = False,
) -> None:
    """Play replays again without any bot and compare every event, point and place.

    Says file, round, decision and difference for each replay that is wrong, and exits with 1.
    """
    from cli.local.replay_files import UnreadableReplay, find, is_notes, read
    from nimmt.errors import ReplayError
    from nimmt.verify import verify as check

    good = bad = notes = 0
    try:
        files = list(find(paths))
    except UnreadableReplay as error:
        refuse(str(error))
    for path in files:
        try:
            for label, document in read(path):
                if is_notes(document):
                    notes += 1
                    continue
                try:
                    check(document)
                    good += 1
                except ReplayError as error:
                    bad += 1
                    say(f"{label}: {error}", fg="red")
        except UnreadableReplay as error:
            bad += 1
            say(str(error), fg="red")
    if bad or not quiet:
        kept = f" ({notes} private notes of bots left aside)" if notes else ""
        say(f"{good} verified, {bad} wrong{kept}")
    if bad:
        raise typer.Exit(1)


@replay_app.command()
def show(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A replay.")],
    game: Annotated[
        int, typer.Option(min=1, help="Which game of a file that holds several, from 1.")
    ] = 1,
    round_no: Annotated[
        int | None, typer.Option("--round", "-r", min=1, help="Only this round, from 1.")
    ] = None,
    turn: Annotated[
        int | None, typer.Option("--turn", "-t", min=1, help="Only this turn, from 1.")
    ] = None,
) -> None:
    """Tell a game turn by turn in the terminal."""
    from cli.local.replay_files import UnreadableReplay, read
    from cli.local.tell import tell_game
    from nimmt.errors import ReplayError

    try:
        for number, (_, document) in enumerate(read(path), 1):
            if number == game:
                _page(tell_game(document, round_no, turn))
                return
    except (UnreadableReplay, ReplayError) as error:
        refuse(f"{path}: {error}" if isinstance(error, ReplayError) else str(error))
    refuse(f"{path} holds no game {game}")


def _page(lines: Iterator[str]) -> None:
    try:
        for line in lines:
            say(line)
    except BrokenPipeError:
        raise typer.Exit from None


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(replay_app, name="replay")
