"""`bullring season archive` and `verify-archive`: a season as a folder that outlives the site."""

from pathlib import Path
from typing import Annotated

import typer

from cli.on_store import ACTOR, open_database
from cli.options import refuse
from cli.organise.season.group import SeasonArgument, find_season, season
from cli.terminal import say
from league.words import counted


@season.command()
def archive(
    name: SeasonArgument,
    to: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The folder to write. Default: SEASON-archive."),
    ] = None,
) -> None:
    """Write a finished season as pages that need no server, then keep it for reading only.

    The folder holds standings, crosstable, every match and replay to watch, raw results, keys and
    commitments. An archived season is written again.
    """
    from api_models.words import size
    from cli.progress import progress
    from dashboard.archive import TargetTaken, from_store, write_folder
    from league import seasons
    from league.errors import LeagueRefusal
    from league.seasons import check_season_over
    from store import SeasonState

    database = open_database()
    target = to or Path(f"{name}-archive")
    try:
        with database.read() as session:
            found = find_season(session, name)
            check_season_over(found)
        data = from_store(database, found.id)
        with progress("matches", len(data.matches)) as advance:
            total = write_folder(data, target, advance)
        if found.state is SeasonState.FINISHED:
            with database.write() as session:
                seasons.archive(session, found.id, ACTOR)
    except (LeagueRefusal, TargetTaken) as error:
        refuse(str(error))
    except OSError as error:
        refuse(f"the archive could not be written: {error}; it was removed")
    games = sum(map(len, data.games.values()))
    say(
        f"Season {name} is archived: {counted(len(data.done), 'match', 'matches')},"
        f" {counted(games, 'game')}, {size(total)}.\n"
        f"Open {target / 'index.html'}\n"
        f"Verify it: bullring season verify-archive {target}"
    )


@season.command("verify-archive")
def verify_archive(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="An archive of a season.")],
    commitment: Annotated[
        str | None,
        typer.Option(
            help="The commitment that you noted at the freeze; it must match the archive's."
        ),
    ] = None,
) -> None:
    """Check an archive without trusting it: files, keys, commitments, replays, standings, pages.

    Plays every game and computes the standings again. Prints all errors and exits with 1.
    """
    from cli.progress import progress
    from dashboard.archive import is_archive, verify_archive

    if not is_archive(folder):
        refuse(f"{folder} is not the archive of a season: its manifest.json is missing or not ours")
    with progress("matches", sum(1 for _ in (folder / "matches").glob("*"))) as advance:
        found = verify_archive(folder, commitment=commitment, advance=advance)
    for problem in found.problems:
        say(problem, fg="red")
    for remark in found.remarks:
        say(remark)
    say(
        f"{counted(found.files, 'file')}, {counted(found.matches, 'match', 'matches')},"
        f" {counted(found.games, 'game')} verified; {len(found.problems) or 'nothing'} wrong"
    )
    if not found.good:
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Nothing to add: the commands hang on `bullring season` already."""
