"""A step in the life of a season or ladder, by the name that command line, API and pages share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from sqlmodel import Session

from store import Ladder, Owner, Season

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


def offered(steps: Sequence[Step[Row]], state: StrEnum) -> list[Step[Row]]:
    """The steps that can be taken in this state."""
    return [step for step in steps if state in step.at]
