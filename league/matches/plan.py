"""A match to be planned, and from a stored match to the referee's plan; what is usual.

Pure: no database, no clock.
"""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import store
from nimmt.keys import KEY_BYTES
from referee.plan import MatchPlan, PlannedBot, TimeControl, duplicate, one_pass

DUPLICATE_BELOW = 4
"""Tables smaller than this play duplicate unless told otherwise (it saves most there)."""
DEFAULT_IN_FLIGHT = 64
DEFAULT_START_MS = TimeControl().start_ms
SHOWCASE_PACE_MS = 900
"""About as long as the viewer takes to move a card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableBot:
    """A bot at the table of a match: its name for replays, and what is started for it."""

    name: str
    version: int
    image: str | None
    program: tuple[str, ...] | None


class Terms(Protocol):
    """On what terms a match is played: those of its season, its ladder or an earlier match."""

    rules: str
    options: store.JsonDict
    boards: int
    passes: int
    time: store.JsonDict


def new_match(
    terms: Terms,
    kind: store.MatchKind,
    versions: Iterable[int],
    *,
    season_id: int | None = None,
    scale_id: int | None = None,
    gate_id: int | None = None,
    round_no: int | None = None,
    rated: bool = True,
    in_flight: int | None = None,
    max_faults: int = 3,
) -> store.NewMatch:
    """A match of these versions on these terms, with a fresh secret key."""
    return store.NewMatch(
        kind=kind,
        rules=terms.rules,
        options=terms.options,
        versions=tuple(versions),
        boards=terms.boards,
        passes=terms.passes,
        time=terms.time,
        key=secrets.token_bytes(KEY_BYTES),
        season_id=season_id,
        scale_id=scale_id,
        gate_id=gate_id,
        round_no=round_no,
        rated=rated,
        in_flight=in_flight,
        max_faults=max_faults,
    )


def match_name(match_id: int) -> str:
    """What replays call a match."""
    return f"m{match_id}"


def plan_of(
    match: store.Match,
    bots: Sequence[TableBot],
    *,
    attempt: int,
    runner: str,
    watch: bool,
    start_ms: int = DEFAULT_START_MS,
) -> MatchPlan:
    """What the referee is told. The key is in the replays, which nobody reads before the end."""
    times = {"start_ms": start_ms} | {name: int(str(ms)) for name, ms in match.time.items()}
    games = duplicate if match.passes > 1 else one_pass
    showcase = match.kind is store.MatchKind.SHOWCASE
    return MatchPlan(
        match=match_name(match.id),
        attempt=attempt,
        rules=match.rules,
        options=match.options,
        bots=tuple(PlannedBot(name=bot.name, version=bot.version, image=bot.image) for bot in bots),
        passes=games(len(bots), match.boards),
        key=match.key.hex(),
        reveal_key=True,
        time=TimeControl(**times),
        in_flight=1 if showcase else match.in_flight or DEFAULT_IN_FLIGHT,
        max_faults=match.max_faults,
        runner=runner,
        watch=watch,
        pace_ms=SHOWCASE_PACE_MS if showcase else 0,
    )


def whole_laps(boards: int, table_size: int, passes: int) -> int:
    """The boards of a match: only whole blocks count, so a single pass gets whole laps."""
    return boards if passes > 1 else -(-boards // table_size) * table_size
