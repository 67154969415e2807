"""How many games, and how long, until a difference shows: before the season, and during it."""

from dataclasses import dataclass
from math import ceil, log, sqrt

from league.ratings import MINIMUM_BLOCKS, MIXTURE_BLOCKS, normal_quantile
from league.words import counted, duration


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """What can play: how many matches at once, how long a game takes, games in a match."""

    slots: int = 1
    seconds_per_game: float = 0.5
    games_per_match: int = 100
    start_seconds: float = 3.0
    """Per match, before its first game."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparationPlan:
    """What it takes to see a gap between two bots of a season."""

    gap: float
    level: float
    power: float
    games_per_bot: int
    """For one look at the end."""
    games_per_bot_peeking: int
    """For the settled badge, which allows looking at any time."""
    matches: int
    seconds: float
    """For the badge, on this fleet."""
    words: str
    matches_once: int = 0
    seconds_once: float = 0.0
    """For one look at the end, on this fleet."""


def blocks_fixed(gap: float, block_sd: float, *, power: float = 0.8, level: float = 0.95) -> int:
    """Blocks of differences until one test at the end finds the gap with this power.

    >>> blocks_fixed(1.7, 5.96)
    97
    """
    _check(gap, block_sd, power, level)
    z = normal_quantile(0.5 + level / 2) + normal_quantile(power)
    return max(MINIMUM_BLOCKS, ceil((z * block_sd / gap) ** 2))


def blocks_peeking(
    gap: float,
    block_sd: float,
    *,
    power: float = 0.8,
    level: float = 0.95,
    pairs: int = 1,
) -> int:
    """Blocks until the settled badge shows the gap with this power, errors shared by `pairs`."""
    _check(gap, block_sd, power, level)
    alpha = (1.0 - level) / max(1, pairs)
    reserve = normal_quantile(power)

    def shown(n: int) -> bool:
        grown = n + MIXTURE_BLOCKS
        bound = sqrt(grown * log(grown / (MIXTURE_BLOCKS * alpha**2)))
        return gap * n / block_sd >= bound + reserve * sqrt(n)

    high = MINIMUM_BLOCKS
    while not shown(high):
        high *= 2
    low = MINIMUM_BLOCKS
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle) else (middle + 1, high)
    return low


def gap_fixed(
    blocks: float, block_sd: float, *, power: float = 0.8, level: float = 0.95
) -> float | None:
    """The smallest gap that one test at the end finds with this power; None: too few blocks.

    >>> round(gap_fixed(97, 5.96), 1)
    1.7
    """
    if blocks < MINIMUM_BLOCKS:
        return None
    z = normal_quantile(0.5 + level / 2) + normal_quantile(power)
    return z * block_sd / sqrt(blocks)


def gap_peeking(
    blocks: float, block_sd: float, *, power: float = 0.8, level: float = 0.95, pairs: int = 1
) -> float | None:
    """The smallest gap that the settled badge shows with this power; None: too few blocks."""
    if blocks < MINIMUM_BLOCKS:
        return None
    grown = blocks + MIXTURE_BLOCKS
    alpha = (1.0 - level) / max(1, pairs)
    bound = sqrt(grown * log(grown / (MIXTURE_BLOCKS * alpha**2)))
    return block_sd * (bound + normal_quantile(power) * sqrt(blocks)) / blocks


def _check(gap: float, block_sd: float, power: float, level: float) -> None:
    if gap <= 0 or block_sd <= 0 or not 0.5 <= power < 1 or not 0.5 <= level < 1:
        raise ValueError(
            f"a plan needs gap and block_sd above 0, power and level from 0.5 to below 1; got gap "
            f"{gap!r}, block_sd {block_sd!r}, power {power!r}, level {level!r}"
        )


def usual_spread(seats: int) -> float:
    """The standard deviation over a block where nothing is measured: one round of 6 nimmt!."""
    return 11.92 / sqrt(seats)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeasonReach:
    """What a season of a given size costs, and what it can tell apart."""

    matches: int
    games_per_bot: int
    seconds: float
    """On this fleet."""
    gap_once: float | None
    """Points per round, for one look at the end; None: too few blocks to tell anything."""
    gap_badge: float | None
    """The same for the settled badge."""
    words: str


def season_reach(
    *,
    bots: int,
    seats: int,
    meetings: int,
    block_sd: float | None = None,
    fleet: Fleet | None = None,
    power: float = 0.8,
) -> SeasonReach:
    """The other way round: not how many games a gap needs, but which gap the games can show."""
    fleet = fleet or Fleet()
    spread = usual_spread(seats) if block_sd is None else block_sd
    seated = min(bots, seats)
    matches = ceil(meetings * (bots * (bots - 1)) / (seated * (seated - 1)))
    blocks = matches * seated / bots * fleet.games_per_match / seats
    seconds = ceil(matches / max(1, fleet.slots)) * (
        fleet.start_seconds + fleet.games_per_match * fleet.seconds_per_game
    )
    once = gap_fixed(blocks, spread, power=power)
    badge = gap_peeking(blocks, spread, power=power, pairs=bots * (bots - 1) // 2)
    shows = (
        "Too few to tell any two bots apart."
        if once is None or badge is None
        else f"They tell bots apart that differ by {once:.1f} points per round or more in one look"
        f" at the end, by {badge:.1f} or more for the settled badge."
    )
    return SeasonReach(
        matches=matches,
        games_per_bot=round(blocks * seats),
        seconds=seconds,
        gap_once=once,
        gap_badge=badge,
        words=f"About {counted(matches, 'match', 'matches')}, {duration(seconds)} on"
        f" {counted(fleet.slots, 'slot')},"
        f" {round(blocks * seats)} games per bot. {shows}",
    )


def plan_season(
    *,
    bots: int,
    seats: int,
    gap: float,
    block_sd: float | None = None,
    fleet: Fleet | None = None,
    power: float = 0.8,
    level: float = 0.95,
) -> SeparationPlan:
    """Games and time to separate bots that are `gap` points per round apart.

    `block_sd` is the standard deviation of the difference of two bots over a block; without a
    measured one, that of one round of 6 nimmt! is used (12 per game, so 6 for a block of four).
    """
    fleet = fleet or Fleet()
    spread = usual_spread(seats) if block_sd is None else block_sd
    once = blocks_fixed(gap, spread, power=power, level=level) * seats
    pairs = bots * (bots - 1) // 2
    peeking = blocks_peeking(gap, spread, power=power, level=level, pairs=pairs) * seats
    length = fleet.start_seconds + fleet.games_per_match * fleet.seconds_per_game
    matches, shorter = (
        ceil(bots * games / (seats * fleet.games_per_match)) for games in (peeking, once)
    )
    seconds, sooner = (ceil(n / max(1, fleet.slots)) * length for n in (matches, shorter))
    words = (
        f"To separate bots {gap:g} points per round apart with a chance of {power:.0%}, on "
        f"{counted(fleet.slots, 'slot')}: {once} games per bot for one look at the end at "
        f"{level:.0%}, which is {counted(shorter, 'match', 'matches')} in about "
        f"{duration(sooner)}; {peeking} games per bot for the settled badge, which is "
        f"{counted(matches, 'match', 'matches')} in about {duration(seconds)}."
    )
    return SeparationPlan(
        gap=gap,
        level=level,
        power=power,
        games_per_bot=once,
        games_per_bot_peeking=peeking,
        matches=matches,
        seconds=seconds,
        words=words,
        matches_once=shorter,
        seconds_once=sooner,
    )
