"""The database and the files of a league, for each kind of process that opens them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from league.settings import LeagueSettings
    from store import Store
    from store.migrate import Running
    from store.remote import RemoteFiles

EMBEDDED_FILE = "bullring.db"


def open_store(settings: LeagueSettings, *, running: Running = "refuse") -> Store:
    """The database of these settings, brought up to date, with the platform bots in it.

    Raises StillPlaying where the upgrade must not meet a running attempt; see `store.migrate`.
    """
    from sqlalchemy.exc import IntegrityError

    from league.bots import ensure_house
    from store import Store

    # Before anything makes a folder inside it: no other account of the machine is to look in.
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    database = Store(settings.database, settings.blobs, timeouts=settings.database_timeouts)
    try:
        database.migrate(running=running)
    except BaseException:
        database.close()
        raise
    try:
        with database.write() as session:
            ensure_house(session)
    except IntegrityError:
        # Another process that starts at the same time was first; now everything is there.
        with database.write() as session:
            ensure_house(session)
    return database


def enter_store(settings: LeagueSettings) -> Store:
    """The database of these settings as it is, for a command that only wants to use it.

    Raises NotReady for one that is behind; an embedded league that has none yet gets one.
    """
    from store import Store

    if settings.database_url is None and not (settings.data_dir / EMBEDDED_FILE).exists():
        return open_store(settings)
    return _checked(Store(settings.database, settings.blobs, timeouts=settings.database_timeouts))


def start_store(settings: LeagueSettings) -> Store:
    """The database for pages and clock.

    An embedded league that is behind is copied and then upgraded, as its only process starts; any
    other waits for `bullring db upgrade`. Raises NotReady until then.
    """
    import structlog

    from store import NotReady, copy_sqlite

    try:
        return enter_store(settings)
    except NotReady:
        if settings.database_url is not None:
            raise
    file = settings.data_dir / EMBEDDED_FILE
    kept = copy_sqlite(file, settings.data_dir)
    structlog.get_logger("league").warning("upgrading the database", copy=str(kept))
    return open_store(settings)


def join_store(settings: LeagueSettings) -> Store:
    """The database of these settings as the clock or the pages have prepared it.

    For workers, which may not change its schema. Raises NotReady until the others are done.
    """
    from store import Store
    from store.remote import RemoteBlobs

    files = remote_files(settings)
    blobs = RemoteBlobs(settings.blobs, files) if files else settings.blobs
    return _checked(Store(settings.database, blobs, timeouts=settings.database_timeouts))


def _checked(database: Store) -> Store:
    try:
        database.check_schema()
    except BaseException:
        # Whoever waits for the schema comes again and again, also when told to stop.
        database.close()
        raise
    return database


def remote_files(settings: LeagueSettings) -> RemoteFiles | None:
    """The file service of these settings; None: this machine has the data folder."""
    if settings.files_url is None:
        return None
    from store.remote import RemoteFiles

    return RemoteFiles(settings.files_url, settings.files_secret or "", settings.files_seconds)
