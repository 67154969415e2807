"""`bullring replay get`: download replays from a league."""

from pathlib import Path
from typing import Annotated

import typer

from cli.author.remote.options import ServerOption, TokenOption, connected
from cli.local import check_target, replay_app
from cli.options import refuse
from cli.terminal import say


@replay_app.command()
def get(
    match: Annotated[int, typer.Argument(metavar="MATCH", min=1, help="The match's number.")],
    game: Annotated[
        int | None,
        typer.Argument(metavar="GAME", min=1, help="One game, from 1. Default: all."),
    ] = None,
    pass_no: Annotated[
        int, typer.Option("--pass", min=1, help="The pass of that game, from 1.")
    ] = 1,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file to write. Default: a name in this folder."),
    ] = None,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """Download the replays of a match, or of one game, to show or verify them here.

    Replays are public: with --server, no login is needed.
    """
    path = f"/matches/{match}/replays"
    target = to or Path(f"match-{match}.jsonl")
    if game is not None:
        # People count from 1, addresses and replays from 0.
        path = f"/matches/{match}/games/{pass_no - 1}/{game - 1}/replay"
        target = to or Path(f"match-{match}-pass{pass_no}-game{game:05}.json")
    if target.exists():
        refuse(f"{target} already exists; name another file with --to")
    # Before the league is asked, so that nothing is downloaded in vain.
    check_target("the file" if to is None else "--to", target)
    with connected(server, token, public=True) as client:
        pieces = client.download(path)
        first = next(pieces, b"")
        # Written under another name, so that half a file never looks like a whole one.
        part = target.with_name(f".{target.name}.part")
        with part.open("wb") as out:
            out.write(first)
            for piece in pieces:
                out.write(piece)
        part.replace(target)
    say(f"{target}. Next: bullring replay show {target}, bullring replay verify {target}")


def register(app: typer.Typer) -> None:
    """Nothing to add: the command hangs on `bullring replay` already."""
