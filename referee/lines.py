"""The types of the JSON lines between supervisor and referee; docs/protocol.md has their fields.

Last, what the supervisor itself says to those who watch a match, beside the referee's lines.
"""

from enum import StrEnum


class FromReferee(StrEnum):
    """What the referee says."""

    NEED_PASS = "need_pass"
    """The sockets are there: start these bots."""
    FREEZE = "freeze"
    """This bot waits: stop its process."""
    THAW = "thaw"
    """This bot will be asked: let its process go on."""
    DISMISS = "dismiss"
    """Goodbye was said to this bot: end it."""
    PASS_OVER = "pass_over"
    """Goodbye was said to all bots of the pass."""
    DECISION = "decision"
    """A seat has decided; said only at tables with people, so that another attempt can go on."""
    GAME = "game"
    """A game is over; its replay follows as a line of its own."""
    FAULT = "fault"
    """A bot did something wrong."""
    EVENT = "event"
    """Something happened in a game that is public."""
    LAG = "lag"
    """The referee's own loop was late."""
    ASKED = "asked"
    """How many decisions bots have been asked for so far: a sign of life in long games."""
    DEBUG = "debug"
    """A message of the wire, for whoever debugs a bot."""
    HOLD = "hold"
    """The asking is held, or goes on."""
    RESULT = "result"
    """The last line."""


class FromSupervisor(StrEnum):
    """What the supervisor says after the first line, which is the plan."""

    READY = "ready"
    """A bot's process runs."""
    GONE = "gone"
    """A bot's process has ended, or could not start."""
    THAWED = "thawed"
    """A bot's process goes on."""
    HOST = "host"
    """What the host took from the bots in a stretch of time, and whether to hold the asking."""
    STOP = "stop"
    """End now with what was played."""


class HowGone(StrEnum):
    """In the line `gone`: how a bot's process ended."""

    EXITED = "exited"
    """By itself, with an exit code."""
    SIGNALLED = "signalled"
    """By a signal that was not the supervisor's."""
    OUT_OF_MEMORY = "out_of_memory"
    """It reached its memory limit."""
    OUTPUT_FLOOD = "output_flood"
    """It wrote more output than it may."""
    LEFT = "left"
    """It was a person, who got up from the table."""
    KILLED = "killed"
    """The supervisor ended it."""
    REFUSED = "refused"
    """It could not start; the line says why."""


class ToWatchers(StrEnum):
    """What the supervisor tells of a match beside what the referee says; no line of a process."""

    PROGRESS = "progress"
    """A game has ended: how many of how many, and decisions so far."""
    UNFIT = "unfit"
    """A fault came while the host was busy, and would not count; says with what."""
    LEFT = "left"
    """A bot that was dismissed is gone, and whether it went by itself."""
