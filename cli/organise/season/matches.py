"""`bullring season replay-match`, `strike-match` and `showcase`: single matches."""

from typing import Annotated

import typer

from cli.on_store import ACTOR, ReasonOption, change
from cli.organise.season.group import season
from cli.terminal import say


@season.command()
def replay_match(
    match: Annotated[int, typer.Argument(help="The number of a done or stuck match.")],
    reason: ReasonOption,
) -> None:
    """Void a match and play it again; on fresh boards if its result was public."""
    from league import seasons

    change(lambda session: seasons.play_again(session, match, ACTOR, reason))
    say(f"Match {match} is queued again.")


@season.command()
def strike_match(
    match: Annotated[int, typer.Argument(help="The number of a stuck match.")],
    reason: ReasonOption,
) -> None:
    """Decide that a stuck match is not played; its season no longer waits for it."""
    from league import seasons

    change(lambda session: seasons.strike(session, match, ACTOR, reason))
    say(f"Match {match} is struck.")


@season.command()
def showcase(
    match: Annotated[int, typer.Argument(help="The number of a match whose bots will play.")],
    games: Annotated[int, typer.Option(min=1, max=50, help="Games, one after the other.")] = 1,
) -> None:
    """Let the table of a match play once more for people to watch: fresh boards, not rated.

    One game at a time, slowly enough to follow it on its live page.
    """
    from league.matches import add_showcase

    made = change(lambda session: add_showcase(session, match, ACTOR, games))
    say(f"Match {made} is queued; follow it at /matches/{made}/live.")


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
