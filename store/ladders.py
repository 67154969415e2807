"""What an organiser has chosen for one ladder beside its rules: who is in, who is out, promises.

It is kept as one lasting setting, named after the ladder.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlmodel import Session

from store import settings as store_settings

DEFAULT_CAP = 2


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


def read_rules(session: Session, ladder_id: int) -> LadderRules:
    """The choices for a ladder; the defaults where none were made."""
    stored: Mapping[str, Any] = store_settings.read(session, _key(ladder_id)) or {}
    wait = stored.get("longest_wait")
    return LadderRules(
        longest_wait=None if wait is None else float(wait),
        cap=int(stored.get("cap", DEFAULT_CAP)),
        paused=bool(stored.get("paused", False)),
        entered=tuple(int(one) for one in stored.get("entered", ())),
        withdrawn=dict(stored.get("withdrawn", {})),
        disqualified=dict(stored.get("disqualified", {})),
    )


def write_rules(session: Session, ladder_id: int, rules: LadderRules) -> None:
    """Keep the choices for a ladder."""
    stored = {**asdict(rules), "entered": list(rules.entered)}
    store_settings.write(session, _key(ladder_id), stored)
