"""What is worth watching in a match: the best game, the closest, the biggest take, a comeback."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.viewer.words import several
from review import Story, best_game, stories_of


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


def worth_watching(replays: Iterable[Mapping[str, Any]]) -> list[Highlight]:
    """The highlights of the first games of a match; ReplayError when one is not sound."""
    return highlights(stories_of(replays))


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
