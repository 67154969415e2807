"""Tables with people, as their pages show them."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from sqlmodel import Session

import nimmt
from api_models.words import size
from dashboard.http import Refused
from dashboard.render import rules_title
from sandbox.limits import bot_limits
from store import (
    JsonDict,
    Match,
    Person,
    Sitting,
    SittingSeat,
    SittingState,
    people_games,
    present,
    sittings,
    utc_now,
    workers,
)

HERE_SECONDS = 30
"""Somebody heard of in this time is at the table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatedTable:
    """A table, and where the reader sits."""

    sitting: Sitting
    match: Match
    seats: list[SittingSeat]
    own: SittingSeat | None

    @property
    def seat(self) -> SittingSeat:
        """The reader's own seat; whoever has none is refused."""
        if self.own is None:
            raise Refused(403, "you do not sit at this table; open one of your own at /play")
        return self.own


def find_table(session: Session, code: str, person: Person | None) -> SeatedTable:
    """The table at an address, for those who know it."""
    sitting = sittings.by_code(session, code)
    if sitting is None:
        raise Refused(404, "there is no table at this address; it may have been typed wrongly")
    seats = sittings.seats(session, sitting.match_id)
    own = [one for one in seats if person is not None and one.person_id == person.id]
    match = present(session, Match, sitting.match_id)
    return SeatedTable(sitting=sitting, match=match, seats=seats, own=own[0] if own else None)


def require_replay(session: Session, code: str, person: Person | None) -> SeatedTable:
    """The table at an address whose replay this reader may see; anybody else is refused."""
    table = find_table(session, code, person)
    if table.own is None and not table.sitting.shared:
        raise Refused(403, "this replay is private to those who sat at the table")
    if table.sitting.state is not SittingState.OVER:
        raise Refused(404, "this game is not over; its replay is there when it is")
    return table


def people_of(table: SeatedTable) -> list[JsonDict]:
    """The people at a table; those who are still awaited have no name yet."""
    since = utc_now() - timedelta(seconds=HERE_SECONDS)
    return [
        {
            "seat": one.seat,
            "name": one.name if one.person_id is not None else "",
            "here": one.seen_at is not None and one.seen_at > since and one.left_at is None,
        }
        for one in table.seats
        if one.for_person
    ]


def state_of(session: Session, table: SeatedTable) -> JsonDict:
    """How a table stands, for whoever sits there."""
    sitting, own = table.sitting, table.own
    position = None
    if sitting.state is SittingState.WAITING:
        position = 1 + sittings.ahead_of(session, sitting.match_id)
    awaited = []
    if sitting.state is SittingState.PLAYING:
        others = [
            one for one in table.seats if one.for_person and one is not own and not one.left_at
        ]
        awaited = [one.name for one in others if _is_asked(session, one)]
    return {
        "state": sitting.state.value,
        "waiting_for": awaited,
        "position": position,
        "people": people_of(table),
        "bots": bots_of(session, table),
        "assisted": sitting.assisted,
        # Then a hint is given from the first decision on, or not at all.
        "counts": people_games.may_count(sitting, table.seats),
    }


def bots_of(session: Session, table: SeatedTable) -> list[JsonDict]:
    """The bots at a table with the memory that each may use and, once it is over, has used."""
    known = sittings.memory(session, table.match.id)
    return [
        {
            "seat": one.seat,
            "name": one.name,
            # Only submitted bots are strangers: they run in containers, and the kernel holds them.
            "memory": memory_words(
                used=known[one.seat].peak,
                bound=None if known[one.seat].is_program else bot_limits().memory,
                is_over=table.sitting.state is SittingState.OVER,
            ),
        }
        for one in table.seats
        if not one.for_person
    ]


def memory_words(*, used: int | None, bound: int | None, is_over: bool) -> str:
    """What a bot may use of memory, and what it has used at most.

    >>> memory_words(used=None, bound=1 << 28, is_over=False)
    'up to 256.0 MiB'
    >>> memory_words(used=14 << 20, bound=1 << 28, is_over=True)
    '14.0 MiB of 256.0 MiB'
    >>> memory_words(used=14 << 20, bound=None, is_over=True)
    '14.0 MiB; no limit: a program of the platform'
    """
    most = "no limit: a program of the platform" if bound is None else f"up to {size(bound)}"
    if not is_over:
        return most
    if used is None:
        return f"not measured; {most}"
    return f"{size(used)}; {most}" if bound is None else f"{size(used)} of {size(bound)}"


def _is_asked(session: Session, seat: SittingSeat) -> bool:
    last = sittings.latest_frames(session, seat.match_id, seat.seat, 1)
    return bool(last) and last[0][1]["type"] in ("ask", "warning")


def table_page(table: SeatedTable, origin: str) -> dict[str, Any]:
    """What the page of a table is made of."""
    sitting, match = table.sitting, table.match
    return {
        "code": sitting.code,
        "state": sitting.state.value,
        "seat": None if table.own is None else table.own.seat,
        "title": rules_title(match.rules),
        "rules": match.rules,
        "options": match.options,
        "one_round": sitting.one_round,
        "people": people_of(table),
        "can_begin": sitting.state is SittingState.LOBBY and table.own is not None,
        "link": f"{origin}/play/{sitting.code}",
        "assisted": sitting.assisted,
        "offers": ["again", "other-seat"],
        "compares": sitting.source is not None,
        "memory": sitting.memory,
        "closed_why": sitting.closed_why,
    }


def games_on_offer() -> list[dict[str, Any]]:
    """The rules that can be played at tables, with how many may sit there."""
    found = []
    for name in nimmt.GAMES:
        plain = nimmt.get(name, {})
        advanced = nimmt.get(name, {"advanced": True}) if "advanced" in plain.options else None
        found.append(
            {
                "rules": name,
                "title": rules_title(name),
                "least": plain.min_players,
                "most": plain.max_players,
                "advanced_most": None if advanced is None else advanced.max_players,
            }
        )
    return found


def has_containers(session: Session) -> bool:
    """Whether a worker is up that runs bots in containers, so that submitted ones may play."""
    runners = [str(one.detail.get("runner", "")) for one in workers.alive(session)]
    return any(runner.startswith("docker") for runner in runners)
