"""A step in the life of a season or ladder: from where to where, what it takes, who may take it.

Clock, pages, API and command line read one table of steps for each, and share its names and words.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from sqlmodel import Session

from league.audit import Actor
from league.errors import LeagueRefusal
from store import Ladder, Owner, Role, Season

Row = TypeVar("Row", Season, Ladder)


def _nothing(_session: Session, _row: object) -> str:
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[Row]):
    """One step."""

    name: str
    """On the command line, in addresses and in the API."""
    done: str
    """What it has been when it was taken: 'a season can be …'."""
    button: str
    words: str
    """What it does, for whoever is about to press the button."""
    at: tuple[StrEnum, ...]
    """The states in which it can be taken."""
    to: StrEnum
    """The state that it leads to."""
    take: Callable[[Session, int, Actor], Row]
    missing: Callable[[Session, Row], str] = _nothing
    """What it still waits for, in a sentence; empty: nothing."""
    may: Role = Role.ORGANISER
    """Whose account may take it; the clock and the command line act for the league."""
    date: str = ""
    """The date at which it is taken by itself."""
    event: str = ""
    """What such a date is the date of: 'the freeze'."""
    due: tuple[StrEnum, ...] = ()
    """The states in which the clock looks at that date."""
    forward: bool = True
    """Whether it is what comes next, not something that may be done on the way."""
    early: Callable[[Session, int, Actor], Row] | None = None
    """The same without waiting for what is still to be played."""
    instead: Mapping[StrEnum, str] = field(default_factory=dict)
    """What to do in a state where no step helps, but something else does."""
    asks: bool = False
    """Whether a page shows what it will do first: it cannot be taken back."""

    @property
    def verb(self) -> str:
        """Its name in a sentence."""
        first, _, rest = self.name.partition("-")
        return f"{first} it {rest}".strip()


def offered(steps: Sequence[Step[Row]], state: StrEnum) -> list[Step[Row]]:
    """The steps that can be taken in this state."""
    return [step for step in steps if state in step.at]


def named(steps: Sequence[Step[Row]], name: str) -> Step[Row]:
    """The step of that name."""
    return next(step for step in steps if step.name == name)


def check(steps: Sequence[Step[Row]], step: Step[Row], what: str, state: StrEnum) -> None:
    """LeagueRefusal unless a step can be taken in this state: says which one comes first."""
    if state in step.at:
        return
    if state == step.to:
        raise LeagueRefusal(f"{what} is already {state}")
    here = f"{what} is {'a draft' if state == 'draft' else state}"
    if instead := [one for one in offered(steps, state) if one.to == step.to]:
        raise LeagueRefusal(f"{here}; {instead[0].verb} instead")
    if step.forward and (way := way_to(steps, state, step)):
        first = " and ".join(one.verb for one in way)
        raise LeagueRefusal(f"{here}; {first} first, then {step.verb}")
    if words := step.instead.get(state):
        raise LeagueRefusal(f"{here}; {words} instead")
    states = " or ".join(step.at)
    raise LeagueRefusal(f"{here}; only one that is {states} can be {step.done}")


def way_to(steps: Sequence[Step[Row]], state: StrEnum, step: Step[Row]) -> list[Step[Row]]:
    """The steps forward that lead from a state to where this one can be taken; [] if none do."""
    way: list[Step[Row]] = []
    while state not in step.at:
        following = [one for one in offered(steps, state) if one.forward and one not in way]
        if not following:
            return []
        way.append(following[0])
        state = following[0].to
    return way


def check_may(step: Step[Row], actor: Actor) -> None:
    """LeagueRefusal for an account that may not take this step."""
    if isinstance(actor, Owner) and actor.role is not step.may:
        raise LeagueRefusal(f"only an {step.may} can take this step, and {actor.handle} is not one")
