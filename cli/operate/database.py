"""`bullring db`, `backup` and `restore`: what an operator does to database and files by hand."""

from pathlib import Path
from typing import Annotated, NoReturn

import typer

from cli.on_store import prepared_database
from cli.options import refuse
from cli.terminal import say

db = typer.Typer(no_args_is_help=True, help="Prepare the database: schema, house bots, roles.")


@db.command()
def upgrade(
    end_running: Annotated[
        bool,
        typer.Option(
            "--end-running",
            help="Send matches that no worker plays any more back to the queue first.",
        ),
    ] = False,
) -> None:
    """Bring the database up to date: schema, house bots, and the workers' role.

    The first thing to run after an update, and safe to run at any time and twice. While matches
    are being played, an upgrade of the tables that workers write to is refused: stop the workers
    first. The role is made when BULLRING_WORKER_PASSWORD or
    BULLRING_WORKER_PASSWORD_FILE is set (PostgreSQL only).
    """
    from league.settings import LeagueSettings
    from store.migrate import newest_revision

    settings = LeagueSettings()
    prepared_database(settings, "end" if end_running else "refuse").close()
    say(f"The schema is at revision {newest_revision()}, the house bots are there.")
    if settings.worker_password is not None:
        roles()


@db.command()
def roles() -> None:
    """Make the workers' PostgreSQL role, or bring its rights up to date.

    Its password is BULLRING_WORKER_PASSWORD (or in the file that BULLRING_WORKER_PASSWORD_FILE
    names). The role plays and stores matches and checks
    submissions; accounts, sign-ins, invitations, tokens and the audit log are closed to it.
    """
    from league.settings import LeagueSettings
    from store import StoreError, grant_worker
    from store.roles import WORKER_ROLE

    settings = LeagueSettings()
    if not settings.worker_password:
        refuse("set BULLRING_WORKER_PASSWORD, or BULLRING_WORKER_PASSWORD_FILE, for the role")
    try:
        grant_worker(settings.database, settings.worker_password)
    except StoreError as error:
        refuse(str(error))
    say(f"Workers sign in as {WORKER_ROLE}.")


@db.command()
def repack(
    plain: Annotated[
        bool,
        typer.Option("--plain", help="Write every game in full: before a change of the rules."),
    ] = False,
) -> None:
    """Write the replay files again as archives, which take a tenth of the space.

    New matches are stored so anyway; this is for those of earlier releases. An archive leaves out
    what the rules decide. With --plain they are written in full, and no rules are needed to read
    them any more. Safe to stop and to run again; the old files are removed within hours.
    """
    from cli.on_store import open_database
    from store.repack import repack as write_again

    database = open_database()
    before = after = files = changed = failed = 0
    try:
        for one in write_again(database, plain=plain):
            files += 1
            before += one.before
            after += one.after
            changed += one.changed
            if one.error is not None:
                failed += 1
                say(one.error, fg="red")
    finally:
        database.close()
    sizes = f"{before / 2**20:.1f} MiB before, {after / 2**20:.1f} MiB now"
    say(f"{files} replay files, {changed} written again, {failed} unreadable: {sizes}.")
    if failed:
        raise typer.Exit(1)


def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to write it (a tar file).")],
) -> None:
    """Write all tables and replays to one file, while the league runs.

    It holds password hashes and keys of matches to come: only you can read it, keep it so.
    """
    from league.settings import LeagueSettings
    from store import BackupError, Store
    from store import backup as write_backup

    if not file.absolute().parent.is_dir():
        refuse(f"there is no folder {file.absolute().parent}; make it first")
    settings = LeagueSettings()
    database = Store(settings.database, settings.blobs, timeouts=settings.database_timeouts)
    try:
        found = write_backup(database, file.absolute())
    except BackupError as error:
        refuse(str(error))
    except OSError as error:
        _refuse_disk(file, error)
    finally:
        database.close()
    say(f"Wrote {file}: {_contents(found)}, {file.stat().st_size / 2**20:.1f} MiB.")


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `bullring backup` wrote.")],
) -> None:
    """Bring a backup into an empty database, of either kind; one of an older release too."""
    from league.settings import LeagueSettings
    from store import BackupError
    from store import restore as read_backup

    settings = LeagueSettings()
    try:
        found = read_backup(file, settings.database, settings.blobs, settings.database_timeouts)
    except BackupError as error:
        refuse(str(error))
    say(f"Restored {file}: {_contents(found)}, written at {found['created']}.")


def _contents(manifest: dict[str, object]) -> str:
    tables = manifest["tables"]
    assert isinstance(tables, dict)
    rows = sum(int(table["rows"]) for table in tables.values())
    return f"{rows:,} rows, {manifest['blobs']} replay files"


def _refuse_disk(file: Path, error: OSError) -> NoReturn:
    refuse(f"cannot write {file}: {error.strerror or error}; choose another folder")


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(db, name="db")
    app.command()(backup)
    app.command()(restore)
