"""A hint at a table: what each choice would cost, from what that seat was sent and nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

from sqlmodel import Session

import nimmt
import store
from league.errors import LeagueRefusal
from league.people.answering import AlreadyAnswered, find_ask, legal_of
from nimmt.choices import choice_to_json
from nimmt.events import from_json
from review import advise
from store import JsonDict, Sitting, SittingSeat

MOST_FRAMES = 1_000_000
FIRST = 1
"""The number of a person's first ask."""
TOO_LATE = (
    "this game counts, and hints can be switched on only at its first decision, or at a table that"
    " does not count"
)
Frames = Sequence[tuple[int, JsonDict]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a hint is computed from: the frames of one seat, up to an ask."""

    ask: int
    frames: Frames


def ask_hint(session: Session, sitting: Sitting, seat: SittingSeat, ask_no: int) -> Asked:
    """Note that somebody takes a hint for an ask that waits: from now on the game is assisted.

    A game that counts becomes assisted at its person's first decision or never: nobody is to look
    how it goes, and take it out of the rating when it is lost. Commit before the hint is shown, so
    that nobody has one that was not noted.
    """
    if not sitting.state.is_open or seat.left_at is not None:
        raise AlreadyAnswered("the game is over for you")
    find_ask(session, sitting, seat, ask_no)
    if store.sittings.find_choice(session, sitting.match_id, seat.seat, ask_no) is not None:
        raise AlreadyAnswered(f"ask {ask_no} has been answered already")
    table = store.sittings.seats(session, sitting.match_id)
    if ask_no != FIRST and store.people_games.may_count(sitting, table):
        raise LeagueRefusal(TOO_LATE)
    store.sittings.assist(session, sitting.match_id)
    frames = store.sittings.frames(session, sitting.match_id, seat.seat, limit=MOST_FRAMES)
    return Asked(ask=ask_no, frames=frames)


def make_hint(asked: Asked, *, pure: bool | None = None) -> JsonDict:
    """What each choice would cost, fewest points first. It takes a while, and no session."""
    start = next(frame for _, frame in asked.frames if frame["type"] == "start")
    events: list[Any] = []
    for _, frame in asked.frames:
        if frame["type"] == "events":
            events += frame["events"]  # type: ignore[arg-type]
        elif frame["type"] == "ask" and frame["ask"] == asked.ask:
            break
    rules = nimmt.get(str(start["rules"]), start["options"])  # type: ignore[arg-type]
    players: Any = start["players"]
    seat, kind = int(str(start["seat"])), str(frame["kind"])
    advice = advise(
        *(rules, len(players), seat, [from_json(event) for event in events], kind),
        legal_of(kind, frame["legal"]),
        # The same question gets the same answer.
        seed=crc32(repr((asked.ask, frame["view"])).encode()),
        pure=pure,
    )
    best = advice.alternatives[0].q.value
    return {
        "ask": asked.ask,
        "complete": advice.complete,
        "choices": [
            {
                "choice": choice_to_json(one.choice),
                "points": round(one.q.value, 2),
                "error": round(one.q.error, 2),
                "more": round(one.q.value - best, 2),
                "best": one.tied,
            }
            for one in advice.alternatives
        ],
    }
