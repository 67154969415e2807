"""Faults: what a bot can do wrong, what it costs, and how foreign errors become one of ours.

whose fault?
  BotFault            counts in the result: a FaultKind with a readable cause
  PlatformFault       ours; raised by sandbox and supervisor, voids the attempt, costs no bot
  anything else       a bug: the attempt is void and the traceback is kept
"""

import enum
from dataclasses import dataclass

import grpc

from nimmt.replay import FAULT_KINDS
from referee.lines import HowGone


class FaultKind(enum.StrEnum):
    """What a bot did wrong."""

    TIMEOUT = "timeout"
    """Its bank ran out before it had answered."""
    ILLEGAL_CHOICE = "illegal_choice"
    """It answered something that the rules do not allow here."""
    PROTOCOL = "protocol"
    """It broke the protocol: an unknown ask id, an unreadable message, a second call."""
    CRASHED = "crashed"
    """Its process ended in the middle of a pass, or it said that its own code failed."""
    OUT_OF_MEMORY = "out_of_memory"
    """The kernel ended it because it reached its memory limit."""
    REFUSED_START = "refused_start"
    """It could not be started, or did not say Hello in time."""
    OUTPUT_FLOOD = "output_flood"
    """It wrote more to its output than its budget allows."""
    LEFT = "left"
    """A person got up from the table."""


assert tuple(FaultKind) == FAULT_KINDS, "replays know exactly these faults"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What one fault costs, besides the house choice for the ask it spoiled."""

    counts: int = 1
    """Added to the bot's faults in this pass; `MatchPlan.max_faults` of them put it out."""
    out: bool = False
    """Whether the bot is out of the pass at once, because no process is left to ask."""


COSTS: dict[FaultKind, Cost] = {
    FaultKind.TIMEOUT: Cost(),
    FaultKind.ILLEGAL_CHOICE: Cost(),
    FaultKind.PROTOCOL: Cost(),
    FaultKind.CRASHED: Cost(out=True),
    FaultKind.OUT_OF_MEMORY: Cost(out=True),
    FaultKind.REFUSED_START: Cost(out=True),
    FaultKind.OUTPUT_FLOOD: Cost(out=True),
    FaultKind.LEFT: Cost(out=True),
}
"""What each fault costs; docs/protocol.md shows it to authors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BotFault:
    """A fault and its cause, before it is charged to a bot."""

    kind: FaultKind
    cause: str
    lost: bool = False
    """Whether the connection is lost too, so that the bot is out whatever the cost table says."""
    began: float | None = None
    ended: float | None = None
    """For faults of time: the time that was too long, on the machine's monotonic clock."""


_STREAM_ENDS: dict[grpc.StatusCode, str] = {
    grpc.StatusCode.OK: "it closed its stream before Goodbye",
    grpc.StatusCode.CANCELLED: "it cancelled its call before Goodbye",
    grpc.StatusCode.UNKNOWN: "its connection failed",
    grpc.StatusCode.INVALID_ARGUMENT: "its call was not valid",
    grpc.StatusCode.DEADLINE_EXCEEDED: "its call ran into a deadline that it had set itself",
    grpc.StatusCode.NOT_FOUND: "it called something that does not exist",
    grpc.StatusCode.ALREADY_EXISTS: "it opened a call that already exists",
    grpc.StatusCode.PERMISSION_DENIED: "it called something it has no permission for",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "it sent a message or metadata beyond the limits",
    grpc.StatusCode.FAILED_PRECONDITION: "its call broke a condition of gRPC",
    grpc.StatusCode.ABORTED: "its call was aborted",
    grpc.StatusCode.OUT_OF_RANGE: "its call was out of range",
    grpc.StatusCode.UNIMPLEMENTED: "it called a method or used a compression that is not offered",
    grpc.StatusCode.INTERNAL: "it broke the framing of gRPC",
    grpc.StatusCode.UNAVAILABLE: "its connection broke",
    grpc.StatusCode.DATA_LOSS: "it sent damaged data",
    grpc.StatusCode.UNAUTHENTICATED: "it did not show its token",
}


def stream_end(code: grpc.StatusCode | None) -> BotFault:
    """The fault of a bot whose stream ended in mid-pass while its process still runs."""
    cause = _STREAM_ENDS[grpc.StatusCode.OK if code is None else code]
    return BotFault(kind=FaultKind.PROTOCOL, cause=cause, lost=True)


def process_end(how: str, code: int | None, signal: int | None) -> BotFault:
    """The fault of a bot whose process ended in the middle of a pass."""
    if how == HowGone.OUT_OF_MEMORY:
        return BotFault(kind=FaultKind.OUT_OF_MEMORY, cause="it reached its memory limit")
    if how == HowGone.OUTPUT_FLOOD:
        return BotFault(kind=FaultKind.OUTPUT_FLOOD, cause="it wrote more output than allowed")
    if how == HowGone.LEFT:
        return BotFault(kind=FaultKind.LEFT, cause="the person left the table")
    if how == HowGone.SIGNALLED:
        return BotFault(kind=FaultKind.CRASHED, cause=f"signal {signal} ended it in mid-pass")
    if how == HowGone.EXITED:
        return BotFault(kind=FaultKind.CRASHED, cause=f"it exited with code {code} in mid-pass")
    return BotFault(kind=FaultKind.CRASHED, cause=f"its process ended in mid-pass ({how:.40})")
