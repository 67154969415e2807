"""Shared by commands that work on the league's own store, beside its processes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.options import refuse

if TYPE_CHECKING:
    from dashboard.settings import Settings
    from league.settings import LeagueSettings
    from store import Store
    from store.migrate import Running

BotArgument = Annotated[str, typer.Argument(metavar="OWNER/BOT", help="The bot's full name.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it is kept in the audit log.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ACTOR = "command line"
ADDRESS_FILE = "address"
"""In the data folder: where the league was last served."""


def open_database() -> "Store":
    """The database of the settings, as every command uses it; none of them changes its schema."""
    from league.settings import LeagueSettings
    from league.wiring import enter_store
    from store import DATABASE_ERRORS, StoreError

    try:
        return enter_store(LeagueSettings())
    except StoreError as error:
        refuse(str(error))
    except DATABASE_ERRORS as error:
        refuse(f"the database does not answer: {first_line(error)}")


def first_line(error: Exception) -> str:
    """What an error says, in one line; a database's has a dozen."""
    text = str(getattr(error, "orig", None) or error).strip()
    return (text.splitlines() or [type(error).__name__])[0][:300]


def prepared_database(settings: "LeagueSettings", running: "Running" = "refuse") -> "Store":
    """The database for `db upgrade`, brought up to date; waits for one that is away."""
    from league.retry import patiently
    from league.wiring import open_store

    with refusals():
        return patiently(lambda: open_store(settings, running=running))


@contextmanager
def refusals() -> Iterator[None]:
    """Show a refusal of the league as a message, not as a traceback."""
    from league.errors import LeagueRefusal
    from store import DATABASE_ERRORS, StoreError

    try:
        yield
    except (LeagueRefusal, StoreError) as error:
        refuse(str(error))
    except DATABASE_ERRORS as error:
        refuse(f"the database does not answer: {first_line(error)}")


def change(act: Callable[[Any], Any]) -> Any:
    """Run one audited change."""
    with refusals(), open_database().write() as session:
        return act(session)


def site_settings() -> "Settings":
    """The settings of the pages; where no address is set, the one where they were last served."""
    from dashboard.settings import Settings

    found = Settings()
    served = found.data_dir / ADDRESS_FILE
    if "base_url" in found.model_fields_set or not served.exists():
        return found
    address = served.read_text(encoding="utf-8").strip()
    return found.model_copy(update={"base_url": address})
