"""`bullring login` and `logout`: which league the author's commands talk to, and as whom."""

import sys
from typing import Annotated

import typer

from cli.author.remote.options import TokenOption
from cli.options import refuse
from cli.terminal import say

SCOPES = ("read", "submit", "manage")
"""What the author's commands need."""


def login(
    url: Annotated[str, typer.Argument(metavar="URL", help="The league's address.")],
    token: TokenOption = None,
) -> None:
    """Remember a league and your token there, for submit, status, logs, versions and watch.

    Make the token on the league's page My bots. It is asked for without being shown, or read from
    standard input, and kept in a file that only you can read.

    For example: bullring login https://bullring.example
    """
    from cli.author.remote import logins
    from cli.author.remote.client import Client, Unanswered

    address = logins.clean_url(url)
    given = token or _ask(address)
    if address.startswith("http:") and not logins.is_loopback(address):
        say(
            f"{address} is not encrypted: anyone on the network path can read the token.",
            err=True,
            fg="yellow",
        )
    client = Client(logins.Login(address, given))
    try:
        found, me = client.league(), client.me()
    except Unanswered as error:
        refuse(str(error))
    finally:
        client.close()
    path = logins.save(logins.Login(address, given))
    say(f"You are {me.handle} at {found.name}, {address}. Kept in {path}.")
    lacking = [scope for scope in SCOPES if me.scopes is not None and scope not in me.scopes]
    if lacking:
        say(f"The token lacks {', '.join(lacking)}: some commands will be refused.")
    if found.refuses_uploads:
        say(f"Bots cannot be submitted here. {found.refuses_uploads}")
    else:
        say("Next: bullring submit FOLDER --bot NAME")


def _ask(address: str) -> str:
    if sys.stdin.isatty():
        say(f"Make a token with the scopes {', '.join(SCOPES)} at {address}/mine#tokens")
        given = str(typer.prompt("Token", hide_input=True))
    else:
        given = sys.stdin.readline()
    if not given.strip():
        refuse(f"got no token; make one at {address}/mine#tokens, then try again")
    return given.strip()


def logout(
    url: Annotated[
        str | None,
        typer.Argument(metavar="URL", help="The league. Default: that of the last login."),
    ] = None,
) -> None:
    """Forget the token of a league on this machine. End it for good on the page My bots."""

    from cli.author.remote import logins

    forgotten = logins.forget(logins.clean_url(url) if url else None)
    if forgotten is None:
        refuse("there is no such login on this machine; nothing was changed")
    say(f"The token for {forgotten} is forgotten here. To end it: {forgotten}/mine#tokens")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(login)
    app.command()(logout)
