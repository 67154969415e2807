"""Where a bot loses points: a random sample of its games, reviewed, and what the losses average.

The sample is the first N games in the order of a hash, which has nothing to do with results: it
is a simple random sample, the same for all who ask, and a larger one contains the smaller.
"""

import hashlib
import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, NamedTuple

from sqlmodel import Session

import store
from league.reviews.summary import is_clear, steps_of
from store import MatchState, ReviewState
from store.reviews import BotGame

LATEST_MATCHES = 200
"""The games of this many matches, the latest, are the population."""
MOST_GAMES = 100
COSTLIEST = 10
PHASES = ("early", "middle", "late")
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Games that stand for all."""

    population: int
    games: tuple[BotGame, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mean:
    """The mean loss of some decisions in heads, with its interval; None: too few games."""

    decisions: int
    mean: float | None
    low: float | None
    high: float | None


class Form(NamedTuple):
    """A game with losses of its own size, as those of two games must not be averaged."""

    rules: str
    advanced: bool
    """6 nimmt! with a draft."""

    def __str__(self) -> str:
        return f"{self.rules}, advanced" if self.advanced else self.rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Decisions of one game, and of one kind, phase or version: the bot's own, and the field's."""

    by: str
    name: str
    form: Form | None
    """None: of all games together."""
    games: int
    """How many games they come from."""
    own: Mean
    field: Mean
    """Of the others at the same tables; for a version, of all their decisions in this game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Costly:
    """One decision of the bot that cost much."""

    game: BotGame
    round: int
    step: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class LossReport:
    """Where a bot loses points."""

    sample: Sample
    reviewed: int
    waiting: int
    groups: list[Group]
    costliest: list[Costly]


def draw_sample(session: Session, bot_id: int, size: int, hidden: Collection[int] = ()) -> Sample:
    """The first games in the order of their hash; matches of hidden seasons are left out."""
    done = store.match_lists.matches(
        session, bot_id=bot_id, states=[MatchState.DONE], hidden=hidden, limit=LATEST_MATCHES
    )
    games = store.reviews.games_of(session, bot_id, [match.id for match in done])

    def place(game: BotGame) -> bytes:
        text = f"{bot_id}:{game.match_id}:{game.pass_no}:{game.game_no}:{game.seat}"
        return hashlib.sha256(text.encode()).digest()

    return Sample(population=len(games), games=tuple(sorted(games, key=place)[:size]))


@dataclass(slots=True)
class _Tally:
    """Losses by game: decisions of one game are no independent evidence."""

    games: dict[int, list[float]] = field(default_factory=lambda: defaultdict(list))

    def mean(self) -> Mean:
        count = sum(map(len, self.games.values()))
        if not count:
            return Mean(decisions=0, mean=None, low=None, high=None)
        mean = sum(map(sum, self.games.values())) / count
        groups = len(self.games)
        if groups == 1:
            return Mean(decisions=count, mean=mean, low=None, high=None)
        spread = sum((sum(own) - mean * len(own)) ** 2 for own in self.games.values())
        error = math.sqrt(groups / (groups - 1) * spread) / count
        reach = NormalDist().inv_cdf((1 + CONFIDENCE) / 2) * error
        return Mean(decisions=count, mean=mean, low=mean - reach, high=mean + reach)


_Key = tuple[str, str, Form | None]
_ALL: _Key = ("all", "all decisions", None)


def loss_report(session: Session, sample: Sample) -> LossReport:
    """What the finished reviews of a sample say."""
    rows = store.reviews.of_matches(session, sorted({game.match_id for game in sample.games}))
    found = {(row.match_id, row.pass_no, row.game_no): row for row in rows}
    own: dict[_Key, _Tally] = defaultdict(_Tally)
    others: dict[_Key, _Tally] = defaultdict(_Tally)
    costly: list[Costly] = []
    reviewed = waiting = 0
    for number, game in enumerate(sample.games):
        row = found.get((game.match_id, game.pass_no, game.game_no))
        document = None if row is None else store.reviews.document(row)
        if row is None or document is None:
            waiting += row is not None and row.state is not ReviewState.FAILED
            continue
        reviewed += 1
        form = Form(game.rules, game.advanced)
        for round_no, step, phase in _phased(document):
            mine = step["seat"] == game.seat
            for key in _keys(form, step, phase, game.version if mine else None):
                (own if mine else others)[key].games[number].append(step["loss"])
            if mine and is_clear(step):
                costly.append(Costly(game=game, round=round_no, step=step))
    costly.sort(key=lambda one: -float(one.step["loss"]))
    return LossReport(
        sample=sample,
        reviewed=reviewed,
        waiting=waiting,
        groups=list(_groups(own, others)),
        costliest=costly[:COSTLIEST],
    )


def _phased(document: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any], str]]:
    """The bots' own decisions with the third of their round."""
    turns = [
        max((step["turn"] for step in part["steps"]), default=0) for part in document["rounds"]
    ]
    for round_no, step in steps_of(document):
        if step["by"] == "bot":
            phase = step["turn"] * len(PHASES) // (turns[round_no] + 1)
            yield round_no, step, PHASES[phase]


def _keys(form: Form, step: Mapping[str, Any], phase: str, version: int | None) -> list[_Key]:
    names = [("rules", str(form)), ("kind", str(step["kind"])), ("phase", phase)]
    if version is not None:
        names.append(("version", f"v{version}"))
    return [_ALL, *((by, name, form) for by, name in names)]


def _groups(own: Mapping[_Key, _Tally], others: Mapping[_Key, _Tally]) -> Iterator[Group]:
    order = ("all", "rules", "kind", "phase", "version")

    def place(key: _Key) -> tuple[object, ...]:
        by, name, form = key
        return form or (), order.index(by), PHASES.index(name) if by == "phase" else 0, name

    for key in sorted(own, key=place):
        by, name, form = key
        beside = ("rules", str(form), form) if by == "version" else key
        yield Group(
            by=by, name=name, form=form, games=len(own[key].games),
            own=own[key].mean(), field=others.get(beside, _Tally()).mean(),
        )  # fmt: skip


def missing_reviews(session: Session, sample: Sample) -> list[BotGame]:
    """The games of a sample that have no review and none on its way."""
    ids: Sequence[int] = sorted({game.match_id for game in sample.games})
    known = {
        (row.match_id, row.pass_no, row.game_no)
        for row in store.reviews.of_matches(session, ids)
        if row.state is not ReviewState.FAILED
    }
    return [one for one in sample.games if (one.match_id, one.pass_no, one.game_no) not in known]
