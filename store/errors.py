"""What can go wrong in the store, each with what was given, what was expected and what to do."""

import sqlalchemy as sa

DATABASE_ERRORS: tuple[type[Exception], ...] = (
    sa.exc.OperationalError,
    sa.exc.InterfaceError,
    sa.exc.TimeoutError,
)
"""What a session raises when the database is away, locked for too long or shutting down: the
platform's fault and worth another try, while every other database error is a bug."""


class StoreError(Exception):
    """Any refusal of the store."""


class NotFound(StoreError):
    """No such row."""


class Conflict(StoreError):
    """The row is in a state that does not allow the act, or the name is taken."""


class BadName(Conflict):
    """A name that nothing can have, whatever the state."""


class BadOutcome(StoreError):
    """A delivered result does not fit its match."""


class BlobError(StoreError):
    """A replay file cannot be written or read."""


class NoRoom(BlobError):
    """The disk (or quota) is full; nothing was left behind."""


class BlobsAway(BlobError):
    """The file service cannot be reached now; worth another try."""


class BlobMissing(BlobError):
    """The file, or the game in it, does not exist."""


class BlobDamaged(BlobError):
    """The file is not what its name says, or too large to be true."""


class OtherRules(BlobError):
    """The file leaves out what rules decide, and this release has other rules than it needs."""


class NotReady(StoreError):
    """The database has an older schema, or none; an operator has to upgrade it."""


class StillPlaying(StoreError):
    """The database cannot be upgraded while matches are being played."""


class BackupError(StoreError):
    """A backup cannot be written, read or restored."""
