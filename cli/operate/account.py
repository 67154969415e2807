"""`bullring account`: accounts and tokens, for whoever runs the league's machine."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli.on_store import ACTOR, JsonOption, ReasonOption, change, open_database, site_settings
from cli.options import refuse
from cli.terminal import say, say_json

if TYPE_CHECKING:
    from sqlmodel import Session

    from store import Owner

account = typer.Typer(
    no_args_is_help=True, help="Accounts and tokens, on the league's own machine."
)
HandleArgument = Annotated[str, typer.Argument(metavar="NAME", help="The account's name.")]
OrganiserOption = Annotated[
    bool, typer.Option("--organiser", help="May run the league, not only submit bots.")
]


@account.command()
def add(name: HandleArgument, organiser: OrganiserOption = False) -> None:
    """Make an account, and a link with which its owner sets a password."""
    from dashboard.http import link_address
    from league import authors
    from store import Role

    role = Role.ORGANISER if organiser else Role.AUTHOR
    secret = change(lambda session: authors.open_account(session, name, role, ACTOR))
    say(f"Account {name} is made ({role.value}). The owner sets a password, once, at")
    say(link_address(site_settings(), secret))
    say(f"A token for the command line: bullring account token {name}")


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
    from league import authors

    wanted = scopes or ["read", "submit", "manage"]

    def act(session: "Session") -> str:
        owner = _owner(session, name)
        return authors.make_token(session, owner, "command line", wanted, ACTOR, days=days)[1]

    say(change(act))
    say(f"A token of {name} with the scopes {', '.join(wanted)}.", err=True)


@account.command()
def tokens(
    name: HandleArgument,
    end: Annotated[
        int | None, typer.Option("--end", min=1, help="End the token of this number.")
    ] = None,
) -> None:
    """The tokens of an account that still work, without their secrets; `--end N` ends one."""
    from league import authors
    from store import accounts

    def act(session: "Session") -> None:
        if end is not None:
            authors.end_token(session, _owner(session, name), end, ACTOR)

    change(act)
    if end is not None:
        say(f"Token {end} of {name} no longer works.")
    with open_database().read() as session:
        found = accounts.tokens(session, _owner(session, name).id)
    for one in found:
        until = f", until {one.expires_at:%F}" if one.expires_at else ""
        say(f"{one.id}: {one.name} ({', '.join(one.scopes)}{until})")
    if not found:
        say(f"{name} has no token that works.")


@account.command()
def access(
    name: HandleArgument,
    chosen: Annotated[
        str, typer.Argument(metavar="disable|enable|author|organiser", help="What to do.")
    ],
    reason: ReasonOption = "",
) -> None:
    """Shut an account out, let it in again, or change its role."""
    from league import authors

    def act(session: "Session") -> "Owner":
        owner = _owner(session, name)
        return authors.set_access(session, owner.id, chosen, ACTOR, reason)

    owner: Owner = change(act)
    shut = ", shut out" if owner.disabled_at else ""
    say(f"{owner.handle}: {owner.role.value}{shut}")


@account.command()
def reset(name: HandleArgument) -> None:
    """Make a link with which the owner sets a new password; it works once."""
    from dashboard.http import link_address
    from league import authors

    def act(session: "Session") -> str:
        return authors.link_for_password(session, _owner(session, name).id, ACTOR)

    say(link_address(site_settings(), change(act)))


@account.command("list")
def list_() -> None:
    """All accounts, newest first."""

    from dashboard import reads

    with open_database().read() as session:
        before = None
        while rows := reads.owners_page(session, before=before):
            for owner in rows:
                shut = ", shut out" if owner.disabled_at else ""
                say(f"{owner.handle}: {owner.role.value}{shut}")
            before = rows[-1].id


@account.command()
def links(as_json: JsonOption = False) -> None:
    """What links accounts: questions with their evidence, no verdicts."""
    from dataclasses import asdict

    from league import authors

    found = authors.account_questions(open_database())
    if as_json:
        say_json([{**asdict(one), "question": one.question} for one in found])
        return
    for one in found:
        where = f" ({one.where})" if one.where else ""
        say(f"{', '.join(one.owners)}: {one.evidence}{where}. {one.question}")
    if not found:
        say("Nothing links any two accounts.")


def _owner(session: Any, name: str) -> "Owner":
    from store import accounts

    found = accounts.owner_by_handle(session, name)
    if found is None:
        refuse(f"there is no account {name!r}; make it with: bullring account add {name}")
    return found


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(account, name="account")
