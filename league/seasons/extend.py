"""Adaptive seasons: after the round robin, boards go to what is undecided until the end is known.

Reads and writes the store; whether a pair is decided is the maths of `stopping`.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import replace as changed
from itertools import zip_longest
from math import ceil
from random import Random
from typing import Any

import structlog
from sqlmodel import Session

import store
from league import ratings, schedule
from league.audit import LEAGUE, Action
from league.ratings import Standings
from league.seasons import life, played
from league.seasons.stopping import SeasonVerdict, Step, StopReason, matched_tables, season_verdict
from league.words import counted, duration
from store import Match, MatchKind, MatchState, Season, SeasonState, Store
from store.seasons import Progress

LOG = structlog.get_logger("league")
MOST_AT_ONCE = 4
"""Matches of a bot for one open pair before the table is looked at again."""
MOST_OF_A_STEP = 2
"""Matches of one step: a table with each of the two. Half a step would favour one of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLeft:
    """What a season still has to play, as far as that can be known."""

    matches: int
    seconds: float | None
    """None: nothing has been played yet, so the time of a match is unknown."""
    words: str


def is_adaptive(season: Season) -> bool:
    """Whether the season goes on after its round robin until the places that matter are known."""
    return bool(season.budget.get("places"))


def blocks_per_match(season: Season) -> int:
    """Blocks of one match, in either form."""
    return season.boards if season.passes > 1 else season.boards // season.table_size


def judge(season: Season, table: Standings) -> SeasonVerdict:
    """Whether the places that matter are settled, and what is still open."""
    budget: dict[str, Any] = season.budget
    return season_verdict(
        table,
        places=[int(place) for place in budget.get("places", ())],
        budget_blocks=int(budget.get("matches", 0)) * blocks_per_match(season),
    )


def advance_adaptive(database: Store, season_id: int) -> None:
    """A running season has nothing left to play: end it, or give open pairs their next boards."""
    with database.read() as session:
        season = store.seasons.season(session, season_id)
        ladder_id = store.scales.of_season(session, season_id).id
    table = ratings.refresh(database, ladder_id)
    found = None if table is None else judge(season, table)
    with database.write() as session:
        season = store.locked(session, Season, season_id)
        progress = store.seasons.progress(session, season_id)
        if season.state is not SeasonState.RUNNING or progress.open:
            # Another clock was here first.
            return
        planned = 0
        if table is not None and found is not None and not found.done:
            # Stuck matches count as spent, or a broken table would be planned for ever.
            planned = _extend(session, season, ladder_id, found, progress.total)
            if not planned and _room(season, progress.total) < MOST_OF_A_STEP:
                found = changed(found, reason=StopReason.BUDGET)
        if found is not None:
            season.verdict = verdict_json(found, table)
        session.flush()
        if not planned and not progress.counts[MatchState.STUCK]:
            life.finish(session, season_id, LEAGUE)
        played.recount(session, season_id)


def verdict_json(found: SeasonVerdict, table: Standings | None) -> store.JsonDict:
    """The verdict as `Season.verdict` keeps it for pages; bots by name and version."""
    names = {} if table is None else {row.bot: row.name for row in table.rows}
    return {
        "reason": found.reason.name.lower(),
        "words": found.reason.value,
        "open": [
            {
                "upper": names.get(pair.upper, pair.upper),
                "lower": names.get(pair.lower, pair.lower),
                "verdict": pair.verdict.name.lower(),
                "blocks_left": pair.blocks_left,
            }
            for pair in found.open_pairs
        ],
    }


def end_if_settled(database: Store, season_id: int, table: Standings) -> bool:
    """End a running adaptive season before its time when every place that matters is settled."""
    with database.read() as session:
        season = store.seasons.season(session, season_id)
    if season.state is not SeasonState.RUNNING or not is_adaptive(season):
        return False
    found = judge(season, table)
    with database.write() as session:
        season = store.locked(session, Season, season_id)
        if season.state is not SeasonState.RUNNING:
            return False
        season.verdict = verdict_json(found, table)
        session.flush()
        if found.reason is StopReason.SETTLED:
            life.finish(session, season_id, LEAGUE, early=True)
            LOG.info("season settled", season=season.name)
            return True
    return False


def _room(season: Season, spent: int) -> int:
    """Matches that the budget still allows."""
    budget: dict[str, Any] = season.budget
    return int(budget.get("matches", 0)) - spent


def _extend(
    session: Session, season: Season, ladder_id: int, found: SeasonVerdict, spent: int
) -> int:
    """Plan the next matches for what is open; returns how many."""
    tables = _within(_steps(session, season, found), _room(season, spent))
    if not tables:
        return 0
    round_no = 1 + max(
        (match.round_no or 0 for match in store.match_lists.matches(session, season_id=season.id)),
        default=0,
    )
    duplicated = season.passes > 1
    new = [
        store.NewMatch(
            kind=MatchKind.SEASON,
            rules=season.rules,
            options=season.options,
            versions=tuple(int(bot) for bot in seats),
            # What decides a place is played in duplicate form: the luck of the deal is shared.
            boards=season.boards if duplicated else max(1, season.boards // season.table_size),
            passes=season.table_size,
            key=secrets.token_bytes(32),
            time=season.time,
            season_id=season.id,
            scale_id=ladder_id,
            round_no=round_no,
            in_flight=season.in_flight,
            max_faults=season.max_faults,
        )
        for seats in tables
    ]
    made = store.matches.plan(session, new)
    commitments = [store.present(session, Match, match_id).commitment for match_id in made]
    store.audit.record(
        session,
        Action.SEASON_EXTEND,
        "season",
        season.id,
        actor=LEAGUE,
        detail={"matches": made, "commitments": commitments},
    )
    return len(made)


def _within(steps: Sequence[Step], room: int) -> list[tuple[str, ...]]:
    """The tables of the first whole steps that the budget allows."""
    tables: list[tuple[str, ...]] = []
    for step in steps:
        if len(tables) + len(step) > room:
            break
        tables += step
    return tables


def _steps(session: Session, season: Season, found: SeasonVerdict) -> list[Step]:
    """Matched tables for every open pair, the pairs taking turns."""
    owners = _owners(session, season)
    per_match = blocks_per_match(season)
    # The tables of a season must not be predictable before they are planned.
    rng = Random(secrets.randbits(64))
    drawn = [
        matched_tables(
            pair,
            owners,
            seats=season.table_size,
            steps=min(MOST_AT_ONCE, max(1, ceil((pair.blocks_left or 1) / per_match))),
            rng=rng,
        )
        for pair in found.open_pairs
    ]
    turns: list[Step] = [step for turn in zip_longest(*drawn) for step in turn if step]
    return turns or [(seats,) for seats in _another_lap(session, season, owners)]


def _owners(session: Session, season: Season) -> dict[str, str]:
    """Version -> owner of all bots that still take part; platform bots count as strangers."""
    owners: dict[str, str] = {}
    for entry in store.seasons.entries(session, season.id, only_entered=True):
        bot = store.present(session, store.Bot, entry.bot_id)
        owner = f"anchor {bot.id}" if bot.is_anchor else f"owner {bot.owner_id}"
        owners[str(entry.version_id)] = owner
    return owners


def _another_lap(session: Session, season: Season, owners: dict[str, str]) -> list[tuple[str, ...]]:
    """With too few bots for a table of their own, all play once more and anchors fill in."""
    entrants = [schedule.Entrant(bot=bot, owner=owner) for bot, owner in owners.items()]
    taken = {int(bot) for bot in owners}
    fillers = [
        str(version.id)
        for bot, version in store.bots.playable(session, season.rules)
        if bot.is_anchor and version.id not in taken
    ]
    try:
        planned = schedule.make_schedule(
            entrants, season.table_size, anchors=fillers, seed=season.id
        )
    except ValueError:
        return []
    return [one.seats for one in planned.tables]


def time_left(session: Session, season: Season, progress: Progress | None = None) -> TimeLeft:
    """Matches and time to the end: of the plan, and of what an adaptive season may add."""
    progress = progress or store.seasons.progress(session, season.id)
    matches = progress.open + _still_to_add(season, progress.done + progress.open)
    done = store.match_lists.matches(
        session, season_id=season.id, states=(MatchState.DONE,), limit=50
    )
    times = [match.seconds for match in done if match.seconds is not None]
    slots = sum(worker.slots for worker in store.workers.alive(session))
    if season.state.is_final:
        # Only what an organiser has asked to be played again can still be open.
        matches = progress.open
    if not matches:
        return TimeLeft(matches=0, seconds=0.0, words="Nothing is left to play.")
    left = counted(matches, "match is left", "matches are left")
    if not times or not slots:
        missing = "no worker is alive" if not slots else "no match is done yet"
        words = f"{left}; {missing}, so the time it takes is unknown."
        return TimeLeft(matches=matches, seconds=None, words=words)
    seconds = ceil(matches / slots) * sum(times) / len(times)
    words = f"{left}, about {duration(seconds)} on {counted(slots, 'slot')}."
    return TimeLeft(matches=matches, seconds=seconds, words=words)


def _still_to_add(season: Season, planned: int) -> int:
    """Matches that open pairs will want beyond the plan, if their gaps are what they seem."""
    budget: dict[str, Any] = season.budget
    if not is_adaptive(season):
        return 0
    room = max(0, int(budget.get("matches", 0)) - planned)
    verdict: dict[str, Any] | None = season.verdict
    pairs: Sequence[dict[str, Any]] = (verdict or {}).get("open", ())
    wanted = [pair["blocks_left"] for pair in pairs]
    if any(one is None for one in wanted):
        return room
    steps = sum(ceil(int(one) / blocks_per_match(season)) for one in wanted)
    return min(room, ceil(steps * _matches_of_a_step(season)))


def _matches_of_a_step(season: Season) -> float:
    """On the average: two tables, or the one at which the two of a pair meet."""
    bots = int(str((season.balance or {}).get("bots", 0)))
    return MOST_OF_A_STEP - min(1.0, (season.table_size - 1) / max(1, bots - 1))
