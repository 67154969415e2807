"""Options and behaviour shared by all commands that talk to a league."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import refuse

if TYPE_CHECKING:
    from cli.author.remote.client import Client

ServerOption = Annotated[
    str | None,
    typer.Option(
        "--server",
        envvar="BULLRING_SERVER",
        metavar="URL",
        help="The league. Default: that of the last login.",
    ),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token",
        envvar="BULLRING_API_TOKEN",
        help="The token. Safer: use login, or the variable, which the shell does not record.",
        show_envvar=True,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def connected(server: str | None, token: str | None, *, public: bool = False) -> Iterator["Client"]:
    """The chosen league; whatever it refuses ends the command with its advice.

    What is `public` needs no token.
    """
    from cli.author.remote import logins
    from cli.author.remote.client import Client, Unanswered

    client = Client(logins.chosen(server, token, public=public))
    try:
        yield client
    except Unanswered as error:
        refuse(str(error))
    finally:
        client.close()
