"""The ladder's next tables: states in, tables out.

Uncertain, new and idle bots come first, their opponents evenly from the field; every fifth table
is random, and no bot waits for ever. A table is drawn only from a pool clearly larger than itself:
if the bots that have just become free are the next table, the same tables come round for ever.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random
from statistics import NormalDist

from league.ladder.entrants import BotStatus, LadderBot, LadderSettings, LadderTable, TableReason


@dataclass(slots=True)
class PlayingField:
    """What changes while several tables are drawn in one go."""

    players: list[LadderBot]
    anchors: list[LadderBot]
    flying: dict[str, int]
    pool: int
    """How many owners must have a free bot, or the next table has to wait."""
    drawn: set[str] = field(default_factory=set)
    weight: dict[str, float] = field(default_factory=dict)
    """How urgently each wants a match; what is computed once serves for all tables."""


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
    if settings.paused or settings.workers < 1:
        return ()
    rng = Random(seed)
    state = playing_field(bots, settings)
    tables: list[LadderTable] = []
    for _ in range(count):
        table = _table(state, settings, meetings or {}, rng)
        if table is None:
            break
        for bot in table.bots:
            if bot in state.flying:
                state.flying[bot] += 1
                state.drawn.add(bot)
        tables.append(table)
    return tuple(tables)


def playing_field(bots: Sequence[LadderBot], settings: LadderSettings) -> PlayingField:
    """The bots that can be drawn, each fingerprint once, and the anchor bots that may fill."""
    ordered = sorted(bots, key=lambda bot: bot.bot)
    players = [bot for bot in _entrants(ordered) if bot.status is BotStatus.READY]
    return PlayingField(
        players=players,
        anchors=[bot for bot in ordered if bot.anchor and settings.lets_fill(bot)],
        flying={bot.bot: bot.in_flight for bot in players},
        pool=pool_size(len({bot.owner for bot in players}), settings.seats),
    )


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
    ordered = sorted(bots, key=lambda bot: (-bot.elo, bot.bot))
    weight: dict[str, float] = {}
    for place, bot in enumerate(ordered):
        near = [ordered[i] for i in (place - 1, place + 1) if 0 <= i < len(ordered)]
        doubt = sum(_misordered(bot, other) for other in near) / max(1, len(near))
        newness = max(0.0, 1.0 - bot.games / settings.newcomer_games)
        waiting = bot.idle_seconds / settings.longest_wait
        weight[bot.bot] = settings.base_weight + doubt + newness + waiting
    return weight


def _misordered(one: LadderBot, two: LadderBot) -> float:
    """Chance that two neighbours stand in the wrong order; a coin when nothing is known."""
    if one.deviation is None or two.deviation is None:
        return 0.5
    error = sqrt(one.deviation**2 + two.deviation**2)
    return NormalDist().cdf(-abs(one.elo - two.elo) / error) if error > 0 else 0.0


def _table(
    state: PlayingField,
    settings: LadderSettings,
    meetings: Mapping[frozenset[str], int],
    rng: Random,
) -> LadderTable | None:
    free = [bot for bot in state.players if state.flying[bot.bot] < settings.cap]
    # A bot that has just been drawn is no longer idle.
    late = [
        bot
        for bot in free
        if bot.bot not in state.drawn
        and state.flying[bot.bot] == 0
        and bot.idle_seconds >= settings.longest_wait / 2
    ]
    if len({bot.owner for bot in free}) < state.pool and not late:
        return None
    dice = rng.random()
    tried: set[str] = set()
    while len(tried) < len(free):
        rest = [bot for bot in free if bot.bot not in tried]
        first, reason = _first(rest, late, settings, dice, state, rng)
        tried.add(first.bot)
        others = _opponents(first, free, late, reason, settings, meetings, rng)
        short = settings.seats - 1 - len(others)
        fill = _fillers(state.anchors, short, rng)
        if fill is not None and (others or fill):
            return LadderTable(
                bots=(first.bot, *(bot.bot for bot in (*others, *fill))),
                reason=reason,
                anchors=tuple(bot.bot for bot in fill),
            )
    return None


def _fillers(anchors: list[LadderBot], count: int, rng: Random) -> list[LadderBot] | None:
    """Anchor bots for empty seats: bots known to be quick before bots without a measured time."""
    if count > len(anchors):
        return None
    drawn = rng.sample(anchors, len(anchors))
    return sorted(drawn, key=lambda bot: bot.think_seconds is None)[:count]


def _first(
    rest: list[LadderBot],
    late: list[LadderBot],
    settings: LadderSettings,
    dice: float,
    state: PlayingField,
    rng: Random,
) -> tuple[LadderBot, TableReason]:
    open_to = {bot.bot for bot in rest}
    waiting = [bot for bot in late if bot.bot in open_to]
    if waiting:
        return max(waiting, key=lambda bot: (bot.idle_seconds, bot.bot)), TableReason.WAITED
    if dice < settings.random_share:
        return rng.choice(rest), TableReason.RANDOM
    state.weight = state.weight or weights(state.players, settings)
    weight = state.weight | dict.fromkeys(state.drawn, settings.base_weight)
    return rng.choices(rest, [weight[bot.bot] for bot in rest])[0], TableReason.WEIGHT


def _opponents(
    first: LadderBot,
    free: list[LadderBot],
    late: list[LadderBot],
    reason: TableReason,
    settings: LadderSettings,
    meetings: Mapping[frozenset[str], int],
    rng: Random,
) -> list[LadderBot]:
    """Evenly from the field, rare opponents first; whoever has waited too long goes before all."""
    overdue = {bot.bot for bot in late}
    met = {
        bot.bot: 1 + meetings.get(frozenset((bot.bot, first.bot)), 0)
        for bot in free
        if bot.bot != first.bot
    }

    def price(bot: LadderBot) -> tuple[bool, float, str]:
        if reason is TableReason.RANDOM:
            return False, rng.random(), bot.bot
        # A race at nearly equal speeds: even in the long run, never a fixed order.
        return bot.bot not in overdue, rng.expovariate(1 / met[bot.bot]), bot.bot

    candidates = [(price(bot), bot) for bot in free if bot.bot != first.bot]
    candidates.sort(key=lambda pair: pair[0])
    owners, chosen = {first.owner}, list[LadderBot]()
    for _, bot in candidates:
        if len(chosen) == settings.seats - 1:
            break
        if bot.owner not in owners:
            owners.add(bot.owner)
            chosen.append(bot)
    return chosen


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
