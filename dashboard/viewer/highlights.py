"""What is worth watching in a match: the best game, the closest, the biggest take, a comeback.

Pure functions over replays. A game becomes a story of few numbers; highlights compare stories.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from dashboard.viewer.payload import moments_of, parted
from dashboard.viewer.words import several
from nimmt import heads
from nimmt.events import Event, Move, Points, RoundEnd, RoundStart
from nimmt.verify import read

HIGHLIGHT_GAMES = 300
"""Games of a match that are searched; more would keep a page waiting."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Highlight:
    """One game, or one moment of it, and why it is worth a look."""

    title: str
    text: str
    pass_no: int
    game_no: int
    at: int
    decision: str = ""
    """`ROUND.DECISION` instead of the moment, as the viewer's address takes it (`?d=`)."""

    @property
    def query(self) -> str:
        """What is added to the address of the game."""
        if self.decision:
            return f"?d={self.decision}"
        return f"?t={self.at}" if self.at else ""


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


def worth_watching(replays: Iterable[Mapping[str, Any]]) -> list[Highlight]:
    """The highlights of the first games of a match; ReplayError when one is not sound."""
    return highlights(story_of(one) for one in islice(replays, HIGHLIGHT_GAMES))


def highlights(stories: Iterable[Story]) -> list[Highlight]:
    """The best game of a match first, then what else stands out; nothing twice."""
    games = list(stories)
    if not games:
        return []
    found = [_best(best_game(games)), *_moments(games)]
    places = [(one.pass_no, one.game_no, one.at) for one in found]
    return [one for at, one in enumerate(found) if places.index(places[at]) == at]


def _best(story: Story) -> Highlight:
    parts = [
        _changes(story.lead_changes),
        None if story.margin is None else _decided(story.margin),
        None if story.take is None else f"a take of {several(story.take.amount, 'head')}",
    ]
    words = [part for part in parts if part]
    return _highlight(story, "The best game", f"{'; '.join(words).capitalize()}.", 0)


def _moments(games: Sequence[Story]) -> Iterator[Highlight]:
    taken = [story for story in games if story.take]
    if taken:
        story = max(taken, key=lambda one: one.take.amount if one.take else 0)
        assert story.take is not None
        cost = several(story.take.amount, "head")
        text = f"{_name(story, story.take.seat)} takes {cost} at once."
        yield _highlight(story, "The biggest take", text, max(0, story.take.at - 1))
    turned = [story for story in games if story.comeback]
    if turned:
        story = max(turned, key=lambda one: one.comeback.amount if one.comeback else 0)
        assert story.comeback is not None
        behind = several(story.comeback.amount, "point")
        text = f"{_name(story, story.comeback.seat)} is {behind} behind here, and wins."
        yield _highlight(story, "The greatest comeback", text, story.comeback.at)
    close = [story for story in games if story.margin is not None]
    if close:
        story = min(close, key=lambda one: (one.margin, -one.lead_changes))
        assert story.margin is not None
        text = f"{_decided(story.margin)}; {_changes(story.lead_changes)}.".capitalize()
        yield _highlight(story, "The closest finish", text, 0)


def _highlight(story: Story, title: str, text: str, at: int) -> Highlight:
    return Highlight(title=title, text=text, pass_no=story.pass_no, game_no=story.game_no, at=at)


def _changes(count: int) -> str:
    times = {0: "never changes", 1: "changes once", 2: "changes twice"}
    return f"the lead {times.get(count, f'changes {count} times')}"


def _decided(margin: int) -> str:
    return f"decided by {several(margin, 'point')}" if margin else "a shared win"


def _name(story: Story, seat: int) -> str:
    return story.bots[seat].rsplit("/", 1)[-1]


def reviewed_highlights(
    summaries: Iterable[tuple[tuple[int, int], Mapping[str, Any]]],
    bots: Mapping[tuple[int, int], Sequence[str]],
) -> list[Highlight]:
    """What the reviews of a match add: the costliest mistake, and the luckiest win.

    `bots` are the names by seat of each game, by pass and game.
    """
    told = list(summaries)
    found = []
    wrong = [(place, one["costliest"]) for place, one in told if one.get("costliest")]
    if wrong:
        place, worst = max(wrong, key=lambda pair: float(pair[1]["loss"]))
        name = bots[place][worst["seat"]].rsplit("/", 1)[-1]
        text = f"{name} gives away {worst['loss']:.1f} heads with one decision."
        where = f"{worst['round']}.{worst['decision']}"
        found.append(
            Highlight(
                title="The costliest mistake", text=text,
                pass_no=place[0], game_no=place[1], at=0, decision=where,
            )
        )  # fmt: skip
    lucky = [
        (place, one["luckiest"])
        for place, one in told
        if one.get("luckiest") and one["luckiest"]["luck"] < 0
    ]
    if lucky:
        place, best = min(lucky, key=lambda pair: float(pair[1]["luck"]))
        name = bots[place][best["seat"]].rsplit("/", 1)[-1]
        text = f"Luck and the others save {name} {-best['luck']:.1f} heads; it wins."
        found.append(_at_start("The luckiest win", text, place))
    return found


def _at_start(title: str, text: str, place: tuple[int, int]) -> Highlight:
    return Highlight(title=title, text=text, pass_no=place[0], game_no=place[1], at=0)
