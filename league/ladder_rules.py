"""What an organiser has chosen for one ladder beside its rules: who is in, who is out, promises.

It is kept as one lasting setting of the store, named after the ladder.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from sqlmodel import Session

import store
from store import Ladder

DEFAULT_CAP = 2


class LadderState(StrEnum):
    """Whether a ladder makes matches."""

    OPEN = "open"
    """Matches are made whenever the workers have room."""
    PAUSED = "paused"
    """None for now; it goes on where it was."""
    CLOSED = "closed"
    """None any more; the table stays, and it can be opened again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRules:
    """The organiser's choices for one ladder."""

    longest_wait: float | None = None
    """The promise in seconds; None: what the fleet can hold, computed from the field."""
    cap: int = DEFAULT_CAP
    """Matches that one bot may have queued or running."""
    paused: bool = False
    """Of a ladder that is not open: it is to go on."""
    entered: tuple[int, ...] = ()
    """House bots that compete here; the others only fill tables."""
    withdrawn: Mapping[str, str] = field(default_factory=dict)
    """Bot id -> reason: taken out by its author."""
    disqualified: Mapping[str, str] = field(default_factory=dict)
    """Bot id -> reason: taken out by the organiser."""

    def is_out(self, bot_id: int) -> bool:
        """Whether somebody took the bot out of this ladder."""
        return str(bot_id) in self.withdrawn or str(bot_id) in self.disqualified


def _key(ladder_id: int) -> str:
    return f"ladder.{ladder_id}"


def read(session: Session, ladder_id: int) -> LadderRules:
    """The choices for a ladder; the defaults where none were made."""
    stored: Mapping[str, Any] = store.journal.setting(session, _key(ladder_id)) or {}
    wait = stored.get("longest_wait")
    return LadderRules(
        longest_wait=None if wait is None else float(wait),
        cap=int(stored.get("cap", DEFAULT_CAP)),
        paused=bool(stored.get("paused", False)),
        entered=tuple(int(one) for one in stored.get("entered", ())),
        withdrawn=dict(stored.get("withdrawn", {})),
        disqualified=dict(stored.get("disqualified", {})),
    )


def write(session: Session, ladder_id: int, rules: LadderRules) -> None:
    """Keep the choices for a ladder."""
    stored = {**asdict(rules), "entered": list(rules.entered)}
    store.journal.set_setting(session, _key(ladder_id), stored)


def state(session: Session, ladder: Ladder) -> LadderState:
    """Whether a ladder makes matches now, or is to go on later."""
    if ladder.is_open:
        return LadderState.OPEN
    return LadderState.PAUSED if read(session, ladder.id).paused else LadderState.CLOSED


def take_out(rules: LadderRules, bot_id: int, reason: str, *, by_author: bool) -> LadderRules:
    """The same choices with a bot taken out."""
    inside = put_in(rules, bot_id, house=False)
    if by_author:
        return replace(inside, withdrawn={**inside.withdrawn, str(bot_id): reason})
    return replace(inside, disqualified={**inside.disqualified, str(bot_id): reason})


def put_in(rules: LadderRules, bot_id: int, *, house: bool) -> LadderRules:
    """The same choices with a bot back in; a house bot then competes for a place."""
    key = str(bot_id)
    entered = tuple(sorted({*rules.entered, bot_id})) if house else rules.entered
    return replace(
        rules,
        entered=entered,
        withdrawn={one: why for one, why in rules.withdrawn.items() if one != key},
        disqualified={one: why for one, why in rules.disqualified.items() if one != key},
    )
