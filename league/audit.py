"""The audit log: who acts, and every act that is written down."""

from enum import StrEnum

from store import Owner

Actor = Owner | str
"""Who does it: an account, or the name of a part of the league."""
LEAGUE = "league"
"""The actor of steps that are taken by a date."""


class Action(StrEnum):
    """Every act that the audit log knows.

    The strings are stored and part of the API: they never change. An act that is no longer
    written keeps its name here, because old entries have it.
    """

    ACCOUNT_MADE = "account.made"
    ACCOUNT_PASSWORD = "account.password"
    """The owner set a password."""
    ACCOUNT_RESET = "account.reset"
    """An organiser made a link for a new password."""
    ACCOUNT_DISABLE = "account.disable"
    ACCOUNT_ENABLE = "account.enable"
    ACCOUNT_AUTHOR = "account.author"
    ACCOUNT_ORGANISER = "account.organiser"
    INVITATION_MADE = "invitation.made"
    TOKEN_MADE = "token.made"
    TOKEN_ENDED = "token.ended"
    OWNER_WEBHOOK = "owner.webhook"

    BOT_MADE = "bot.made"
    BOT_CHANGED = "bot.changed"
    """What is said about it, its rules, or whether it takes friendly matches; and its version,
    before that had an act of its own."""
    BOT_VERSION = "bot.version"
    """Another version plays, or none: the bot rests."""
    BOT_SUSPEND = "bot.suspend"
    BOT_LIFT = "bot.lift"
    SUBMISSION_RECEIVED = "submission.received"

    FRIENDLY_ASK = "friendly.ask"
    FRIENDLY_CANCEL = "friendly.cancel"
    FRIENDLY_SHARE = "friendly.share"
    """Everyone with its address may see it, or no longer."""

    GATE_OPEN = "gate.open"
    GATE_PASSED = "gate.passed"
    GATE_FAILED = "gate.failed"
    GATE_UNDECIDED = "gate.undecided"
    GATE_CANCEL = "gate.cancel"
    GATE_RULE = "gate.rule"

    LADDER_OPEN = "ladder.open"
    LADDER_SETTINGS = "ladder.settings"
    LADDER_PAUSE = "ladder.pause"
    LADDER_RESUME = "ladder.resume"
    LADDER_CLOSE = "ladder.close"
    LADDER_ENTER = "ladder.enter"
    LADDER_WITHDRAW = "ladder.withdraw"
    LADDER_DISQUALIFY = "ladder.disqualify"

    SEASON_CREATE = "season.create"
    SEASON_EDIT = "season.edit"
    SEASON_DELETE = "season.delete"
    SEASON_DATES = "season.dates"
    SEASON_OPEN = "season.open"
    SEASON_ENTER = "season.enter"
    SEASON_ENTERED = "season.entered"
    """The same by an author, in old entries."""
    SEASON_FREEZE = "season.freeze"
    SEASON_START = "season.start"
    SEASON_PAUSE = "season.pause"
    SEASON_RESUME = "season.resume"
    SEASON_EXTEND = "season.extend"
    SEASON_FINISH = "season.finish"
    SEASON_CALL_OFF = "season.call_off"
    SEASON_ARCHIVE = "season.archive"
    SEASON_DISQUALIFY = "season.disqualify"
    SEASON_REHEARSE = "season.rehearse"
    SEASON_REHEARSE_STOP = "season.rehearse_stop"
    SEASON_OPENS_AT_FAILED = "season.opens_at.failed"
    SEASON_FREEZES_AT_FAILED = "season.freezes_at.failed"
    SEASON_STARTS_AT_FAILED = "season.starts_at.failed"
    SEASON_ENDS_AT_FAILED = "season.ends_at.failed"
    ENTRY_WITHDRAWN = "entry.withdrawn"
    ENTRY_DISQUALIFIED = "entry.disqualified"

    MATCH_PLAY_AGAIN = "match.play_again"
    MATCH_SHOWCASE = "match.showcase"
    MATCH_STRIKE = "match.strike"
