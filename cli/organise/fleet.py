"""For organisers in a terminal: workers and queue, the audit log, invitations."""

from typing import Annotated

import typer

from cli.on_store import ACTOR, JsonOption, change, open_database, site_settings
from cli.organise.season.group import find_season
from cli.terminal import say, say_json
from league.words import counted


def workers(as_json: JsonOption = False) -> None:
    """Workers and queue at a glance."""
    from dashboard.reads import fleet_view

    with open_database().read() as session:
        view = fleet_view(session)
    rows = [
        {
            "name": worker.name,
            "state": worker.state.value if worker.name in view.alive else "silent",
            "busy": worker.busy,
            "slots": worker.slots,
            "host": view.about_host(worker),
            "problems": view.problems(worker),
        }
        for worker in view.workers
    ]
    queues = [
        {"queue": queue, "state": state.value, "matches": count}
        for (queue, state), count in view.sizes.items()
    ]
    if as_json:
        say_json({"workers": rows, "queues": queues})
        return
    say(
        f"{counted(len(view.alive), 'worker is', 'workers are')} alive,"
        f" {view.busy} of {counted(view.slots, 'slot')} busy."
    )
    for row in rows:
        about = "" if row["host"] is None else f"; {row['host']}"
        say(f"  {row['name']}: {row['state']}, {row['busy']} of {row['slots']} busy{about}")
    for worker in view.workers:
        for check, why in view.problems(worker).items():
            say(f"  {worker.name}: {check}: {why}")
    for one in queues:
        say(f"Queue {one['queue']}: {one['matches']} {one['state']}")
    if not view.alive:
        say("Start one with `bullring worker` or `bullring up`.")


def audit(
    season: Annotated[str | None, typer.Option(help="Only acts on this season.")] = None,
    limit: Annotated[
        int, typer.Option(min=1, max=1000, help="How many entries, newest first.")
    ] = 50,
    as_json: JsonOption = False,
) -> None:
    """Who did what and why, newest first."""
    import store
    from dashboard.reads import audit_lines

    with open_database().read() as session:
        chosen = None if season is None else find_season(session, season).id
        rows = store.audit.page(
            session,
            subject=None if season is None else "season",
            subject_id=chosen,
            limit=limit,
        )
        lines = audit_lines(session, rows)
    for line in lines:
        row = line.row
        if as_json:
            say(row.model_dump_json())
            continue
        reason = f" ({row.reason})" if row.reason else ""
        say(f"{row.at:%F %T}  {row.actor}: {row.action} of {line.of}{reason}")


def invite(
    organiser: Annotated[bool, typer.Option("--organiser", help="Not an author.")] = False,
    note: Annotated[str, typer.Option(help="For whom; it is kept in the audit log.")] = "",
) -> None:
    """Make a link for one new account; it works once."""
    from dashboard.http import link_address
    from league import authors
    from store import Role

    role = Role.ORGANISER if organiser else Role.AUTHOR
    secret = change(lambda session: authors.invite(session, role, ACTOR, note))
    say(link_address(site_settings(), secret))


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(workers)
    app.command()(audit)
    app.command()(invite)
