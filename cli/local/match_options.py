"""Options that every command that plays matches on this machine has in common."""

from pathlib import Path
from typing import Annotated

import typer

SeedOption = Annotated[
    int | None, typer.Option(min=0, help="Same seed, same boards. Default: random.")
]
MoveMsOption = Annotated[int, typer.Option(min=0, help="Milliseconds per move.")]
BankMsOption = Annotated[
    int, typer.Option(min=0, help="Milliseconds beyond that, for a whole pass.")
]
StartMsOption = Annotated[
    int, typer.Option(min=1, help="Milliseconds from the start of a bot to its Hello.")
]
InFlightOption = Annotated[
    int, typer.Option(min=1, help="Games in play at once; 1 plays one after the other.")
]
DuplicateOption = Annotated[
    bool | None,
    typer.Option(
        "--duplicate/--one-pass",
        help="Play every board with every seating, or each board once. "
        "By default tables of 2 and 3 are duplicated.",
        show_default=False,
    ),
]
ReplaysOption = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Write every game as a replay into this folder."),
]
TcpOption = Annotated[
    bool, typer.Option("--tcp", help="For bots whose gRPC cannot dial unix sockets.")
]
