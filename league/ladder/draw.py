"""The ladder's next tables: states in, tables out.

Uncertain, new and idle bots come first, their opponents evenly from the field; every fifth table
is random, and no bot waits for ever. A table is drawn only from a pool clearly larger than itself:
if the bots that have just become free are the next table, the same tables come round for ever.
What a table costs does not depend on the size of the field: `tests/league/ladder/plain_draw.py`
prices every bot for every table instead, and a test compares the laws of the two.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import erfc, sqrt
from random import Random

from league.ladder.entrants import BotStatus, LadderBot, LadderSettings, LadderTable, TableReason
from league.ladder.urns import Urn, WeightedUrn

TRIES = 60
"""After this many bots that may not or will not sit down, all that may are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The bots of a ladder, as far as time and matches do not change them."""

    players: tuple[LadderBot, ...]
    """Those that can be drawn, each fingerprint once, in the order of their names."""
    anchors: tuple[LadderBot, ...]
    """Those that fill seats, if they are quick enough."""
    urgency: tuple[float, ...]
    """Of each player: doubt about its order, and newness."""


def make_roster(bots: Sequence[LadderBot], settings: LadderSettings | None = None) -> Roster:
    """Who can be drawn; what this computes holds until a bot or a rating changes."""
    settings = settings or LadderSettings()
    ordered = sorted(bots, key=lambda bot: bot.bot)
    players = tuple(bot for bot in _entrants(ordered) if bot.status is BotStatus.READY)
    return Roster(
        players=players,
        anchors=tuple(bot for bot in ordered if bot.anchor),
        urgency=_urgency(players, settings),
    )


def choose(
    bots: Sequence[LadderBot],
    *,
    count: int,
    seed: int,
    settings: LadderSettings | None = None,
    meetings: Mapping[frozenset[str], int] | None = None,
) -> tuple[LadderTable, ...]:
    """Draw up to `count` tables. `meetings` counts recent meetings of pairs of bots."""
    settings = settings or LadderSettings()
    roster = make_roster(bots, settings)
    idle = [bot.idle_seconds for bot in roster.players]
    flying = [bot.in_flight for bot in roster.players]
    return draw_tables(
        roster, idle, flying, count=count, seed=seed, settings=settings, meetings=meetings or {}
    )


def draw_tables(
    roster: Roster,
    idle: Sequence[float],
    flying: Sequence[int],
    *,
    count: int,
    seed: int,
    settings: LadderSettings,
    meetings: Mapping[frozenset[str], int],
) -> tuple[LadderTable, ...]:
    """The same for a roster that is at hand: how long each player is idle, and its matches."""
    if settings.paused or settings.workers < 1:
        return ()
    drawing = _Drawing(roster, idle, flying, settings, meetings, Random(seed))
    tables: list[LadderTable] = []
    while len(tables) < count and (table := drawing.table()) is not None:
        tables.append(table)
    return tuple(tables)


def pool_size(owners: int, seats: int) -> int:
    """Of how many owners there must be free bots before a table is drawn.

    Half of the field, and half as many again as sit at a table; where there are fewer, all.

    >>> [pool_size(owners, 4) for owners in (3, 4, 6, 7, 10, 40)]
    [3, 4, 6, 6, 6, 20]
    """
    return min(owners, max(seats + -(-seats // 2), -(-owners // 2)))


def most_at_once(owners: int, seats: int, cap: int) -> int:
    """Matches that can be on their way at once, if each is drawn from a pool of that size.

    >>> [most_at_once(owners, 4, 2) for owners in (4, 6, 7, 10, 40)]
    [2, 2, 3, 4, 16]
    """
    pool = pool_size(owners, seats)
    taken = cap * (owners - pool) + (cap - 1) * pool
    return 1 + taken // max(1, min(seats, owners))


def _entrants(bots: Sequence[LadderBot]) -> list[LadderBot]:
    """One bot for each fingerprint: the earliest that is ready."""
    first: dict[str, LadderBot] = {}
    for bot in sorted(bots, key=lambda b: (b.status is not BotStatus.READY, b.submitted, b.bot)):
        if not bot.anchor:
            first.setdefault(bot.fingerprint or f"only:{bot.bot}", bot)
    return sorted(first.values(), key=lambda bot: bot.bot)


def weights(bots: Sequence[LadderBot], settings: LadderSettings) -> dict[str, float]:
    """How urgently each bot wants a match: doubt about its order, newness, waiting time."""
    return {
        bot.bot: settings.base_weight + urgency + bot.idle_seconds / settings.longest_wait
        for bot, urgency in zip(bots, _urgency(bots, settings), strict=True)
    }


def _urgency(bots: Sequence[LadderBot], settings: LadderSettings) -> tuple[float, ...]:
    """Doubt and newness of each bot; doubt is the mean over its neighbours in the order."""
    order = sorted(range(len(bots)), key=lambda i: (-bots[i].elo, bots[i].bot))
    doubt = [0.0] * len(bots)
    for one, two in pairwise(order):
        wrong = _misordered(bots[one], bots[two])
        doubt[one] += wrong
        doubt[two] += wrong
    for i in order[1:-1]:
        doubt[i] /= 2
    newcomer = settings.newcomer_games
    return tuple(
        one + max(0.0, 1.0 - bot.games / newcomer) for one, bot in zip(doubt, bots, strict=True)
    )


def _misordered(one: LadderBot, two: LadderBot) -> float:
    """Chance that two neighbours stand in the wrong order; a coin when nothing is known."""
    if one.deviation is None or two.deviation is None:
        return 0.5
    error = sqrt(one.deviation**2 + two.deviation**2)
    # The lower tail of the normal distribution at minus the difference.
    return 0.5 * erfc(abs(one.elo - two.elo) / error / sqrt(2)) if error > 0 else 0.0


class _Drawing:
    """What changes while several tables are drawn in one go; players are numbers here."""

    def __init__(
        self,
        roster: Roster,
        idle: Sequence[float],
        flying: Sequence[int],
        settings: LadderSettings,
        meetings: Mapping[frozenset[str], int],
        rng: Random,
    ) -> None:
        self._roster, self._settings, self._meetings = roster, settings, meetings
        self._rng = rng
        self._idle, self._flying = idle, list(flying)
        self._names = [bot.bot for bot in roster.players]
        self._owner = [bot.owner for bot in roster.players]
        self._anchors = [bot for bot in roster.anchors if settings.lets_fill(bot)]
        # How many owners must have a free bot, or the next table has to wait.
        self._pool = pool_size(len(set(self._owner)), settings.seats)
        self._free = Urn(i for i, flown in enumerate(self._flying) if flown < settings.cap)
        self._owners = Counter(self._owner[i] for i in self._free.numbers)
        half = settings.longest_wait / 2
        late = [i for i in self._free.numbers if idle[i] >= half and not self._flying[i]]
        self._late = Urn(late)
        # The one that has waited longest is the last.
        self._waiting = sorted(late, key=lambda i: (idle[i], self._names[i]))
        self._drawn: set[int] = set()
        self._urgent: WeightedUrn | None = None

    def table(self) -> LadderTable | None:
        """The next table; None: there is none now.

        Opponents are bots of different owners, so how many seats are left for anchor bots is known
        before anything is drawn, and is the same whoever is drawn first.
        """
        if len(self._owners) < self._pool and not self._late:
            return None
        wanted = min(self._settings.seats, len(self._owners))
        short = self._settings.seats - wanted
        if not wanted or short > len(self._anchors):
            return None
        first, reason = self._first()
        others = self._opponents(first, reason, wanted - 1)
        fill = _fillers(self._anchors, short, self._rng)
        for i in (first, *others):
            self._seat(i)
        return LadderTable(
            bots=(*(self._names[i] for i in (first, *others)), *(bot.bot for bot in fill)),
            reason=reason,
            anchors=tuple(bot.bot for bot in fill),
        )

    def _first(self) -> tuple[int, TableReason]:
        if self._late:
            while self._waiting[-1] not in self._late:
                self._waiting.pop()
            return self._waiting[-1], TableReason.WAITED
        if self._rng.random() < self._settings.random_share:
            return self._free.draw(self._rng), TableReason.RANDOM
        if self._urgent is None:
            self._urgent = WeightedUrn(map(self._weight, range(len(self._names))))
        return self._urgent.draw(self._rng), TableReason.WEIGHT

    def _weight(self, i: int) -> float:
        if i not in self._free:
            return 0.0
        if i in self._drawn:
            # A bot that has just been drawn is no longer idle, and others are more urgent.
            return self._settings.base_weight
        waited = self._idle[i] / self._settings.longest_wait
        return self._settings.base_weight + self._roster.urgency[i] + waited

    def _opponents(self, first: int, reason: TableReason, count: int) -> list[int]:
        """Evenly from the field, rare opponents first; a bot that has waited too long precedes all.

        Each is drawn from all that are left: a race at nearly equal speeds, even in the long run,
        never a fixed order.
        """
        even = reason is TableReason.RANDOM
        owners, chosen = {self._owner[first]}, list[int]()
        for urn in (self._free,) if even else (self._late, self._free):
            while len(chosen) < count:
                found = self._opponent(urn, first, owners, even=even)
                if found is None:
                    break
                owners.add(self._owner[found])
                chosen.append(found)
        return chosen

    def _opponent(self, urn: Urn, first: int, owners: set[str], *, even: bool) -> int | None:
        """One of an urn, whose owner has no seat yet; None: there is none.

        A bot that has met the first n times lately sits down with a chance of 1/(1+n); so the one
        that does is drawn by these weights, however many were asked before.
        """
        rng = self._rng
        for _ in range(TRIES if urn else 0):
            i = urn.draw(rng)
            if self._owner[i] not in owners:
                met = 1 if even else self._met(first, i)
                if met == 1 or rng.random() * met < 1:
                    return i
        left = [i for i in urn.numbers if self._owner[i] not in owners]
        if not left:
            return None
        return rng.choices(left, [1.0 if even else 1 / self._met(first, i) for i in left])[0]

    def _met(self, one: int, two: int) -> int:
        return 1 + self._meetings.get(frozenset((self._names[one], self._names[two])), 0)

    def _seat(self, i: int) -> None:
        """A player has one match more."""
        self._flying[i] += 1
        self._drawn.add(i)
        self._late.remove(i)
        if self._flying[i] >= self._settings.cap:
            self._free.remove(i)
            owner = self._owner[i]
            self._owners[owner] -= 1
            if not self._owners[owner]:
                del self._owners[owner]
        if self._urgent is not None:
            self._urgent.set(i, self._weight(i))


def _fillers(anchors: list[LadderBot], count: int, rng: Random) -> list[LadderBot]:
    """Anchor bots for empty seats: bots known to be quick before bots without a measured time."""
    if not count:
        return []
    drawn = rng.sample(anchors, len(anchors))
    return sorted(drawn, key=lambda bot: bot.think_seconds is None)[:count]


def feasible_wait(bots: int, seats: int, match_seconds: float, slots: int) -> float:
    """The longest wait that a fleet can promise: four times what one match for every bot takes.

    >>> feasible_wait(40, 4, 60.0, 2)
    1200.0
    """
    turns = -(-bots // seats) / max(1, slots)
    return 4.0 * turns * match_seconds


def keeps_failing(
    outs: Sequence[bool], *, row: int = 3, share: float = 0.5, last: int = 10
) -> bool:
    """Should a bot be suspended? `outs` says, oldest first, in which matches it was out.

    Three in a row, or half of the last ten.

    >>> keeps_failing([False, True, True, True]), keeps_failing([True, False, True])
    (True, False)
    """
    recent = list(outs[-last:])
    return (len(outs) >= row and all(outs[-row:])) or (
        len(recent) == last and sum(recent) >= share * last
    )
