"""The steps of seasons and ladders by the names that command line, API and pages share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from sqlmodel import Session

from league import freezing, ladder, seasons
from league.ladder_rules import LadderState
from store import Ladder, Owner, Season, SeasonState

Row = TypeVar("Row", Season, Ladder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[Row]):
    """One step: who may take it is decided outside, whether it can be taken by the league."""

    name: str
    button: str
    words: str
    """What it does, for whoever is about to press the button."""
    at: tuple[StrEnum, ...]
    """The states in which pages offer it."""
    take: Callable[[Session, int, Owner], Row]
    forward: bool = True
    """Whether it is what comes next, not something that may be done on the way."""
    early: Callable[[Session, int, Owner], Row] | None = None
    """The same without waiting for what is still to be played."""
    asks: bool = False
    """Whether a page shows what it will do first: it cannot be taken back."""


def _end_early(session: Session, season_id: int, actor: Owner) -> Season:
    return seasons.finish(session, season_id, actor, early=True)


STEPS: tuple[Step[Season], ...] = (
    Step(
        name="open",
        button="Open entries",
        words="Everybody sees the season, and authors can enter their bots.",
        at=(SeasonState.DRAFT,),
        take=seasons.open_entries,
    ),
    Step(
        name="freeze",
        button="Freeze",
        words="Pins every entry to its version, plans all matches and commits to their keys. "
        "Entries cannot be changed afterwards.",
        at=(SeasonState.OPEN,),
        take=freezing.freeze,
        asks=True,
    ),
    Step(
        name="call-off",
        button="Call off",
        words="Ends the season before anything is planned. Nothing is played; its page stays.",
        at=(SeasonState.OPEN,),
        take=seasons.call_off,
        asks=True,
        forward=False,
    ),
    Step(
        name="start",
        button="Start",
        words="Workers begin to play.",
        at=(SeasonState.FROZEN,),
        take=seasons.start,
        asks=True,
    ),
    Step(
        name="pause",
        button="Pause",
        words="What is being played ends and counts; the rest waits.",
        at=(SeasonState.RUNNING,),
        take=seasons.pause,
        forward=False,
    ),
    Step(
        name="resume",
        button="Resume",
        words="Workers go on with what is left.",
        at=(SeasonState.PAUSED,),
        take=seasons.resume,
    ),
    Step(
        name="finish",
        button="Finish",
        words="The standings become final. It happens by itself when nothing is left to play.",
        at=(SeasonState.FROZEN, SeasonState.RUNNING, SeasonState.PAUSED),
        take=seasons.finish,
        early=_end_early,
        forward=False,
    ),
    Step(
        name="archive",
        button="Archive",
        words="Keeps the season for reading only; stuck matches can no longer be made up for.",
        at=(SeasonState.FINISHED,),
        take=seasons.archive,
        asks=True,
        forward=False,
    ),
)
LIFE = (
    SeasonState.DRAFT,
    SeasonState.OPEN,
    SeasonState.FROZEN,
    SeasonState.RUNNING,
    SeasonState.FINISHED,
    SeasonState.ARCHIVED,
)
"""The states in their order; a paused season stands where a running one does."""


LADDER_STEPS: tuple[Step[Ladder], ...] = (
    Step(
        name="pause",
        button="Pause",
        words="No new matches for now. What is on its way is still played and counts.",
        at=(LadderState.OPEN,),
        take=ladder.pause,
        forward=False,
    ),
    Step(
        name="resume",
        button="Resume",
        words="Matches are made again, with the settings below.",
        at=(LadderState.PAUSED, LadderState.CLOSED),
        take=ladder.resume,
    ),
    Step(
        name="close",
        button="Close",
        words="No more matches; what is on its way is still played. The table stays.",
        at=(LadderState.OPEN, LadderState.PAUSED),
        take=ladder.close,
        forward=False,
    ),
)


def offered(steps: Sequence[Step[Row]], state: StrEnum) -> list[Step[Row]]:
    """The steps that can be taken in this state."""
    return [step for step in steps if state in step.at]


DATE_OF = {
    SeasonState.DRAFT: "opens_at",
    SeasonState.OPEN: "freezes_at",
    SeasonState.FROZEN: "starts_at",
    SeasonState.RUNNING: "ends_at",
    SeasonState.PAUSED: "ends_at",
}
"""The date of the next step that a season in this state can take by itself."""


def dates_left(state: SeasonState) -> tuple[str, ...]:
    """The dates that can still come to anything."""
    first = DATE_OF.get(state)
    names = tuple(seasons.DATES)
    return () if first is None else names[names.index(first) :]


def past(state: SeasonState) -> list[tuple[SeasonState, str]]:
    """The life of a season as a row of steps: what is past, now, and to come."""
    now = SeasonState.RUNNING if state is SeasonState.PAUSED else state
    at = LIFE.index(now)
    return [
        (state if number == at else one, "past" if number < at else "now" if number == at else "")
        for number, one in enumerate(LIFE)
    ]
