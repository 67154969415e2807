"""All tables of the store."""

from store.tables.base import Row
from store.tables.bots import Bot, Submission, Version
from store.tables.changes import Change
from store.tables.matches import (
    Attempt,
    Block,
    Fault,
    Friendly,
    Game,
    Match,
    ReplayBlob,
    Review,
    Seat,
)
from store.tables.people import (
    AuditEntry,
    InboxMessage,
    Invitation,
    Owner,
    SeenAddress,
    Setting,
    SignIn,
    Token,
)
from store.tables.revisions import Revision, SeasonCount
from store.tables.seasons import (
    Entry,
    Gate,
    Ladder,
    LadderEntry,
    Rating,
    RatingPoint,
    Scale,
    Season,
    Worker,
)
from store.tables.sittings import (
    Person,
    Sitting,
    SittingChoice,
    SittingDecision,
    SittingFrame,
    SittingSeat,
)

METADATA = Row.metadata

__all__ = [
    "METADATA",
    "Attempt",
    "AuditEntry",
    "Block",
    "Bot",
    "Change",
    "Entry",
    "Fault",
    "Friendly",
    "Game",
    "Gate",
    "InboxMessage",
    "Invitation",
    "Ladder",
    "LadderEntry",
    "Match",
    "Owner",
    "Person",
    "Rating",
    "RatingPoint",
    "ReplayBlob",
    "Review",
    "Revision",
    "Row",
    "Scale",
    "Season",
    "SeasonCount",
    "Seat",
    "SeenAddress",
    "Setting",
    "SignIn",
    "Sitting",
    "SittingChoice",
    "SittingDecision",
    "SittingFrame",
    "SittingSeat",
    "Submission",
    "Token",
    "Version",
    "Worker",
]
