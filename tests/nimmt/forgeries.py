"""Forged replays, each a function that changes a good document and says where it must be caught.

`None` as the place means the document as a whole; `(round,)` or `(round, decision)` a place in it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.nimmt.recorded import Document

Place = tuple[int, ...] | None
Forge = Callable[[Document], Place]


@dataclass(frozen=True, slots=True)
class Forgery:
    """A way to forge, the game it is tried on, and what the refusal must say."""

    base: str
    forge: Forge
    message: str

    @property
    def name(self) -> str:
        return f"{self.base}-{self.forge.__name__}"


FORGERIES: list[Forgery] = []


def forgery(message: str, *bases: str) -> Callable[[Forge], Forge]:
    """Enter a function into the table, once for each game it is tried on."""

    def enter(forge: Forge) -> Forge:
        FORGERIES.extend(Forgery(base, forge, message) for base in bases)
        return forge

    return enter


def decisions(document: Document, round_no: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = document["rounds"][round_no]["decisions"]
    return found


def find(document: Document, **wanted: Any) -> tuple[int, int]:
    """Round and index of the first decision with these fields; a callable tests its field."""

    def fits(decision: dict[str, Any]) -> bool:
        return all(
            value(decision[name]) if callable(value) else decision[name] == value
            for name, value in wanted.items()
        )

    return next(
        (round_no, at)
        for round_no, part in enumerate(document["rounds"])
        for at, decision in enumerate(part["decisions"])
        if fits(decision)
    )


def entry(document: Document, place: tuple[int, int]) -> dict[str, Any]:
    return decisions(document, place[0])[place[1]]


def swap_everywhere(value: Any, one: int, other: int) -> Any:
    """The deal or decisions with two cards in each other's place."""
    if isinstance(value, list):
        return [swap_everywhere(item, one, other) for item in value]
    if isinstance(value, dict):
        kept = ("seat", "ms", "batch", "start_seat")
        return {
            name: item if name in kept else swap_everywhere(item, one, other)
            for name, item in value.items()
        }
    if type(value) is int:
        return {one: other, other: one}.get(value, value)
    return value


def step_size(last: list[dict[str, Any]]) -> int:
    """How many decisions the last step of a round holds: all seats together, or one."""
    if last[-1]["kind"] != "card":
        return 1
    return 1 + max(int(decision["seat"]) for decision in last if decision["kind"] == "card")


def has_many(choice: Any) -> bool:
    return any(len(cards) > 1 for cards in choice.get("play", {}).values())
