"""A game in a few numbers, and which game of a match is the best to watch.

Pure functions over replays: pages lead with the best game, and the league has it reviewed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from nimmt import heads
from nimmt.events import Event, Move, Points, RoundEnd, RoundStart
from nimmt.moments import moments_of, parted
from nimmt.verify import read

MOST_GAMES = 300
"""Games of a match that are searched; more would take too long."""


class Moment(NamedTuple):
    """Something that one seat did or reached."""

    amount: int
    seat: int
    at: int
    """The moment, as the viewer's address counts (`?t=`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One game in a few numbers."""

    pass_no: int
    game_no: int
    bots: tuple[str, ...]
    take: Moment | None
    """The take with the most heads."""
    comeback: Moment | None
    """How far a winner was behind the best of the others, at most; None: never."""
    margin: int | None
    """Between first and second place, 0 for a shared win; None: no other seat was left."""
    lead_changes: int


def story_of(document: Mapping[str, Any]) -> Story:
    """A replay in a few numbers; raises nimmt.errors.ReplayError when it is not sound."""
    replay = read(document)
    watch = _Watch(replay.state.players)
    watch.see(replay.state.opening)
    for step in replay.steps():
        watch.see(step.events)
    result = replay.document["result"]
    players = replay.document["players"]
    winners = [seat for seat, place in enumerate(result["places"]) if place == 1]
    behind = [watch.behind[seat] for seat in winners if watch.behind[seat].amount > 0]
    others = [
        points
        for seat, points in enumerate(result["points"])
        if seat not in winners and players[seat]["out"] is None
    ]
    margin = 0 if len(winners) > 1 else None
    if margin is None and others:
        margin = min(others) - result["points"][winners[0]]
    return Story(
        pass_no=replay.document["pass"],
        game_no=replay.document["game_no"],
        bots=tuple(player["bot"] for player in players),
        take=watch.take,
        comeback=max(behind, key=lambda one: one.amount, default=None),
        margin=margin,
        lead_changes=watch.lead_changes,
    )


class _Watch:
    """Follows the points of a game moment by moment."""

    def __init__(self, players: int) -> None:
        self._totals: Sequence[int] = (0,) * players
        self._round: Sequence[int] = (0,) * players
        self._at = -1
        self._leader: int | None = None
        self.lead_changes = 0
        self.take: Moment | None = None
        self.behind = [Moment(0, seat, 0) for seat in range(players)]

    def see(self, events: Sequence[Event]) -> None:
        """Take in the events of one step."""
        for part in parted(events):
            for moment in moments_of(part):
                self._at += 1
                for event in moment:
                    self._note(event)
                self._compare()

    def _note(self, event: Event) -> None:
        match event:
            case Move("take", cards, _, target):
                amount = heads(cards)
                if self.take is None or amount > self.take.amount:
                    self.take = Moment(amount, int(target.partition(":")[2]), self._at)
            case Points(points):
                self._round = points
            case RoundEnd(_, totals):
                self._totals, self._round = totals, (0,) * len(totals)
            case RoundStart():
                self._round = (0,) * len(self._totals)

    def _compare(self) -> None:
        points = [total + own for total, own in zip(self._totals, self._round, strict=True)]
        best = min(points)
        first = [seat for seat, own in enumerate(points) if own == best]
        for seat, own in enumerate(points):
            if own - best > self.behind[seat].amount:
                self.behind[seat] = Moment(own - best, seat, self._at)
        if len(first) == 1 and first[0] != self._leader:
            self.lead_changes += self._leader is not None
            self._leader = first[0]


def best_game(stories: Sequence[Story]) -> Story:
    """The game with the most of everything that makes one exciting.

    Games are ranked by changes of the lead, closeness, comeback and biggest take; the sum of the
    four ranks decides, so that no unit outweighs another. The earliest wins a tie.
    """
    scales = [
        [-story.lead_changes for story in stories],
        [10**6 if story.margin is None else story.margin for story in stories],
        [-(story.comeback.amount if story.comeback else 0) for story in stories],
        [-(story.take.amount if story.take else 0) for story in stories],
    ]
    ranks = [[sum(other < own for other in scale) for own in scale] for scale in scales]
    sums = [sum(column) for column in zip(*ranks, strict=True)]
    return stories[sums.index(min(sums))]


def stories_of(replays: Iterable[Mapping[str, Any]]) -> list[Story]:
    """The first games of a match; ReplayError when one is not sound."""
    return [story_of(one) for one in islice(replays, MOST_GAMES)]
