"""Ratings of people on the scale of the bots they played: the bots' stay fixed, so nothing of a
season or ladder can move. Pure; which games count is decided by whoever gathers them.

Places are compared pair by pair, as in `official`, and a game is the unit of the errors: what
happens to one person in one game hangs together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from league.arrays import Flags, Floats, Ints
from league.ratings.official import ELO_PER_LOGIT
from league.ratings.quantiles import normal_quantile, z_as_t

FEWEST_GAMES = 10
FEWEST_ROUNDS = 20
"""Before that many games and rounds a person has no rating: it would say more about luck."""
RIDGE = 0.3
"""Games that are drawn with the bots met, so that whoever always wins stays finite."""
LEVEL = 0.95
_STEPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class BotStrength:
    """A bot's official rating, which stays as it is."""

    elo: float
    error: float = 0.0
    """Its standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleGame:
    """One game with people; both tuples go by seat."""

    seats: tuple[str, ...]
    """A person, or a bot of those whose ratings are known; others are left out."""
    places: tuple[int, ...]
    rounds: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonRating:
    """What is known of one person."""

    person: str
    games: int
    rounds: int
    elo: float | None
    """None: too few games or rounds, or results that never vary."""
    half: float | None
    """Half the 95 % interval."""

    @property
    def games_missing(self) -> int:
        """Games until there are enough."""
        return max(0, FEWEST_GAMES - self.games)

    @property
    def rounds_missing(self) -> int:
        """Rounds until there are enough."""
        return max(0, FEWEST_ROUNDS - self.rounds)


def abandoned_places(people: Sequence[bool]) -> tuple[int, ...]:
    """The places of a game that was begun and never ended: its people lose to every bot.

    >>> abandoned_places([False, True, False, True])
    (1, 3, 1, 3)
    """
    last = 1 + sum(not person for person in people)
    return tuple(last if person else 1 for person in people)


def rate_people(
    games: Sequence[PeopleGame], bots: Mapping[str, BotStrength], people: Sequence[str]
) -> list[PersonRating]:
    """Rate these people by all their games at once, best first; the order of play is nothing."""
    found: list[PersonRating] = []
    for who, played in _companies(games, sorted(set(people))):
        found += _rate(played, bots, who)
    return sorted(found, key=lambda one: (one.elo is None, -(one.elo or 0.0), one.person))


def _companies(
    games: Sequence[PeopleGame], people: Sequence[str]
) -> Iterator[tuple[list[str], list[PeopleGame]]]:
    """People who met, directly or through others, with their games. Each company is rated by
    itself: what is worked out for one grows with the square of its people."""
    games_of: dict[str, list[int]] = {person: [] for person in people}
    for number, game in enumerate(games):
        for seat in set(game.seats) & games_of.keys():
            games_of[seat].append(number)
    left = set(people)
    for first in people:
        if first not in left:
            continue
        left.remove(first)
        who, numbers, open_ones = [first], set[int](), [first]
        while open_ones:
            for number in games_of[open_ones.pop()]:
                if number not in numbers:
                    numbers.add(number)
                    met = sorted(set(games[number].seats) & left)
                    left.difference_update(met)
                    who += met
                    open_ones += met
        yield sorted(who), [games[number] for number in sorted(numbers)]


def _rate(
    games: Sequence[PeopleGame], bots: Mapping[str, BotStrength], who: Sequence[str]
) -> list[PersonRating]:
    pairs = _pairs(games, bots, who)
    theta = _newton(pairs, len(who))
    errors = _errors(pairs, theta, bots, len(who))
    played = np.zeros(len(who), dtype=np.int64)
    rounds = np.zeros(len(who), dtype=np.int64)
    # A game without anybody to compare with says nothing, and makes no rating surer.
    for number, at in set(zip(pairs.game.tolist(), pairs.own.tolist(), strict=True)):
        played[at] += 1
        rounds[at] += games[number].rounds
    varies = _varies(pairs, len(who))
    found = []
    for at, person in enumerate(who):
        enough = played[at] >= FEWEST_GAMES and rounds[at] >= FEWEST_ROUNDS and varies[at]
        freedom = np.array([max(1.0, float(played[at]) - 1.0)])
        quantile = float(z_as_t(normal_quantile(0.5 + LEVEL / 2), freedom)[0])
        found.append(
            PersonRating(
                person=person,
                games=int(played[at]),
                rounds=int(rounds[at]),
                elo=float(ELO_PER_LOGIT * theta[at]) if enough else None,
                half=float(quantile * errors[at]) if enough else None,
            )
        )
    return found


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Pairs:
    """Every person beside every rated bot and every other person of a game."""

    game: Ints
    own: Ints
    other: Ints
    """Index of the other person, or -1 for a bot."""
    level: Floats
    """The bot's rating in logits; 0 for a person."""
    bot: tuple[str, ...]
    score: Floats


def _pairs(
    games: Sequence[PeopleGame], bots: Mapping[str, BotStrength], who: Sequence[str]
) -> _Pairs:
    index = {person: at for at, person in enumerate(who)}
    rows = []
    for number, game in enumerate(games):
        for seat, person in enumerate(game.seats):
            if person not in index:
                continue
            for beside, other in enumerate(game.seats):
                if beside == seat or other == person or not (other in index or other in bots):
                    continue
                ahead = game.places[seat] - game.places[beside]
                score = 0.5 if ahead == 0 else float(ahead < 0)
                level = 0.0 if other in index else bots[other].elo / ELO_PER_LOGIT
                bot = "" if other in index else other
                rows.append((number, index[person], index.get(other, -1), level, bot, score))
    columns = list(zip(*rows, strict=True)) if rows else [()] * 6
    return _Pairs(
        game=np.array(columns[0], dtype=np.int64),
        own=np.array(columns[1], dtype=np.int64),
        other=np.array(columns[2], dtype=np.int64),
        level=np.array(columns[3], dtype=np.float64),
        bot=tuple(columns[4]),
        score=np.array(columns[5], dtype=np.float64),
    )


def _levels(pairs: _Pairs, theta: Floats) -> Floats:
    """The rating of the opponent in each pair, in logits."""
    if not len(theta):
        return pairs.level
    met: Floats = np.where(pairs.other >= 0, theta[np.maximum(pairs.other, 0)], pairs.level)
    return met


def _chance(pairs: _Pairs, theta: Floats) -> Floats:
    gap = np.clip(theta[pairs.own] - _levels(pairs, theta), -60.0, 60.0)
    chance: Floats = 1.0 / (1.0 + np.exp(-gap))
    return chance


def _centres(pairs: _Pairs, n: int) -> Floats:
    """The mean rating of the bots that each person met: what the ridge draws to."""
    is_bot = pairs.other < 0
    total = np.bincount(pairs.own[is_bot], weights=pairs.level[is_bot], minlength=n)
    count = np.bincount(pairs.own[is_bot], minlength=n)
    everyone = float(pairs.level[is_bot].mean()) if is_bot.any() else 0.0
    centres: Floats = np.where(count > 0, total / np.maximum(count, 1), everyone)
    return centres


def _information(pairs: _Pairs, chance: Floats, n: int) -> Floats:
    weight = chance * (1.0 - chance)
    information = np.diag(np.bincount(pairs.own, weights=weight, minlength=n) + RIDGE)
    among = pairs.other >= 0
    np.add.at(information, (pairs.own[among], pairs.other[among]), -weight[among])
    return information


def _newton(pairs: _Pairs, n: int) -> Floats:
    """Maximise the penalised likelihood, which is strictly concave; steps are kept short."""
    centres = _centres(pairs, n)
    theta = centres.copy()
    for _ in range(_STEPS):
        chance = _chance(pairs, theta)
        surprise = np.bincount(pairs.own, weights=pairs.score - chance, minlength=n)
        gradient: Floats = surprise.astype(np.float64) - RIDGE * (theta - centres)
        if not n or float(np.abs(gradient).max()) < 1e-10:
            break
        step = np.linalg.solve(_information(pairs, chance, n), gradient)
        theta = theta + np.clip(step, -1.0, 1.0)
    return theta


def _errors(pairs: _Pairs, theta: Floats, bots: Mapping[str, BotStrength], n: int) -> Floats:
    """Standard errors in Elo: robust to what hangs together in a game, and with the bots' own."""
    if not len(pairs.own):
        return np.zeros(n)
    chance = _chance(pairs, theta)
    inverse = np.linalg.inv(_information(pairs, chance, n))
    scores = np.zeros((int(pairs.game.max()) + 1, n))
    np.add.at(scores, (pairs.game, pairs.own), pairs.score - chance)
    games = np.maximum(np.count_nonzero(_present(pairs, n), axis=0), 2).astype(np.float64)
    factor = np.sqrt(games / (games - 1.0))
    meat = (scores.T @ scores) * factor[:, None] * factor[None, :]
    names = sorted(set(pairs.bot) - {""})
    shares = np.zeros((n, len(names)))
    for own, bot, weight in zip(pairs.own, pairs.bot, chance * (1.0 - chance), strict=True):
        if bot:
            shares[own, names.index(bot)] += weight
    noise = np.array([(bots[name].error / ELO_PER_LOGIT) ** 2 for name in names])
    meat = meat + (shares * noise[None, :]) @ shares.T
    spread = np.diag(inverse @ meat @ inverse.T)
    errors: Floats = ELO_PER_LOGIT * np.sqrt(np.maximum(spread, 0.0))
    return errors


def _present(pairs: _Pairs, n: int) -> Floats:
    present = np.zeros((int(pairs.game.max()) + 1, n))
    present[pairs.game, pairs.own] = 1.0
    return present


def _varies(pairs: _Pairs, n: int) -> Flags:
    """Whether a person's results ever differ: who always wins, or always loses, has no interval."""
    lowest, highest = np.full(n, np.inf), np.full(n, -np.inf)
    np.minimum.at(lowest, pairs.own, pairs.score)
    np.maximum.at(highest, pairs.own, pairs.score)
    varies: Flags = highest > lowest
    return varies
