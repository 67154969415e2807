"""What an organiser has chosen for one ladder beside its rules: whether it plays, who is in."""

from dataclasses import replace
from enum import StrEnum

from sqlmodel import Session

from store import Ladder
from store.ladders import LadderRules, read_rules


class LadderState(StrEnum):
    """Whether a ladder makes matches."""

    OPEN = "open"
    """Matches are made whenever the workers have room."""
    PAUSED = "paused"
    """None for now; it goes on where it was."""
    CLOSED = "closed"
    """None any more; the table stays, and it can be opened again."""


def ladder_state(session: Session, ladder: Ladder) -> LadderState:
    """Whether a ladder makes matches now, or is to go on later."""
    if ladder.is_open:
        return LadderState.OPEN
    return LadderState.PAUSED if read_rules(session, ladder.id).paused else LadderState.CLOSED


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
