"""The Typer application: puts the command modules together. The commands live in their modules."""

from importlib import import_module
from typing import Annotated

import typer

from cli import __version__
from cli.installed import IS_CHECKOUT, lacking
from cli.plain_help import make_plain
from cli.terminal import say
from league.errors import LeagueRefusal

# Each module defines `register(app)`. They are imported at every start, so they import heavy
# things (numpy, grpc, fastapi) inside their commands, not at the top.
COMMAND_MODULES = (
    "cli.operate.demo",
    "cli.operate.up",
    "cli.local.play",
    "cli.local.tournament",
    "cli.local.check",
    "cli.local.new",
    "cli.author.login",
    "cli.author.submit",
    "cli.author.status",
    "cli.author.logs",
    "cli.author.versions",
    "cli.author.friendly",
    "cli.author.messages",
    "cli.local.simulate",
    "cli.local.replay",
    "cli.author.review",
    "cli.author.replay_get",
    "cli.organise.season.group",
    "cli.organise.season.drafts",
    "cli.organise.season.steps",
    "cli.organise.season.entries",
    "cli.organise.season.read",
    "cli.organise.season.planner",
    "cli.organise.season.rehearse",
    "cli.organise.season.matches",
    "cli.organise.season.fairness",
    "cli.organise.season.archive",
    "cli.organise.ladder",
    "cli.organise.gates",
    "cli.local.gate",
    "cli.organise.fleet",
    "cli.operate.account",
    "cli.operate.processes",
    "cli.operate.database",
    "cli.operate.doctor",
)
CHECKOUT_MODULES = ("cli.dev",)
"""For those who work on Bullring itself; a wheel holds no tests."""


def _show_version(wanted: bool) -> None:
    if wanted:
        from nimmt.core.library import engine

        say(f"bullring {__version__}")
        say(f"search: {engine().about}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    """A tournament platform for bots that play the nimmt! card games."""


def build_app() -> typer.Typer:
    """The whole application, also for tests that walk it."""
    app = typer.Typer(
        no_args_is_help=True, add_completion=False, pretty_exceptions_show_locals=False
    )
    app.callback()(_options)
    for name in (*COMMAND_MODULES, *(CHECKOUT_MODULES if IS_CHECKOUT else ())):
        import_module(name).register(app)
    make_plain(app)
    return app


def main() -> None:
    """Run the command line; what the settings name and is not there is one line, no traceback."""
    try:
        build_app()(prog_name="bullring")
    except LeagueRefusal as refusal:
        say(f"bullring: {refusal}", err=True)
        raise SystemExit(2) from None
    except ModuleNotFoundError as error:
        # A plain install is the author's tool; what a league needs is an extra.
        what_to_do = lacking(error)
        if what_to_do is None:
            raise
        say(f"bullring: {what_to_do}", err=True)
        raise SystemExit(2) from None
