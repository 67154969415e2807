"""The group `bullring season`, and what its commands share."""

from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import refuse

if TYPE_CHECKING:
    from store import Season

season = typer.Typer(no_args_is_help=True, help="Create, run and read seasons.")
SeasonArgument = Annotated[str, typer.Argument(metavar="SEASON", help="Its name.")]


def find_season(session: Any, name: str) -> "Season":
    """The season of that name, or the end of the command."""
    import store

    found = store.seasons.by_name(session, name)
    if found is None:
        known = ", ".join(one.name for one in store.seasons.seasons(session)) or "none yet"
        refuse(f"there is no season {name!r}; known are: {known}")
    return found


def moment(given: object) -> datetime | None:
    """A date as typed, or as TOML has it; without a zone it is UTC."""
    from league.seasons import read_date

    if given is None:
        return None
    if not isinstance(given, (str, date)):
        refuse(f"got the date {given!r}, expected one like 2026-12-01T18:00 (UTC)")
    try:
        return read_date(given if isinstance(given, str) else given.isoformat())
    except ValueError as error:
        refuse(str(error))


def register(app: typer.Typer) -> None:
    """Add the group; its commands hang on it by themselves."""
    app.add_typer(season, name="season")
