"""Simple players that need no process: opponents for `bullring simulate`, tests and search.

A player is called with the kind of decision, its view and what is legal, and returns a choice.
"""

from collections.abc import Callable, Sequence
from typing import Protocol

from nimmt import choices as kinds
from nimmt.choices import Choice, Play, Take, TurnOptions
from nimmt.house import house_choice
from nimmt.views import View

Legal = Sequence[int] | TurnOptions


class Numbers(Protocol):
    """Where a player's random numbers come from: `random.Random`, or the core's generator."""

    def random(self) -> float: ...

    def shuffle(self, x: list[int], /) -> None: ...


Player = Callable[[str, View, Legal], Choice]


class RandomPlayer:
    """Chooses uniformly among cards and rows; in 11 nimmt! plays when it can, one card at a time
    or, with bull cards, any number."""

    def __init__(self, rng: Numbers) -> None:
        self.rng = rng

    def __call__(self, kind: str, view: View, legal: Legal) -> Choice:
        random = self.rng.random
        if not isinstance(legal, TurnOptions):
            return legal[int(random() * len(legal))]
        if not legal.plays:
            return Take(legal.takes[int(random() * len(legal.takes))])
        return self._play(legal)

    def _play(self, legal: TurnOptions) -> Play:
        random = self.rng.random
        piles = list(legal.plays)
        pile = piles[int(random() * len(piles))]
        cards = legal.plays[pile]
        if not legal.many:
            return Play({pile: (cards[int(random() * len(cards))],)})
        self.rng.shuffle(piles)
        chosen: dict[int, tuple[int, ...]] = {}
        used: set[int] = set()
        for number in piles[: 1 + int(random() * legal.max_piles)]:
            free = [card for card in legal.plays[number] if card not in used]
            if free:
                some = tuple([c for c in free if random() < 0.7]) or (free[0],)
                chosen[number] = some
                used.update(some)
        return Play(chosen)


class HousePlayer:
    """Plays what the house would play for a bot that failed."""

    def __init__(self, rng: Numbers) -> None:
        pass

    def __call__(self, kind: str, view: View, legal: Legal) -> Choice:
        return house_choice(kind, view, legal)


class HighestPlayer(HousePlayer):
    """The highest card; elsewhere like the house."""

    def __call__(self, kind: str, view: View, legal: Legal) -> Choice:
        if kind == kinds.CARD and not isinstance(legal, TurnOptions):
            return max(legal)
        return house_choice(kind, view, legal)


class GreedyPlayer(HousePlayer):
    """11 nimmt!: as many cards as it can get rid of at once; elsewhere like the house."""

    def __call__(self, kind: str, view: View, legal: Legal) -> Choice:
        if isinstance(legal, TurnOptions):
            widest = legal.widest_play()
            if widest is not None:
                return widest
        return house_choice(kind, view, legal)


class TakerPlayer(RandomPlayer):
    """11 nimmt!: takes a pile in half of its turns, although it could play; else random."""

    share = 0.5

    def __call__(self, kind: str, view: View, legal: Legal) -> Choice:
        if isinstance(legal, TurnOptions) and self.rng.random() < self.share:
            return Take(self.pick(legal))
        return super().__call__(kind, view, legal)

    def pick(self, legal: TurnOptions) -> int:
        return legal.takes[int(self.rng.random() * len(legal.takes))]


class HoarderPlayer(TakerPlayer):
    """11 nimmt!: takes old piles, which tend to be high, so that bull cards run out and steals
    happen; else random."""

    def pick(self, legal: TurnOptions) -> int:
        return legal.takes[0]


SIMPLE: dict[str, Callable[[Numbers], Player]] = {
    "random": RandomPlayer,
    "house": HousePlayer,
    "highest": HighestPlayer,
    "greedy": GreedyPlayer,
    "taker": TakerPlayer,
    "hoarder": HoarderPlayer,
}
"""By the names that `bullring simulate --bots` knows."""
