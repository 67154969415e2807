"""What is behind a win, in one sentence: where the winner did better than the next one.

The sentence compares two bots by name and is left out where nothing speaks for the winner: a number
that is worse than another's would argue with the result.
"""

from collections.abc import Iterable, Sequence
from enum import Enum

from dashboard.viewer.words import Voice, several, zone_seat
from nimmt import heads
from nimmt.events import Event, Move, RoundEnd


class Kind(Enum):
    """What costs points at a table."""

    ROWS = "rows that are taken"
    X_ROWS = "X piles and cards in hand"
    PILES = "cards in hand"


class Tally:
    """Counts what decides a game; give it every event, in order."""

    def __init__(self, kind: Kind, seats: int) -> None:
        self.kind = kind
        self._counts = [0] * seats
        """Rows taken, points of X piles, or hands emptied, by seat."""
        self._rounds: list[Sequence[int]] = []
        """The points of each round that is over, by seat."""

    def count(self, events: Iterable[Event], empty_hands: Sequence[int]) -> None:
        """`empty_hands`: who holds no card before these events."""
        for event in events:
            match event:
                case Move("take", _, _, target) if target.startswith("bull:"):
                    self._counts[zone_seat(target)] += 1
                case Move("break", cards, _, target):
                    self._counts[zone_seat(target)] += 2 * heads(cards)
                case RoundEnd(points):
                    self._rounds.append(points)
                    if self.kind is Kind.PILES:
                        for seat in empty_hands:
                            self._counts[seat] += 1

    def why_won(self, points: Sequence[int], places: Sequence[int], voices: Sequence[Voice]) -> str:
        """The sentence with a space behind it; empty for a shared win, or where nothing tells."""
        first = places.index(1)
        # One that is out may have fewer points: it was not beaten by what it took.
        rest = [seat for seat in range(len(places)) if points[seat] > points[first]]
        if places.count(1) > 1 or not rest:
            return ""
        second = min(rest, key=lambda seat: (places[seat], points[seat], seat))
        told = {Kind.ROWS: self._rows, Kind.X_ROWS: self._x_rows, Kind.PILES: self._piles}
        text = told[self.kind](first, second, points, voices)
        text = text or self._best_round(first, second, voices)
        return f"{text} " if text else ""

    def _rows(self, first: int, second: int, points: Sequence[int], voices: Sequence[Voice]) -> str:
        own, other = self._counts[first], self._counts[second]
        it, name = voices[first].it.capitalize(), voices[second].name
        if not other:
            return ""
        if not own:
            paid = several(points[second], "head")
            return f"{it} took no row; {name} took {other} for {paid}."
        paid = several(points[first], "head")
        theirs = f"{name} took {other} for {points[second]}."
        if own < other:
            return f"{it} took {several(own, 'row')} for {paid}; {theirs}"
        # Not fewer rows and yet fewer heads: they were the cheaper ones.
        if own > other:
            return f"{it} took more rows but cheaper ones: {own} for {paid}; {theirs}"
        return f"{it} took cheaper rows: {own} for {paid}; {theirs}"

    def _x_rows(
        self, first: int, second: int, points: Sequence[int], voices: Sequence[Voice]
    ) -> str:
        own, other = self._counts[first], self._counts[second]
        if not own and not other:
            return ""
        what = "X piles"
        if own >= other:
            # Not less by X piles and yet less altogether: it was the hand.
            what, own, other = "Cards left in hand", points[first] - own, points[second] - other
        it, name = voices[first].it, voices[second].name
        if not own:
            return f"{what} cost {it} nothing; they cost {name} {several(other, 'point')}."
        return f"{what} cost {it} {several(own, 'point')}; they cost {name} {other}."

    def _piles(
        self, first: int, second: int, _points: Sequence[int], voices: Sequence[Voice]
    ) -> str:
        own, other = self._counts[first], self._counts[second]
        if own <= other:
            return ""
        it, its = voices[first].it.capitalize(), voices[first].its
        rounds = several(len(self._rounds), "round")
        often = f"in {other}" if other else "in none"
        return f"{it} emptied {its} hand in {own} of {rounds}; {voices[second].name} {often}."

    def _best_round(self, first: int, second: int, voices: Sequence[Voice]) -> str:
        """The round that brought the winner most; of a single one all is said already."""
        if len(self._rounds) < 2:
            return ""
        gains = [points[second] - points[first] for points in self._rounds]
        at = gains.index(max(gains))
        own, other = self._rounds[at][first], self._rounds[at][second]
        it, name = voices[first].it.capitalize(), voices[second].name
        return f"{it} scored {several(own, 'point')} in round {at + 1}; {name} scored {other}."
