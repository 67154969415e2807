"""How a reference game asks for a choice and writes it down. It judges plain choices only;
the turns of eleven-nimmt are judged where their rules are."""

from collections.abc import Callable
from typing import Any

from .cards import is_number

Situation = dict[str, Any]
Question = dict[str, Any]
Choose = Callable[[Question], object]
RoundRecord = dict[str, Any]
NESTED = (list, dict)


def plain_copy(value: Any) -> Any:
    """A copy of lists and dicts all the way down, so that nobody shares them with the game."""
    if isinstance(value, list):
        # Most items are cards, and there are so many that a call for each would take a third of
        # a whole game.
        return [plain_copy(item) if isinstance(item, NESTED) else item for item in value]
    if isinstance(value, dict):
        return {key: plain_copy(item) for key, item in value.items()}
    return value


class Scribe:
    """Asks every decision of one round, also the forced ones, and keeps the list of them."""

    def __init__(self, choose: Choose, situation: Callable[[], Situation]) -> None:
        self.choose = choose
        self.situation = situation
        self.decisions: list[dict[str, Any]] = []

    def answer(self, seat: int, kind: str, legal: object) -> object:
        """Put one question, with deep copies so that no player can touch the game."""
        question = {
            "seat": seat,
            "kind": kind,
            "legal": plain_copy(legal),
            "situation": plain_copy(self.situation()),
        }
        return plain_copy(self.choose(question))

    def write(self, seat: int, kind: str, choice: object, forced: bool) -> None:
        """Record a decision that was found legal."""
        self.decisions.append({"seat": seat, "kind": kind, "choice": choice, "forced": forced})

    def ask(self, seat: int, kind: str, legal: list[int]) -> int:
        """Ask for one number out of a list, and record it."""
        choice = self.answer(seat, kind, legal)
        if not is_number(choice) or choice not in legal:
            raise ValueError(f"seat {seat} chose {kind} {choice!r}; expected one of {legal}")
        self.write(seat, kind, choice, forced=len(legal) == 1)
        return legal[legal.index(choice)]

    def ask_cards(self, hands: list[list[int]]) -> list[int]:
        """Simultaneous cards: seat by seat, no hand changes before the last seat has chosen."""
        return [self.ask(seat, "card", sorted(hand)) for seat, hand in enumerate(hands)]

    def record(self, deal: dict[str, Any], points: list[int], totals: list[int]) -> RoundRecord:
        """The finished round; the totals of the final situation include it."""
        final = plain_copy(self.situation())
        final["totals"] = [before + now for before, now in zip(totals, points, strict=True)]
        return {
            "deal": plain_copy(deal),
            "decisions": self.decisions,
            "points": points,
            "final": final,
        }
