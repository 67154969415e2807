"""`bullring messages` and `webhook`: what the league tells an author, and where it sends copies."""

from typing import Annotated

import typer

from cli.author.remote.options import ServerOption, TokenOption, connected
from cli.terminal import say, say_text

NOWHERE = "off"


def messages(
    every: Annotated[bool, typer.Option("--all", help="Show read messages too.")] = False,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """Messages of the league: suspensions, verdicts of gates. Marks the new ones as read."""
    from api_models.base import Page
    from api_models.models import MessageOut
    from api_models.words import since

    with connected(server, token) as client:
        page = client.get("/me/messages", Page[MessageOut])
        found = list(page.items)
        # What is marked as read below must have been shown, however much it is.
        while page.next is not None and not page.items[-1].is_read:
            page = client.get("/me/messages", Page[MessageOut], {"cursor": page.next})
            found += page.items
        shown = [one for one in found if every or not one.is_read]
        for one in reversed(shown):
            say(f"{since(one.at)}: {one.title}")
            if one.body:
                say_text(one.body, indent="  ")
            if one.link:
                say(f"  {client.url}{one.link}")
        if shown:
            client.tell("POST", "/me/messages/read", {"up_to": shown[0].id})
        else:
            more = "" if every else " Older ones: bullring messages --all"
            say(f"No {'' if every else 'new '}messages.{more}")


def webhook(
    url: Annotated[
        str | None,
        typer.Argument(metavar="URL|off", help="Where to send copies; off: stop sending."),
    ] = None,
    server: ServerOption = None,
    token: TokenOption = None,
) -> None:
    """Have a copy of every new message sent to an address of yours, as JSON by HTTP POST.

    The token needs the scope `manage`. Without an address it prints the one that is set.
    """
    from api_models.models import Webhook

    with connected(server, token) as client:
        if url is None:
            set_to = client.get("/me/webhook", Webhook)
        else:
            wanted = None if url == NOWHERE else url
            set_to = client.change("PUT", "/me/webhook", Webhook, {"url": wanted})
        if set_to.url is None:
            say("Messages stay in your inbox. To have copies: bullring webhook URL")
        else:
            say(f"Copies of new messages go to {set_to.url}")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(messages)
    app.command()(webhook)
