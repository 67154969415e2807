"""A person's choice on its way in: read, compared with what was asked, stored once."""

from typing import Any

from sqlmodel import Session

import store
from league.errors import LeagueRefusal, Malformed, NotThere
from nimmt.choices import TURN, Choice, TurnOptions, choice_from_json, choice_to_json
from nimmt.errors import IllegalChoice, shorten
from store import JsonDict, Sitting, SittingSeat

LATEST = 50
"""How far back an ask is looked for; after it come its warning and its answer."""


class AlreadyAnswered(LeagueRefusal):
    """This ask is over."""


def find_ask(session: Session, sitting: Sitting, seat: SittingSeat, ask_no: int) -> JsonDict:
    """The frame of an ask; AlreadyAnswered or NotThere where none waits."""
    for _, frame in store.sittings.latest_frames(session, sitting.match_id, seat.seat, LATEST):
        if frame["type"] in ("over", "closed"):
            raise AlreadyAnswered("the game is over")
        if frame["type"] == "ask":
            if frame["ask"] == ask_no:
                return frame
            if int(str(frame["ask"])) > ask_no:
                raise AlreadyAnswered(f"ask {ask_no} is over; the game has gone on")
            break
    raise NotThere(f"got ask {ask_no}, expected the one that waits for you")


def choose(
    session: Session, sitting: Sitting, seat: SittingSeat, ask_no: int, choice: Any
) -> Choice:
    """Store a person's choice. Raises Malformed for one that the rules do not allow here."""
    if not sitting.state.is_open or seat.left_at is not None:
        raise AlreadyAnswered("the game is over for you")
    frame = find_ask(session, sitting, seat, ask_no)
    given = checked(str(frame["kind"]), frame["legal"], seat.seat, choice)
    written = choice_to_json(given)
    if not store.sittings.put_choice(session, sitting.match_id, seat.seat, ask_no, written):
        raise AlreadyAnswered(f"ask {ask_no} has been answered already")
    return given


def checked(kind: str, legal: Any, seat: int, choice: Any) -> Choice:
    """A choice as it came, compared with what may be chosen; Malformed says what was expected.

    >>> checked("card", [3, 41], 0, 41)
    41
    """
    try:
        given = choice_from_json(kind, choice)
    except (ValueError, TypeError, AttributeError) as error:
        raise Malformed(str(error)) from None
    if kind != TURN:
        if given not in legal:
            raise Malformed(f"got {kind} {shorten(given)}, expected one of {legal}")
        return given
    options = legal_of(kind, legal)
    assert isinstance(options, TurnOptions)
    try:
        return options.checked(seat, given)
    except IllegalChoice as error:
        raise Malformed(str(error)) from None


def legal_of(kind: str, legal: Any) -> list[int] | TurnOptions:
    """What may be chosen, as the rules write it; a frame holds it as JSON."""
    if kind != TURN:
        return list(legal)
    return TurnOptions(
        {int(pile): tuple(cards) for pile, cards in legal["plays"].items()},
        legal["max_piles"],
        legal["many"],
        tuple(legal["takes"]),
    )
