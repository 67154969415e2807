"""`bullring account`: accounts and tokens, for whoever runs the league's machine."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.on_store import ACTOR, change, open_database, site_settings
from cli.options import refuse

if TYPE_CHECKING:
    from sqlmodel import Session

    from store import Owner

account = typer.Typer(
    no_args_is_help=True, help="Accounts and tokens, on the league's own machine."
)
HandleArgument = Annotated[str, typer.Argument(metavar="NAME", help="The account's name.")]
OrganiserOption = Annotated[
    bool, typer.Option("--organiser", help="May run the league, not only hand in bots.")
]


@account.command()
def add(name: HandleArgument, organiser: OrganiserOption = False) -> None:
    """Make an account, and a link with which its owner sets a password."""
    from dashboard.http import link_address
    from store import InvitationKind, Role, accounts, audit

    role = Role.ORGANISER if organiser else Role.AUTHOR

    def act(session: "Session") -> str:
        owner = accounts.add_owner(session, name, role=role)
        audit.record(session, "account.made", "owner", owner.id, actor=ACTOR)
        kind = InvitationKind.PASSWORD_RESET
        return accounts.invite(session, kind, owner_id=owner.id, role=role)

    secret = change(act)
    typer.echo(f"Account {name} is made ({role.value}). The owner sets a password, once, at")
    typer.echo(link_address(site_settings(), secret))
    typer.echo(f"A token for the command line: bullring account token {name}")


@account.command()
def token(
    name: HandleArgument,
    scopes: Annotated[
        list[str] | None,
        typer.Option("--scope", help="May be repeated; read, submit and manage if left out."),
    ] = None,
    days: Annotated[int | None, typer.Option(min=1, max=3650, help="Until it expires.")] = None,
) -> None:
    """Make a token for an account and print it, once; nothing else goes to standard output.

    For example: bullring account token ada | bullring login http://localhost:8000
    """
    from datetime import timedelta

    from dashboard import http
    from dashboard.http import Refused, check_scopes
    from store import audit, utc_now

    expires = None if days is None else utc_now() + timedelta(days=days)
    wanted = scopes or ["read", "submit", "manage"]

    def act(session: "Session") -> str:
        owner = _owner(session, name)
        try:
            check_scopes(owner.role, wanted, None)
        except Refused as error:
            refuse(error.detail)
        made, secret = http.issue_token(
            session, owner.id, "command line", wanted, expires_at=expires
        )
        audit.record(session, "token.made", "token", made.id, actor=ACTOR)
        return secret

    typer.echo(change(act))
    typer.echo(f"A token of {name} with the scopes {', '.join(wanted)}.", err=True)


@account.command("list")
def list_() -> None:
    """All accounts, newest first."""

    from dashboard import reads

    with open_database().read() as session:
        before = None
        while rows := reads.owners_page(session, before=before):
            for owner in rows:
                shut = ", shut out" if owner.disabled_at else ""
                typer.echo(f"{owner.handle}: {owner.role.value}{shut}")
            before = rows[-1].id


def _owner(session: Any, name: str) -> "Owner":
    from store import accounts

    found = accounts.owner_by_handle(session, name)
    if found is None:
        refuse(f"there is no account {name!r}; make it with: bullring account add {name}")
    return found


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(account, name="account")
