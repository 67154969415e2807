"""`bullring season fairness`: what a season or ladder shows about its fairness."""

from typing import TYPE_CHECKING

import typer

from cli.on_store import JsonOption, open_database
from cli.organise.season.group import SeasonArgument, find_season, season
from cli.terminal import say, say_json

if TYPE_CHECKING:
    from league.ratings import FairnessReport


@season.command()
def fairness(name: SeasonArgument, as_json: JsonOption = False) -> None:
    """Balance; which bots gain beside which, choose alike, or have owners that belong together."""
    from league.ratings import season_fairness as report

    database = open_database()
    with database.read() as session:
        found = find_season(session, name)
    result = report(database, found)
    if as_json:
        say_json(result.to_json())
        return
    say_fairness(result)


def say_fairness(found: "FairnessReport") -> None:
    """A fairness report as lines of text."""
    say(found.balance or "There is no schedule, so nothing is known about its balance.")
    say(f"Gains by another's presence, {found.presence_pairs} pairs compared:")
    for one in found.presence:
        say(f"  {one.bot} beside {one.beside}: {one.gain:+.3f} a game and opponent")
    if not found.presence:
        say("  none that luck does not explain")
    say(f"Identical first choices, {found.probes} probes at most:")
    for pair in found.alike:
        say(f"  {pair.first} and {pair.second}: all {pair.probes} the same")
    if not found.alike:
        unknown = "  no match was played in duplicate form, so there are no probes"
        say("  none" if found.probes else unknown)
    say("Owners that share something:")
    for link in found.linked:
        say(f"  {'; '.join(link.reasons)}")
    if not found.linked:
        say("  none")


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
