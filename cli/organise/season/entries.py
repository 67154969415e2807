"""`bullring season enter`, `withdraw` and `disqualify`: who takes part."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.on_store import ACTOR, BotArgument, ReasonOption, change, open_database, refusals
from cli.organise.season.group import SeasonArgument, find_season, season
from cli.organise.season.steps import say_next
from cli.terminal import confirm, say

if TYPE_CHECKING:
    from store import EntryState


@season.command()
def enter(
    name: SeasonArgument,
    bots: Annotated[list[str], typer.Argument(metavar="OWNER/BOT…", help="Full names.")],
) -> None:
    """Enter bots; platform bots are called house/NAME."""

    def act(session: Any) -> None:
        from league import seasons

        for bot in bots:
            seasons.enter(session, find_season(session, name).id, bot, ACTOR)

    change(act)
    say(f"Entered {', '.join(bots)}.")
    say_next(name)


PreviewOption = Annotated[
    bool, typer.Option("--preview", help="Only show what it would do; nothing is changed.")
]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@season.command()
def withdraw(
    name: SeasonArgument,
    bot: BotArgument,
    reason: ReasonOption = "",
    preview: PreviewOption = False,
    yes: YesOption = False,
) -> None:
    """Take a bot out at its owner's wish; its results stand, platform bots take its seats."""
    from store import EntryState

    _take_out(name, bot, EntryState.WITHDRAWN, reason, preview=preview, yes=yes)


@season.command()
def disqualify(
    name: SeasonArgument,
    bot: BotArgument,
    reason: ReasonOption = "",
    preview: PreviewOption = False,
    yes: YesOption = False,
) -> None:
    """Take a bot out for what it did, also one that withdrew; none of its results count."""
    from store import EntryState

    _take_out(name, bot, EntryState.DISQUALIFIED, reason, preview=preview, yes=yes)


def _take_out(
    name: str, bot: str, state: "EntryState", reason: str, *, preview: bool, yes: bool
) -> None:
    from league import seasons
    from store import EntryState

    if not _goes_on(name, bot, state, preview=preview, yes=yes):
        return
    act = seasons.withdraw if state is EntryState.WITHDRAWN else seasons.disqualify
    change(lambda s: act(s, find_season(s, name).id, bot, ACTOR, reason))
    say(f"{bot} is {state.value} from {name}.")


def _goes_on(name: str, bot: str, state: "EntryState", *, preview: bool, yes: bool) -> bool:
    """Show what it does, and ask whoever sits at a terminal."""
    from league import seasons

    with refusals(), open_database().read() as session:
        ahead = seasons.preview_removal(session, find_season(session, name).id, bot, state)
    for line in ahead.words:
        say(line)
    for one in ahead.changes:
        before, after = one.place_before or "–", one.place_after or "–"
        say(f"{before} -> {after}  {one.bot}")
    if preview:
        say("Nothing has been changed.")
        return False
    if not yes and sys.stdin.isatty():
        confirm(f"Take {bot} out of {name}?")
    return True


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
