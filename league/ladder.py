"""The life of a ladder: opened and closed, bots entered and taken out, matches made for it.

One ladder for each rules, options and table size. Every function may run twice and in two places.
"""

import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from dataclasses import replace as changed
from itertools import combinations
from random import Random
from typing import Any

import sqlalchemy as sa
from sqlmodel import Session, col, select

import nimmt
import store
from league import ladder_field, ladder_rules
from league.matchmaking import choose
from league.seasons import DEFAULT_BOARDS, DEFAULT_TIME, DUPLICATE_BELOW, Actor, SeasonError
from store import Doorbell, Ladder, Match, MatchKind, Seat, Store

REMEMBERED = 200
"""How many of a ladder's latest matches count as recent meetings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderPlan:
    """What an organiser chooses when a ladder is opened."""

    rules: str
    options: Mapping[str, Any] = field(default_factory=dict)
    table_size: int = 4
    boards: int = DEFAULT_BOARDS
    time: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_TIME))
    longest_wait: float | None = None
    cap: int = ladder_rules.DEFAULT_CAP


def open_ladder(session: Session, plan: LadderPlan, actor: Actor) -> Ladder:
    """Open the ladder of these rules, options and table size; made if it is not there yet.

    A ladder that exists keeps its results; boards and time are those of the matches to come.
    """
    try:
        rules = nimmt.get(plan.rules, plan.options)
        rules.check_players(plan.table_size)
    except nimmt.RulesError as error:
        raise SeasonError(str(error)) from None
    if plan.boards < 1 or plan.cap < 1:
        raise SeasonError("a ladder needs at least one board a match and a cap of one match")
    if plan.longest_wait is not None and plan.longest_wait <= 0:
        raise SeasonError(f"the longest wait must be above 0 seconds, got {plan.longest_wait!r}")
    duplicated = plan.table_size < DUPLICATE_BELOW
    boards = plan.boards if duplicated else -(-plan.boards // plan.table_size) * plan.table_size
    passes = plan.table_size if duplicated else 1
    ladder = store.seasons.ladder(
        session, rules.name, dict(rules.options), plan.table_size, boards=boards, passes=passes
    )
    ladder = store.locked(session, Ladder, ladder.id)
    ladder.boards, ladder.passes, ladder.time = boards, passes, dict(plan.time)
    ladder.is_open = True
    kept = ladder_rules.read(session, ladder.id)
    ladder_rules.write(
        session, ladder.id, changed(kept, longest_wait=plan.longest_wait, cap=plan.cap)
    )
    session.flush()
    _audit(session, actor, "ladder.open", ladder.id, {"key": ladder.key, "boards": boards})
    return ladder


def close(session: Session, ladder_id: int, actor: Actor) -> Ladder:
    """Make no more matches; those that are queued or running are still played and count."""
    ladder = store.locked(session, Ladder, ladder_id)
    if not ladder.is_open:
        raise SeasonError(f"ladder {ladder_id} is closed already")
    ladder.is_open = False
    session.flush()
    _audit(session, actor, "ladder.close", ladder_id, {})
    return ladder


def enter(session: Session, ladder_id: int, full_name: str, actor: Actor) -> None:
    """Let a bot play that was taken out, or a house bot compete for a place.

    Other bots need no entering: they play on every ladder of their rules.
    """
    ladder, bot = store.locked(session, Ladder, ladder_id), _bot(session, full_name)
    if ladder.rules not in bot.rules:
        raise SeasonError(f"{full_name} plays {', '.join(bot.rules)}, not {ladder.rules}")
    rules = ladder_rules.read(session, ladder_id)
    ladder_rules.write(session, ladder_id, ladder_rules.put_in(rules, bot.id, house=bot.is_anchor))
    _audit(session, actor, "ladder.enter", ladder_id, {"bot": full_name})


def take_out(
    session: Session,
    ladder_id: int,
    full_name: str,
    actor: Actor,
    reason: str,
    *,
    by_author: bool = False,
) -> None:
    """Withdraw a bot at its author's wish, or disqualify it; its results so far stay rated."""
    if not by_author and not reason.strip():
        raise SeasonError("a disqualification needs a reason that everybody can read")
    store.locked(session, Ladder, ladder_id)
    bot = _bot(session, full_name)
    rules = ladder_rules.read(session, ladder_id)
    out = ladder_rules.take_out(rules, bot.id, reason, by_author=by_author)
    ladder_rules.write(session, ladder_id, out)
    action = "ladder.withdraw" if by_author else "ladder.disqualify"
    _audit(session, actor, action, ladder_id, {"bot": full_name}, reason)


def _bot(session: Session, full_name: str) -> store.Bot:
    bot = store.bots.find_bot(session, full_name)
    if bot is None:
        raise SeasonError(f"there is no bot {full_name!r}; bots are named OWNER/NAME")
    return bot


def fill(database: Store, room: int) -> list[Doorbell]:
    """Make ladder matches for `room` free places in the queue.

    A ladder with nothing in flight gets one match even when there is no room: a season that runs
    for days must not stop it.
    """
    with database.read() as session:
        waiting = _flying(session)
        ladders = sorted(
            (waiting.get(one.id, 0), one.id)
            for one in store.seasons.ladders(session, only_open=True)
        )
    bells: list[Doorbell] = []
    for place, (flying, ladder_id) in enumerate(ladders):
        share = -(-(room - len(bells)) // (len(ladders) - place))
        count = max(share, 0 if flying else 1)
        if count > 0:
            with database.write() as session:
                bells += make_matches(session, ladder_id, count)
    return bells


def make_matches(
    session: Session, ladder_id: int, count: int, *, seed: int | None = None
) -> list[Doorbell]:
    """Draw up to `count` tables and queue their matches, all in one transaction."""
    # The lock: two clocks at once would both see the same bots idle.
    ladder = store.locked(session, Ladder, ladder_id)
    if not ladder.is_open:
        return []
    bots = ladder_field.field(session, ladder)
    settings = ladder_field.matchmaking(session, ladder, bots)
    drawn = secrets.randbits(32) if seed is None else seed
    tables = choose(
        bots, count=count, seed=drawn, settings=settings, meetings=_meetings(session, ladder_id)
    )
    rng = Random(drawn)
    new = [
        store.NewMatch(
            kind=MatchKind.LADDER,
            rules=ladder.rules,
            options=ladder.options,
            versions=tuple(int(bot) for bot in rng.sample(table.bots, len(table.bots))),
            boards=ladder.boards,
            passes=ladder.passes,
            key=secrets.token_bytes(32),
            time=ladder.time,
            ladder_id=ladder.id,
        )
        for table in tables
    ]
    return store.matches.publish(session, store.matches.plan(session, new))


def _flying(session: Session) -> dict[int, int]:
    query = (
        sa.select(col(Match.ladder_id), sa.func.count())
        .where(col(Match.kind) == MatchKind.LADDER, col(Match.state).in_(ladder_field.IN_FLIGHT))
        .group_by(col(Match.ladder_id))
    )
    return {ladder_id: int(count) for ladder_id, count in session.execute(query)}


def _meetings(session: Session, ladder_id: int) -> Counter[frozenset[str]]:
    """How often two versions met lately."""
    recent = store.pages.matches(session, ladder_id=ladder_id, limit=REMEMBERED)
    query = select(Seat.match_id, Seat.version_id)
    rows = session.exec(query.where(col(Seat.match_id).in_([match.id for match in recent])))
    tables: dict[int, list[str]] = {}
    for match_id, version_id in rows:
        tables.setdefault(match_id, []).append(str(version_id))
    return Counter(frozenset(pair) for table in tables.values() for pair in combinations(table, 2))


def _audit(
    session: Session,
    actor: Actor,
    action: str,
    ladder_id: int,
    detail: store.JsonDict,
    reason: str = "",
) -> None:
    store.journal.record(
        session, action, "ladder", ladder_id, actor=actor, reason=reason, detail=detail
    )
